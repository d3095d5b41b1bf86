// Tests of zlib streams: what a thread may read after the caller has given up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInflateRaw, createZstdDecompress, deflateRawSync, zstdCompressSync } from 'node:zlib'
import { ZlibStream } from './zlib-stream.ts'

const text = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `${(i * 7_919) % 1_000_003}\n`).join(''))

for (const [name, compressed, create] of [
  ['deflate', deflateRawSync(text), createInflateRaw],
  ['zstd', zstdCompressSync(text), createZstdDecompress],
] as const) {
  test(`ZlibStream reads nothing of a slice once write() has returned its first bytes: ${name}`, async () => {
    const stream = new ZlibStream(create())
    const slice = Uint8Array.from(compressed)
    // It yields a part of the text at a time, so most of the slice is still to be read then.
    assert.ok(slice.length > 131_072)
    const texts: Uint8Array[] = []
    for await (const bytes of stream.write(slice)) {
      texts.push(bytes)
      // A lender frees the memory when its caller gives up, while a thread still works on the slice.
      slice.fill(0xee)
    }
    stream.close()
    assert.ok(Buffer.concat(texts).equals(text))
  })
}
