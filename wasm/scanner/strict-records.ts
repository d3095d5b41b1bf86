// Strict records: passes over strict records in blocks of 64 bytes, the quick way. What it does not understand it leaves.
// The masks follow Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (2019), section 3.1; WebAssembly has no
// carry-less multiplication, so that quoted regions come from a cascade of shifts.
import {
  NONE,
  comment,
  delimiter,
  escape,
  lineEnd,
  otherEnd,
  quote,
  recordBytesMax,
  skipInitialSpace,
  padsShort,
  width,
} from './dialect'
import {
  EXCLUDED,
  INVALID_UTF8,
  NUL_BYTE,
  TOO_FEW_FIELDS,
  TOO_MANY_FIELDS,
  accept,
  emit,
  hasRoom,
  isExcluded,
  position,
  consumedTo,
  windowEnd,
} from './scan-result'
import * as reader from './record-reader'
import { linesLikeRecords, mayBeRunaway } from './runaway'
import { asciiBreaksUtf8, beginUtf8, breaksUtf8, firstBadByte } from './utf8'

export const UNFINISHED: u32 = 0
/** The record at `position` is not plainly strict. */
export const LENIENT: u32 = 1
export const NO_ROOM: u32 = 2

@inline
function equalBits(a: v128, b: v128, c: v128, d: v128, wanted: v128): u64 {
  return bits(i8x16.eq(a, wanted), i8x16.eq(b, wanted), i8x16.eq(c, wanted), i8x16.eq(d, wanted))
}

@inline
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = (i8x16.bitmask(a) as u64) | ((i8x16.bitmask(b) as u64) << 16)
  const high = (i8x16.bitmask(c) as u64) | ((i8x16.bitmask(d) as u64) << 16)
  return low | (high << 32)
}

/** Bit i becomes the parity of bits 0 … i. */
@inline
function prefixXor(mask: u64): u64 {
  mask ^= mask << 1
  mask ^= mask << 2
  mask ^= mask << 4
  mask ^= mask << 8
  mask ^= mask << 16
  return mask ^ (mask << 32)
}

