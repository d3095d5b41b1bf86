// Tests of byte streams: how much of a file is read at once, for fast and slow readers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileStream } from './byte-stream.ts'

const block = 65_536

/** A file of zeros that records the length of each read. */
function zeros(bytes: number) {
  const reads: number[] = []
  return {
    reads,
    async read(_room: Uint8Array, _offset: number, length: number, position: number) {
      reads.push(length)
      return { bytesRead: Math.min(length, bytes - position) }
    },
    async close() {},
  }
}

test('fileStream() reads one block at a time, and eight after a reader has taken 8 MB without a pause', async () => {
  const bytes = 200 * block + 5
  const file = zeros(bytes)
  let given = 0
  for await (const chunk of fileStream(file, { start: 0, end: bytes }, () => 0)) given += chunk.length
  assert.equal(given, bytes)
  assert.deepEqual(file.reads.slice(0, 128), Array(128).fill(block))
  assert.deepEqual(file.reads.slice(128), [...Array(9).fill(8 * block), 5])
})

test('fileStream() goes back to one block after a reader pauses', async () => {
  const file = zeros(2_000 * block)
  let ms = 0
  const chunks = fileStream(file, { start: 0, end: 2_000 * block }, () => ms)[Symbol.asyncIterator]()
  for (let i = 0; i < 130; i++) await chunks.next()
  assert.equal(file.reads.at(-1), 8 * block)
  ms += 21
  await chunks.next()
  assert.equal(file.reads.at(-1), block)
  await chunks.return?.()
})

test('fileStream() reads more than a block for at most 16 readers at a time', async () => {
  const open = () => {
    const file = zeros(2_000 * block)
    return { file, chunks: fileStream(file, { start: 0, end: 2_000 * block }, () => 0)[Symbol.asyncIterator]() }
  }
  const take = async ({ chunks }: ReturnType<typeof open>, count: number) => {
    for (let i = 0; i < count; i++) await chunks.next()
  }
  const readers = Array.from({ length: 17 }, open)
  for (const reader of readers) await take(reader, 130)
  const last = readers.map(({ file }) => file.reads.at(-1))
  assert.deepEqual(last, [...Array(16).fill(8 * block), block])
  await readers[0]?.chunks.return?.()
  const [latest] = readers.slice(-1)
  assert.ok(latest !== undefined)
  await take(latest, 130)
  assert.equal(latest.file.reads.at(-1), 8 * block)
  for (const { chunks } of readers) await chunks.return?.()
})
