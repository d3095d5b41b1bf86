// Offset map: maps a byte of decoded UTF-8 to the byte of the original it came from. In a block of rejects, each needs
// three lookups.

import { type Block, LastPlace } from './coder.ts'
import type { Decoder } from './decoder.ts'

/** Offset in `block.original` of the character that begins at `utf8Offset` of `block.utf8`. */
export type OffsetMap = (block: Block, utf8Offset: number) => number

/** For encodings with a fixed number of bytes per unit; in UTF-16, a character beyond U+FFFF has two units. */
export function createUnitOffsetMap(unitBytes: number, isUtf16: boolean): OffsetMap {
  const last = new LastPlace()
  return (block, utf8Offset) => {
    last.from(block, utf8Offset)
    const { original, utf8 } = block
    // From the nearer side: how far a block is consumed is looked up once per block, and is mostly close to its end.
    if (utf8.length - utf8Offset < utf8Offset - last.utf8) {
      const unitCount = Math.ceil(original.length / unitBytes)
      last.original = (unitCount - unitsIn(utf8, utf8Offset, utf8.length, isUtf16)) * unitBytes
    } else {
      last.original += unitsIn(utf8, last.utf8, utf8Offset, isUtf16) * unitBytes
    }
    last.utf8 = utf8Offset
    return Math.min(last.original, original.length)
  }
}

function unitsIn(utf8: Uint8Array, from: number, to: number, isUtf16: boolean): number {
  let units = 0
  for (let at = from; at < to; at++) {
    const byte = utf8[at]!
    // Continuation bytes do not begin a character; 0xFF stands for an invalid unit.
    if ((byte & 0xc0) !== 0x80) units += isUtf16 && byte >= 0xf0 && byte < 0xf8 ? 2 : 1
  }
  return units
}

/** Facts about an encoding with a varying number of bytes per character. */
export interface SegmentedEncoding {
  /** End of the segment that begins at `from`: segments can be decoded separately. Short ones are searched fastest. */
  segmentEnd(bytes: Uint8Array, from: number): number
  /** True if a byte below 0x80 at the start of a segment is a character of its own, and so is one after it. */
  readonly isAsciiPlain: boolean
  begin(): Decoder
  /** Encodes decoded text as in `block.utf8`. */
  encode(text: string): Uint8Array
}

/** For those: skips whole segments, and searches the last one for the beginning that decodes to the given length. */
export function createSegmentOffsetMap(encoding: SegmentedEncoding): OffsetMap {
  const decode = encoding.begin()
  const last = new LastPlace()
  return (block, utf8Offset) => {
    last.from(block, utf8Offset)
    const { original } = block
    while (last.utf8 < utf8Offset && last.original < original.length) {
      const start = last.original
      const end = encoding.segmentEnd(original, start)
      const isPlain = encoding.isAsciiPlain && isAscii(original, start, end)
      const segment = isPlain ? null : original.subarray(start, end)
      const length = segment === null ? end - start : encoding.encode(decode(segment, true)).length
      const wanted = utf8Offset - last.utf8
      if (length > wanted) return start + (segment === null ? wanted : bytesFor(wanted, segment, encoding, decode))
      last.utf8 += length
      last.original = end
    }
    return last.original
  }
}

function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((bytes[at] as number) >= 0x80) return false
  return true
}

/**
 * The longest beginning of a segment that decodes to at most this length. Feeding a decoder byte by byte would do too, but
 * Node 24's then throws on some invalid bytes of GB18030.
 */
function bytesFor(utf8Bytes: number, segment: Uint8Array, { encode }: SegmentedEncoding, decode: Decoder): number {
  let from = 0
  let to = segment.length
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    if (encode(decode(segment.subarray(0, middle), true)).length <= utf8Bytes) from = middle
    else to = middle - 1
  }
  return from
}
