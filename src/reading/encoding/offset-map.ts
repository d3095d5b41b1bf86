// Offset map: tells which byte of a decoded stretch a byte of its UTF-8 came from. Rising places of one stretch take no more
// time together than reading it once: in a stretch of rejects each has three.

import type { Block } from './coder.ts'
import type { Decoder } from './decoder.ts'

/** Where in `block.original` the character stands that begins at `utf8Offset` of `block.utf8`. */
export type OffsetMap = (block: Block, utf8Offset: number) => number

/** A place in both countings, before which nothing is asked for any more. */
interface Passed {
  readonly block: Block | null
  utf8: number
  original: number
}

/** For encodings with a fixed number of bytes for each unit: of UTF-16, a character beyond U+FFFF has two. */
export function createUnitOffsetMap(unitBytes: number, isUtf16: boolean): OffsetMap {
  let passed: Passed = { block: null, utf8: 0, original: 0 }
  return (block, utf8Offset) => {
    if (block !== passed.block || utf8Offset < passed.utf8) passed = { block, utf8: 0, original: 0 }
    const { original, utf8 } = block
    // From the nearer side: where everything is consumed is asked for each block, and is mostly close to its end.
    if (utf8.length - utf8Offset < utf8Offset - passed.utf8) {
      const unitCount = Math.ceil(original.length / unitBytes)
      passed.original = (unitCount - unitsIn(utf8, utf8Offset, utf8.length, isUtf16)) * unitBytes
    } else {
      passed.original += unitsIn(utf8, passed.utf8, utf8Offset, isUtf16) * unitBytes
    }
    passed.utf8 = utf8Offset
    return Math.min(passed.original, original.length)
  }
}

function unitsIn(utf8: Uint8Array, from: number, to: number, isUtf16: boolean): number {
  let units = 0
  for (let at = from; at < to; at++) {
    const byte = utf8[at]!
    // Continuation bytes begin no character; 0xFF stands for a wrong unit.
    if ((byte & 0xc0) !== 0x80) units += isUtf16 && byte >= 0xf0 && byte < 0xf8 ? 2 : 1
  }
  return units
}

/** What a place finder has to know of an encoding with characters of one byte and more. */
export interface SegmentedEncoding {
  /** Where the segment ends that begins at `from`: segments can be decoded apart. Short ones are found in fastest. */
  segmentEnd(bytes: Uint8Array, from: number): number
  /** True when a byte below 0x80 at the start of a segment stands for itself, and so does one after it. */
  readonly isAsciiPlain: boolean
  begin(): Decoder
  /** Gives decoded text as it is in `block.utf8`. */
  encode(text: string): Uint8Array
}

/** For those: whole segments are passed, and in the last one the beginning is looked for that gives so much text. */
export function createSegmentOffsetMap(encoding: SegmentedEncoding): OffsetMap {
  const decode = encoding.begin()
  let passed: Passed = { block: null, utf8: 0, original: 0 }
  return (block, utf8Offset) => {
    if (block !== passed.block || utf8Offset < passed.utf8) passed = { block, utf8: 0, original: 0 }
    const { original } = block
    while (passed.utf8 < utf8Offset && passed.original < original.length) {
      const start = passed.original
      const end = encoding.segmentEnd(original, start)
      const isPlain = encoding.isAsciiPlain && isAscii(original, start, end)
      const segment = isPlain ? null : original.subarray(start, end)
      const length = segment === null ? end - start : encoding.encode(decode(segment, true)).length
      const wanted = utf8Offset - passed.utf8
      if (length > wanted) return start + (segment === null ? wanted : bytesFor(wanted, segment, encoding, decode))
      passed.utf8 += length
      passed.original = end
    }
    return passed.original
  }
}

function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((bytes[at] as number) >= 0x80) return false
  return true
}

/**
 * The longest beginning of a segment that gives no more than so much text. Feeding a decoder byte by byte would tell too, but
 * that of Node 24 throws on some wrong bytes of GB18030 then.
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
