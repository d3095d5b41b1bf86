// Tests of the buffered writer: bytes in order, flushes, syncs, and files of several batches.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isServiceError } from '../core/errors.ts'
import { BufferPool } from './buffer-pool.ts'
import { BufferedWriter } from './buffered-writer.ts'
import { OpenFile } from './files/open-file.ts'

const dir = await mkdtemp(join(tmpdir(), 'batch-writer-'))
after(() => rm(dir, { recursive: true }))

test('BufferedWriter writes everything in order, small and large slices mixed', async () => {
  const path = join(dir, 'mixed')
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: 100_000 })
  const slices = Array.from({ length: 300 }, (_, i) => Buffer.alloc((i * 7919) % 40_000, i))
  for (let i = 0; i < slices.length; i += 3) await writer.write(slices.slice(i, i + 3))
  await writer.close()
  const wanted = Buffer.concat(slices)
  assert.equal(writer.bytes, wanted.length)
  assert.ok((await readFile(path)).equals(wanted))
})

test('BufferedWriter.flush() makes everything written so far readable before close', async () => {
  const path = join(dir, 'flushed')
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  await writer.write([Buffer.from('abc')])
  await writer.flush()
  assert.equal(await readFile(path, 'utf8'), 'abc')
})

test('BufferedWriter continues after a flush, and keeps its data after returning its memory', async () => {
  const path = join(dir, 'onwards')
  const writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  const slices = [10, 600_000, 0, 300_000, 1].map((length, i) => Buffer.alloc(length, i + 1))
  for (const slice of slices) {
    await writer.write([slice])
    await writer.flush()
  }
  await writer.close()
  await writer[Symbol.asyncDispose]()
  assert.ok((await readFile(path)).equals(Buffer.concat(slices)))
})

test('BufferedWriter.close() syncs a file from `syncedBytesMin` on', async (t) => {
  const syncs = t.mock.method(OpenFile.prototype, 'sync')
  for (const [bytes, wanted] of [
    [99, 0],
    [100, 1],
  ] as const) {
    await using writer = await BufferedWriter.create(join(dir, `of-${bytes}`), {
      syncEveryBytes: 1_000,
      syncedBytesMin: 100,
    })
    await writer.write([Buffer.alloc(bytes)])
    await writer.close()
    assert.equal(syncs.mock.callCount(), wanted, `${bytes} bytes`)
  }
})

test('BufferedWriter.create() refuses an existing file', async () => {
  const path = join(dir, 'there')
  await writeFile(path, 'x')
  await assert.rejects(BufferedWriter.create(path, { syncEveryBytes: null }), (error) =>
    isServiceError(error, 'STORE_FAILED'),
  )
})

test('BufferedWriter writes several batches of a large file at once, whole and in order', async (t) => {
  const calls = t.mock.method(OpenFile.prototype, 'writeSlices')
  const path = join(dir, 'large')
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  const slices = Array.from({ length: 300 }, (_, i) => Buffer.alloc(65_536 - i, i))
  for (const slice of slices) await writer.write([slice])
  await writer.close()
  assert.ok((await readFile(path)).equals(Buffer.concat(slices)))
  const counts = calls.mock.calls.map((call) => call.arguments[0].length)
  assert.deepEqual(counts.slice(0, 31), Array(31).fill(1))
  assert.equal(Math.max(...counts), 4)
})

test('BufferedWriter keeps every byte when the pool asks for its batches at any moment of a write', async () => {
  const batchBytes = 65_536
  // A file beyond 8 MB gathers full batches, so the pool knows its writer while it takes another batch.
  const startBytes = 8_388_608
  for (let delay = 0; delay < 8; delay++) {
    const pool = new BufferPool(new ArrayBuffer(4 * batchBytes), batchBytes)
    const options = { syncEveryBytes: null, pool }
    const path = join(dir, `pressed-${delay}`)
    await writeFile(path, Buffer.alloc(startBytes))
    await using pressed = await BufferedWriter.resume(path, startBytes, options)
    await using one = await BufferedWriter.create(join(dir, `one-${delay}`), options)
    await using two = await BufferedWriter.create(join(dir, `two-${delay}`), options)
    await using pressing = await BufferedWriter.create(join(dir, `pressing-${delay}`), options)
    await pressed.write([Buffer.alloc(batchBytes, 'A')])
    await one.write([Buffer.from('1')])
    await two.write([Buffer.from('2')])
    // No batch is left once this write has taken one: the next writer makes the pool ask for those in use.
    const writes = [pressed.write([Buffer.alloc(1_000, 'a')])]
    for (let i = 0; i < delay; i++) await null
    writes.push(pressing.write([Buffer.from('3')]))
    await Promise.all(writes)
    await pressed.write([Buffer.from('z')])
    await pressed.close()
    const wanted = `${'A'.repeat(batchBytes)}${'a'.repeat(1_000)}z`
    assert.equal(pressed.bytes, startBytes + wanted.length)
    assert.equal((await readFile(path)).toString('latin1', startBytes), wanted, `${delay} microtasks later`)
  }
})
