// Tests of receiveText(): it inspects the first bytes, and passes plain files on unchanged, however they are split.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { receiveText } from './receive-text.ts'

const dir = await mkdtemp(join(tmpdir(), 'receive-text-'))
after(() => rm(dir, { recursive: true }))
const draft = { dir, folder: async () => dir, grew() {}, finished() {} }
const limits = { textBytesMax: 1_000, ratioMax: 1_000 }

/** Slices of a buffer that is overwritten as soon as the next slice is requested. */
async function* lent(bytes: Uint8Array, length: number) {
  const room = new Uint8Array(length)
  for (let at = 0; at < bytes.length; at += length) {
    const slice = bytes.subarray(at, at + length)
    room.set(slice)
    yield [room.subarray(0, slice.length)]
    room.fill(0xee)
  }
}

async function textOf(bytes: Uint8Array, sliceBytes: number): Promise<string> {
  const file = { chunks: lent(bytes, sliceBytes), textPath: '', flush: async () => {}, isDuplicate: () => false }
  await using text = await receiveText(file, draft, limits)
  const slices: Buffer[] = []
  for await (const chunk of text.arriving.chunks) slices.push(...chunk.map((slice) => Buffer.from(Array.from(slice))))
  await text.finish()
  if (text.arriving.textPath !== '') await rm(text.arriving.textPath)
  return Buffer.concat(slices).toString('latin1')
}

for (const content of ['', 'a', '\xff\xfe', 'a,b', 'a,b\n', 'a,b\n1,2\n']) {
  test(`receiveText() yields ${JSON.stringify(content)} unchanged`, async () => {
    const bytes = Buffer.from(content, 'latin1')
    for (const sliceBytes of [1, 2, 3, 100]) assert.equal(await textOf(bytes, sliceBytes), content)
  })
}

test('receiveText() detects the compression, however the first bytes are split', async () => {
  for (const sliceBytes of [1, 2, 3, 100]) assert.equal(await textOf(gzipSync('a,b\n1,2\n'), sliceBytes), 'a,b\n1,2\n')
})
