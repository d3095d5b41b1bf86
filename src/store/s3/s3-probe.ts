// S3 probe: tries every call that the store makes, on objects of its own, and names one that fails. Knows no dataset.
import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import { probePrefix } from './s3-keys.ts'
import { isAway, type S3Objects } from './s3-objects.ts'

const writersAtOnce = 8

/**
 * Tries every call, and what the store relies on. Servers that ignore the condition of a deletion keep what marks
 * removed datasets.
 * @throws {ServiceError} STORE_UNSUITABLE; STORE_UNAVAILABLE while the server does not answer
 */
export async function probeBucket(objects: S3Objects): Promise<void> {
  const key = `${probePrefix}${randomUUID()}`
  const [plain, raced, large] = [`${key}-plain`, `${key}-raced`, `${key}-in-parts`]
  const keys = [plain, raced, large]
  try {
    await probeReads(objects, plain)
    const oldTag = await probeConditions(objects, raced)
    await tried('DeleteObject', objects.deleteSame(raced, oldTag))
    objects.deletesIfMatch = (await objects.head(raced)) !== null
    await probeParts(objects, large)
    await tried('DeleteObjects', objects.delete(keys))
  } catch (error) {
    await objects.delete(keys).catch(() => {})
    throw error
  }
}

async function probeReads(objects: S3Objects, key: string): Promise<void> {
  await tried('PutObject', objects.put(key, Buffer.from('plain')))
  const whole = await tried('GetObject', objects.get(key))
  const range = await tried('GetObject', objects.read(key, 1, 3, whole?.etag))
  const read = range && Buffer.concat(await tried('GetObject', Array.fromAsync(range))).toString()
  if (whole?.body.toString() !== 'plain' || read !== 'la') throw unsuitable('it does not return what was written')
  const keys = await tried('ListObjectsV2', Array.fromAsync(objects.list(key)))
  if (keys[0] !== key) throw unsuitable('a list does not show an object that has just been written')
}

/**
 * Some servers answer 200 to each of several writers that require the object to be absent; on those, two replicas would
 * both believe that they made a dataset. Returns an ETag that the object had before.
 */
async function probeConditions(objects: S3Objects, key: string): Promise<string> {
  const put = (text: string, condition: Parameters<S3Objects['put']>[2]) =>
    tried('PutObject', objects.put(key, Buffer.from(text), condition))
  const race = await Promise.all(Array.from({ length: writersAtOnce }, (_, i) => put(`${i}`, { kind: 'absent' })))
  const winners = race.filter(Boolean).length
  if (winners !== 1)
    throw unconditional(
      `${winners} of ${writersAtOnce} concurrent writers of one new object were told that they had created it`,
    )
  const made = await tried('HeadObject', objects.head(key))
  if (made === null) throw unsuitable('an object that was written cannot be read')
  if (await put('again', { kind: 'absent' })) throw unconditional('it overwrites an object despite If-None-Match')
  if (!(await put('changed', { kind: 'same', etag: made.etag }))) throw unconditional('it does not support If-Match')
  if (await put('late', { kind: 'same', etag: made.etag }))
    throw unconditional('it overwrites an object that has changed')
  return made.etag
}

async function probeParts(objects: S3Objects, key: string): Promise<void> {
  const begin = () => tried('CreateMultipartUpload', objects.multipart(key))
  const sent = await begin()
  await tried('UploadPart', sent.add(1, Buffer.from('part'), new AbortController().signal))
  await tried('CompleteMultipartUpload', sent.complete())
  const other = await begin()
  // None began before the epoch.
  await tried(
    'ListMultipartUploads',
    objects.abortMultiparts(0, () => false),
  )
  await tried('AbortMultipartUpload', other.abort())
}

/** Names the call if the server refuses it; what may pass is left as it is. */
async function tried<Result>(call: string, result: Promise<Result>): Promise<Result> {
  try {
    return await result
  } catch (error) {
    const { code, cause } = error instanceof ServiceError ? error : {}
    const isPassing = code === 'STORE_UNAVAILABLE' && isAway(cause)
    if (isPassing && !(cause instanceof Error && cause.name === 'CredentialsProviderError')) throw error
    throw unsuitable(`${call} fails`, cause ?? error)
  }
}

function unconditional(problem: string): ServiceError {
  return unsuitable(`${problem}; wanted one that enforces conditional writes`)
}

function unsuitable(problem: string, cause?: unknown): ServiceError {
  return new ServiceError('STORE_UNSUITABLE', { problem }, cause)
}
