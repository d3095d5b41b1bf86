// Tests of S3 streaming: files are uploaded to the bucket while they are written, whatever the bucket does meanwhile,
// and abandoned data is removed.
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { open, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { ServiceError } from '../../src/core/errors.ts'
import { type S3Multipart, S3Objects } from '../../src/store/s3/s3-objects.ts'
import { sweep } from '../../src/store/s3/s3-sweep.ts'
import type { Draft } from '../../src/store/store.ts'
import { assertWhole } from '../../src/store/store-assertions.testing.ts'
import { fill, publishSample, type Sample, sample, sampleUpload } from '../../src/store/store-samples.testing.ts'
import { bucketFlags, bucketPlace, withS3Server } from '../support/bucket-place.ts'
import { Client, uploadFraming } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { type Fate, S3Proxy } from '../support/s3-proxy.ts'
import type { S3Server } from '../support/s3-server.ts'
import { until } from '../support/until.ts'

/** Size of a part. Bytes. */
const partBytes = 8_388_608

await withS3Server('files that go into a bucket while they are written', (server) => {
  declareStoreTests(server)
  declareServiceTests(server)
})

async function place(t: TestContext, server: S3Server) {
  const { open, objects } = await bucketPlace(t, server)
  return { ...(await open()), objects }
}

/** Lets the first request of each operation that matches meet a fate. Returns the operations that have met it. */
function meetOnce(proxy: S3Proxy, fate: Fate, calls: RegExp): ReadonlySet<string> {
  const met = new Set<string>()
  proxy.fate = (call) => {
    if (!calls.test(call) || met.has(call)) return 'carried'
    met.add(call)
    return fate
  }
  return met
}

/** Writes a file as an upload does, piece by piece, and reports its growth. */
async function grow(draft: Draft, file: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(join(draft.dir, file), 'wx')
  for (let at = 0; at < bytes.length; at += 1_000_000) {
    await handle.write(bytes.subarray(at, at + 1_000_000))
    draft.grew(file, Math.min(at + 1_000_000, bytes.length))
  }
}

async function fillOthers(draft: Draft, { files }: Sample): Promise<void> {
  for (const [file, bytes] of files) if (file !== 'original') await writeFile(join(draft.dir, file), bytes)
}

/** Keys of the files of drafts and datasets, and of the entries for pending ones. */
async function keysOf(objects: S3Objects): Promise<readonly string[]> {
  const keys = await Array.fromAsync(objects.list(''))
  return keys.filter((key) => /^(?:files|pending)\//.test(key))
}

/** Aborts all multipart uploads of a prefix; returns their number. */
function unfinished(objects: S3Objects): Promise<number> {
  return objects.abortMultiparts(Date.now() + 60_000, () => true)
}

function declareStoreTests(server: S3Server): void {
  const large = sample({ seed: 1, originalBytes: 3 * partBytes + 1_000 })
  const original = large.files.get('original')!

  test('all but the last part of a large file is in the bucket before the file is complete', async (t) => {
    const { proxy, store, objects } = await place(t, server)
    await using draft = await store.draft()
    await grow(draft, 'original', original)
    await proxy.answered('UploadPart', 3)
    await fillOthers(draft, large)
    const before = proxy.carried.length
    assert.equal(await store.publish(draft, large.receipt, sampleUpload(large.receipt, 1)), true)
    const after = proxy.carried.slice(before).filter(({ key }) => key.endsWith('/original'))
    assert.deepEqual(
      after.map(({ call, bytes }) => [call, call === 'UploadPart' ? bytes : 0]),
      [
        ['UploadPart', 1_000],
        ['CompleteMultipartUpload', 0],
      ],
    )
    await assertWhole(store, large)
    assert.equal(await unfinished(objects), 0)
  })

  test('a complete file is sent immediately, and again if it was rewritten', async (t) => {
    const { proxy, store, objects } = await place(t, server)
    const wanted = sample({ seed: 2, originalBytes: partBytes, partCount: 2 })
    await using draft = await store.draft()
    await grow(draft, 'original', wanted.files.get('original')!)
    await proxy.answered('UploadPart', 1)
    const parts = ['data/part-00000.parquet', 'data/part-00001.parquet', 'data/part-00002.parquet']
    const puts = proxy.carried.filter(({ call }) => call === 'PutObject').length
    for (const file of parts) {
      await writeFile(join(draft.dir, file), 'of other types')
      draft.finished(file)
    }
    await proxy.answered('PutObject', puts + parts.length)
    for (const file of parts) await rm(join(draft.dir, file))
    await fillOthers(draft, wanted)
    // One is reported as new, the other is not, but is new.
    draft.finished(parts[0]!)
    assert.equal(await store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1)), true)
    await assertWhole(store, wanted)
    assert.equal((await keysOf(objects)).length, wanted.files.size)
  })

  test('a receipt is read again if the response breaks off, five times at most', async (t) => {
    const { proxy, store } = await place(t, server)
    const { receipt } = sample({ seed: 4 })
    await publishSample(store, sample({ seed: 4 }))
    let cuts = 4
    proxy.fate = (call) => (call === 'GetObject' && cuts-- > 0 ? 'cut' : 'carried')
    assert.deepEqual(await store.receipt(receipt.id), receipt)
    cuts = 5
    await assert.rejects(store.receipt(receipt.id), { code: 'STORE_UNAVAILABLE' })
    assert.deepEqual(await store.receipt(receipt.id), receipt)
  })

  test('a draft without a large file sends nothing before it is published', async (t) => {
    const { proxy, store } = await place(t, server)
    const small = sample({ seed: 3, originalBytes: partBytes - 1 })
    const writes = () => proxy.carried.filter(({ call }) => /Put|Create|Part/.test(call)).length
    const before = writes()
    await using draft = await store.draft()
    await grow(draft, 'original', small.files.get('original')!)
    await fillOthers(draft, small)
    draft.finished('data/part-00000.parquet')
    await sleep(50)
    assert.equal(writes(), before)
  })

  test('data sent by a draft is removed if it is abandoned or its dataset exists', async (t) => {
    const { proxy, store, objects } = await place(t, server)
    await publishSample(store, large)
    const kept = await keysOf(objects)
    for (const end of ['given up', 'published']) {
      const parts = proxy.carried.filter(({ call }) => call === 'UploadPart').length
      const aborts = proxy.carried.filter(({ call }) => call === 'AbortMultipartUpload').length
      const draft = await store.draft()
      await grow(draft, 'original', original)
      await proxy.answered('UploadPart', parts + 3)
      if (end === 'published') {
        await fillOthers(draft, large)
        assert.equal(await store.publish(draft, large.receipt, sampleUpload(large.receipt, 2)), false)
      }
      await draft[Symbol.asyncDispose]()
      await proxy.answered('AbortMultipartUpload', aborts + 1)
    }
    await store.close()
    assert.deepEqual([await keysOf(objects), await unfinished(objects)], [kept, 0])
  })

  test('parts that the bucket refused while a file grew are sent when the file is complete', async (t) => {
    const { store, objects } = await place(t, server)
    const real = S3Objects.prototype.multipart
    const refused: string[] = []
    let refusing: 'create' | 'add' | null = 'create'
    const refuse = (call: string) => {
      if (call !== refusing) return
      refused.push(call)
      throw new ServiceError('STORE_UNAVAILABLE', { problem: 'on purpose' })
    }
    t.mock.method(S3Objects.prototype, 'multipart', async function (this: S3Objects, key: string) {
      refuse('create')
      const multipart = await real.call(this, key)
      const add: S3Multipart['add'] = async (...args) => {
        refuse('add')
        await multipart.add(...args)
      }
      return { ...multipart, add }
    })
    await using draft = await store.draft()
    await fill(draft, large)
    draft.grew('original', partBytes)
    await until('the first is refused', () => refused.length >= 1)
    await sleep(5)
    refusing = 'add'
    draft.grew('original', 2 * partBytes)
    await until('three are refused', () => refused.length >= 3)
    await sleep(5)
    refusing = null
    assert.equal(await store.publish(draft, large.receipt, sampleUpload(large.receipt, 1)), true)
    assert.deepEqual(refused, ['create', 'add', 'add'])
    await assertWhole(store, large)
    assert.equal((await keysOf(objects)).length, large.files.size)
  })

  test('a bucket that stays unavailable fails the upload, and nothing is left once it is back', async (t) => {
    const { proxy, store, objects } = await place(t, server)
    let parts = 0
    proxy.fate = (call) => (call === 'UploadPart' && ++parts > 1 ? 'failed' : 'carried')
    const draft = await store.draft()
    await grow(draft, 'original', original)
    await fillOthers(draft, large)
    await assert.rejects(store.publish(draft, large.receipt, sampleUpload(large.receipt, 1)), {
      code: 'STORE_UNAVAILABLE',
    })
    await store.close()
    assert.deepEqual([await keysOf(objects), await unfinished(objects)], [[], 0])
  })

  test('lost responses do no harm: each object exists once', async (t) => {
    const { proxy, store, objects } = await place(t, server)
    const met = meetOnce(proxy, 'lost', /^(?:Create|Complete|UploadPart)/)
    await using draft = await store.draft()
    await grow(draft, 'original', original)
    await fillOthers(draft, large)
    assert.equal(await store.publish(draft, large.receipt, sampleUpload(large.receipt, 1)), true)
    assert.deepEqual([...met], ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'])
    await assertWhole(store, large)
    // The multipart upload whose first response was lost is orphaned.
    assert.deepEqual([(await keysOf(objects)).length, await unfinished(objects)], [large.files.size, 1])
  })

  test('requests that conflict with those of others are sent again', async (t) => {
    const { proxy, store } = await place(t, server)
    const met = meetOnce(proxy, 'conflicting', /./)
    await using draft = await store.draft()
    await grow(draft, 'original', original)
    await fillOthers(draft, large)
    assert.equal(await store.publish(draft, large.receipt, sampleUpload(large.receipt, 1)), true)
    await assertWhole(store, large)
    for (const call of ['PutObject', 'CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload']) {
      assert.ok(met.has(call), call)
    }
  })

  test('a request that conflicts again and again fails as one to try later', async (t) => {
    const { proxy } = await place(t, server)
    const through = new S3Objects({
      bucket: server.bucket,
      prefix: '',
      endpoint: proxy.endpoint,
      pathStyle: true,
      region: null,
    })
    t.after(() => through.close())
    proxy.fate = () => 'conflicting'
    await assert.rejects(through.put('key', Buffer.from('text')), { code: 'STORE_UNAVAILABLE' })
  })

  test('data sent so long ago that it may have been swept is sent again', async (t) => {
    const { proxy, store, objects } = await place(t, server)
    await using draft = await store.draft()
    await grow(draft, 'original', original)
    await proxy.answered('UploadPart', 3)
    const [pending = ''] = (await keysOf(objects)).filter((key) => key.startsWith('pending/'))
    const now = Date.now()
    t.mock.method(Date, 'now', () => now + 13 * 3_600_000)
    await fillOthers(draft, large)
    assert.equal(await store.publish(draft, large.receipt, sampleUpload(large.receipt, 1)), true)
    await assertWhole(store, large)
    const keys = await keysOf(objects)
    assert.ok(!keys.some((key) => key.includes(pending.slice('pending/'.length))))
    assert.equal(keys.length, large.files.size)
  })

  test('sweep() removes the data of a killed process, and aborts its multipart uploads', async (t) => {
    const { proxy, store, objects } = await place(t, server)
    const draft = await store.draft()
    await grow(draft, 'original', original)
    await proxy.answered('UploadPart', 3)
    await writeFile(join(draft.dir, 'data/part-00000.parquet'), 'a part')
    draft.finished('data/part-00000.parquet')
    await until('the part is in the bucket', async () =>
      (await keysOf(objects)).some((key) => key.startsWith('files/')),
    )
    const dayMs = 86_400_000
    assert.equal(await sweep(objects, Date.now() + dayMs - 60_000), 0)
    assert.equal(await sweep(objects, Date.now() + dayMs + 60_000), 2)
    assert.deepEqual([await keysOf(objects), await unfinished(objects)], [[], 0])
    await draft[Symbol.asyncDispose]()
  })

  test('a server that accepts connections but never responds is given up within the time of a call', async (t) => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const endpoint = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`
    const options = { bucket: 'any', prefix: '', pathStyle: true, region: null, callMsMax: 300 }
    const objects = new S3Objects({ ...options, endpoint })
    t.after(() => {
      objects.close()
      mute.close()
    })
    await assert.rejects(objects.put('key', Buffer.from('text')), { code: 'STORE_UNAVAILABLE' })
  })
}

function declareServiceTests(server: S3Server): void {
  /** More records than fit in two parts, with random texts, which gzip hardly compresses. */
  const content = Buffer.from(
    `id,text\n${Array.from({ length: 200_000 }, (_, i) => `${i},${createHash('sha512').update(`${i}`).digest('base64')}\n`).join('')}`,
  )

  async function service(t: TestContext) {
    const scratch = await scratchDir()
    const proxy = await S3Proxy.to(server.endpoint)
    const prefix = randomUUID()
    const flags = bucketFlags({ ...server, endpoint: proxy.endpoint }, prefix)
    const running = await RunningService.start(scratch.path, flags)
    const options = { bucket: server.bucket, prefix: `${prefix}/`, pathStyle: true, region: null }
    const objects = new S3Objects({ ...options, endpoint: server.endpoint })
    t.after(async () => {
      await running[Symbol.asyncDispose]()
      objects.close()
      await proxy[Symbol.asyncDispose]()
      await scratch[Symbol.asyncDispose]()
    })
    return { proxy, running, objects }
  }

  /** Sends all but the end, and the end when `isEnough` allows it; null if it gives up instead. */
  async function send(url: string, file: Buffer, isEnough: () => Promise<boolean>) {
    const { before, behind, contentType } = uploadFraming({ fileName: 'large.csv' })
    async function* body() {
      yield Buffer.from(before)
      yield file.subarray(0, -1)
      if (!(await isEnough())) throw new Error('given up')
      yield file.subarray(-1)
      yield Buffer.from(behind)
    }
    const init = { method: 'POST', headers: { 'content-type': contentType }, body: body(), duplex: 'half' } as const
    return await fetch(`${url}/qas/uploadCsv`, init).catch(() => null)
  }

  test('an upload is in the bucket, including its parts, before its last byte has arrived', async (t) => {
    const { proxy, running } = await service(t)
    for (const [name, file] of [
      ['plain', content],
      ['gzip', gzipSync(content, { level: 1 })],
    ] as const) {
      const parts = () => proxy.carried.filter(({ call }) => call === 'UploadPart').length
      const before = parts()
      const answer = await send(running.url, file, async () => {
        await proxy.answered('UploadPart', before + 2)
        return true
      })
      assert.ok(answer?.ok, name)
      const { id } = (await answer.json()) as { id: string }
      const original = await new Client(running.url).get(`/qas/datasets/${id}/original`)
      assert.ok(original.equals(file), name)
    }
  })

  test('an upload that its client aborts leaves nothing in the bucket', async (t) => {
    const { proxy, running, objects } = await service(t)
    // The probe at the start has made both calls, too.
    const [parts, aborts] = ['UploadPart', 'AbortMultipartUpload'].map(
      (call) => proxy.carried.filter((one) => one.call === call).length,
    ) as [number, number]
    const answer = await send(running.url, content, async () => {
      await proxy.answered('UploadPart', parts + 2)
      return false
    })
    assert.equal(answer, null)
    await proxy.answered('AbortMultipartUpload', aborts + 1)
    await until('nothing is left', async () => (await keysOf(objects)).length === 0)
    assert.equal(await unfinished(objects), 0)
  })
}
