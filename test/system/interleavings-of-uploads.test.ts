// Tests of uploads that are added to, completed, cancelled, admitted, ended for others and copied at once, in many orders:
// nothing acknowledged is lost, and nothing is held or left behind.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { readConfig } from '../../src/config/config.ts'
import type { CopyTarget } from '../../src/core/copies/copy-status.ts'
import { isServiceError, ServiceError } from '../../src/core/errors.ts'
import type { Receipt } from '../../src/core/receipt.ts'
import type { UploadStatus } from '../../src/core/upload-status.ts'
import { Copies } from '../../src/service/copies/copies.ts'
import { Catalog, type CatalogTools } from '../../src/service/dataset/catalog.ts'
import { removeOwn } from '../../src/service/dataset/remove-dataset.ts'
import { Resumables, type ResumableTools } from '../../src/service/resumable/resumables.ts'
import { AdmissionControl } from '../../src/service/upload/admission.ts'
import { arrive } from '../../src/service/upload/arrival.ts'
import { datasetId } from '../../src/service/upload/dataset-id.ts'
import { publishOrRecord } from '../../src/service/upload/publish-or-record.ts'
import { Quota } from '../../src/service/upload/quota.ts'
import { EndedUploads } from '../../src/service/uploads/ended-uploads.ts'
import { IdempotencyKeys } from '../../src/service/uploads/idempotency-keys.ts'
import type { LiveUpload } from '../../src/service/uploads/live-upload.ts'
import { Uploads } from '../../src/service/uploads/uploads.ts'
import { SinkError } from '../../src/sink/sink.ts'
import { place } from '../../src/store/fs/fs-store.testing.ts'
import { fill, sample } from '../../src/store/store-samples.testing.ts'
import { interleave, yielding } from '../support/interleave.ts'
import { seed } from '../support/samples.ts'

/** A step of whoever takes it. */
const step = yielding({ async take() {} })
const mebibyte = 1_048_576
const error = (fields: { readonly err?: unknown }) => assert.fail(String(fields.err))

const text = Buffer.from('a,b\n1,2\n3,4\n')
const half = 6
const sha256 = createHash('sha256').update(text).digest('hex')
const id = datasetId({ sha256, declared: { dialect: {}, schema: null }, owner: '' })

/** Resumable uploads over a real store, journals and admission. What they make exists, so that nothing is converted. */
async function resumableUploads(t: TestContext) {
  const { dir, open } = await place(t)
  const store = await open()
  const ended = await EndedUploads.open(join(dir, 'ended'), { error })
  const keys = await IdempotencyKeys.open(join(dir, 'keys'), { error })
  const ends = new Map<string, UploadStatus>()
  const limits = { ...readConfig([], {}), uploadsMax: 1, uploadsPerClientMax: 1 }
  const uploads = new Uploads(limits, ended, (status) => void ends.set(status.id, status))
  const begun: LiveUpload[] = []
  t.mock.method(uploads, 'begin', (upload: Parameters<Uploads['begin']>[0]) => {
    begun.push(Uploads.prototype.begin.call(uploads, upload))
    return begun.at(-1)
  })
  const admissionControl = await AdmissionControl.open(limits, store, new Quota(limits, store))
  const sender = { owner: '', sender: 'anyone' }
  const first = keys.hold(sender, 'k')
  await first.keep({ upload: { id: '1', owner: '', datasetId: id, fileName: 'a.csv' }, notes: [] } as never)
  first.release()
  const records = { total: 3, header: 1, blank: 0, skipped: 0, accepted: 2, rejected: 0 }
  const receipt = { id, encoding: null, dialect: null, columns: [], records } as unknown as Receipt
  const disk = { isFull: false }
  const find = async () => {
    if (!disk.isFull) return { kind: 'whole', receipt }
    begun.at(-1)?.writes()
    await step.take()
    throw new ServiceError('DISK_FULL', {})
  }
  const explain = async (reason: unknown) => reason
  const tools = { store, uploads, keys, admissionControl, existing: { find }, explain, limits }
  const resumables = Resumables.open(tools as unknown as ResumableTools, limits)
  t.after(async () => {
    for (const one of [resumables, ended, keys]) await one[Symbol.asyncDispose]()
  })
  const mine = resumables.of('', 'anyone', uploads.of('', null))
  return {
    disk,
    mine,
    ends,
    create: () =>
      mine.create({
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
      }),
    remove: (upload: string) => uploads.of('').remove(upload),
    /** No upload is left, in memory or on disk, nor its key and its place. */
    assertNothingLeft: async () => {
      assert.deepEqual(resumables.unfinished(), { uploads: 0, bytes: 0 })
      const key = keys.hold(sender, 'k')
      assert.equal(key.refusal, null)
      key.release()
      admissionControl.admitBytes({ fileBytes: 1, missingBytes: 1, network: 'n' }, '').release()
      assert.deepEqual(await readdir(join(dir, 'uploads')), [])
    },
  }
}

