// Zstd: the text of a Zstandard file, frame by frame (RFC 8878). Before 24.20, Node takes a frame that is cut for a whole
// one, and its stream stops after the first frame, so this file finds where frames end and leaves only decoding to Node.
import { constants, createZstdDecompress } from 'node:zlib'
import type { ByteSource } from './byte-source.ts'
import { isZstdFrame } from './compression.ts'
import { DamagedData, type DecompressBudget } from './limits.ts'
import { cut, outputBytes, type StreamEnd, ZlibError, ZlibStream } from './zlib-stream.ts'

/**
 * 8 MB, the least that RFC 8878 section 3.1.1.1.2 recommends for a decoder: the memory of one upload that decompresses.
 */
const windowLogMax = 23
const magicBytes = 4

/** Yields the text; returns how the file ended. @throws {DamagedData} */
export async function* unzstd(source: ByteSource, spending: DecompressBudget): AsyncGenerator<Uint8Array, StreamEnd> {
  for (;;) {
    const magic = await source.read(magicBytes)
    if (magic.length === 0 || !isZstdFrame(magic)) {
      return { isCut: false, trailingBytes: magic.length + (await source.skip()) }
    }
    spending.addMember()
    const isWhole = magic[0] === 0x28 ? yield* decompressFrame(source, magic) : await skipFrame(source)
    if (!isWhole) return cut
  }
}

/** Skips the rest of a skippable frame; false if the file ends in it. */
async function skipFrame(source: ByteSource): Promise<boolean> {
  const size = await source.read(4)
  if (size.length < 4) return false
  const bytes = new DataView(size.buffer).getUint32(0, true)
  return (await source.skip(bytes)) === bytes
}

/** Yields the content of a frame; returns false if the file ends before it does. */
async function* decompressFrame(source: ByteSource, magic: Uint8Array): AsyncGenerator<Uint8Array, boolean> {
  const params = { [constants.ZSTD_d_windowLogMax]: windowLogMax }
  const stream = new ZlibStream(createZstdDecompress({ chunkSize: outputBytes, params }))
  const frame = new FrameEnd()
  try {
    yield* stream.write(magic)
    for (let there = await source.peek(); there !== null; there = await source.peek()) {
      const slice = there.subarray(0, frame.pass(there))
      yield* stream.write(slice)
      source.take(slice.length)
      if (!frame.isReached) continue
      yield* stream.end()
      return true
    }
    return false
  } catch (error) {
    if (!(error instanceof ZlibError)) throw error
    throw new DamagedData(problems[error.code ?? ''] ?? 'its data cannot be decompressed', error)
  } finally {
    stream.close()
  }
}

/** Finds the end of a frame in the bytes behind its magic number, by its headers alone (RFC 8878 section 3.1.1). */
class FrameEnd {
  /** Bytes before the next header, or before the end behind the last block. */
  #skipBytes = 0
  /** Null until the frame header has been read. */
  #checksumBytes: number | null = null
  #header = 0
  #headerBits = 0
  #isLastBlock = false

  get isReached(): boolean {
    return this.#isLastBlock && this.#skipBytes === 0
  }

  /** Returns how many of these bytes belong to the frame. */
  pass(slice: Uint8Array): number {
    let at = 0
    while (at < slice.length && !this.isReached) {
      const count = Math.min(this.#skipBytes, slice.length - at)
      this.#skipBytes -= count
      at += count
      const byte = slice[at]
      if (count > 0 || byte === undefined) continue
      if (this.#checksumBytes === null) this.#readDescriptor(byte)
      else this.#readBlockHeader(byte)
      at += 1
    }
    return at
  }

  /** The first byte of the frame header says how long the rest of it is. */
  #readDescriptor(byte: number): void {
    const isSingleSegment = (byte & 0x20) !== 0
    const sizeFlag = byte >> 6
    const windowBytes = isSingleSegment ? 0 : 1
    const contentSizeBytes = sizeFlag === 0 ? 1 - windowBytes : 1 << sizeFlag
    const dictionaryIdBytes = (1 << (byte & 3)) >> 1
    this.#skipBytes = windowBytes + dictionaryIdBytes + contentSizeBytes
    this.#checksumBytes = byte & 4
  }

  /** Three bytes: whether the block is the last one, its type, its size; of a repeated byte (RLE), only one is stored. */
  #readBlockHeader(byte: number): void {
    this.#header |= byte << this.#headerBits
    this.#headerBits += 8
    if (this.#headerBits < 24) return
    this.#isLastBlock = (this.#header & 1) !== 0
    const isRepeatedByte = ((this.#header >> 1) & 3) === 1
    this.#skipBytes = isRepeatedByte ? 1 : this.#header >> 3
    if (this.#isLastBlock) this.#skipBytes += this.#checksumBytes ?? 0
    this.#header = 0
    this.#headerBits = 0
  }
}

const problems: Readonly<Record<string, string>> = {
  ZSTD_error_frameParameter_windowTooLarge:
    'it needs a window of more than 8 MB; compress it without --long and --ultra',
  ZSTD_error_dictionary_wrong: 'it needs a dictionary; compress it without one',
  ZSTD_error_checksum_wrong: 'its checksum does not match its content',
}
