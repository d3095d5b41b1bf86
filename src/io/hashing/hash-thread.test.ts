// Tests of the hash thread: the same digests as on this thread, batches returned to the pool, and a thread that dies.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isServiceError } from '../../core/errors.ts'
import { BufferPool } from '../buffer-pool.ts'
import { BufferedWriter } from '../buffered-writer.ts'
import { type FileDigest, OwnDigest } from './file-digest.ts'
import { batchDigest, HashThread } from './hash-thread.ts'

const batchCount = 8
const batchBytes = 262_144

async function setUp(t: TestContext, program?: (dir: string) => string) {
  const dir = await mkdtemp(join(tmpdir(), 'hash-thread-'))
  const memory = new SharedArrayBuffer(batchCount * batchBytes)
  const pool = new BufferPool(memory)
  const url = program && new URL(`data:text/javascript,${encodeURIComponent(program(dir))}`)
  const thread = new HashThread(memory, url)
  t.after(async () => {
    await thread.close()
    await rm(dir, { recursive: true })
  })
  const create = (name: string, digest: FileDigest) =>
    BufferedWriter.create(join(dir, name), { syncEveryBytes: null, pool, digest })
  return { dir, pool, thread, create }
}

function contentOf(bytes: number, seed: number): Buffer {
  return Buffer.from(
    Uint32Array.from({ length: Math.ceil(bytes / 4) }, (_, i) => (i + seed) * 2_654_435_761).buffer,
    0,
    bytes,
  )
}

function digestBy(thread: HashThread): FileDigest {
  const digest = batchDigest(thread)
  assert.ok(digest)
  return digest
}

function digestOf(content: Uint8Array) {
  const digest = new OwnDigest()
  digest.add(content)
  return digest.end()
}

const failed = (error: unknown) => isServiceError(error, 'STORE_FAILED')

/** Takes every batch; all must have been returned, or this never resolves. */
async function takeAll(pool: BufferPool) {
  for (let taken = 0; taken < batchCount; taken += 1) await pool.take()
}

test('HashThread computes the same digests as this thread for concurrent files of any length', async (t) => {
  const { dir, pool, thread, create } = await setUp(t)
  const lengths = [0, 1, 65_536, 262_143, 262_144, 262_145, 1_048_576, 3_000_001, 11_000_000]
  await Promise.all(
    lengths.map(async (length, index) => {
      const content = contentOf(length, index)
      const digest = digestBy(thread)
      await using writer = await create(`of-${length}`, digest)
      for (let from = 0; from < length; from += 100_003) await writer.write([content.subarray(from, from + 100_003)])
      await writer.flush()
      assert.deepEqual(await digest.end(), digestOf(content), `${length} bytes`)
      assert.ok((await readFile(join(dir, `of-${length}`))).equals(content))
    }),
  )
  await takeAll(pool)
})

test('batchDigest() hashes a small file on this thread, and is null without a hash thread', async (t) => {
  const { pool, thread } = await setUp(t, () => 'throw new Error("started")')
  const batch = await pool.take()
  batch.fill(7)
  const digest = digestBy(thread)
  assert.equal(digest.add(batch.subarray(0, 262_143)), null)
  assert.deepEqual(digest.end(), digestOf(Buffer.alloc(262_143, 7)))
  assert.equal(batchDigest(null), null)
})

test('batchDigest() hashes on this thread if the system cannot start another one', async (t) => {
  const { pool, create } = await setUp(t)
  // Such a program cannot be started, which is noticed immediately, as is a lack of memory.
  const thread = new HashThread(new SharedArrayBuffer(0), new URL('https://example.org/'))
  const content = contentOf(1_000_000, 1)
  const digest = digestBy(thread)
  await using file = await create('a', digest)
  await file.write([content])
  await file.close()
  assert.deepEqual(await digest.end(), digestOf(content))
  await takeAll(pool)
})

test('HashThread fails a file whose thread ends, and starts a new one for the next file', async (t) => {
  const { pool, thread, create } = await setUp(t)
  const content = contentOf(1_000_000, 1)
  const digest = digestBy(thread)
  {
    await using writer = await create('lost', digest)
    await writer.write([content])
    await thread.close()
    await writer.write([content])
    await writer.flush()
    await assert.rejects(async () => await digest.end(), failed)
  }
  const next = digestBy(thread)
  await using writer = await create('next', next)
  await writer.write([content])
  await writer.flush()
  assert.deepEqual(await next.end(), digestOf(content))
  await takeAll(pool)
})

test('HashThread fails waiting files if its thread dies', async (t) => {
  const dies = () => `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ kind }) => kind === 'end' ? process.exit(3) : parentPort.postMessage('added'))`
  const { pool, thread } = await setUp(t, dies)
  const digest = digestBy(thread)
  await digest.add(await pool.take())
  await assert.rejects(async () => await digest.end(), failed)
})

test('HashThread settles nothing by late answers of a thread that has died', async (t) => {
  // The first one dies with answers on their way; the second one answers nothing, and says when it has seen a request.
  const dies = () => `import { parentPort, workerData } from 'node:worker_threads'
    const seen = new Int32Array(workerData, 0, 2)
    const isFirst = Atomics.add(seen, 0, 1) === 0
    parentPort.on('message', () => {
      if (isFirst) for (let i = 0; i < 3; i++) parentPort.postMessage('added')
      if (isFirst) throw new Error('died')
      Atomics.store(seen, 1, 1)
      Atomics.notify(seen, 1)
    })`
  const { pool, thread } = await setUp(t, dies)
  const batch = await pool.take()
  const lost = thread.digest().add(batch)
  const seen = new Int32Array(batch.buffer as SharedArrayBuffer, 0, 2)
  while (Atomics.load(seen, 0) === 0) await setImmediate()
  // Until all of it has arrived: the end of a thread comes before its answers then.
  Atomics.wait(seen, 1, 0, 100)
  await lost
  const settled: string[] = []
  thread
    .digest()
    .add(batch)
    ?.then(() => settled.push('added'))
  while (Atomics.load(seen, 1) === 0 && settled.length === 0) await setImmediate()
  assert.deepEqual(settled, [])
})

test('HashThread drops an abandoned file once, and a finished one not at all', async (t) => {
  const notes = (dir: string) => `import { appendFileSync } from 'node:fs'
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ kind, file }) => {
      appendFileSync(${JSON.stringify(join(dir, 'requests'))}, kind + file + ' ')
      if (kind === 'add') parentPort.postMessage('added')
      if (kind === 'end') parentPort.postMessage({ sha256: '', checksums: new Uint8Array(0) })
    })`
  const { dir, pool, thread } = await setUp(t, notes)
  const batch = await pool.take()
  const [first, second] = [digestBy(thread), digestBy(thread)]
  await Promise.all([first.add(batch), second.add(batch)])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await second.end()
  second[Symbol.dispose]()
  const third = digestBy(thread)
  await third.add(batch)
  assert.equal(await readFile(join(dir, 'requests'), 'utf8'), 'add0 add1 drop0 end1 add2 ')
})
