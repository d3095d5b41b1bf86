// Tests of the S3 store: the contract of all stores on a real S3 server, then what is specific to object storage.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ServiceError } from '../../src/core/errors.ts'
import { readFrom, S3Objects } from '../../src/store/s3/s3-objects.ts'
import { removedMs, sweep } from '../../src/store/s3/s3-sweep.ts'
import { assertAbsent, assertWhole, idsOf } from '../../src/store/store-assertions.testing.ts'
import { storeContract } from '../../src/store/store-contract.testing.ts'
import { publishSample, replaceSample, sample } from '../../src/store/store-samples.testing.ts'
import { bucketPlace, withS3Server } from '../support/bucket-place.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'

await withS3Server('the store of a bucket', (server) => {
  storeContract('s3-store', async (t) => {
    const { open } = await place(t, server)
    return () => open()
  })
  declareTests(server)
})

/** Opens stores without their proxies; an earlier one must be closed first, unless `replica` differs. */
async function place(t: TestContext, server: S3Server) {
  const here = await bucketPlace(t, server)
  return { ...here, open: async (replica = 0) => (await here.open(`${replica}`)).store }
}

/** What takes part of every call of a kind stops the process there, until restored. */
function stopAt(t: TestContext, method: 'put' | 'delete' | 'deleteSame', part: RegExp) {
  const real = S3Objects.prototype[method] as (...args: unknown[]) => Promise<unknown> // each takes its keys first
  return t.mock.method(S3Objects.prototype, method, async function (this: S3Objects, ...args: unknown[]) {
    if (part.test(String(args[0]))) throw new ServiceError('STORE_UNAVAILABLE', { problem: 'killed' })
    return await real.apply(this, args)
  }).mock
}

