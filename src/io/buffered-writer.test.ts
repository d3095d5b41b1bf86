// Tests of the buffered writer: bytes in order, flushes, syncs, and files of several batches.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isServiceError } from '../core/errors.ts'
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
