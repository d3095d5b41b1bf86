// Gzip: the text of a gzip file, member by member (RFC 1952). Node's own stream loses output before trailing bytes and
// does not report them, so this file finds the members and leaves only deflate to Node.
import { crc32, createInflateRaw } from 'node:zlib'
import type { ByteSource } from './byte-source.ts'
import { isGzipMember } from './compression.ts'
import { DamagedData, type DecompressBudget } from './limits.ts'
import { cut, outputBytes, type StreamEnd, ZlibError, ZlibStream } from './zlib-stream.ts'

const flag = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const
const headerBytes = 10
const trailerBytes = 8

/** Yields the text; returns how the file ended. @throws {DamagedData} */
export async function* gunzip(source: ByteSource, spending: DecompressBudget): AsyncGenerator<Uint8Array, StreamEnd> {
  for (;;) {
    const header = await source.read(headerBytes)
    if (header.length === 0 || !isGzipMember(header)) {
      return { isCut: false, trailingBytes: header.length + (await source.skip()) }
    }
    spending.addMember()
    if (header.length < headerBytes || !(await skipHeader(source, header[3] ?? 0))) return cut
    const checks = yield* inflate(source)
    if (checks === null) return cut
    const trailer = await source.read(trailerBytes)
    if (trailer.length < trailerBytes) return cut
    const view = new DataView(trailer.buffer)
    if (view.getUint32(0, true) !== checks.crc || view.getUint32(4, true) !== checks.bytes % 2 ** 32) {
      throw new DamagedData('its checksum does not match its content')
    }
  }
}

/** Skips the optional parts of a header; false if the file ends in them. */
async function skipHeader(source: ByteSource, flags: number): Promise<boolean> {
  if (flags & flag.extra) {
    const [low, high] = await source.read(2)
    if (low === undefined || high === undefined) return false
    const length = low + 256 * high
    if ((await source.skip(length)) < length) return false
  }
  for (const one of [flag.name, flag.comment]) {
    if (flags & one && !(await skipText(source))) return false
  }
  return !(flags & flag.headerCrc) || (await source.read(2)).length === 2
}

async function skipText(source: ByteSource): Promise<boolean> {
  for (let there = await source.peek(); there !== null; there = await source.peek()) {
    const end = there.indexOf(0)
    source.take(end < 0 ? there.length : end + 1)
    if (end >= 0) return true
  }
  return false
}

/** Yields the content of a member; returns what its trailer must contain, or null if the file ends before it. */
async function* inflate(source: ByteSource): AsyncGenerator<Uint8Array, { crc: number; bytes: number } | null> {
  const stream = new ZlibStream(createInflateRaw({ chunkSize: outputBytes }))
  let crc = 0
  let bytes = 0
  try {
    for (let there = await source.peek(); there !== null; there = await source.peek()) {
      const output = stream.write(there)
      let next = await output.next()
      for (; !next.done; next = await output.next()) {
        crc = crc32(next.value, crc)
        bytes += next.value.length
        yield next.value
      }
      source.take(next.value.bytes)
      if (next.value.isEnded) return { crc, bytes }
    }
    return null
  } catch (error) {
    throw error instanceof ZlibError ? new DamagedData('its data cannot be decompressed', error) : error
  } finally {
    stream.close()
  }
}
