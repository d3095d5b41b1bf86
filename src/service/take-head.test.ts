// Tests of take-head: the head and the whole stream are the same however the bytes come, and single bytes take no more room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeHead } from './take-head.ts'

const text = 'id,name\r\n1,Anna\r\n2,Berta\r\n'

async function* inSlices(bytes: Uint8Array, sliceBytes: number) {
  // One buffer for all, as chunks of a body are valid only until the next one.
  const buffer = Buffer.alloc(sliceBytes)
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const slice = bytes.subarray(at, at + sliceBytes)
    buffer.set(slice)
    yield [buffer.subarray(0, slice.length)]
  }
}

test('takeHead() gives the head and then the whole stream, however it is cut', async () => {
  for (let sliceBytes = 1; sliceBytes <= text.length; sliceBytes += 1) {
    for (const bytesMax of [1, 10, text.length, text.length + 1]) {
      const { head, isWhole, chunks } = await takeHead(inSlices(Buffer.from(text), sliceBytes), bytesMax)
      assert.ok(text.startsWith(Buffer.from(head).toString()))
      assert.ok(head.length >= Math.min(bytesMax, text.length) && head.length < bytesMax + sliceBytes)
      assert.equal(isWhole, bytesMax > text.length)
      let whole = ''
      for await (const slices of chunks) whole += Buffer.concat(slices).toString()
      assert.equal(whole, text)
    }
  }
})

test('takeHead() gives an empty head of an empty stream', async () => {
  const { head, isWhole, chunks } = await takeHead(inSlices(Buffer.alloc(0), 1), 10)
  assert.deepEqual([head.length, isWhole, await Array.fromAsync(chunks)], [0, true, []])
})

test('takeHead() takes little more room than the bytes it was given, also for a million single ones', async () => {
  const source = inSlices(Buffer.alloc(1_000_000, 'x'), 1)
  const { head } = await takeHead(source, 1_000_000)
  assert.equal(head.length, 1_000_000)
  assert.ok(head.buffer.byteLength <= 2_000_000, `${head.buffer.byteLength} bytes are held`)
})
