// Tests of buffered heads: head and stream are the same however the bytes arrive, and many heads share one buffer.
import assert from 'node:assert/strict'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileChunks } from '../../io/chunks/file-chunks.ts'
import { type ArrivingFile, type BufferedHead, bufferHead } from './buffer-head.ts'

const dir = await mkdtemp(join(tmpdir(), 'take-head-'))
after(() => rm(dir, { recursive: true }))

const text = 'id,name\r\n1,Anna\r\n2,Berta\r\n'
const { signal } = new AbortController()

/** A file that arrives in slices and is stored meanwhile: received bytes are on disk only after a flush. */
async function arriving(bytes: Buffer, sliceBytes: number): Promise<ArrivingFile & AsyncDisposable> {
  const textPath = join(dir, 'original')
  const file = await open(textPath, 'w')
  let given = 0
  let kept = 0
  const flush = async () => {
    await file.write(bytes, kept, given - kept, kept)
    kept = given
  }
  async function* chunks() {
    // One buffer for all, because chunks of a body are valid only until the next one.
    const buffer = Buffer.alloc(sliceBytes)
    while (given < bytes.length) {
      const slice = bytes.subarray(given, given + sliceBytes)
      buffer.set(slice)
      given += slice.length
      yield [buffer.subarray(0, slice.length)]
    }
    await flush()
  }
  return { chunks: chunks(), textPath, flush, isDuplicate: () => false, [Symbol.asyncDispose]: () => file.close() }
}

/** The head of a file that is not a duplicate. */
async function headIn<Result>(
  file: ArrivingFile,
  bytesMax: number,
  read: (head: Uint8Array, isWhole: boolean) => Result,
): Promise<BufferedHead<Result>> {
  const head = await bufferHead(file, bytesMax, read, signal)
  assert.ok(head)
  return head
}

const headOf = (head: Uint8Array, isWhole: boolean) => ({ head: Buffer.from(head), isWhole })

test('bufferHead() returns the head and then the whole stream, however it is split', async () => {
  // A small file is held in memory, a large one on disk.
  const samples = [Buffer.from(text), Buffer.from(text.repeat(8_000))]
  for (const [index, bytes] of samples.entries()) {
    const sizes = index === 0 ? [1, 2, 7, 25, 26, 99] : [999, 65_536, 65_537, 150_000, 300_000]
    const boundaries = index === 0 ? [1, 10, bytes.length, bytes.length + 1] : [100_000, bytes.length, bytes.length + 1]
    for (const sliceBytes of sizes) {
      for (const bytesMax of boundaries) {
        await using file = await arriving(bytes, sliceBytes)
        const { result, from } = await headIn(file, bytesMax, headOf)
        assert.ok(result.head.equals(bytes.subarray(0, result.head.length)))
        assert.ok(result.head.length >= Math.min(bytesMax, bytes.length) && result.head.length < bytesMax + sliceBytes)
        assert.equal(result.isWhole, bytesMax > bytes.length)
        const rest: Buffer[] = []
        const at = Math.min(9, result.head.length)
        for await (const slices of from(at)) rest.push(...slices.map((slice) => Buffer.from(slice)))
        assert.ok(Buffer.concat(rest).equals(bytes.subarray(at)))
      }
    }
  }
})

test('bufferHead() returns an empty head for an empty stream', async () => {
  await using file = await arriving(Buffer.alloc(0), 1)
  const { result, from } = await headIn(file, 10, headOf)
  assert.deepEqual(result, { head: Buffer.alloc(0), isWhole: true })
  assert.deepEqual(
    (await Array.fromAsync(from(0))).flat().map(({ length }) => length),
    [0],
  )
})

test('bufferHead() holds no head in memory while it arrives, and reads all heads into the same memory', async () => {
  const memories = new Set<ArrayBufferLike>()
  const read = (head: Uint8Array) => {
    memories.add(head.buffer)
    return head.length
  }
  const bytes = Buffer.alloc(1_000_000, 'x')
  await using file = await arriving(bytes, bytes.length)
  await Array.fromAsync(file.chunks)
  const again = Array.from({ length: 8 }, () => ({ ...file, chunks: fileChunks(file.textPath, 0, signal) }))
  const taken = await Promise.all(again.map((one) => headIn(one, 900_000, read)))
  assert.deepEqual(new Set(taken.map(({ result }) => result)), new Set([900_000]))
  assert.equal(memories.size, 1)
  for (const { chunks } of again) await chunks.return(undefined)
})

test('bufferHead() reads a small head back from disk if it arrives in drips', async () => {
  const { length } = text
  for (const [sliceBytes, isHeld] of [
    [Math.ceil(length / 16), true],
    [1, false],
  ] as const) {
    await using file = await arriving(Buffer.from(text), sliceBytes)
    let flushes = 0
    const flush = async () => {
      flushes += 1
      await file.flush()
    }
    const { result } = await headIn({ ...file, flush }, length, headOf)
    assert.equal(result.head.toString(), text)
    assert.equal(flushes, isHeld ? 0 : 1)
  }
})

test('bufferHead() releases the stream if the head is refused', async () => {
  await using file = await arriving(Buffer.from(text), 5)
  const refuse = () => {
    throw new Error('refused')
  }
  await assert.rejects(headIn(file, 10, refuse), /refused/)
  assert.deepEqual(await Array.fromAsync(file.chunks), [])
})

test('bufferHead() reads nothing of a duplicate that ends within the head', async () => {
  await using file = await arriving(Buffer.from(text), 5)
  const duplicate = { ...file, isDuplicate: () => true }
  assert.equal(await bufferHead(duplicate, text.length + 1, () => assert.fail('it was read'), signal), null)
})
