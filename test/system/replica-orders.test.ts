// Tests of what replicas on one bucket do to each other's datasets, in the orders that once lost, hid or brought back one.
// The bucket is a real server; proxies hold or fail calls of one replica. Each test ends with the proof by listing.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { createS3Store } from '../../src/store/s3/s3-store.ts'
import { survey, sweep } from '../../src/store/s3/s3-sweep.ts'
import { assertAbsent, assertNotFound, assertWhole, idsOf } from '../../src/store/store-assertions.testing.ts'
import {
  publishSample,
  replaceSample,
  type Sample,
  sample,
  sampleUpload,
} from '../../src/store/store-samples.testing.ts'
import { bucketPlace, type Replica, withS3Server } from '../support/bucket-place.ts'
import { scratchDir } from '../support/running-service.ts'
import type { Fate } from '../support/s3-proxy.ts'
import type { S3Server } from '../support/s3-server.ts'

await withS3Server('orders of replicas', declareTests)

/** Replicas A and B. */
async function place(t: TestContext, server: S3Server) {
  const here = await bucketPlace(t, server)
  const makeOld = async (id: string, ms: number) => {
    const at = (Date.now() - ms) / 1_000
    await utimes(join(server.root, server.bucket, here.prefix, 'datasets', id, 'receipt.json'), at, at)
  }
  return { ...here, a: await here.open(), b: await here.open(), makeOld }
}

const wanted = sample({ seed: 1, partCount: 2 })
const { id, owner } = wanted.receipt
const hourMs = 3_600_000

/** The same dataset with other parts. */
function remade(seed: number): Sample {
  const other = sample({ seed: `remade ${seed}`, partCount: 3 })
  return { ...other, receipt: { ...other.receipt, id } }
}

async function receiptOf({ store }: Replica) {
  return (await store.receipt(id)) ?? assert.fail('there is no receipt')
}

