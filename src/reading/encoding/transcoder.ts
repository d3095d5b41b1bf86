// Transcoder: converts pieces of a file to UTF-8 and maps bytes of the UTF-8 back to those of the original.
import { releaseChunk } from '../../core/byte-stream.ts'
import { concatBytes, swapUnits, utf8Bytes, utf16Text } from '../bytes/platform-bytes.ts'
import { type Block, Coder } from './coder.ts'
import { createDecoder, type Decoder } from './decoder.ts'
import { createSegmentOffsetMap, createUnitOffsetMap, type OffsetMap } from './offset-map.ts'
import { type Kind, kindOf, toUtf8, type Utf8OfBytes, utf8OfBytes } from './single-byte.ts'

/** The encoding with other characters than ASCII in bytes below 0x80, after an escape; lines begin and end in ASCII (RFC 1468). */
const stateful = 'iso-2022-jp'
/** In the other multi-byte encodings a byte below this is always a character of its own. */
const plainByteMax = 0x30

/** Marks an invalid byte in decoded text: a lone surrogate, which no decoder yields. */
const wrongMark = '\udc80'
/** A line of a multi-byte encoding is decoded in one block up to this size. Bytes. */
const lineBytesMax = 4_194_304

export class Transcoder extends Coder {
  override readonly isBytewise: boolean
  readonly #name: string
  readonly #kind: Kind
  readonly #decode: Decoder
  /** Null if a character may have several bytes. */
  readonly #utf8OfBytes: Utf8OfBytes | null
  readonly #placeOf: OffsetMap

  constructor(encoding: string) {
    super()
    this.#name = encoding
    this.#kind = kindOf(encoding)
    // A file's byte order mark is not pushed: U+FEFF is data here.
    this.#decode = createDecoder(encoding, 'replace', 'character')
    this.#utf8OfBytes = utf8OfBytes(encoding)
    this.isBytewise = this.#utf8OfBytes !== null
    this.#placeOf = placeFinder(encoding, this.#kind)
  }

  originalOffset(block: Block, utf8Offset: number): number {
    if (utf8Offset >= block.utf8.length) return block.original.length
    return this.#placeOf(block, utf8Offset)
  }

  protected toUtf8(original: Uint8Array): Uint8Array {
    const table = this.#utf8OfBytes
    return table === null ? encode(this.#text(original)) : toUtf8(original, table)
  }

  #text(bytes: Uint8Array): string {
    if (this.#kind === 'utf-16') {
      // Lone surrogates stay as they are, which is exactly the desired mark; an odd byte is left over.
      const units = bytes.subarray(0, bytes.length & ~1)
      const text = this.#name === 'utf-16be' ? swappedText(units) : utf16Text(units)
      return bytes.length % 2 === 0 ? text : text + wrongMark
    }
    if (this.#kind === 'utf-32') return markedUtf32(this.#decode(bytes, true), bytes, this.#name === 'utf-32le')
    if (this.#name !== stateful) return marked(this.#decode(bytes, true))
    let text = ''
    for (let from = 0; from < bytes.length; ) {
      const end = lineAfter(bytes, from)
      text += marked(this.#decode(bytes.subarray(from, end), true))
      from = end
    }
    return text
  }

  protected cut(bytes: Uint8Array): number {
    switch (this.#kind) {
      case 'single-byte':
        return bytes.length
      case 'utf-16': {
        const end = bytes.length & ~1
        const high = bytes[this.#name === 'utf-16le' ? end - 1 : end - 2] ?? 0
        return high >= 0xd8 && high < 0xdc ? end - 2 : end
      }
      case 'utf-32':
        return bytes.length & ~3
      case 'multi-byte':
        return lastCut(bytes)
    }
  }
}

function placeFinder(name: string, kind: Kind): OffsetMap {
  if (kind !== 'multi-byte') {
    return createUnitOffsetMap(kind === 'utf-16' ? 2 : kind === 'utf-32' ? 4 : 1, kind === 'utf-16')
  }
  return createSegmentOffsetMap({
    segmentEnd: name === stateful ? lineAfter : plainAfter,
    isAsciiPlain: name !== stateful,
    begin: () => createDecoder(name, 'replace'),
    encode: (text) => encode(marked(text)),
  })
}

function swappedText(units: Uint8Array): string {
  // Not by slice(), which is no copy of a Buffer.
  const swapped = new Uint8Array(units)
  swapUnits(swapped)
  const text = utf16Text(swapped)
  releaseChunk(swapped)
  return text
}

/** Start of the line after the one at `from`. */
function lineAfter(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) if (bytes[at] === 0x0a || bytes[at] === 0x0d) return at + 1
  return bytes.length
}

/** Position after the next byte that stands for itself, whatever precedes it. */
function plainAfter(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) if ((bytes[at] as number) < plainByteMax) return at + 1
  return bytes.length
}

/**
 * No multi-byte encoding uses line-end bytes inside a character. So a block ends with a line, or, in an endless one, after
 * a byte that stands for itself.
 */
function lastCut(bytes: Uint8Array): number {
  const lineEnd = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d))
  if (lineEnd >= 0 || bytes.length < lineBytesMax) return lineEnd + 1
  for (let i = bytes.length - 1; i >= 0; i--) if ((bytes[i] as number) < plainByteMax) return i + 1
  return bytes.length
}

/** Replaces what a decoder yields for a wrong byte with the mark. */
function marked(decoded: string): string {
  return decoded.replaceAll('\ufffd', wrongMark)
}

/** The same for UTF-32. Its characters have four bytes each, so a U+FFFD of the file itself is found and kept. */
function markedUtf32(decoded: string, bytes: Uint8Array, isLittle: boolean): string {
  if (!decoded.includes('\ufffd')) return decoded
  const own = isLittle ? [0xfd, 0xff, 0, 0] : [0, 0, 0xff, 0xfd]
  const isOwn = (at: number) => own.every((byte, i) => bytes[at + i] === byte)
  return Array.from(decoded, (one, i) => (one === '\ufffd' && !isOwn(4 * i) ? wrongMark : one)).join('')
}

/** As UTF-8, with the byte 0xFF for each mark. */
function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return utf8Bytes(text)
  const wrong: Uint8Array = Uint8Array.of(0xff)
  return concatBytes(
    text.split(/\p{Surrogate}/u).flatMap((part, i) => (i === 0 ? [] : [wrong]).concat(utf8Bytes(part))),
  )
}
