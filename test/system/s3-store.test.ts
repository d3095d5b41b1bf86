// Tests of the S3 store: the contract of all stores on a real S3 server, then what is specific to object storage.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ServiceError } from '../../src/core/errors.ts'
import type { Receipt } from '../../src/core/receipt.ts'
import { readFrom } from '../../src/store/s3/read-object.ts'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { createS3Store } from '../../src/store/s3/s3-store.ts'
import { sweep } from '../../src/store/s3/s3-sweep.ts'
import type { Store } from '../../src/store/store.ts'
import { assertAbsent, assertWhole, idsOf } from '../../src/store/store-assertions.testing.ts'
import { storeContract } from '../../src/store/store-contract.testing.ts'
import { fill, publishSample, replaceSample, sample, sampleUpload } from '../../src/store/store-samples.testing.ts'
import { noS3Server, type S3Server, startS3Server } from '../support/s3-server.ts'

if (noS3Server !== undefined) {
  test('the store of a bucket', { skip: noS3Server }, () => {})
} else {
  const server = await startS3Server()
  after(() => server[Symbol.asyncDispose]())
  storeContract('s3-store', async (t) => (await place(t, server)).open)
  declareTests(server)
}

interface Place {
  readonly prefix: string
  /** Opens a store on the prefix. An earlier one must be closed first, unless `replica` differs. */
  open(replica?: number): Promise<Store>
  readonly objects: S3Objects
}

async function place(t: TestContext, { endpoint, bucket }: S3Server): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 's3-store-'))
  const prefix = `${randomUUID()}/`
  const options = { endpoint, bucket, prefix, pathStyle: true, region: null }
  const objects = new S3Objects(options)
  const opened: Store[] = []
  t.after(async () => {
    for (const store of opened) await store.close().catch(() => {})
    objects.close()
    await rm(dir, { recursive: true, force: true })
  })
  const open = async (replica = 0) => {
    const store = await createS3Store({ ...options, dir: join(dir, `${replica}`), cacheBytesMax: 1_000_000 })
    opened.push(store)
    return store
  }
  return { prefix, open, objects }
}

async function keysOf(objects: S3Objects): Promise<readonly string[]> {
  return await Array.fromAsync(objects.list(''))
}