/** The bytes from `from` to `to` in two pieces, as a request brings them. */
function bytes(from: number, to: number) {
  let failure: Error | null = null
  const fail = (reason: Error) => {
    failure ??= reason
  }
  async function* body() {
    for (const [start, end] of [
      [from, from + 3],
      [from + 3, to],
    ]) {
      await step.take()
      if (failure !== null) throw failure
      yield [text.subarray(start, end)]
    }
  }
  const given = { offset: from, declaredBytes: to - from, expectedBytes: null, checksum: null, network: 'n' }
  return { ...given, body: body(), pending: { waitedMs: () => 0, fail }, onAccepted() {} }
}

/** What clients are told when another request was first. */
const mayMeet = [
  'UPLOAD_CANCELLED',
  'UPLOAD_ENDED',
  'UPLOAD_FINISHED',
  'UPLOAD_NOT_FOUND',
  'UPLOAD_TAKEN_OVER',
] as const

function met(reason: unknown): void {
  const isOffset = isServiceError(reason, 'UPLOAD_OFFSET_MISMATCH')
  assert.ok(isOffset || mayMeet.some((code) => isServiceError(reason, code)), reason as Error)
}

test('adding to an upload, completing and cancelling it lose nothing, and leave nothing behind', async (t) => {
  const { mine, ends, create, remove, assertNothingLeft } = await resumableUploads(t)
  const phases = new Set<string>()
  const tried = await interleave({ seed, random: 40 }, async () => {
    const created = await create()
    let acknowledged = 0
    const append = (from: number, to: number) => async () => {
      const { state, reply } = await mine.append(created.id, bytes(from, to))
      acknowledged = Math.max(acknowledged, state.bytes)
      await reply
    }
    return {
      tasks: {
        append: () => append(0, half)().catch(met),
        complete: () => append(half, text.length)().catch(met),
        look: () =>
          mine
            .state(created.id)
            .then((state) => assert.ok(state.bytes >= acknowledged, `${state.bytes} of ${acknowledged} bytes`), met),
        cancel: () => remove(created.id).catch(met),
      },
      check: async () => {
        const end = ends.get(created.id) ?? assert.fail('it has not ended')
        assert.ok(end.phase === 'done' || end.error?.exception.includes('Cancelled'), JSON.stringify(end))
        phases.add(end.phase)
        await assertNothingLeft()
      },
    }
  })
  t.diagnostic(`SEED=${seed}, orders: ${tried}`)
  assert.deepEqual([...phases].toSorted(), ['done', 'failed'])
})

test('an upload whose dataset finds the disk full can be cancelled, if not while that is found', async (t) => {
  const { disk, mine, create, remove, assertNothingLeft } = await resumableUploads(t)
  disk.isFull = true
  const codes = new Set<string>()
  await interleave({ seed, random: 20 }, async () => {
    const created = await create()
    const refused = (reason: unknown) => {
      codes.add((reason as ServiceError).code)
      if (!isServiceError(reason, 'DISK_FULL')) met(reason)
    }
    const complete = () => mine.append(created.id, bytes(0, text.length)).then(({ reply }) => reply)
    return {
      tasks: {
        complete: () => complete().then(() => assert.fail(), refused),
        cancel: () => remove(created.id).catch(refused),
      },
      check: async () => {
        await remove(created.id).catch((reason) => assert.ok(isServiceError(reason, 'UPLOAD_NOT_FOUND'), reason))
        await assertNothingLeft()
      },
    }
  })
  for (const code of ['DISK_FULL', 'UPLOAD_FINISHED']) assert.ok(codes.has(code), code)
})

