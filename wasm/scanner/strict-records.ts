// Strict records: the fast path, which passes over strict records in blocks of 64 bytes and leaves everything else.
// The masks follow Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (2019), section 3.1; WebAssembly has no
// carry-less multiplication, so that quoted regions come from a cascade of shifts.
import {
  NONE,
  comment,
  delimiter,
  escape,
  isCrLf,
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
  noteEnds,
  position,
  consumedTo,
  windowEnd,
} from './scan-result'
import * as reader from './record-reader'
import { linesLikeRecords, mayBeRunaway } from './runaway'
import { bits } from './special-bytes'
import { asciiBreaksUtf8, beginUtf8, breaksUtf8, firstBadByte } from './utf8'

export const UNFINISHED: u32 = 0
/** The record at `position` is not plainly strict. */
export const LENIENT: u32 = 1
export const NO_ROOM: u32 = 2

@inline
function equalBits(a: v128, b: v128, c: v128, d: v128, wanted: v128): u64 {
  return bits(i8x16.eq(a, wanted), i8x16.eq(b, wanted), i8x16.eq(c, wanted), i8x16.eq(d, wanted))
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

/** Consumes records from `position` on, up to the first that is unfinished or not plainly strict. */
export function passStrict(): u32 {
  const isLf = lineEnd == 10
  const quotes = i8x16.splat(quote as i8)
  const quoteUsed: u64 = quote == NONE ? 0 : ~0
  const delimiters = i8x16.splat(delimiter as i8)
  const lineEnds = i8x16.splat(lineEnd as i8)
  const otherEnds = i8x16.splat(otherEnd as i8)
  const hasExtras = escape != NONE || comment != NONE || skipInitialSpace
  // Carried over from the previous block: whether it ended inside quotes (all ones or none), and bits of its last byte.
  let inside: u64 = 0
  let lastEndsField: u64 = 1
  let lastEndsRecord: u64 = 1
  let lastClosesQuote: u64 = 0
  let lastIsOther: u64 = 0
  /** One if the unfinished record holds bytes that may be invalid. */
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
    const valid: u64 = windowEnd - block >= 64 ? ~0 : ((1 as u64) << (windowEnd - block)) - 1

    const quoteBits = equalBits(a, b, c, d, quotes) & quoteUsed & valid
    const delimiterBits = equalBits(a, b, c, d, delimiters)
    const lineEndBits = equalBits(a, b, c, d, lineEnds) & valid
    const otherBits = equalBits(a, b, c, d, otherEnds) & valid

    const quoted = prefixXor(quoteBits) ^ inside
    inside = ((quoted as i64) >> 63) as u64
    const separators = delimiterBits & ~quoted
    const ends = lineEndBits & ~quoted
    const others = otherBits & ~quoted

    const afterRecord = (ends << 1) | lastEndsRecord
    const afterField = ((separators | ends) << 1) | lastEndsField
    const afterClosing = ((quoteBits & ~quoted) << 1) | lastClosesQuote
    let lenient =
      misplacedQuotes(quoteBits, quoted, afterField, afterClosing, delimiterBits | lineEndBits | otherBits) |
      misplacedLineEnds(isLf, lineEndBits, otherBits, others, lastIsOther, afterRecord)
    if (hasExtras) lenient |= extraBits(a, b, c, d, afterField, afterRecord, afterClosing & quoteBits)
    lenient &= valid
    const suspects = (lastIsSuspect | suspectBytes(a, b, c, d)) & valid
    lastEndsRecord = ends >> 63
    lastEndsField = (separators | ends) >> 63
    lastClosesQuote = (quoteBits & ~quoted) >> 63
    lastIsOther = others >> 63
    const status = consumeEnded(block, recordStart, fields, lines, ends, separators, lineEndBits, lenient, suspects)
    if (status != UNFINISHED) return status
    let rest = valid
    if (ends != 0) {
      recordStart = block + 64 - (clz(ends) as usize)
      fields = 1
      lines = 0
      rest &= ~(~(0 as u64) >> clz(ends))
    }
    if ((lenient & rest) != 0) return LENIENT
    lastIsSuspect = (suspects & rest) != 0 ? 1 : 0
    fields += popcnt(separators & rest) as u32
    lines += popcnt(lineEndBits & rest) as u32
    if (block + 64 - recordStart > recordBytesMax && windowEnd - recordStart > recordBytesMax) return LENIENT
  }
  return UNFINISHED
}

/**
 * Quotes that open in the middle of a field, and bytes after a closing quote that do not end the field. A quote opens
 * at the start of a field, or right after one that seemed to close: then the two are a doubled quote.
 */
