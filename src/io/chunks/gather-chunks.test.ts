// Tests of gathering chunks: the bytes are unchanged, and only the last chunk may be small.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatherChunks } from './gather-chunks.ts'

test('gatherChunks() yields the same bytes in large enough chunks', async () => {
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 251))
  for (const size of [1, 7, 99, 100, 101, 250, 1_000]) {
    async function* cut() {
      for (let at = 0; at < bytes.length; at += size) yield Uint8Array.from(bytes.subarray(at, at + size))
    }
    const chunks = await Array.fromAsync(gatherChunks(cut(), 100), (chunk) => Buffer.from(chunk))
    assert.ok(Buffer.concat(chunks).equals(bytes), `${size}`)
    assert.ok(
      chunks.slice(0, -1).every(({ length }) => length >= 100 && length < 100 + size),
      `${size}`,
    )
  }
})

test('gatherChunks() yields nothing for no chunks or empty ones', async () => {
  async function* empty() {
    yield new Uint8Array(0)
  }
  assert.deepEqual(await Array.fromAsync(gatherChunks(empty(), 100)), [])
})
