// Tests of file blocks: bytes are verified block by block, however they are split into chunks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { BlockChecksums, blockBytes } from '../../io/hashing/block-checksums.ts'
import { FileBlocks, verifiedBytes } from './file-blocks.ts'

const content = Buffer.from(Array.from({ length: 6 * blockBytes + 1_000 }, (_, i) => (i * 31) & 0xff))
const whole = { start: 0, end: content.length }

function blocksOf(bytes: Uint8Array): FileBlocks {
  const checksums = new BlockChecksums()
  checksums.update(bytes)
  return new FileBlocks({ file: 'original', bytes: bytes.length, sha256: '' }, checksums.digest())
}

async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

for (const size of [1_000, blockBytes, 2 * blockBytes, 4 * blockBytes, content.length]) {
  test(`verifiedBytes() yields any range, and nothing of a wrong block, in chunks of ${size} bytes`, async () => {
    const blocks = blocksOf(content)
    for (const [start, end] of [
      [0, 1],
      [blockBytes - 1, blockBytes + 1],
      [3, 5 * blockBytes + 9],
      [2 * blockBytes, content.length],
    ] as const) {
      const from = start - (start % blockBytes)
      const around = content.subarray(from, Math.min(content.length, Math.ceil(end / blockBytes) * blockBytes))
      const given = await Array.fromAsync(verifiedBytes(inChunks(around, size), blocks, { start, end }))
      assert.ok(Buffer.concat(given).equals(content.subarray(start, end)))
    }
    for (let block = 0; block <= 6; block++) {
      const wrong = Buffer.from(content)
      wrong[block * blockBytes + 7]! ^= 1
      const given: Uint8Array[] = []
      const reading = async () => {
        for await (const bytes of verifiedBytes(inChunks(wrong, size), blocks, whole))
          given.push(Uint8Array.from(bytes))
      }
      await assert.rejects(reading, (error) => isServiceError(error, 'DATASET_DAMAGED'))
      const bytes = Buffer.concat(given)
      assert.ok(bytes.length <= block * blockBytes)
      assert.ok(bytes.equals(content.subarray(0, bytes.length)))
    }
  })
}

test('verifiedBytes() passes on chunks of several whole blocks uncopied', async () => {
  const [passed] = await Array.fromAsync(verifiedBytes(inChunks(content, 4 * blockBytes), blocksOf(content), whole))
  assert.deepEqual([passed?.buffer === content.buffer, passed?.length], [true, 4 * blockBytes])
})
