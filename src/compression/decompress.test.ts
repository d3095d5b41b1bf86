// Tests of decompress(): whole, truncated and damaged files, however they are sliced, and the limits.
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { constants, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib'
import { isServiceError } from '../core/errors.ts'
import { type CompressionFormat, compressionFormats } from '../core/receipt.ts'
import { compressionOf } from './compression.ts'
import { decompress, type StreamEnd } from './decompress.ts'

const limits = { textBytesMax: 1_000_000, ratioMax: 1_000_000 }
const compress: Readonly<Record<CompressionFormat, (text: Buffer) => Buffer>> = {
  gzip: (text) => gzipSync(text),
  zstd: (text) => zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
}
const first = Buffer.from(Array.from({ length: 100 }, (_, i) => `${i},${(i * 7919) % 1009}\n`).join(''))
const second = Buffer.from('a,b\n1,2\n')
const whole: StreamEnd = { isCut: false, trailingBytes: 0 }

/** The bytes in slices of one buffer that each slice overwrites, as those of a connection do. */
async function* inSlices(bytes: Uint8Array, length: number): AsyncGenerator<readonly Uint8Array[]> {
  const room = new Uint8Array(length)
  for (let at = 0; at < bytes.length; at += length) {
    const slice = bytes.subarray(at, at + length)
    room.fill(0xee)
    room.set(slice)
    yield [room.subarray(0, slice.length)]
  }
}

async function textOf(file: Uint8Array, format: CompressionFormat, sliceBytes = 65_536, bounds = limits) {
  const text: Buffer[] = []
  const output = decompress(inSlices(file, sliceBytes), format, bounds)
  for (;;) {
    const next = await output.next()
    if (next.done) return { text: Buffer.concat(text), ending: next.value }
    for (const slice of next.value) text.push(Buffer.from(slice))
  }
}

for (const format of compressionFormats) {
  const [one, other] = [compress[format](first), compress[format](second)]

  test(`decompress() yields the text of ${format}, also with several members, however it is sliced`, async () => {
    assert.equal(compressionOf(one), format)
    for (const sliceBytes of [1, 2, 3, 7, 100, one.length, one.length + 1, 65_536]) {
      assert.deepEqual(await textOf(one, format, sliceBytes), { text: first, ending: whole })
      const both = Buffer.concat([one, other, other])
      assert.deepEqual(
        await textOf(both, format, sliceBytes),
        { text: Buffer.concat([first, second, second]), ending: whole },
        `slices of ${sliceBytes}`,
      )
    }
  })

  test(`decompress() reports what follows the data of ${format}`, async () => {
    for (const tail of ['h', 'hello, world\n', '\0'.repeat(512)]) {
      for (const sliceBytes of [1, 7, one.length, 65_536]) {
        const { text, ending } = await textOf(Buffer.concat([one, Buffer.from(tail)]), format, sliceBytes)
        assert.deepEqual(text, first)
        assert.deepEqual(
          ending,
          { isCut: false, trailingBytes: tail.length },
          `${tail.length} in slices of ${sliceBytes}`,
        )
      }
    }
  })

  test(`decompress() refuses damaged ${format}, or yields exactly the original text`, async () => {
    for (let at = 4; at < other.length; at += 1) {
      for (const bit of [1, 16, 128]) {
        const file = Buffer.from(other)
        file[at] = (file[at] ?? 0) ^ bit
        const read = await textOf(file, format).catch((error) => error)
        if (isServiceError(read, 'NOT_READABLE') || isServiceError(read, 'EMPTY_FILE')) continue
        assert.ok(!(read instanceof Error), read)
        assert.ok(
          read.ending.isCut || read.ending.trailingBytes > 0 || read.text.equals(second),
          `bit ${bit} of byte ${at}`,
        )
      }
    }
  })

  test(`decompress() holds ${format} to its limits`, async () => {
    const zeros = compress[format](Buffer.alloc(32 * 1024 * 1024))
    const exact = { textBytesMax: first.length, ratioMax: 1 }
    assert.deepEqual((await textOf(one, format, 100, exact)).text, first)
    const small = { textBytesMax: first.length - 1, ratioMax: 1 }
    await assert.rejects(textOf(one, format, 100, small), { code: 'DECOMPRESSED_TOO_LARGE' })
    const ratio = { textBytesMax: 2 ** 30, ratioMax: 250 }
    await assert.rejects(textOf(zeros, format, 65_536, ratio), { code: 'COMPRESSED_TOO_MUCH' })
    await assert.rejects(textOf(compress[format](Buffer.alloc(0)), format), { code: 'EMPTY_FILE' })
  })

  test(`decompress() refuses ${format} made only of empty members`, async () => {
    const member = compress[format](Buffer.alloc(0))
    const file = (count: number) => Buffer.concat([one, Buffer.alloc(count * member.length, member)])
    assert.deepEqual((await textOf(file(999), format)).text, first)
    await assert.rejects(textOf(file(1002), format), { code: 'NOT_READABLE' })
  })

  test(`decompress() rethrows what its source throws, and ends its source, with ${format}`, async () => {
    let isEnded = false
    async function* source() {
      try {
        yield [one]
        throw new Error('the client disconnected')
      } finally {
        isEnded = true
      }
    }
    const readAll = async () => {
      for await (const _ of decompress(source(), format, limits));
    }
    await assert.rejects(readAll(), { message: 'the client disconnected' })
    assert.ok(isEnded)
    isEnded = false
    for await (const _ of decompress(source(), format, limits)) break
    assert.ok(isEnded)
  })
}

const skippable = Buffer.concat([Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 40, 0, 0, 0]), Buffer.alloc(40, 0x28)])
/** More than a block of 128 KB. */
const repeated = Buffer.alloc(300_000, '1,2\n')
const few = first.subarray(0, 120)
const zstdWith = (text: Buffer, params: Record<number, number> = {}) => zstdCompressSync(text, { params })
/** With a content size of eight bytes, and one uncompressed block. */
const rawFrame = Buffer.concat([
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, second.length, 0, 0, 0, 0, 0, 0, 0, 1 | (second.length << 3), 0, 0]),
  second,
])
/** Files as the members or frames that they consist of. */
const samples: Readonly<Record<CompressionFormat, Readonly<Record<string, readonly Buffer[]>>>> = {
  gzip: {
    'of one member': [gzipSync(few)],
    'of stored blocks': [gzipSync(few, { level: 0 })],
    'with all header fields': [withHeaderFields(second)],
    'of several members': [gzipSync(few), gzipSync(''), withHeaderFields(second), gzipSync(repeated)],
  },
  zstd: {
    'with a checksum': [compress.zstd(first)],
    'without a checksum': [zstdWith(first)],
    'of few bytes': [zstdWith(second)],
    'of one repeated byte': [zstdWith(Buffer.alloc(300_000, 'a'))],
    'of several blocks': [zstdWith(repeated)],
    'with a window and without a content size': [zstdWith(second, { [constants.ZSTD_c_contentSizeFlag]: 0 })],
    'with a content size of eight bytes': [rawFrame],
    'of several frames': [zstdWith(few), zstdWith(Buffer.alloc(0)), rawFrame, compress.zstd(second)],
    'with skippable frames': [skippable, zstdWith(few), skippable, skippable, compress.zstd(second), skippable],
  },
}
for (const format of compressionFormats) {
  for (const [what, parts] of Object.entries(samples[format])) {
    test(`decompress() tells where ${format} ${what} is cut, at any byte, however it is sliced`, async () => {
      const file = Buffer.concat(parts)
      const { text, ending } = await textOf(file, format)
      assert.deepEqual(ending, whole)
      const ends = new Set(parts.map((_, i) => Buffer.concat(parts.slice(0, i + 1)).length))
      assert.deepEqual(await textOf(file, format, 1), { text, ending: whole })
      for (let length = 4; length < file.length; length += 1) {
        const where = `${length} of ${file.length} bytes`
        const read = await textOf(file.subarray(0, length), format, 1 + (length % 64)).catch((error) => error)
        if (isServiceError(read, ends.has(length) ? 'EMPTY_FILE' : 'NOT_READABLE')) {
          assert.match(read.message, /empty|ends before any text/i, where)
          continue
        }
        assert.ok(!(read instanceof Error), `${where}: ${read}`)
        assert.ok(text.subarray(0, read.text.length).equals(read.text), where)
        assert.deepEqual(read.ending, { isCut: !ends.has(length), trailingBytes: 0 }, where)
      }
    })
  }

  test(`decompress() never takes the beginning of ${format} for its end, nor other bytes for a cut`, async () => {
    const one = compress[format](first)
    const endingOf = async (tail: number[]) => (await textOf(Buffer.concat([one, Buffer.from(tail)]), format, 7)).ending
    for (const tail of [[0], [0x29, 0xb5], [0x28, 0xb5, 0x2f, 0xfe], [0x1f, 0x8c], [0x50, 0x2a, 0x4d, 0x19]]) {
      assert.deepEqual(await endingOf(tail), { isCut: false, trailingBytes: tail.length }, tail.join())
    }
  })
}

test('decompress() refuses Zstandard that needs much memory, and says how to compress it', async () => {
  // A stream does not know its final size, so its frame requests the whole window.
  const stream = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } })
  stream.write(first)
  stream.end(second)
  const { message } = await textOf(await buffer(stream), 'zstd').catch((error) => error)
  assert.match(message, /window of more than 8 MB; compress it without --long/)
})

test('decompress() reads the optional header fields of gzip', async () => {
  const file = withHeaderFields(second)
  for (const sliceBytes of [1, 5, 1000])
    assert.deepEqual(await textOf(file, 'gzip', sliceBytes), { text: second, ending: whole })
})

function withHeaderFields(text: Buffer): Buffer {
  const plain = gzipSync(text)
  const flags = Buffer.from([2 + 4 + 8 + 16])
  const fields = [Buffer.from([3, 0, 1, 2, 3]), Buffer.from('sales.csv\0a comment\0'), Buffer.from([7, 7])]
  return Buffer.concat([plain.subarray(0, 3), flags, plain.subarray(4, 10), ...fields, plain.subarray(10)])
}
