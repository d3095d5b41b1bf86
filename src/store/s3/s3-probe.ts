// S3 probe: tries every call that the store makes, on objects of its own, and names one that fails. Knows no dataset.
import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import { probePrefix } from './s3-keys.ts'
import { isAway, operationOf, type S3Objects } from './s3-objects.ts'

const writersAtOnce = 8

/**
 * Tries every call, and what the store relies on. Servers that ignore the condition of a deletion keep what marks
 * removed datasets.
 * @throws {ServiceError} STORE_UNSUITABLE; STORE_UNAVAILABLE while the server does not answer
 */
export async function probeBucket(objects: S3Objects): Promise<void> {
  const key = `${probePrefix}${randomUUID()}`
  const large = `${key}-in-parts`
  try {
    const oldTag = await probeWrites(objects, key)
    await probeReads(objects, key)
    await objects.deleteSame(key, oldTag)
    objects.deletesIfMatch = (await objects.head(key)) !== null
    await (await objects.multipart(large)).abort()
    // None began before the epoch.
    await objects.abortMultiparts(0, () => false)
    const parts = await objects.multipart(large)
    await parts.add(1, Buffer.from('part'), new AbortController().signal)
    await parts.complete()
    await objects.delete([key, large])
  } catch (error) {
    await objects.delete([key, large]).catch(() => {})
    const { code, cause } = error instanceof ServiceError ? error : { code: '', cause: error }
    const isMisconfigured = cause instanceof Error && cause.name === 'CredentialsProviderError'
    const isTransient = code === 'STORE_UNAVAILABLE' && isAway(cause) && !isMisconfigured
    throw code === 'STORE_UNSUITABLE' || isTransient
      ? error
      : unsuitable(`${isMisconfigured ? 'signing' : operationOf(cause)} fails`, cause)
  }
}

/**
 * Some servers answer 200 to each of several writers that require the object to be absent; on those, two replicas would
 * both believe that they made a dataset. Returns an ETag that the object had; it is `changed` now.
 */
async function probeWrites(objects: S3Objects, key: string): Promise<string> {
  const put = (text: string, condition: Parameters<S3Objects['put']>[2]) =>
    objects.put(key, Buffer.from(text), condition)
  const race = await Promise.all(Array.from({ length: writersAtOnce }, (_, i) => put(`${i}`, { kind: 'absent' })))
  const winners = race.filter(Boolean).length
  const expected = '; expected one that enforces conditional writes'
  if (winners !== 1) {
    const told = 'concurrent writers of one new object were told that they had created it'
    throw unsuitable(`${winners} of ${writersAtOnce} ${told}${expected}`)
  }
  const made = await objects.head(key)
  if (made === null) throw unsuitable('an object that was written cannot be read')
  const same = { kind: 'same', etag: made.etag } as const
  if (await put('again', { kind: 'absent' }))
    throw unsuitable(`it overwrites an object despite If-None-Match${expected}`)
  if (!(await put('changed', same))) throw unsuitable(`it does not support If-Match${expected}`)
  if (await put('late', same)) throw unsuitable(`it overwrites an object that has changed${expected}`)
  return made.etag
}

async function probeReads(objects: S3Objects, key: string): Promise<void> {
  const range = await objects.read(key, 1, 4)
  const read = range && Buffer.concat(await Array.fromAsync(range)).toString()
  if (read !== 'han') throw unsuitable('it does not return the range that was asked for')
  const [listed] = await Array.fromAsync(objects.list(key))
  if (listed !== key) throw unsuitable('a list does not show an object that has just been written')
}

function unsuitable(problem: string, cause?: unknown): ServiceError {
  return new ServiceError('STORE_UNSUITABLE', { problem }, cause)
}
