// Tests of the reading of a resumable upload: what a client can do while the storage fails.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Spool } from '../../store/store.ts'
import type { HeldKey } from '../uploads/idempotency-keys.ts'
import { LiveUpload } from '../uploads/live-upload.ts'
import { type ReadingTools, ResumableUpload } from './resumable-upload.ts'
import { UnfinishedPlaces } from './unfinished-places.ts'

const dir = await mkdtemp(join(tmpdir(), 'csv-upload-reading-'))
after(() => rm(dir, { recursive: true }))
const path = join(dir, 'bytes')
await writeFile(path, 'a,b\n1,2\n')

/** A form on disk, with the boundary `x`. */
interface SentForm {
  readonly path: string
  readonly bytes: number
}

/** A reading of a complete upload; `publish` is called in the phase `writing`. */
function openReading(
  publish: () => Promise<never>,
  { form = null, key = null }: { readonly form?: SentForm | null; readonly key?: HeldKey | null } = {},
) {
  const stopped = Promise.withResolvers<ServiceError>()
  const bytes = form?.bytes ?? 8
  const known = { id: 'u', owner: '', createdAt: Date.now(), expectedBytes: bytes }
  const live = new LiveUpload({ ...known, stop: stopped.resolve }, () => {})
  const ofForm = form && { contentType: 'multipart/form-data; boundary=x' }
  const details = { form: ofForm, fileName: 'a.csv', fileType: null, declared: {} }
  // What a reading uses of a spool and of the tools, up to the publish.
  const stored = { path: form?.path ?? path, state: { bytes, isComplete: true } }
  const spool = { facts: { ...known, details }, ...stored } as unknown as Spool
  const draft = async () => {
    live.writes()
    return await publish()
  }
  const explain = async (error: unknown) => error
  const limits = { fileBytesMax: 1_000, requestBytesMax: 1_000 }
  const tools = { explain, store: { draft }, limits } as unknown as ReadingTools
  live.received()
  const failed: ServiceError[] = []
  const held = new UnfinishedPlaces({ unfinishedMax: 2, unfinishedBytesMax: 10_000 }).hold('', bytes)
  const upload = new ResumableUpload(
    tools,
    { spool, live, key, held },
    { done() {}, failed: (error) => void failed.push(error) },
  )
  return { live, upload, stopped: stopped.promise, failed }
}

test('an upload that found the disk full at its end can be cancelled until it is tried again', async () => {
  const { live, upload, stopped, failed } = openReading(async () => {
    throw new ServiceError('DISK_FULL', {})
  })
  await assert.rejects(upload.read(), (error) => isServiceError(error, 'DISK_FULL'))
  assert.equal(live.status().phase, 'reading')
  assert.deepEqual(failed, [])
  const cancelled = live.cancel()
  const reason = await stopped
  await upload.endReading(reason)
  live.failed(reason, Date.now())
  await cancelled
  assert.equal(live.status().phase, 'failed')
  await assert.rejects(upload.read(), (error) => isServiceError(error, 'DISK_FULL'))
})

test('a reading that found the disk full does not end the request that adds bytes', async (t) => {
  const { upload } = openReading(async () => {
    throw new ServiceError('DISK_FULL', {})
  })
  const stop = t.mock.method(upload, 'stop')
  await assert.rejects(upload.read(), (error) => isServiceError(error, 'DISK_FULL'))
  assert.equal(stop.mock.callCount(), 0)
})

test('an upload cannot be cancelled while its dataset is being written, and does not change once it has ended', async () => {
  const writing = Promise.withResolvers<void>()
  const held = Promise.withResolvers<never>()
  const { live, upload } = openReading(async () => {
    writing.resolve()
    return await held.promise
  })
  const read = upload.read()
  await writing.promise
  await assert.rejects(live.cancel(), (error) => isServiceError(error, 'UPLOAD_FINISHED'))
  live.failed(new ServiceError('SHUTTING_DOWN', {}), Date.now())
  held.reject(new ServiceError('DISK_FULL', {}))
  await assert.rejects(read)
  assert.equal(live.status().phase, 'failed')
})

const unseen = existsSync('/proc/self/fd') ? false : 'this system does not show descriptors'

/** Whether this process has the file open. */
function isOpen(target: string): boolean {
  return readdirSync('/proc/self/fd').some((name) => {
    try {
      return readlinkSync(join('/proc/self/fd', name)) === target
    } catch {
      return false // the descriptor that listed the directory
    }
  })
}

const refusal = new ServiceError('IDEMPOTENCY_KEY_IN_USE', {})
const refusedKey = { answer: null, refusal, keep: async () => {}, release() {} }
for (const { what, schema, key, code } of [
  { what: 'its schema', schema: '{"fields":7}', key: null, code: 'BAD_PARAMETER' as const },
  { what: 'its key', schema: '{"fields":[]}', key: refusedKey, code: refusal.code },
]) {
  test(`a form that is refused for ${what} leaves no file open`, { skip: unseen }, async () => {
    const part = (head: string, text: string) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`
    const sent = `${part('name="schema"', schema)}${part('name="file"; filename="a.csv"', 'a,b\n1,2')}--x--\r\n`
    const form = { path: join(dir, 'form'), bytes: sent.length }
    await writeFile(form.path, sent)
    const { upload } = openReading(() => Promise.reject(new Error('published')), { form, key })
    await assert.rejects(upload.read(), (error) => isServiceError(error, code))
    assert.equal(isOpen(form.path), false)
  })
}