test('no upload ends for one that is refused, and nothing is held once all have ended', async () => {
  const limits = { ...readConfig([], {}), uploadsMax: 2, uploadsPerClientMax: 2, ownerBytesMax: 100 * mebibyte }
  const store = {
    // Room for 90 MiB, which take 198 MiB.
    freeBytes: async () => 264 * mebibyte,
    usage: (owner: string) => ({ datasets: 0, bytes: owner === 'full' ? 90 * mebibyte : 0 }),
    isCounted: () => false,
    catchUp: async () => {},
  }
  const control = await AdmissionControl.open(limits, store, new Quota(limits, store))
  const refusals = new Set<string>()
  let ended = 0
  /** Sends a file slowly, until another one needs its place. */
  const send = (owner: string, mebibytes: number) => async () => {
    const before = ended
    let isEnded = false
    const fail = () => {
      isEnded = true
      ended += 1
    }
    const sizes = { fileBytes: mebibytes * mebibyte, missingBytes: mebibytes * mebibyte }
    try {
      const place = control.admitBytes({ ...sizes, network: '', body: { waitedMs: () => 6_000, fail } }, owner)
      for (let arrived = 0; arrived < 3 && !isEnded; arrived += 1) await step.take()
      place.release()
    } catch (reason) {
      refusals.add((reason as ServiceError).code)
      assert.equal(ended, before, `ended for one that is refused: ${reason}`)
    }
  }
  const tasks = {
    anna: send('a', 40),
    bob: send('b', 30),
    carl: send('c', 60),
    full: send('full', 20),
    huge: send('d', 95),
  }
  const tried = await interleave({ seed, random: 100 }, async () => ({
    tasks,
    check: async () => {
      const sizes = { fileBytes: 45 * mebibyte, missingBytes: 45 * mebibyte, network: '' }
      const places = [control.admitBytes(sizes, 'a'), control.admitBytes(sizes, 'b')]
      for (const place of places) place.release()
    },
  }))
  assert.deepEqual([...refusals].toSorted(), ['DISK_FULL', 'QUOTA_EXCEEDED'])
  assert.ok(ended > 0, `${ended} ended in ${tried} orders`)
})

const target: CopyTarget = { name: 'pg', url: '', schema: 'public', table: null, mode: 'append', key: [] }

for (const isAway of [false, true]) {
  const database = isAway ? 'the database is away' : 'uploads are copied'
  test(`while ${database}, the copy of no upload is forgotten, whenever the process is killed`, async (t) => {
    const { dir, open } = await place(t)
    const real = await open()
    const store = yielding(real)
    const { receipt, files } = sample({ seed: 1 })
    const quota = new Quota({ ownerBytesMax: 1e9, ownerDatasetsMax: 9 }, store)
    let time = 0
    const now = () => {
      time += 1
      return time
    }
    let orders = 0
    const tried = await interleave({ seed, random: 20 }, async () => {
      orders += 1
      await real.remove(receipt)
      /** When copies that have ended began, and when uploads that were answered with 200 were sent. */
      const copied: number[] = []
      const acknowledged: number[] = []
      const uploadsPath = join(dir, `uploads-to-copy-${orders}`)
      const copy = async () => {
        const begun = now()
        await step.take()
        if (isAway) throw new SinkError('away', true)
        copied.push(begun)
      }
      const copies = await Copies.open({
        store,
        sourceOf: () => () => assert.fail(),
        targets: [target],
        sinkOf: async () => ({ copy }),
        uploadsTo: 'pg',
        journalPath: join(dir, `copies-${orders}`),
        uploadsPath,
        logger: { warn() {}, error },
        onEnded: () => {},
        retryMs: [isAway ? 3_600_000 : 1],
      })
      const catalog = new Catalog({ store, owner: '' } as unknown as CatalogTools)
      const copying = {
        request: (of: Receipt) => step.take().then(() => copies.request(of)),
        removed: (of: string) => step.take().then(() => copies.removed(of)),
      }
      const tools = {
        store,
        catalog,
        copies: copying,
        quota,
        runner: { forget() {} },
      }
      const upload = async () => {
        const sentAt = now()
        await using draft = await real.draft()
        await fill(draft, { receipt, files })
        await publishOrRecord(tools, arrive(''), { kind: 'new', receipt, draft }, 'a.csv')
        acknowledged.push(sentAt)
      }
      /** What a process that is killed now leaves: each upload has been copied, or its copy is requested. */
      const assertRemembered = (requests: number) => {
        // Nobody is promised anything of a dataset that is being deleted.
        if (!real.isCounted(receipt.id)) return
        const lost = acknowledged.filter((sentAt) => !copied.some((begun) => begun > sentAt))
        assert.ok(lost.length === 0 || requests > 0, `sent at ${lost}, copied at ${copied}, ${requests} requests`)
      }
      return {
        tasks: {
          upload,
          again: upload,
          delete: () =>
            removeOwn(tools, receipt.id, 'erase').catch((reason) =>
              assert.ok(isServiceError(reason, 'DATASET_NOT_FOUND'), reason),
            ),
        },
        always: () => assertRemembered(readdirSync(uploadsPath).length),
        check: async () => {
          // Copies that met a deletion are tried again.
          while (!isAway && (await readdir(uploadsPath)).length > 0) await setImmediate()
          if (!isAway) assertRemembered(0)
          await copies[Symbol.asyncDispose]()
        },
      }
    })
    t.diagnostic(`SEED=${seed}, orders: ${tried}`)
  })
}
