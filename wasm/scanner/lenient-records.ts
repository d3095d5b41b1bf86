// Lenient records: consumes the one record at `position`, whatever it is, as defined in src/reading/scanner/record-rules.ts.
import {
  comment,
  delimiter,
  escape,
  escapesAll,
  isBlank,
  isCrLf,
  keepsWideComments,
  lineEnd,
  lookAheadBytes,
  lookAheadLines,
  otherEnd,
  padsShort,
  quote,
  recordBytesMax,
  skipInitialSpace,
  runawayLinesMin,
  width,
  NONE,
} from './dialect'
import { readsOtherwise, writeOtherwise } from './other-escape'
import * as clean from './rewrite'
import * as reader from './record-reader'
import { linesLikeRecords, mayBeRunaway } from './runaway'
import * as consumed from './scan-result'
import { isLast, position, windowEnd } from './scan-result'
import { nextSuspect } from './special-bytes'
import { firstBadByte } from './utf8'

export const CONSUMED: u32 = 0
/** The window does not decide it yet. */
export const NEEDS_MORE: u32 = 1
/** The line continues beyond the window and is to be rejected, or skipped, up to its end, which the host finds. */
export const LONG_REJECT: u32 = 2
export const LONG_SKIP: u32 = 3
/** The record is to be normalized, but there is no room for it after the window: the host makes room. */
export const NEEDS_ROOM: u32 = 4

/** None of the above: the record is something else. */
const NOT_READ: u32 = 5

/** The window does not decide yet whether a record can be repaired. */
const UNKNOWN_REPAIR: u32 = 4

// Results of readWithin() and isPlausible().
const WHOLE: u32 = 0
const FAULTY: u32 = 1
/** No end within the limit, or none at all. */
const OPEN: u32 = 2
const UNKNOWN: u32 = 3

/** Whether the last record consumed here was lenient or rejected: then the next probably is, too. */
export let wasLenient: bool = false

/** Needs room for a result. */
export function consumeOne(): u32 {
  const start = position
  wasLenient = false
  const byte = load<u8>(start) as u32
  if ((byte == lineEnd && !isCrLf) || (byte == otherEnd && lineEnd == 10)) {
    if (consumeBlanks(start)) return CONSUMED
    if (start + 1 == windowEnd) return NEEDS_MORE
  }
  if (byte == comment) {
    const end = lineAfter(start, windowEnd)
    if (end == 0) return windowEnd - start >= recordBytesMax + 2 ? LONG_SKIP : NEEDS_MORE
    if (!isWideComment(start, end)) return report(consumed.SKIPPED, start, end, 1, 0, 0)
  }
  const reading = readWithin(start, recordBytesMax, false)
  if (reading == UNKNOWN) return NEEDS_MORE
  const isOneLine = reading == WHOLE && reader.innerLines == 0
  if (isOneLine && reader.fields != width && hasNoValue(start, reader.contentEnd)) {
    consumed.emitBlanks(start, reader.recordEnd, linesIn(start, reader.recordEnd, 1), 1)
    consumed.consumedTo(reader.recordEnd)
    return CONSUMED
  }
  const isReadable =
    reading == WHOLE &&
    (reader.fields == width || (isOneLine && (reader.fields < width ? padsShort : isSurplusEmpty(start))))
  if (!isReadable || (reader.strayQuoteColumn != 0 && reader.innerLines > 0)) return rejectBroken(start, reading)
  if (reader.innerLines == 0 || !mayBeRunaway(start, reader.contentEnd)) return consumeReadable(start)
  const likeLines = linesLikeRecords(start, reader.contentEnd, reader.innerLines)
  if (likeLines >= runawayLinesMin) return splitRunaway(start)
  return consumeReadable(start, likeLines > 0)
}

/** Rejects only the first line of the record: the following lines are records of their own. */
function splitRunaway(start: usize): u32 {
  consumed.emitRunaway(reader.innerLines + 1, true)
  const first = lineAfter(start, windowEnd)
  reader.read(start, first)
  return report(consumed.UNCLOSED_QUOTE, start, first, 1, reader.fields, reader.quoteAt)
}

/** Whether delimiters and blanks are all there is: a record without a value. */
function hasNoValue(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) {
    const byte = load<u8>(at) as u32
    if (byte != delimiter && !isBlank(byte)) return false
  }
  return true
}

/** Whether all fields beyond the width are empty. The record is read again where a delimiter may be text or one of many. */
function isSurplusEmpty(start: usize): bool {
  const cut = clean.surplusAt(start, reader.contentEnd)
  if (cut == 0 || (!escapesAll && !(skipInitialSpace && delimiter == 32))) return cut != 0
  const end = reader.recordEnd
  const isSurplus = reader.read(start, cut) == reader.STOPPED && reader.fields == width
  reader.read(start, end)
  return isSurplus
}

