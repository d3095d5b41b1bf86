// Tests of resumable readings: what a client can do while the storage fails.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Spool } from '../../store/store.ts'
import { LiveUpload } from '../uploads/live-upload.ts'
import { type ReadingTools, ResumableReading } from './resumable-reading.ts'
import { ResumableUpload } from './resumable-upload.ts'

const dir = await mkdtemp(join(tmpdir(), 'csv-upload-reading-'))
after(() => rm(dir, { recursive: true }))
const path = join(dir, 'bytes')
await writeFile(path, 'a,b\n1,2\n')

/** A reading of a complete upload; `publish` is called in the phase `writing`. */
function openReading(publish: () => Promise<never>) {
  const stopped = Promise.withResolvers<ServiceError>()
  const known = { id: 'u', owner: '', createdAt: Date.now(), expectedBytes: 8 }
  const live = new LiveUpload({ ...known, stop: stopped.resolve }, () => {})
  const details = { form: null, fileName: 'a.csv', fileType: null, declared: {} }
  // What a reading uses of a spool and of the tools, up to the publish.
  const spool = { facts: { ...known, details }, path, state: { bytes: 8, isComplete: true } } as unknown as Spool
  const draft = async () => {
    live.writes()
    return await publish()
  }
  const tools = { explain: async (error: unknown) => error, store: { draft } } as unknown as ReadingTools
  live.received()
  const failed: ServiceError[] = []
  const upload = new ResumableUpload(spool, live, null)
  const reading = new ResumableReading(tools, upload, {
    done() {},
    failed: (error) => void failed.push(error),
  })
  return { live, upload, reading, stopped: stopped.promise, failed }
}

test('an upload that found the disk full at its end can be cancelled until it is tried again', async () => {
  const { live, reading, stopped, failed } = openReading(async () => {
    throw new ServiceError('DISK_FULL', {})
  })
  await assert.rejects(reading.begin(), (error) => isServiceError(error, 'DISK_FULL'))
  assert.equal(live.status().phase, 'reading')
  assert.deepEqual(failed, [])
  const cancelled = live.cancel()
  const reason = await stopped
  await reading.end(reason)
  live.failed(reason, Date.now())
  await cancelled
  assert.equal(live.status().phase, 'failed')
  await assert.rejects(reading.begin(), (error) => isServiceError(error, 'DISK_FULL'))
})

test('a reading that found the disk full does not end the request that adds bytes', async (t) => {
  const { upload, reading } = openReading(async () => {
    throw new ServiceError('DISK_FULL', {})
  })
  const stop = t.mock.method(upload, 'stop')
  await assert.rejects(reading.begin(), (error) => isServiceError(error, 'DISK_FULL'))
  assert.equal(stop.mock.callCount(), 0)
})

test('an upload cannot be cancelled while its dataset is being written, and does not change once it has ended', async () => {
  const writing = Promise.withResolvers<void>()
  const held = Promise.withResolvers<never>()
  const { live, reading } = openReading(async () => {
    writing.resolve()
    return await held.promise
  })
  const read = reading.begin()
  await writing.promise
  await assert.rejects(live.cancel(), (error) => isServiceError(error, 'UPLOAD_FINISHED'))
  live.failed(new ServiceError('SHUTTING_DOWN', {}), Date.now())
  held.reject(new ServiceError('DISK_FULL', {}))
  await assert.rejects(read)
  assert.equal(live.status().phase, 'failed')
})