@inline
function misplacedQuotes(quoteBits: u64, quoted: u64, afterField: u64, afterClosing: u64, separating: u64): u64 {
  return (quoteBits & quoted & ~(afterField | afterClosing)) | (afterClosing & ~(quoteBits | separating))
}

/** Line ends of the other kind: with LF, a CR without an LF; with CR, any LF. And blank lines. */
@inline
function misplacedLineEnds(
  isLf: bool,
  lineEndBits: u64,
  otherBits: u64,
  others: u64,
  lastIsOther: u64,
  afterRecord: u64,
): u64 {
  const lone = noteEnds(otherBits, lineEndBits)
  let wrong = isLf ? ((others << 1) | lastIsOther) & ~lineEndBits : others
  if (isCrLf) wrong |= lone
  return wrong | (afterRecord & (lineEndBits | otherBits))
}

/** Bytes that may be invalid, in records that are otherwise strict. */
@inline
function suspectBytes(a: v128, b: v128, c: v128, d: v128): u64 {
  let suspects: u64 = 0
  if (!i8x16.all_true(i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d)))) {
    suspects = equalBits(a, b, c, d, i8x16.splat(0))
  }
  if (i8x16.bitmask(v128.or(v128.or(a, b), v128.or(c, d))) == 0) {
    if (asciiBreaksUtf8(d)) suspects |= 7
  } else if (breaksUtf8(a, b, c, d)) {
    // Any record here with a byte beyond ASCII may be broken, and so may one with a character cut by the block's start.
    suspects |= bits(a, b, c, d) | 7
  }
  return suspects
}

/**
 * Consumes the records that end in a block. The first begins at `start`; its fields and lines in earlier blocks are
 * already counted. UNFINISHED if it consumed them all, else LENIENT or NO_ROOM.
 */
@inline
function consumeEnded(
  block: usize,
  start: usize,
  fields: u32,
  lines: u32,
  ends: u64,
  separators: u64,
  lineEndBits: u64,
  lenient: u64,
  suspects: u64,
): u32 {
  let done: u64 = 0
  for (let pending = ends; pending != 0; pending &= pending - 1) {
    const upTo = pending ^ (pending - 1)
    const ofRecord = upTo & ~done
    const end = block + (ctz(pending) as usize) + 1
    if ((lenient & ofRecord) != 0 || end - start > recordBytesMax) return LENIENT
    fields += popcnt(separators & ofRecord) as u32
    lines += popcnt(lineEndBits & ofRecord) as u32
    if (lines > 1 && fields == width && isDoubtful(start, end, lines)) return LENIENT
    if (fields == width && (suspects & ofRecord) == 0 && !isExcluded()) {
      accept(lines)
    } else {
      if (fields != width && (lines > 1 || (padsShort && fields < width) || endsEmpty(start, end))) return LENIENT
      if (!hasRoom()) return NO_ROOM
      consumeStrict(start, end, lines, fields)
    }
    consumedTo(end)
    start = end
    fields = 1
    lines = 0
    done = upTo
  }
  return UNFINISHED
}

/** Whether the last field of a record is empty: then it may have no value at all, or surplus empty fields. */
@inline
function endsEmpty(start: usize, end: usize): bool {
  const last = load<u8>(lineEnd == 10 && load<u8>(end - 2) == 13 ? end - 3 : end - 2) as u32
  return last == delimiter || last == 32 || last == 9
}

/** Whether lines of a strict record read as records. */
function isDoubtful(start: usize, end: usize, lines: u32): bool {
  if (!mayBeRunaway(start, end)) return false
  const contentEnd = lineEnd == 10 && load<u8>(end - 2) == 13 ? end - 2 : end - 1
  return linesLikeRecords(start, contentEnd, lines - 1) > 0
}

/** Consumes a strict record that may have another width or invalid bytes, or is to be excluded. Needs room. */
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

/** What the dialect has beyond RFC 4180: escapes, comments and blanks before a field. */
function extraBits(a: v128, b: v128, c: v128, d: v128, afterField: u64, afterRecord: u64, doubled: u64): u64 {
  let lenient: u64 = escape == NONE ? 0 : doubled
  if (escape < NONE) lenient |= equalBits(a, b, c, d, i8x16.splat(escape as i8))
  if (comment != NONE) lenient |= equalBits(a, b, c, d, i8x16.splat(comment as i8)) & afterRecord
  if (skipInitialSpace) {
    lenient |= (equalBits(a, b, c, d, i8x16.splat(32)) | equalBits(a, b, c, d, i8x16.splat(9))) & afterField
  }
  return lenient
}