/** The line ends of a record: `lines`, unless some of them are text. */
function linesIn(start: usize, end: usize, lines: u32): u32 {
  if (!escapesAll && !isCrLf) return lines
  let count: u32 = 0
  for (let at = start; at < end; at++) if (load<u8>(at) == lineEnd) count++
  return count
}

/** Whether the line start … end-1 is a record although it begins with the comment byte. */
function isWideComment(start: usize, end: usize): bool {
  if (!keepsWideComments || width == 1 || contentEndOf(start, end) - start > recordBytesMax) return false
  return reader.read(start, end) == reader.ENDED && reader.recordEnd == end && reader.fields == width
}

/** Consumes the blank lines that begin here, all at once; false if there is none. */
function consumeBlanks(start: usize): bool {
  let end = start
  let count: u32 = 0
  while (end < windowEnd) {
    const byte = load<u8>(end) as u32
    if (byte == lineEnd && !isCrLf) end++
    else if (byte == otherEnd && lineEnd == 10 && end + 1 < windowEnd && load<u8>(end + 1) == lineEnd) end += 2
    else break
    count++
  }
  if (count == 0) return false
  consumed.emitBlanks(start, end, count, count)
  consumed.consumedTo(end)
  return true
}

/** A record with the right structure: only its bytes can still be invalid. */
function consumeReadable(start: usize, isDoubtful: bool = false): u32 {
  const end = reader.recordEnd
  const lines = reader.innerLines + 1
  const isStrict =
    reader.fields == width &&
    reader.strayQuoteColumn == 0 &&
    reader.strayEndColumn == 0 &&
    !reader.hasLeadingBlank &&
    !reader.hasTrailingBlank &&
    !reader.hasBareQuote
  // Checked before anything is reported about the record: it is read again once there is room.
  if (!isStrict && !clean.hasRoomToWrite(end - start)) return NEEDS_ROOM
  if (isDoubtful) consumed.emitRunaway(lines, false)
  const suspect = nextSuspect(start, reader.contentEnd)
  const bad = firstBadByte(suspect, reader.contentEnd)
  if (bad != reader.contentEnd) {
    const kind = load<u8>(bad) == 0 ? consumed.NUL_BYTE : consumed.INVALID_UTF8
    reader.read(start, bad + 1)
    return report(kind, start, end, lines, reader.fields, bad)
  }
  if (reader.strayEndColumn != 0 && quote == NONE) {
    return report(consumed.LINE_END_IN_FIELD, start, end, lines, reader.strayEndColumn, reader.strayEndAt)
  }
  if (consumed.isExcluded()) return report(consumed.EXCLUDED, start, end, lines, 0, 0)
  if (!isStrict) return tellClean(start, end, lines, consumed.NOT_REPAIRED, 0)
  consumed.doubtEnds()
  consumed.accept(linesIn(start, end, lines))
  consumed.consumedTo(end)
  return CONSUMED
}

function rejectBroken(start: usize, reading: u32): u32 {
  const first = reading == WHOLE && reader.innerLines == 0 ? reader.recordEnd : lineAfter(start, windowEnd)
  if (first == 0) return windowEnd - start >= recordBytesMax + 2 ? LONG_REJECT : NEEDS_MORE
  if (contentEndOf(start, first) - start > recordBytesMax) {
    return report(consumed.RECORD_TOO_LONG, start, first, 1, 0, 0)
  }
  if (readsOtherwise(start, contentEndOf(start, first))) {
    const status = consumeOtherwise(start, first, reading)
    if (status != NOT_READ) return status
    readWithin(start, recordBytesMax, false)
  }
  if (reading == FAULTY && escape == NONE && reader.textAt < first) return consumeRepairable(start, first)
  const column = reader.fields
  const quoteAt = reader.quoteAt
  const last = lastLineOf(start, first, reading)
  if (last == 0) return NEEDS_MORE

  let extent = first
  let lines: u32 = 1
  if (first < last) {
    lines = linesOfExtent(start, first, last, reading)
    if (lines == 0) return NEEDS_MORE
    for (let line: u32 = 1; line < lines; line++) extent = lineAfter(extent, windowEnd)
    if (extent < last && reading == FAULTY && quoteAt < extent) {
      // The closing quote is on the line of the text after it, and that line is not part of the reject.
      return report(consumed.UNCLOSED_QUOTE, start, extent, lines, column, quoteAt)
    }
  }
  // The look-ahead has since read other records.
  if (first < last || reading == OPEN) reader.read(start, extent)
  if (extent < last || reading == OPEN) {
    return report(consumed.UNCLOSED_QUOTE, start, extent, lines, reader.fields, reader.quoteAt)
  }
  if (reading == FAULTY) {
    return report(consumed.TEXT_AFTER_QUOTE, start, extent, lines, reader.fields, reader.textAt)
  }
  if (reader.strayQuoteColumn != 0) {
    return report(consumed.QUOTE_IN_FIELD, start, extent, lines, reader.strayQuoteColumn, reader.strayQuoteAt)
  }
  const kind = reader.fields < width ? consumed.TOO_FEW_FIELDS : consumed.TOO_MANY_FIELDS
  return report(kind, start, extent, lines, 0, reader.fields)
}

