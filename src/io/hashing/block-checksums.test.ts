// Tests of block checksums: each block has its checksum, however the bytes are split.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { BlockChecksums, blockBytes, checksumAt, checksumsLength, checksumsOfFile } from './block-checksums.ts'

test('BlockChecksums has the CRC-32 of each block, however the bytes are split', () => {
  const bytes = Buffer.alloc(3 * blockBytes + 5, 'some content that does not repeat with the blocks')
  for (const length of [1_000, blockBytes - 1, blockBytes, blockBytes + 1, bytes.length]) {
    const checksums = new BlockChecksums()
    for (let from = 0; from < bytes.length; from += length) checksums.update(bytes.subarray(from, from + length))
    const digest = checksums.digest()
    assert.equal(digest.length, checksumsLength(bytes.length))
    for (let index = 0; index < 4; index += 1) {
      const block = bytes.subarray(index * blockBytes, (index + 1) * blockBytes)
      assert.equal(checksumAt(digest, index), crc32(block), `block ${index} of chunks of ${length}`)
    }
  }
})

test('checksumsLength() is 0 for one block, and four bytes per block from two blocks on', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'block-checksums-'))
  t.after(() => rm(dir, { recursive: true }))
  const path = join(dir, 'file')
  for (const [bytes, length] of [
    [0, 0],
    [1, 0],
    [blockBytes, 0],
    [blockBytes + 1, 8],
    [2 * blockBytes, 8],
    [16 * blockBytes + 1, 68],
  ] as const) {
    assert.equal(checksumsLength(bytes), length)
    await writeFile(path, Buffer.alloc(bytes, 'abc'))
    const checksums = new BlockChecksums()
    checksums.update(Buffer.alloc(bytes, 'abc'))
    assert.ok(checksums.digest().equals(await checksumsOfFile(path)), `${bytes}`)
    assert.equal((await checksumsOfFile(path)).length, length)
  }
})
