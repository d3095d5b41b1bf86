// Tests of resumable uploads: requests that add bytes, complete and cancel one, in every order and at random distances.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../config/config.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { UploadStatus } from '../../core/upload-status.ts'
import { createFsStore } from '../../store/fs/fs-store.ts'
import { AdmissionControl } from '../upload/admission.ts'
import { datasetId } from '../upload/dataset-id.ts'
import { Quota } from '../upload/quota.ts'
import { EndedUploads } from '../uploads/ended-uploads.ts'
import { IdempotencyKeys } from '../uploads/idempotency-keys.ts'
import { Uploads } from '../uploads/uploads.ts'
import type { ResumableTools } from './resumable-reading.ts'
import { Resumables } from './resumables.ts'

const dir = await mkdtemp(join(tmpdir(), 'csv-upload-resumables-'))
const seed = Number(process.env.SEED ?? 40)
let state = seed
/** A whole number below `below`. */
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

const text = Buffer.from('a,b\n1,2\n3,4\n')
const sha256 = createHash('sha256').update(text).digest('hex')
const id = datasetId({ sha256, declared: { dialect: {}, schema: null }, owner: '' })

const store = await createFsStore({ dir })
const error = (fields: { readonly err?: unknown }) => assert.fail(String(fields.err))
const ended = await EndedUploads.open(join(dir, 'ended'), { error })
const keys = await IdempotencyKeys.open(join(dir, 'keys'), { error })
const ends = new Map<string, UploadStatus>()
const limits = { ...readConfig([], {}), uploadsMax: 1, uploadsPerClientMax: 1 }
const uploads = new Uploads(limits, ended, (status) => void ends.set(status.id, status))
const admissionControl = await AdmissionControl.open(limits, store, new Quota(limits, store))
// A key that was answered is the shortest way to an outcome: its bytes are read and compared, and nothing is converted.
const first = keys.hold('', 'k')
await first.keep({ upload: { id: '1', owner: '', datasetId: id, fileName: 'a.csv' }, notes: [] } as never)
first.release()
const records = { total: 3, header: 1, blank: 0, skipped: 0, accepted: 2, rejected: 0 }
const receipt = { id, encoding: null, dialect: null, columns: [], records } as unknown as Receipt
const existing = { find: async () => ({ kind: 'whole', receipt }) }
const explain = async (reason: unknown) => reason
const tools = { store, uploads, keys, admissionControl, existing, explain, limits } as unknown as ResumableTools
const resumables = await Resumables.open(tools, limits)
after(async () => {
  for (const one of [resumables, ended, keys]) await one[Symbol.asyncDispose]()
  await store.close()
  await rm(dir, { recursive: true })
})

/** The bytes from `from` to `to` in pieces, as a request brings them. */
function bytes(from: number, to: number) {
  let failure: Error | null = null
  const fail = (reason: Error) => {
    failure ??= reason
  }
  const pending = { waitedMs: () => 0, fail }
  async function* body() {
    for (let at = from; at < to; at += 3) {
      await turns(random(4))
      if (failure !== null) throw failure
      yield [text.subarray(at, Math.min(to, at + 3))]
    }
  }
  const given = { offset: from, declaredBytes: to - from, expectedBytes: null, checksum: null, network: 'n' }
  return { ...given, body: body(), pending, onAccepted() {} }
}

test(`append, complete and cancel leave nothing behind, in every order; SEED=${seed}`, async () => {
  const mine = resumables.of('', 'anyone', uploads.of('', null))
  const outcomes = new Set<string>()
  const orders = [0, 1, 2].flatMap((a) => [0, 1, 2].flatMap((b) => (a === b ? [] : [[a, b, 3 - a - b]])))
  for (let round = 0; round < 20; round++) {
    for (const order of orders) {
      const created = await mine.create({
        form: null,
        fileName: 'a.csv',
        disposition: null,
        fileType: null,
        declared: {},
        expectedBytes: text.length,
        network: 'n',
        remark: null,
        idempotencyKey: 'k',
        isOneRequest: false,
      })
      const half = 6
      const steps = [
        () => mine.append(created.id, bytes(0, half)),
        () => mine.append(created.id, bytes(half, text.length)).then(({ reply }) => reply),
        () => uploads.of('').remove(created.id),
      ]
      const running: Promise<unknown>[] = []
      for (const step of order) {
        const one: Promise<unknown> = steps[step]!()
        one.catch(() => {})
        running.push(one)
        await (random(3) === 0 ? Promise.allSettled([one]) : turns(random(12)))
      }
      const results = (await Promise.allSettled(running)).map(({ status }) => status)
      const where = `round ${round}, order ${order}: ${results}`
      // The removal of its files is the last step, in the background.
      while ((await readdir(join(dir, 'uploads'))).length > 0) await turns(1)
      const end = ends.get(created.id)
      assert.ok(end !== undefined, where)
      assert.ok(end.phase === 'done' || end.error?.exception.includes('Cancelled'), `${where}: ${JSON.stringify(end)}`)
      assert.deepEqual(resumables.unfinished(), { uploads: 0, bytes: 0 }, where)
      const key = keys.hold('', 'k')
      assert.equal(key.refusal, null, where)
      key.release()
      admissionControl.admitBytes({ fileBytes: 1, missingBytes: 1, network: 'n' }, '').release()
      outcomes.add(end.phase)
    }
  }
  assert.deepEqual([...outcomes].toSorted(), ['done', 'failed'])
})
