// S3 probe: whether a server lets only one of several conditional writers win, on which commits depend. Knows no dataset.
import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { S3Objects } from './s3-objects.ts'

const writersAtOnce = 8

/**
 * Tries conditional writes and deletions on an object of its own. Some servers answer 200 to each of several writers
 * that require the object to be absent; on those, two replicas would both believe that they made a dataset. Those that
 * ignore the condition of a deletion keep what marks removed datasets.
 * @throws {ServiceError} STORE_UNSUITABLE, STORE_UNAVAILABLE, STORE_FAILED
 */
export async function probeConditionalWrites(objects: S3Objects): Promise<void> {
  const key = `probe/${randomUUID()}`
  const put = (text: string, condition: Parameters<S3Objects['put']>[2]) =>
    objects.put(key, Buffer.from(text), condition)
  try {
    const race = await Promise.all(Array.from({ length: writersAtOnce }, (_, i) => put(`${i}`, { kind: 'absent' })))
    const winners = race.filter(Boolean).length
    if (winners !== 1)
      throw unsuitable(
        `${winners} of ${writersAtOnce} concurrent writers of one new object were told that they had created it`,
      )
    const made = await objects.head(key)
    if (made === null) throw unsuitable('an object that was written cannot be read')
    if (await put('again', { kind: 'absent' })) throw unsuitable('it overwrites an object despite If-None-Match')
    if (!(await put('changed', { kind: 'same', etag: made.etag }))) throw unsuitable('it does not support If-Match')
    if (await put('late', { kind: 'same', etag: made.etag }))
      throw unsuitable('it overwrites an object that has changed')
    await objects.deleteSame(key, made.etag)
    objects.deletesIfMatch = (await objects.head(key)) !== null
  } finally {
    await objects.delete([key]).catch(() => {})
  }
}

function unsuitable(problem: string): ServiceError {
  return new ServiceError('STORE_UNSUITABLE', { problem })
}
