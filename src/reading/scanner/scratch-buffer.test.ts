// Tests of the scratch buffer: copies stay intact until the next reset, and large memory is not kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScratchBuffer } from './scratch-buffer.ts'

const sizes = [1, 3, 700, 1_024, 5_000, 262_144, 300_000, 20]

test('ScratchBuffer.copy() keeps every copy until reset(), also when its memory grows', () => {
  const reused = new ScratchBuffer()
  for (let round = 0; round < 3; round += 1) {
    const copies = sizes.map((size, index) => {
      const bytes = Buffer.alloc(size, `${round}${index}`)
      const start = reused.copy(bytes)
      return { bytes, copy: reused.block.subarray(start, start + size) }
    })
    for (const { bytes, copy } of copies) assert.ok(bytes.equals(copy))
    reused.reset()
  }
})

test('ScratchBuffer.reset() reuses its memory, but keeps none above 256 KB', () => {
  const reused = new ScratchBuffer()
  reused.copy(Buffer.alloc(100_000))
  const { block } = reused
  reused.reset()
  assert.equal(reused.copy(Buffer.alloc(100_000)), 0)
  assert.equal(reused.block, block)
  reused.copy(Buffer.alloc(1_000_000))
  reused.reset()
  assert.equal(reused.block.length, 0)
})