/** Settles records from `position` on, up to the first that is unfinished or odd. */
export function passStrict(): u32 {
  const isLf = lineEnd == 10
  const quotes = i8x16.splat(quote as i8)
  const quoteUsed: u64 = quote == NONE ? 0 : ~0
  const delimiters = i8x16.splat(delimiter as i8)
  const lineEnds = i8x16.splat(lineEnd as i8)
  const otherEnds = i8x16.splat(otherEnd as i8)
  const hasExtras = escape != NONE || comment != NONE || skipInitialSpace

  // What the block before leaves: whether it ended inside quotes (all ones or none), and one bit for its last byte.
  let inside: u64 = 0
  let lastEndsField: u64 = 1
  let lastEndsRecord: u64 = 1
  let lastClosesQuote: u64 = 0
  let lastIsCr: u64 = 0
  /** One where the record that goes on holds bytes that may be wrong. */
  let lastIsSuspect: u64 = 0
  // The record begun but not ended.
  let recordStart = position
  let fields: u32 = 1
  let lines: u32 = 0
  beginUtf8()

  for (let block = position; block < windowEnd; block += 64) {
    const a = v128.load(block)
    const b = v128.load(block, 16)
    const c = v128.load(block, 32)
    const d = v128.load(block, 48)
    const left = windowEnd - block
    const valid: u64 = left >= 64 ? ~0 : ((1 as u64) << left) - 1

    const quoteBits = equalBits(a, b, c, d, quotes) & quoteUsed & valid
    const delimiterBits = equalBits(a, b, c, d, delimiters)
    const lineEndBits = equalBits(a, b, c, d, lineEnds) & valid
    const otherBits = equalBits(a, b, c, d, otherEnds)

    const quoted = prefixXor(quoteBits) ^ inside
    inside = ((quoted as i64) >> 63) as u64
    const separators = delimiterBits & ~quoted
    const ends = lineEndBits & ~quoted
    const others = otherBits & ~quoted

    const afterRecord = (ends << 1) | lastEndsRecord
    const afterField = ((separators | ends) << 1) | lastEndsField
    lastEndsRecord = ends >> 63
    lastEndsField = (separators | ends) >> 63

    // A quote opens at the start of a field or right after one that seemed to close: then both are one quote, doubled.
    const opening = quoteBits & quoted
    const closing = quoteBits & ~quoted
    const afterClosing = (closing << 1) | lastClosesQuote
    lastClosesQuote = closing >> 63
    let odd = (opening & ~(afterField | afterClosing)) | (afterClosing & ~(quoteBits | delimiterBits | lineEndBits | otherBits))
    if (isLf) {
      odd |= ((others << 1) | lastIsCr) & ~lineEndBits
      lastIsCr = others >> 63
    } else {
      odd |= others
    }
    odd |= afterRecord & (lineEndBits | otherBits)
    if (hasExtras) {
      odd |= extraBits(a, b, c, d, afterField, afterRecord)
      if (escape != NONE) odd |= afterClosing & quoteBits
    }

    odd &= valid

    // Bytes that may be wrong, in records that may be strict in all else.
    let suspects = lastIsSuspect
    if (!i8x16.all_true(i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d)))) {
      suspects |= equalBits(a, b, c, d, i8x16.splat(0))
    }
    if (i8x16.bitmask(v128.or(v128.or(a, b), v128.or(c, d))) == 0) {
      if (asciiBreaksUtf8(d)) suspects |= 7
    } else if (breaksUtf8(a, b, c, d)) {
      // Any record here with a byte beyond ASCII may be the broken one, or one cut short in the block before.
      suspects |= bits(a, b, c, d) | 7
    }
    suspects &= valid

    let done: u64 = 0
    for (let pending = ends; pending != 0; pending &= pending - 1) {
      const upTo = pending ^ (pending - 1)
      const bitsOfRecord = upTo & ~done
      const after = block + (ctz(pending) as usize) + 1
      if ((odd & bitsOfRecord) != 0 || after - recordStart > recordBytesMax) return LENIENT
      fields += popcnt(separators & bitsOfRecord) as u32
      lines += popcnt(lineEndBits & bitsOfRecord) as u32
      if (lines > 1 && fields == width && isDoubtful(recordStart, after, lines)) return LENIENT
      if (fields == width && (suspects & bitsOfRecord) == 0 && !isExcluded()) {
        accept(lines)
      } else {
        if (fields != width && (lines > 1 || (padsShort && fields < width))) return LENIENT
        if (!hasRoom()) return NO_ROOM
        consumeStrict(recordStart, after, lines, fields)
      }
      consumedTo(after)
      recordStart = after
      fields = 1
      lines = 0
      done = upTo
    }
    if ((odd & ~done) != 0) return LENIENT
    const rest = ~done & valid
    lastIsSuspect = (suspects & rest) != 0 ? 1 : 0
    fields += popcnt(separators & rest) as u32
    lines += popcnt(lineEndBits & rest) as u32
    if (block + 64 - recordStart > recordBytesMax && windowEnd - recordStart > recordBytesMax) return LENIENT
  }
  return UNFINISHED
}

/** Whether lines of a strict record read as records. */
function isDoubtful(start: usize, end: usize, lines: u32): bool {
  if (!mayBeRunaway(start, end)) return false
  const contentEnd = lineEnd == 10 && load<u8>(end - 2) == 13 ? end - 2 : end - 1
  return linesLikeRecords(start, contentEnd, lines - 1) > 0
}

/** Settles a record that reads strictly, but may have another width or wrong bytes, or is to be dropped. Needs room. */
function consumeStrict(start: usize, end: usize, lines: u32, fields: u32): void {
  const contentEnd = lineEnd == 10 && load<u8>(end - 2) == 13 ? end - 2 : end - 1
  if (fields != width) {
    emit(fields < width ? TOO_FEW_FIELDS : TOO_MANY_FIELDS, start, end, contentEnd, 1, 0, fields)
    return
  }
  const bad = firstBadByte(start, contentEnd)
  if (bad == contentEnd) {
    if (isExcluded()) emit(EXCLUDED, start, end, contentEnd, lines, 0, 0)
    else accept(lines)
    return
  }
  reader.read(start, bad + 1)
  emit(load<u8>(bad) == 0 ? NUL_BYTE : INVALID_UTF8, start, end, contentEnd, lines, reader.fields, bad)
}

function extraBits(a: v128, b: v128, c: v128, d: v128, afterField: u64, afterRecord: u64): u64 {
  let odd: u64 = 0
  if (escape < NONE) odd |= equalBits(a, b, c, d, i8x16.splat(escape as i8))
  if (comment != NONE) odd |= equalBits(a, b, c, d, i8x16.splat(comment as i8)) & afterRecord
  if (skipInitialSpace) {
    odd |= (equalBits(a, b, c, d, i8x16.splat(32)) | equalBits(a, b, c, d, i8x16.splat(9))) & afterField
  }
  return odd
}