/** Consumes the line start … first-1, in which quotes are escaped the other way; NOT_READ if it is something else. */
function consumeOtherwise(start: usize, first: usize, reading: u32): u32 {
  const mayBeRepaired =
    reading == FAULTY && escape == NONE && reader.textAt < first && reader.strayQuoteColumn == 0
  const quoteAt = reader.quoteAt
  const column = reader.fields
  if (mayBeRepaired && (isRepaired(start, first, quoteAt, column, true) || isRepaired(start, first, quoteAt, column, false))) {
    return NOT_READ
  }
  const contentEnd = contentEndOf(start, first)
  if (firstBadByte(start, contentEnd) != contentEnd) return NOT_READ
  const follows = isPlausibleOrOtherwise(first)
  if (follows == UNKNOWN) return NEEDS_MORE
  if (follows != WHOLE) return NOT_READ
  if (consumed.isExcluded()) return report(consumed.EXCLUDED, start, first, 1, 0, 0)
  return tellClean(start, first, 1, consumed.READ_OTHERWISE, 0)
}

/** Like isPlausible(), but a line on which quotes are escaped the other way is WHOLE, too. */
function isPlausibleOrOtherwise(start: usize): u32 {
  const plausible = isPlausible(start)
  if (plausible != OPEN) return plausible
  const bytesMax = min(recordBytesMax, lookAheadBytes)
  const end = lineAfter(start, min(windowEnd, start + bytesMax + 2))
  if (end == 0) return windowEnd - start >= bytesMax + 2 || isLast ? OPEN : UNKNOWN
  const contentEnd = contentEndOf(start, end)
  return contentEnd - start <= bytesMax && readsOtherwise(start, contentEnd) ? WHOLE : OPEN
}

/** Consumes the line start … first-1, in which the reading found text after a closing quote. */
function consumeRepairable(start: usize, first: usize): u32 {
  const column = reader.fields
  const quoteAt = reader.quoteAt
  const textAt = reader.textAt
  const repair = reader.strayQuoteColumn == 0 ? repairOf(start, first, quoteAt, column) : consumed.NOT_REPAIRED
  if (repair == UNKNOWN_REPAIR) return NEEDS_MORE
  if (repair == consumed.NOT_REPAIRED) return report(consumed.TEXT_AFTER_QUOTE, start, first, 1, column, textAt)
  if (consumed.isExcluded()) return report(consumed.EXCLUDED, start, first, 1, 0, 0)
  return tellClean(start, first, 1, repair, quoteAt)
}

function repairOf(start: usize, first: usize, at: usize, column: u32): u32 {
  const isText = isRepaired(start, first, at, column, true)
  const isBare = isRepaired(start, first, at, column, false)
  const plausible = isText != isBare ? isPlausible(first) : OPEN
  if (plausible == UNKNOWN) return UNKNOWN_REPAIR
  if (plausible != WHOLE) return consumed.NOT_REPAIRED
  return isText ? consumed.REPAIRED_AS_TEXT : consumed.REPAIRED_BARE
}

function isRepaired(start: usize, first: usize, at: usize, column: u32, isText: bool): bool {
  return (
    reader.readRepaired(start, first, at, column, isText) == reader.ENDED &&
    reader.recordEnd == first &&
    reader.fields == width &&
    !reader.hasBarePair &&
    (isText || (!reader.hasBackslash && ((reader.bareQuotes & 1) == 1 || reader.beginsWord))) &&
    firstBadByte(start, reader.contentEnd) == reader.contentEnd
  )
}

/** End of the last physical line that the reading touched; beyond the look-ahead any position will do. 0: unknown. */
function lastLineOf(start: usize, first: usize, reading: u32): usize {
  if (reading == WHOLE) return reader.recordEnd
  if (reading == OPEN) return max(first, min(windowEnd, start + recordBytesMax))
  if (reader.textAt < first) return first
  const ahead = start + lookAheadBytes
  const end = lineAfter(reader.textAt, min(windowEnd, ahead))
  if (end != 0) return end
  return reader.textAt < ahead && windowEnd < ahead && !isLast ? 0 : max(ahead, reader.textAt) + 1
}