function declareTests(server: S3Server): void {
  test('createS3Store() writes the documented objects, and leaves none when all is removed', async (t) => {
    const { open, objects, keys } = await place(t, server)
    const store = await open()
    const wanted = sample({ seed: 1, rejectPartCount: 1 })
    const { id } = wanted.receipt
    await publishSample(store, wanted, 7)
    const shapes = (await keys()).map((key) =>
      key
        .replaceAll(/(?<![0-9a-f])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
        .replace(/^index.\d{14}/, 'index/TIME'),
    )
    assert.deepEqual(shapes, [
      `datasets/${id}/receipt.json`,
      `datasets/${id}/uploads/UUID/UUID.json`,
      'files/UUID/data/part-00000.parquet',
      'files/UUID/original',
      'files/UUID/rejects/part-00000.parquet',
      `index/TIME-${id}/UUID/1763650000000/${storedBytes(wanted)}/o/0-${Buffer.from('1.csv').toString('base64url')}`,
    ])
    await store.remove({ id })
    const kinds = async () => [...new Set((await keys()).map((key) => key.split('/')[0]))]
    // A tombstone; and for an hour, what another replica may be reading.
    assert.deepEqual(await kinds(), ['datasets', 'files', 'pending'])
    await sweep(objects, Date.now() + removedMs / 2)
    assert.deepEqual(await kinds(), ['datasets', 'files', 'pending'])
    await sweep(objects, Date.now() + removedMs + 2_000)
    assert.deepEqual(await keys(), [])
  })

  test('of eight replicas that commit the same dataset, one wins, and its files stay', async (t) => {
    const { open, keys } = await place(t, server)
    const replicas = await Promise.all(Array.from({ length: 8 }, (_, number) => open(number)))
    for (let seed = 0; seed < 10; seed += 1) {
      const wanted = sample({ seed, partCount: 2 })
      const made = await Promise.all(replicas.map((store, number) => publishSample(store, wanted, number)))
      assert.equal(made.filter(Boolean).length, 1)
      await assertWhole(replicas[seed % 8]!, wanted)
      const files = await keys(/^files\//)
      assert.equal(files.length, (seed + 1) * wanted.files.size)
    }
  })

  test('a large file is written in parts and read in ranges', async (t) => {
    const { open } = await place(t, server)
    const store = await open()
    const wanted = sample({ seed: 1, originalBytes: 20_000_000 })
    await publishSample(store, wanted)
    await assertWhole(store, wanted)
    await using reads = await store.open(wanted.receipt, 'original')
    const bytes = await reads.read(12_345_678, 100_000)
    assert.ok(wanted.files.get('original')!.subarray(12_345_678, 12_445_678).equals(bytes))
  })

  test('S3Objects.put() with the ETag of an object that is gone refuses, as for one that has changed', async (t) => {
    const { objects, prefix } = await place(t, server)
    const changed = { kind: 'same', etag: (await objects.put('one', Buffer.from('1')))! } as const
    await objects.put('one', Buffer.from('2'))
    assert.equal(await objects.put('one', Buffer.from('3'), changed), null)
    await objects.delete(['one'])
    assert.equal(await objects.put('one', Buffer.from('3'), changed), null)
    const elsewhere = new S3Objects({ ...server, bucket: 'missing', prefix, pathStyle: true, region: null })
    t.after(() => elsewhere.close())
    await assert.rejects(elsewhere.put('one', Buffer.from('3'), changed), { code: 'STORE_UNAVAILABLE' })
  })

  test('readFrom() takes as long as its receiver, whatever the limit of a call', async (t) => {
    const { prefix } = await place(t, server)
    const callMsMax = 400
    const options = { ...server, prefix, pathStyle: true, region: null }
    const [sender, objects] = [new S3Objects(options), new S3Objects({ ...options, callMsMax })]
    t.after(() => {
      sender.close()
      objects.close()
    })
    const bytes = 60_000_000
    const etag = (await sender.put('large', Buffer.alloc(bytes, 'x')))!
    let received = 0
    let pauses = 0
    for await (const chunk of readFrom(objects, { key: 'large', etag, start: 0, end: bytes })) {
      received += chunk.length
      if (received < (pauses + 1) * 6_000_000) continue
      pauses += 1
      await setTimeout(callMsMax)
    }
    assert.deepEqual([received, pauses], [bytes, 10])
  })

  test('slow readers do not keep other calls waiting, however many there are', async (t) => {
    const { objects } = await place(t, server)
    await objects.put('one', Buffer.alloc(1_000_000))
    const readers = await Promise.all(
      Array.from({ length: 100 }, async () => (await objects.read('one', 0, 1_000_000))![Symbol.asyncIterator]()),
    )
    for (const reader of readers) await reader.next()
    assert.equal((await objects.head('one'))?.bytes, 1_000_000)
    for (const reader of readers) await reader.return?.()
  })

  test('a repair is acknowledged once its receipt is there, and a sweep removes what was damaged', async (t) => {
    const { open, objects, keys } = await place(t, server)
    const store = await open()
    const damaged = sample({ seed: 1 })
    await publishSample(store, damaged)
    const other = sample({ seed: 2, partCount: 2 })
    const wanted = { ...other, receipt: { ...other.receipt, id: damaged.receipt.id } }
    const stopped = [stopAt(t, 'put', /^index/), stopAt(t, 'delete', /./)]
    assert.deepEqual(await replaceSample(store, wanted, 2), wanted.receipt)
    for (const one of stopped.toReversed()) one.restore()
    await sweep(objects, Date.now() + removedMs + 2_000)
    const files = await keys(/^files\//)
    assert.equal(files.length, wanted.files.size)
    const again = await open(1)
    await assertWhole(again, wanted)
    assert.deepEqual(again.usage(wanted.receipt.owner), { datasets: 1, bytes: storedBytes(wanted) })
  })

  test('a repair keeps the record of the upload before it, even if that was in its receipt alone', async (t) => {
    const { open, keys } = await place(t, server)
    const store = await open()
    const damaged = sample({ seed: 1 })
    const stopped = stopAt(t, 'put', /^index/)
    await publishSample(store, damaged, 1)
    stopped.restore()
    await replaceSample(store, damaged, 2)
    assert.equal((await keys(/\/uploads\//)).length, 2)
  })

  test('a removal is done once the tombstone is there, and nothing has changed before', async (t) => {
    const { open, objects } = await place(t, server)
    const store = await open()
    const wanted = sample({ seed: 1 })
    const { id, owner } = wanted.receipt
    await publishSample(store, wanted)
    const usage = store.usage(owner)
    const before = stopAt(t, 'put', /receipt\.json$/)
    await assert.rejects(store.remove({ id }), { code: 'STORE_UNAVAILABLE' })
    before.restore()
    await sweep(objects, Date.now() + removedMs + 2_000)
    const other = await open(1)
    await assertWhole(other, wanted)
    assert.deepEqual([await idsOf(other), other.usage(owner)], [[id], usage])
    await other.close()
    const after = stopAt(t, 'delete', /./)
    assert.equal(await store.remove({ id }), true)
    after.restore()
    await sweep(objects, Date.now())
    const last = await open(1)
    // Before anybody asks for it and finds that it is gone.
    assert.deepEqual(last.usage(owner), { datasets: 0, bytes: 0 })
    await assertAbsent(last, wanted)
  })

  test('a server that is available again is used without a restart', async (t) => {
    const own = await startS3Server()
    const { open } = await place(t, own)
    t.after(() => own[Symbol.asyncDispose]())
    const store = await open()
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    await own.kill()
    await assert.rejects(store.receipt(wanted.receipt.id), { code: 'STORE_UNAVAILABLE' })
    await assert.rejects(publishSample(store, sample({ seed: 2 })), { code: 'STORE_UNAVAILABLE' })
    await own.start()
    await assertWhole(store, wanted)
    assert.equal(await publishSample(store, sample({ seed: 2 })), true)
  })

  test('createS3Store() refuses a server that ignores conditions', async (t) => {
    const { open } = await place(t, server)
    const real = S3Objects.prototype.put
    t.mock.method(S3Objects.prototype, 'put', async function (this: S3Objects, key: string, body: Uint8Array) {
      return await real.call(this, key, body)
    })
    await assert.rejects(open(), { code: 'STORE_UNSUITABLE' })
  })
}

function storedBytes({ files }: ReturnType<typeof sample>): number {
  return [...files.values()].reduce((sum, { length }) => sum + length, 0)
}
