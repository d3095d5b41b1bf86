// Scan result: what one call of scan() has found so far, and the table that reports it to the host.
import { forgetSpecials } from './special-bytes'
import { EXCLUSIONS, EVENTS, EVENTS_MAX, EVENT_BYTES } from './memory'

// Kinds of result; the host has the same order. Records that are accepted as is need no result.
/** Consecutive blank lines; the detail is their number. */
export const BLANK: u32 = 0
export const SKIPPED: u32 = 1
/** Accepted and normalized, one or several in a row: see emitWritten(). */
export const LENIENT_BUT_READABLE: u32 = 2
/** Readable, but to be rejected. */
export const EXCLUDED: u32 = 3
/** The next record has a value whose lines read as records; the detail is their number. Not a record of its own. */
export const RUNAWAY: u32 = 4
// Unreadable, in the order of src/core/reject-reasons.ts.
export const TOO_FEW_FIELDS: u32 = 5
export const TOO_MANY_FIELDS: u32 = 6
export const TEXT_AFTER_QUOTE: u32 = 7
export const QUOTE_IN_FIELD: u32 = 8
export const UNCLOSED_QUOTE: u32 = 9
export const INVALID_UTF8: u32 = 10
export const NUL_BYTE: u32 = 11
export const RECORD_TOO_LONG: u32 = 12
export const LINE_END_IN_FIELD: u32 = 13

export const NOT_REPAIRED: u32 = 0
export const REPAIRED_AS_TEXT: u32 = 1
export const REPAIRED_BARE: u32 = 2
/** Quotes are escaped the other way. */
export const READ_OTHERWISE: u32 = 3

/** The first byte not consumed: always the start of a record. */
export let position: usize = 0
export let windowEnd: usize = 0
/** Whether the file ends with the window. */
export let isLast: bool = false

/** Consecutive lines, by their first bytes, where no plausible record begins, whatever follows. */
let implausibleFrom: usize = 1
let implausibleTo: usize = 0

export let eventCount: u32 = 0
export let recordCount: u32 = 0
export let lineCount: u32 = 0
/** Records that could be accepted, excluded ones included. */
export let readableCount: u32 = 0
/** Value of readableCount at which the next record is excluded; NO_EXCLUSION for none. */
let excludeAt: u32 = 0
let nextExclusion: usize = EXCLUSIONS
/** Not zero if the other line-end byte was seen, and if a line end without it before was seen; inside values, too. */
export let otherEnds: u64 = 0
export let loneEnds: u64 = 0
/** One if the previous block ended with the other line-end byte. */
let lastIsOther: u64 = 0

export function begin(start: usize, end: usize, last: bool): void {
  position = start
  windowEnd = end
  isLast = last
  eventCount = 0
  recordCount = 0
  lineCount = 0
  readableCount = 0
  nextExclusion = EXCLUSIONS
  excludeAt = load<u32>(EXCLUSIONS)
  forgetSpecials()
  implausibleFrom = 1
  implausibleTo = 0
  otherEnds = 0
  loneEnds = 0
  lastIsOther = 0
}

/**
 * Notes the line ends of a block, and returns those without the other byte; blocks come in order. Before a record is a line
 * end, never the other byte alone.
 */
@inline
export function noteEnds(others: u64, ends: u64): u64 {
  const lone = ends & ~((others << 1) | lastIsOther)
  otherEnds |= others
  loneEnds |= lone
  lastIsOther = others >> 63
  return lone
}

/** Assumes both, for bytes that are not examined for line ends. */
@inline
export function doubtEnds(): void {
  otherEnds = 1
  loneEnds = 1
}

@inline
export function isImplausible(start: usize): bool {
  return implausibleFrom <= start && start <= implausibleTo
}

/** No plausible record begins with any of the lines from … to. */
export function markImplausible(from: usize, to: usize): void {
  if (!isImplausible(from)) implausibleFrom = from
  implausibleTo = to
}

/** Room for a runaway and the outcome of its record. */
@inline
export function hasRoom(): bool {
  return eventCount + 1 < EVENTS_MAX
}

@inline
export function consumedTo(end: usize): void {
  position = end
}

@inline
export function accept(lines: u32): void {
  recordCount++
  readableCount++
  lineCount += lines
}

/** Whether the next readable record is to be excluded. */
@inline
export function isExcluded(): bool {
  return readableCount == excludeAt
}

/** Reports `count` blank records on `lines` lines. Needs room. */
export function emitBlanks(start: usize, end: usize, lines: u32, count: u32): void {
  emit(BLANK, start, end, end, lines, 0, count)
  recordCount += count - 1
}

/**
 * Reports the readable record that begins at `start` and was normalized. `writtenEnd` takes the place of the end of its
 * content, and `repair` that of the column. Consecutive records that were not repaired are one result. Needs room.
 */
export function emitWritten(start: usize, end: usize, writtenEnd: usize, lines: u32, repair: u32): void {
  const last = EVENTS + (eventCount - 1) * EVENT_BYTES
  const goesOn =
    eventCount > 0 &&
    repair == NOT_REPAIRED &&
    load<u32>(last) == LENIENT_BUT_READABLE &&
    load<u32>(last, 8) == (start as u32) &&
    load<u32>(last, 24) == NOT_REPAIRED
  if (!goesOn) {
    emit(LENIENT_BUT_READABLE, start, end, writtenEnd, lines, repair, 0)
    return
  }
  store<u32>(last, end as u32, 8)
  store<u32>(last, writtenEnd as u32, 12)
  accept(lines)
}

/** Reports, before the record at `position`, that it has a value of `lines` lines that read as records. Needs room. */
export function emitRunaway(lines: u32, isSplit: bool): void {
  emit(RUNAWAY, position, position, position, 0, isSplit ? 1 : 0, lines)
  recordCount--
}

/** Reports the record that begins at `start` on the current line and takes `lines` lines. Needs room. */
export function emit(
  kind: u32,
  start: usize,
  end: usize,
  contentEnd: usize,
  lines: u32,
  column: u32,
  detail: usize,
): void {
  const row = EVENTS + eventCount * EVENT_BYTES
  store<u32>(row, kind)
  store<u32>(row, start as u32, 4)
  store<u32>(row, end as u32, 8)
  store<u32>(row, contentEnd as u32, 12)
  store<u32>(row, recordCount, 16)
  store<u32>(row, lineCount, 20)
  store<u32>(row, column, 24)
  store<u32>(row, detail as u32, 28)
  eventCount++
  recordCount++
  lineCount += lines
  if (kind == LENIENT_BUT_READABLE) readableCount++
  else if (kind == EXCLUDED) {
    readableCount++
    nextExclusion += 4
    excludeAt = load<u32>(nextExclusion)
  }
}