function declareTests(server: S3Server): void {
  test('a late removal leaves what was published after it had read, and an earlier one removes nothing twice', async (t) => {
    const { a, b, keys } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    const held = a.proxy.holdNext('PutObject', /receipt\.json$/)
    const late = a.store.remove(await receiptOf(b))
    await held.reached
    assert.equal(await b.store.remove({ id }), true)
    await publishSample(b.store, wanted, 2)
    held.release()
    assert.equal(await late, false)
    for (const { store } of [a, b]) await assertWhole(store, wanted)
    assert.equal((await keys(/^index/)).length, 1)
    assert.equal((await keys(/\/uploads\//)).length, 1)
  })

  test('a removal for age compares the receipt that it replaces, not what its replica knew', async (t) => {
    const { a, b, makeOld } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    await makeOld(id, 2 * hourMs)
    const limit = Date.now()
    assert.equal(await b.store.remove({ id }), true)
    await publishSample(b.store, wanted, 2)
    assert.equal(await a.store.remove({ id }, limit), false)
    await makeOld(id, 2 * hourMs)
    // Compared, but not removed yet, when the same bytes are sent again.
    const held = a.proxy.holdNext('PutObject', /receipt\.json$/)
    const expiring = a.store.remove({ id }, Date.now() - hourMs)
    await held.reached
    await b.store.record(sampleUpload(wanted.receipt, 3))
    held.release()
    assert.equal(await expiring, false)
    await assertWhole(b.store, wanted)
    // An upload that has found it whole, and has not ended.
    await makeOld(id, 2 * hourMs)
    assert.equal(await b.store.renew(await receiptOf(b)), true)
    assert.equal(await a.store.remove({ id }, Date.now() - hourMs), false)
    await makeOld(id, 2 * hourMs)
    assert.equal(await a.store.remove({ id }, Date.now() - hourMs), true)
  })

  test('a dataset is seen, counted and as young as its publish, however long its upload took', async (t) => {
    const { a, b, open } = await place(t, server)
    await publishSample(a.store, sample({ seed: 2, createdAt: Date.now() }), 1)
    assert.equal((await idsOf(b.store)).length, 1)
    // After B has listed a later one: incremental lists begin there.
    const slow = sample({ seed: 3, createdAt: Date.now() - hourMs })
    await publishSample(a.store, slow, 2)
    assert.ok((await idsOf(b.store)).includes(slow.receipt.id))
    assert.equal(b.store.usage(owner).datasets, 2)
    const { store } = await open()
    for (const one of [a.store, b.store, store]) assert.deepEqual([...one.olderThan(Date.now() - 60_000)], [])
  })

  test('no entry of a removed dataset counts, whichever replica had published it', async (t) => {
    const { a, b, open, keys } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    await b.store.remove({ id })
    await publishSample(b.store, { ...wanted, receipt: { ...wanted.receipt, createdAt: Date.now() } }, 2)
    assert.equal(await a.store.remove({ id }), true)
    assert.deepEqual(await keys(/^index|\/uploads\//), [])
    // Its entry is late: the dataset is gone by then.
    const held = a.proxy.holdNext('PutObject', /index\//)
    const publishing = publishSample(a.store, wanted, 3)
    await held.reached
    assert.equal(await b.store.remove({ id }), true)
    held.release()
    assert.equal(await publishing, true)
    assert.deepEqual(await keys(/^index|\/uploads\//), [])
    assert.deepEqual((await open()).store.usage(owner), { datasets: 0, bytes: 0 })
  })

  test('a name that is added late does not outlive its dataset', async (t) => {
    const { a, b, keys } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    const held = a.proxy.holdNext('PutObject', /index\//)
    const recording = a.store.record({ ...sampleUpload(wanted.receipt, 2), fileName: 'other.csv' })
    await held.reached
    assert.equal(await b.store.remove({ id }), true)
    held.release()
    await recording
    assert.deepEqual(await keys(/^index|\/uploads\//), [])
  })

  test('a reader finishes within an hour of a removal elsewhere; after that, it finds nothing, not damage', async (t) => {
    const { a, b, objects } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    const read = await receiptOf(b)
    await using reads = await b.store.open(read, 'original')
    await a.store.remove({ id })
    await sweep(objects, objects.now() + hourMs - 60_000)
    const original = wanted.files.get('original')!
    assert.ok(original.equals(await reads.read(0, original.length)))
    await sweep(objects, objects.now() + hourMs + 60_000)
    await using late = await b.store.open(read, 'original').catch(() => null)
    assert.equal(late, null)
    await publishSample(a.store, wanted, 2)
    await assertNotFound(b.store.read(read, 'original'))
    await assertWhole(b.store, wanted)
  })

  test('a range that is read after the files are removed is not found, and not damaged', async (t) => {
    const { a, b, objects } = await place(t, server)
    const large = sample({ seed: 4, originalBytes: 3_000_000 })
    await publishSample(a.store, large, 1)
    await using reads = await b.store.open(large.receipt, 'original')
    assert.equal((await reads.read(0, 10)).length, 10)
    await a.store.remove(large.receipt)
    await sweep(objects, objects.now() + hourMs + 60_000)
    await assertNotFound(reads.read(2_000_000, 10))
  })

  test('of two repairs of one damaged publish, the later replaces nothing and leaves nothing', async (t) => {
    const { a, b, keys } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    const damaged = await receiptOf(b)
    const held = b.proxy.holdNext('PutObject', /receipt\.json$/)
    const late = replaceSample(b.store, remade(1), 2, damaged)
    await held.reached
    assert.notEqual(await replaceSample(a.store, remade(2), 3, damaged), null)
    held.release()
    assert.equal(await late, null)
    await assertWhole(b.store, remade(2))
    assert.equal(new Set((await keys(/^index/)).map((key) => key.split('/')[2])).size, 1)
    // Of the first publish and of the repair that counts.
    assert.equal((await keys(/\/uploads\//)).length, 2)
  })

  for (const [title, fate, part] of [
    ['its index entry fails', 'failed', /index\//],
    ['its upload record fails', 'failed', /\/uploads\//],
    ['every response to its receipt is lost', 'lost', /receipt\.json$/],
  ] as const) {
    test(`a publish is acknowledged although ${title}, and completed by another replica`, async (t) => {
      const { a, b, objects, keys } = await place(t, server)
      a.proxy.fate = (call, key): Fate => (call === 'PutObject' && part.test(key) ? fate : 'carried')
      assert.equal(await publishSample(a.store, wanted, 1), true)
      await assertWhole(b.store, wanted)
      await sweep(objects, objects.now())
      assert.deepEqual(await idsOf(b.store), [id])
      assert.equal((await keys(/\/uploads\//)).length, 1)
      assert.deepEqual(await keys(/^pending/), [])
    })
  }

  test('an upload whose receipt could not be stored leaves no record of it', async (t) => {
    const { a, keys } = await place(t, server)
    a.proxy.fate = (call, key): Fate => (call === 'PutObject' && /receipt\.json$/.test(key) ? 'failed' : 'carried')
    await assert.rejects(publishSample(a.store, wanted, 1), { code: 'STORE_UNAVAILABLE' })
    assert.deepEqual(await keys(/\/uploads\/|^index/), [])
    a.proxy.fate = () => 'carried'
    await publishSample(a.store, wanted, 2)
    assert.equal((await keys(/\/uploads\//)).length, 1)
  })

  test('what is derived is kept with the publish that was read, or not at all', async (t) => {
    const { a, b, keys } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    const first = await receiptOf(a)
    const held = a.proxy.holdNext('PutObject', /\/derived\//)
    const keeping = a.store.keep(first, 'profile', Buffer.from('of the first'))
    await held.reached
    await b.store.remove({ id })
    await publishSample(b.store, wanted, 2)
    held.release()
    await keeping
    assert.deepEqual(await keys(/\/derived\//), [])
    await a.store.keep(first, 'profile', Buffer.from('of the first'))
    assert.deepEqual([await a.store.kept({ id }, 'profile'), await a.store.kept(first, 'profile')], [null, null])
  })

  const trashIds = async ({ store }: Replica) => {
    const { datasets } = await store.list({ limit: 9, after: null, name: null, owner, isTrash: true })
    return datasets.map(({ receipt }) => receipt.id)
  }
  const trashedIn = async ({ store }: Replica) => (await store.trashed(id)) ?? assert.fail('it is not in the trash')

  test('what one replica moves to the trash, restores, erases or publishes anew, others find there', async (t) => {
    const { a, b, open, keys, objects } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    const places = async (one: Replica) => [
      await idsOf(one.store),
      await trashIds(one),
      one.store.usage(owner).datasets,
    ]
    const assertPlaces = async (...expected: unknown[]) => {
      for (const one of [a, b, await open()]) assert.deepEqual(await places(one), expected)
    }
    await assertPlaces([id], [], 1)
    assert.equal(await a.store.trash({ id }), true)
    await assertPlaces([], [id], 1)
    await sweep(objects, objects.now())
    assert.equal(await b.store.restore(await trashedIn(b)), true)
    await assertPlaces([id], [], 1)
    await assertWhole(a.store, wanted)
    assert.equal(await b.store.trash({ id }), true)
    await publishSample(a.store, remade(2), 2)
    await assertPlaces([id], [], 1)
    await assertWhole(b.store, remade(2))
    assert.deepEqual([(await keys(/^index/)).length, (await keys(/\/uploads\//)).length], [1, 1])
    assert.equal(await a.store.trash({ id }), true)
    assert.equal(await b.store.erase(await trashedIn(b)), true)
    await assertPlaces([], [], 0)
    assert.deepEqual(await keys(/^index|\/uploads\//), [])
  })

  test('of a restore, an erasure and a publish of what is in the trash, the first on the bucket counts', async (t) => {
    const { a, b, keys } = await place(t, server)
    for (const late of ['restore', 'erase'] as const) {
      await publishSample(a.store, wanted, 1)
      await a.store.trash({ id })
      const of = await trashedIn(a)
      const held = a.proxy.holdNext('PutObject', /receipt\.json$/)
      const losing = a.store[late](of)
      await held.reached
      await publishSample(b.store, remade(3), 2)
      held.release()
      assert.equal(await losing, false)
      await assertWhole(a.store, remade(3))
      assert.equal((await keys(/^index/)).length, 1)
      assert.equal(await b.store.remove({ id }), true)
    }
    await publishSample(a.store, wanted, 3)
    await a.store.trash({ id })
    const held = a.proxy.holdNext('PutObject', /receipt\.json$/)
    const publishing = publishSample(a.store, remade(3), 4)
    await held.reached
    assert.equal(await b.store.restore(await trashedIn(b)), true)
    held.release()
    assert.equal(await publishing, false)
    await assertWhole(b.store, wanted)
  })

  test('what is in the trash is whole, also if every other write of a move fails', async (t) => {
    const { a, b, open } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    a.proxy.fate = (call, key): Fate =>
      call === 'DeleteObjects' || (call === 'PutObject' && !/receipt\.json$/.test(key)) ? 'failed' : 'carried'
    assert.equal(await a.store.trash({ id }), true)
    assert.deepEqual(await trashIds(await open()), [id])
    // It was not told, and finds out when it looks.
    assert.equal(await b.store.receipt(id), null)
    assert.deepEqual([await idsOf(b.store), await trashIds(b)], [[], [id]])
    assert.equal(await a.store.restore(await trashedIn(a)), true)
    await assertWhole((await open()).store, wanted)
  })

  test('a replica that cannot read a receipt after a move, or was not told of it, finds out later', async (t) => {
    const { a, b } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    await a.store.trash({ id })
    assert.deepEqual(await trashIds(b), [id])
    b.proxy.fate = (call, key): Fate => (call === 'GetObject' && /receipt\.json$/.test(key) ? 'failed' : 'carried')
    assert.equal(await a.store.restore(await trashedIn(a)), true)
    await assert.rejects(idsOf(b.store), { code: 'STORE_UNAVAILABLE' })
    b.proxy.fate = () => 'carried'
    assert.deepEqual([await idsOf(b.store), await trashIds(b)], [[id], []])
    await a.store.trash({ id })
    assert.deepEqual(await trashIds(b), [id])
    a.proxy.fate = (call, key): Fate => (call === 'PutObject' && /\/moves\//.test(key) ? 'failed' : 'carried')
    assert.equal(await a.store.restore(await trashedIn(a)), true)
    assert.deepEqual([await idsOf(b.store), await trashIds(b)], [[], []])
    // Everything is listed again after some minutes.
    const { now } = performance
    t.mock.method(performance, 'now', () => now.call(performance) + 600_000)
    assert.deepEqual([await idsOf(b.store), await trashIds(b)], [[id], []])
  })

  test('an upload of the same bytes while they are moved to the trash leaves their entries in the index', async (t) => {
    const { a, b, keys } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    const held = b.proxy.holdNext('PutObject', /\/uploads\//)
    const recording = b.store.record(sampleUpload(wanted.receipt, 2))
    await held.reached
    assert.equal(await a.store.trash({ id }), true)
    held.release()
    await recording
    assert.equal((await keys(/^index/)).length, 1)
    assert.equal(await a.store.restore(await trashedIn(a)), true)
    await assertWhole(b.store, wanted)
  })

  test('survey() names what belongs to no receipt, and sweep() removes that and restores missing entries', async (t) => {
    const { a, b, objects, keys, open } = await place(t, server)
    for (const one of [wanted, sample({ seed: 2 })]) await publishSample(a.store, one, 1)
    const before = await keys(/./)
    const [attempt, gone] = [randomUUID(), '0'.repeat(32)]
    const strays = [
      `files/${attempt}/original`,
      `index/01700000000000-${id}/${attempt}/1/1/o/0-YQ`,
      `index/01700000000000-${gone}/${attempt}/1/1/o/0-YQ`,
      `datasets/${id}/uploads/${attempt}/${attempt}.json`,
      `datasets/${gone}/uploads/${attempt}/${attempt}.json`,
    ]
    for (const key of strays) await objects.put(key, Buffer.from('x'))
    const [entry] = await keys(new RegExp(`^index.*${sample({ seed: 2 }).receipt.id}`))
    await objects.delete([entry!])
    for (const readAll of [false, true]) {
      const found = await survey(objects, readAll)
      assert.ok(strays.every((key) => found.strays.some((prefix) => key.startsWith(prefix))))
      assert.deepEqual([found.strays.length, found.incomplete.length, found.notes], [5, 1, 0])
    }
    await sweep(objects, objects.now())
    assert.deepEqual(await keys(/./), before)
    for (const { store } of [a, b, await open()]) assert.equal((await idsOf(store)).length, 2)
  })

  test('a removed dataset is gone for good, also if its process stops after any step', async (t) => {
    const { a, b, objects, keys } = await place(t, server)
    await publishSample(a.store, wanted, 1)
    a.proxy.fate = (call): Fate => (call === 'DeleteObjects' ? 'failed' : 'carried')
    assert.equal(await a.store.remove({ id }), true)
    await assertAbsent(b.store, wanted)
    await sweep(objects, objects.now())
    assert.deepEqual(await keys(/^index|\/uploads\//), [])
    // Even without the note that has it swept.
    await objects.delete(await keys(/^pending/))
    await sweep(objects, objects.now())
    assert.equal((await keys(/^pending/)).length, 1)
  })

  test('createS3Store() says by how much the clocks differ, and stamps nothing with its own', async (t) => {
    const { keys, prefix } = await place(t, server)
    await using scratch = await scratchDir()
    const said: { clockMs?: number }[] = []
    const logger = {
      info: (fields: object) => void said.push(fields),
      warn: (fields: object) => void said.push(fields),
    }
    const now = Date.now
    t.mock.method(Date, 'now', () => now() + hourMs)
    const options = { ...server, prefix, pathStyle: true, region: null }
    const store = await createS3Store({ ...options, dir: scratch.path, cacheBytesMax: 1_000_000, logger })
    assert.equal(await publishSample(store, wanted, 1), true)
    await store.close()
    t.mock.restoreAll()
    const differences = said.flatMap(({ clockMs }) => clockMs ?? [])
    assert.equal(differences.length, 2)
    for (const one of differences) assert.ok(Math.abs(one + hourMs) < 60_000, `${one}`)
    const [entry = ''] = await keys(/^index/)
    assert.ok(Math.abs(Number(entry.slice(6, 20)) - Date.now()) < 60_000, entry)
  })

  test('sweep() leaves the multipart uploads and keys of other applications alone', async (t) => {
    const objects = new S3Objects({ ...server, prefix: '', pathStyle: true, region: null })
    t.after(() => objects.close())
    const signal = new AbortController().signal
    const others = ['backups/1', 'files/2026/original', `files/${randomUUID()}/report.pdf`]
    const uploads = await Promise.all(others.map((key) => objects.multipart(key)))
    for (const one of uploads) await one.add(1, Buffer.from('x'), signal)
    await objects.put('datasets/readme', Buffer.from('x'))
    await sweep(objects, objects.now() + 26 * hourMs)
    for (const one of uploads) await one.complete()
    for (const key of [...others, 'datasets/readme']) assert.notEqual(await objects.head(key), null, key)
    await objects.delete([...others, 'datasets/readme'])
  })
}