/** How many of its physical lines a broken record takes: up to the first that precedes a plausible record. 0: unknown. */
function linesOfExtent(start: usize, first: usize, last: usize, reading: u32): u32 {
  let end = first
  let lines: u32 = 1
  while (end <= last && end - start <= lookAheadBytes && lines <= lookAheadLines) {
    const next = isPlausible(end, first)
    if (next == UNKNOWN) return 0
    if (next == WHOLE) return lines
    if (end == last) return reading == WHOLE ? lines : 1
    end = lineAfter(end, windowEnd)
    if (end == 0) break
    lines++
  }
  return 1
}

/**
 * Whether what begins here reads as a strict record: WHOLE, OPEN or UNKNOWN. Consecutive broken records ask about the same
 * lines, so the answers are kept.
 *
 * @param since An earlier line from which on this was asked of every line.
 */
function isPlausible(start: usize, since: usize = start): u32 {
  if (consumed.isImplausible(start)) return OPEN
  const plausible = findPlausible(start)
  if (plausible == OPEN) consumed.markImplausible(since, start)
  return plausible
}

function findPlausible(start: usize): u32 {
  if (start == windowEnd) return isLast ? WHOLE : UNKNOWN
  const byte = load<u8>(start) as u32
  if ((byte == lineEnd && !isCrLf) || byte == comment) return WHOLE
  if (byte == otherEnd && lineEnd == 10) {
    if (start + 1 == windowEnd) return UNKNOWN
    if (load<u8>(start + 1) == lineEnd) return WHOLE
  }
  const reading = readWithin(start, min(recordBytesMax, lookAheadBytes), true)
  if (reading == UNKNOWN) return UNKNOWN
  const isHonest =
    reading == WHOLE &&
    reader.fields == width &&
    reader.strayQuoteColumn == 0 &&
    reader.strayEndColumn == 0 &&
    !reader.hasTrailingBlank
  return isHonest ? WHOLE : OPEN
}

/** Reads a record of at most `bytesMax` bytes, not counting its line end. */
function readWithin(start: usize, bytesMax: usize, isStrictOnly: bool): u32 {
  const limit = start + bytesMax
  // Two bytes more, for the line end.
  const stop = min(windowEnd, limit + 2)
  const outcome = isStrictOnly ? reader.readStrict(start, stop) : reader.read(start, stop)
  if (outcome == reader.ENDED) return reader.contentEnd > limit ? OPEN : WHOLE
  if (outcome == reader.TEXT_AFTER_QUOTE) return reader.textAt >= limit ? OPEN : FAULTY
  return outcome == reader.STOPPED && (stop < limit + 2 || reader.endsEscaped) && !isLast ? UNKNOWN : OPEN
}

/** Start of the line after the one at `from`; 0 if the line does not end before `stop`. */
function lineAfter(from: usize, stop: usize): usize {
  const wanted = i8x16.splat(lineEnd as i8)
  for (let at = from; at < stop; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted))
    if (found != 0) {
      const end = at + (ctz(found) as usize)
      if (end >= stop) return 0
      if ((!escapesAll && !isCrLf) || endsLine(from, end)) return end + 1
      at = end - 15
    }
  }
  return 0
}

/** Whether the line-end byte at `end` ends the line with `from`: it is not escaped, nor an LF alone where CR LF is the end. */
function endsLine(from: usize, end: usize): bool {
  if (isLast && end + 1 == windowEnd) return true
  const hasReturn = lineEnd == 10 && end > from && load<u8>(end - 1) == 13
  if (isCrLf && !hasReturn) return false
  let first = hasReturn ? end - 1 : end
  const last = first
  while (escapesAll && first > from && load<u8>(first - 1) == escape) first--
  return ((last - first) & 1) == 0
}

/** Start of the line end of a record at `start`, if the next line begins at `end`. */
function contentEndOf(start: usize, end: usize): usize {
  return lineEnd == 10 && end - start >= 2 && load<u8>(end - 2) == 13 ? end - 2 : end - 1
}

function tellClean(start: usize, end: usize, lines: u32, repair: u32, repairAt: usize): u32 {
  if (!clean.hasRoomToWrite(end - start)) return NEEDS_ROOM
  if (repair == consumed.READ_OTHERWISE) writeOtherwise(start, contentEndOf(start, end), end)
  else if (repair == consumed.NOT_REPAIRED) clean.writeRead(start, contentEndOf(start, end), end)
  else clean.writeClean(start, contentEndOf(start, end), end, repair, repairAt)
  consumed.emitWritten(start, end, clean.writtenEnd, linesIn(start, end, lines), repair)
  wasLenient = true
  consumed.consumedTo(end)
  return CONSUMED
}

function report(kind: u32, start: usize, end: usize, lines: u32, column: u32, detail: usize): u32 {
  consumed.emit(kind, start, end, contentEndOf(start, end), linesIn(start, end, lines), column, detail)
  wasLenient = kind != consumed.SKIPPED
  consumed.consumedTo(end)
  return CONSUMED
}