function declareTests(server: S3Server): void {
  test('createS3Store() writes the documented objects, and leaves none when all is removed', async (t) => {
    const { open, objects } = await place(t, server)
    const store = await open()
    const wanted = sample({ seed: 1, rejectPartCount: 1 })
    const { id } = wanted.receipt
    await publishSample(store, wanted, 7)
    const shapes = (await keysOf(objects)).map((key) =>
      key.replace(/(?<![0-9a-f])[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, 'UUID'),
    )
    assert.deepEqual(shapes, [
      `datasets/${id}/receipt.json`,
      `datasets/${id}/uploads/UUID.json`,
      'files/UUID/data/part-00000.parquet',
      'files/UUID/original',
      'files/UUID/rejects/part-00000.parquet',
      `index/01763650000000-${id}/${storedBytes(wanted)}/o/0-${Buffer.from('1.csv').toString('base64url')}`,
    ])
    await store.remove({ id })
    assert.deepEqual(await keysOf(objects), [])
  })

  test('of eight replicas that commit the same dataset, one wins, and its files stay', async (t) => {
    const { open, objects } = await place(t, server)
    const replicas = await Promise.all(Array.from({ length: 8 }, (_, number) => open(number)))
    for (let seed = 0; seed < 10; seed += 1) {
      const wanted = sample({ seed, partCount: 2 })
      const made = await Promise.all(replicas.map((store, number) => publishSample(store, wanted, number)))
      assert.equal(made.filter(Boolean).length, 1)
      await assertWhole(replicas[seed % 8]!, wanted)
      const files = (await keysOf(objects)).filter((key) => key.startsWith('files/'))
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

  test('slow readers do not keep other calls waiting, however many there are', { timeout: 20_000 }, async (t) => {
    const { objects } = await place(t, server)
    await objects.put('one', Buffer.alloc(1_000_000))
    const readers = await Promise.all(
      Array.from({ length: 100 }, async () => (await objects.read('one', 0, 1_000_000))![Symbol.asyncIterator]()),
    )
    for (const reader of readers) await reader.next()
    assert.equal((await objects.head('one'))?.bytes, 1_000_000)
    for (const reader of readers) await reader.return?.()
  })

  test('sweep() removes leftovers of unfinished attempts, and nothing of a dataset', async (t) => {
    const { open, objects } = await place(t, server)
    const store = await open()
    const [kept, lost] = [sample({ seed: 1 }), sample({ seed: 2 })]
    await publishSample(store, kept)
    const before = await keysOf(objects)
    const draft = await store.draft()
    await fill(draft, lost)
    const real = S3Objects.prototype.put
    const put = t.mock.method(
      S3Objects.prototype,
      'put',
      async function (this: S3Objects, ...args: Parameters<S3Objects['put']>) {
        if (args[0].endsWith('receipt.json')) throw new Error('killed')
        return await real.apply(this, args)
      },
    )
    await assert.rejects(store.publish(draft, lost.receipt, sampleUpload(lost.receipt, 1)))
    put.mock.restore()
    assert.equal(await sweep(objects, Date.now() - 60_000), 0)
    assert.equal(await sweep(objects, Date.now() + 60_000), 1)
    assert.deepEqual(
      (await keysOf(objects)).filter((key) => !key.includes('/uploads/')),
      before.filter((key) => !key.includes('/uploads/')),
    )
    await assertWhole(store, kept)
  })

  test('a dataset is listed in the end, even if its process stops between its receipt and its index entry', async (t) => {
    const { open, objects } = await place(t, server)
    const store = await open()
    const wanted = [sample({ seed: 1 }), sample({ seed: 2 })]
    const real = S3Objects.prototype.put
    const put = t.mock.method(
      S3Objects.prototype,
      'put',
      async function (this: S3Objects, ...args: Parameters<S3Objects['put']>) {
        if (args[0].startsWith('index/')) throw new ServiceError('STORE_UNAVAILABLE', { problem: 'killed' })
        return await real.apply(this, args)
      },
    )
    for (const one of wanted) await assert.rejects(publishSample(store, one), { code: 'STORE_UNAVAILABLE' })
    put.mock.restore()
    const [again, swept] = wanted.map(({ receipt }) => receipt) as [Receipt, Receipt]
    await store.record(sampleUpload(again, 2))
    assert.ok((await keysOf(objects)).some((key) => key.startsWith('index/') && key.includes(again.id)))
    // Nothing is old enough to be removed.
    assert.equal(await sweep(objects, 0), 0)
    assert.deepEqual((await idsOf(await open(1))).toSorted(), [again.id, swept.id].toSorted())
    for (const { id } of [again, swept]) await store.remove({ id })
    assert.deepEqual(await keysOf(objects), [])
  })

  test('sweep() removes the files of a damaged dataset if its process stops after replacing it', async (t) => {
    const { open, objects } = await place(t, server)
    const store = await open()
    const damaged = sample({ seed: 1 })
    await publishSample(store, damaged)
    const other = sample({ seed: 2, partCount: 2 })
    const wanted = { ...other, receipt: { ...other.receipt, id: damaged.receipt.id } }
    const removal = t.mock.method(S3Objects.prototype, 'delete', async () => {
      throw new ServiceError('STORE_UNAVAILABLE', { problem: 'killed' })
    })
    await assert.rejects(replaceSample(store, wanted, 2), { code: 'STORE_UNAVAILABLE' })
    removal.mock.restore()
    await sweep(objects, Date.now() + 60_000)
    const files = (await keysOf(objects)).filter((key) => key.startsWith('files/'))
    assert.equal(files.length, wanted.files.size)
    await assertWhole(await open(1), wanted)
  })

  test('a dataset is whole or gone after a removal that stops halfway, and counted accordingly', async (t) => {
    const { open, objects } = await place(t, server)
    const store = await open()
    const wanted = sample({ seed: 1 })
    const { id, owner } = wanted.receipt
    await publishSample(store, wanted)
    const usage = store.usage(owner)
    const real = S3Objects.prototype.delete
    const stopAt = async (part: RegExp) => {
      const removal = t.mock.method(S3Objects.prototype, 'delete', async function (this: S3Objects, keys: string[]) {
        if (keys.some((key) => part.test(key))) throw new ServiceError('STORE_UNAVAILABLE', { problem: 'killed' })
        await real.call(this, keys)
      })
      await assert.rejects(store.remove({ id }), { code: 'STORE_UNAVAILABLE' })
      removal.mock.restore()
      await sweep(objects, 0)
      return await open(1)
    }
    const before = await stopAt(/receipt\.json$/)
    await assertWhole(before, wanted)
    assert.deepEqual([await idsOf(before), before.usage(owner)], [[id], usage])
    await before.close()
    const after = await stopAt(/uploads/)
    // Before anybody asks for it and finds that it is gone.
    assert.deepEqual(after.usage(owner), { datasets: 0, bytes: 0 })
    await assertAbsent(after, wanted)
  })

  test('a server that is available again is used without a restart', async (t) => {
    const own = await startS3Server()
    t.after(() => own[Symbol.asyncDispose]())
    const { open } = await place(t, own)
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
