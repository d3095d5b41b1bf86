// Tests of the chunk queue: bytes are unchanged, large chunks are not copied, and small ones take little extra memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChunkQueue } from './request-body.ts'

test('ChunkQueue returns large chunks uncopied, and all bytes in order', () => {
  const queue = new ChunkQueue()
  const sizes = [1, 1, 1_024, 1_025, 1, 65_536, 65_536, 20, 1_000, 16_384, 3]
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index + 1))
  for (const chunk of chunks) queue.add(chunk)
  const given = queue.take()
  assert.ok(Buffer.concat(given).equals(Buffer.concat(chunks)))
  for (const chunk of chunks.filter(({ length }) => length > 1_024)) assert.ok(given.includes(chunk))
  assert.equal(queue.bytes, 0)
  assert.deepEqual(queue.take(), [])
})

test('ChunkQueue joins a hundred thousand single bytes into a few chunks, however they are taken', () => {
  const queue = new ChunkQueue()
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251))
  const given: Uint8Array[] = []
  let bytesMost = 0
  for (const [index, byte] of bytes.entries()) {
    queue.add(Buffer.of(byte))
    bytesMost = Math.max(bytesMost, queue.bytes)
    if (index % 30_000 === 7) given.push(...queue.take())
  }
  given.push(...queue.take())
  assert.ok(Buffer.concat(given).equals(bytes))
  assert.ok(given.length < 20, `${given.length} chunks`)
  assert.ok(bytesMost < 150_000, `${bytesMost} bytes were held`)
})
