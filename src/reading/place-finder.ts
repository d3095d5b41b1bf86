// Place finder: tells which byte of a decoded stretch a byte of its UTF-8 came from. Rising places of one stretch take no more
// time together than reading it once: in a stretch of rejects each has three.
import type { Decoder } from './decoder.ts'
import type { Block } from './transcoder.ts'

/** Where in `block.original` the character stands that begins at `utf8Offset` of `block.utf8`. */
export type PlaceFinder = (block: Block, utf8Offset: number) => number

/** A place in both countings, before which nothing is asked for any more. */
interface Passed {
  readonly block: Block | null
  utf8: number
  original: number
}

/** For encodings with a fixed number of bytes for each unit: of UTF-16, a character beyond U+FFFF has two. */
export function createUnitPlaceFinder(unitBytes: number, isUtf16: boolean): PlaceFinder {
  let passed: Passed = { block: null, utf8: 0, original: 0 }
  return (block, utf8Offset) => {
    if (block !== passed.block || utf8Offset < passed.utf8) passed = { block, utf8: 0, original: 0 }
    let units = 0
    for (let at = passed.utf8; at < utf8Offset; at++) {
      const byte = block.utf8[at] as number
      // Continuation bytes begin no character; 0xFF stands for a wrong unit.
      if ((byte & 0xc0) !== 0x80) units += isUtf16 && byte >= 0xf0 && byte < 0xf8 ? 2 : 1
    }
    passed.utf8 = utf8Offset
    passed.original += units * unitBytes
    return Math.min(passed.original, block.original.length)
  }
}

const nothing = new Uint8Array(0)

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

/** For those: whole segments are passed, and in the last one the bytes are fed one by one until so much text has come out. */
export function createSegmentPlaceFinder(encoding: SegmentedEncoding): PlaceFinder {
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
      if (length > wanted) return start + (segment === null ? wanted : walk(segment, wanted, encoding, decode))
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

/** Leaves the decoder as it was, with nothing in it. */
function walk(segment: Uint8Array, utf8Offset: number, { encode }: SegmentedEncoding, decode: Decoder): number {
  let length = 0
  /** Where the bytes begin that have given no text yet. */
  let from = 0
  for (let at = 0; at < segment.length && length < utf8Offset; at++) {
    const text = decode(segment.subarray(at, at + 1), false)
    if (text === '') continue
    length += encode(text).length
    // A wrong byte may come out together with the one that showed it to be wrong, which stands for itself.
    from = utf8Offset < length ? at : at + 1
  }
  decode(nothing, true)
  return from
}
