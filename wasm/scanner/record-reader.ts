// Record reader: reads one record, lenient ones included, from one special byte to the next. Sets the variables below, and
// does not decide whether the record is accepted.
import {
  NONE,
  NOTHING,
  afterEscape,
  delimiter,
  doublesToo,
  escape,
  escapesAll,
  isBlank,
  isCrLf,
  lineEnd,
  lookAheadBytes,
  lookAheadLines,
  otherEnd,
  quote,
  skipInitialSpace,
  width,
} from './dialect'
import { afterSkipped } from './quoted-field'
import { isLast, windowEnd } from './scan-result'
import { afterDelimiter, delimitersPassed, nextSpecialInQuotes, nextStop } from './special-bytes'

export const ENDED: u32 = 0
export const TEXT_AFTER_QUOTE: u32 = 1
/** The record continues at `stop`. */
export const STOPPED: u32 = 2
/** The reading was abandoned: the rest does not matter to the caller. */
export const HOPELESS: u32 = 3

/** Fields begun; after STOPPED and TEXT_AFTER_QUOTE the column, from 1. */
export let fields: u32 = 0
/** Line ends inside quotes. */
export let innerLines: u32 = 0
/** Start of the line end, and of the next record. */
export let contentEnd: usize = 0
export let recordEnd: usize = 0
/** First byte after a closing quote that is not allowed there. */
export let textAt: usize = 0
/** The last opening quote. */
export let quoteAt: usize = 0
/** The first quote inside an unquoted field and its column; column 0 for none. */
export let strayQuoteAt: usize = 0
export let strayQuoteColumn: u32 = 0
/** The first line-end byte inside an unquoted field and its column; column 0 for none. */
export let strayEndAt: usize = 0
export let strayEndColumn: u32 = 0
/** Whether the last bytes known so far are escaped: if nothing follows, they are not. */
export let endsEscaped: bool = false
export let hasLeadingBlank: bool = false
export let hasTrailingBlank: bool = false
/**
 * Places that are rewritten: fields to be quoted, blanks to be dropped after a closing quote. `oddFrom` is where the
 * last of them begins; `oddAt` is the first byte of the field that needs quotes, or the byte after the blanks.
 */
export let oddPlaces: u32 = 0
export let oddFrom: usize = 0
export let oddAt: usize = 0
/** Whether a quoted field has quotes that are neither doubled nor escaped, and whether two of them are adjacent. */
export let hasBareQuote: bool = false
export let hasBarePair: bool = false
/** Number of such quotes in the field that is read another way, and whether the first of them is at the start of a word. */
export let bareQuotes: u32 = 0
export let beginsWord: bool = false
/** Whether one of them follows a backslash, as an escaped quote would. */
export let hasBackslash: bool = false

let outcome: u32 = ENDED
let isStrictOnly: bool = false
/** The field that begins here is read another way: its quote is text, or its quotes are neither doubled nor escaped. */
let repairAt: usize = 0
let isRepairText: bool = false

/** Reads the record at `start`, using only bytes before `stop`. */
export function read(start: usize, stop: usize): u32 {
  return readRecord(start, stop, false)
}

/** Like `read`, but gives up at the first stray quote, or if there are more fields than wanted. */
export function readStrict(start: usize, stop: usize): u32 {
  return readRecord(start, stop, true)
}

/** Continues, just as strictly, with the quoted field at `at`, the field `column` of the record, reading it the other way. */
export function readRepaired(start: usize, stop: usize, at: usize, column: u32, isText: bool): u32 {
  begin(true)
  repairAt = at
  isRepairText = isText
  const result = readFields(start, at, column, stop)
  repairAt = 0
  return result
}

function readRecord(start: usize, stop: usize, isStrict: bool): u32 {
  begin(isStrict)
  const from = skipInitialSpace ? afterSkipped(start, stop) : start
  hasLeadingBlank = from > start
  return readFields(start, from, 1, stop)
}

function begin(isStrict: bool): void {
  isStrictOnly = isStrict
  innerLines = 0
  strayQuoteColumn = 0
  strayEndColumn = 0
  endsEscaped = false
  hasLeadingBlank = false
  hasTrailingBlank = false
  oddPlaces = 0
  oddFrom = 0
  hasBareQuote = false
  hasBarePair = false
  outcome = ENDED
}

/** Reads the field `column`, which begins at `from`, and those after it. Plain fields are skipped in blocks. */
function readFields(start: usize, from: usize, column: u32, stop: usize): u32 {
  fields = column
  let fieldStart = from
  let at = from
  while (true) {
    at = nextStop(at, stop)
    if (delimitersPassed > 0) {
      fields += delimitersPassed
      fieldStart = afterDelimiter
      if (isStrictOnly && fields > width) return HOPELESS
    }
    if (at >= stop) return STOPPED
    const byte = load<u8>(at) as u32
    if (byte == lineEnd && !isCrLf) return endAt(at, at + 1)
    if (byte == delimiter) {
      // A stop only if blanks after it are dropped.
      fields++
      if (isStrictOnly && fields > width) return HOPELESS
      fieldStart = afterSkipped(at + 1, stop)
      hasLeadingBlank = hasLeadingBlank || fieldStart > at + 1
      at = fieldStart
    } else if (byte == quote) {
      if (at == fieldStart && !(at == repairAt && isRepairText)) {
        at = passQuoted(start, at, stop)
        if (outcome != ENDED) return outcome
      } else {
        if (at != fieldStart) {
          if (isStrictOnly) return HOPELESS
          if (strayQuoteColumn == 0) {
            strayQuoteColumn = fields
            strayQuoteAt = at
          }
          noteOdd(fieldStart, at)
        }
        at++
      }
    } else if (byte == escape && escapesAll) {
      const next = afterEscape(at, stop)
      // At the end of the file there is nothing to escape.
      if (isLast && next >= windowEnd) at++
      // The line end after it may be cut off.
      else if (next > stop || (next == stop && lineEnd == 10 && load<u8>(stop - 1) == 13)) return STOPPED
      else {
        endsEscaped = next == windowEnd
        at = next
      }
    } else {
      if (byte == otherEnd || byte == lineEnd) {
        if (lineEnd == 10 && byte == otherEnd) {
          if (at + 1 >= stop) return STOPPED
          if (load<u8>(at + 1) == lineEnd) return endAt(at, at + 2)
        }
        if (strayEndColumn == 0) {
          strayEndColumn = fields
          strayEndAt = at
        }
        noteOdd(fieldStart, at)
      }
      at++
    }
  }
}

/** Called once for all such bytes of a field. */
@inline
function noteOdd(from: usize, at: usize): void {
  if (oddFrom == from) return
  oddPlaces++
  oddFrom = from
  oddAt = at
}

function endAt(end: usize, next: usize): u32 {
  contentEnd = end
  recordEnd = next
  return ENDED
}

function passQuoted(recordStart: usize, start: usize, stop: usize): usize {
  const isBare = escape == NOTHING || start == repairAt
  quoteAt = start
  if (start == repairAt) {
    bareQuotes = 0
    hasBackslash = false
  }
  for (let at = nextSpecialInQuotes(start + 1, stop); at < stop; at = nextSpecialInQuotes(at + 1, stop)) {
    let byte = load<u8>(at) as u32
    if (byte == escape) {
      at = escapesAll ? afterEscape(at, stop) - 1 : at + 1
      if (escapesAll || at >= stop) continue
      byte = load<u8>(at)
    } else if (byte == quote) {
      if (at + 1 >= stop) break
      if (isBare) {
        const end = passAfterQuote(at + 1, stop)
        if (outcome != TEXT_AFTER_QUOTE) return end
        outcome = ENDED
        hasBareQuote = true
        if (start == repairAt) {
          if (bareQuotes == 0) beginsWord = canBeginWord(load<u8>(at - 1))
          hasBackslash = hasBackslash || load<u8>(at - 1) == 92
          bareQuotes++
        }
        hasBarePair = hasBarePair || (at - 1 > start && load<u8>(at - 1) == quote)
        continue
      }
      if ((escape != NONE && !doublesToo) || load<u8>(at + 1) != quote) return passAfterQuote(at + 1, stop)
      at++
    }
    if (byte == lineEnd && (!isCrLf || load<u8>(at - 1) == otherEnd)) {
      innerLines++
      // Such a record is not accepted, nor does it end within the look-ahead. Lines that each look like the inside of a record
      // would otherwise cost the whole limit each.
      const isLost = (escape == NOTHING && hasBareQuote) || strayQuoteColumn != 0 || fields > width
      if (isLost && (innerLines > lookAheadLines || at - recordStart > lookAheadBytes)) {
        outcome = HOPELESS
        return stop
      }
    }
  }
  outcome = STOPPED
  return stop
}

/** Whether a quote after this byte is more likely to open than to close. */
@inline
function canBeginWord(before: u32): bool {
  return isBlank(before) || before == 40 || before == 91 || before == 123
}

function passAfterQuote(start: usize, stop: usize): usize {
  const at = passBlanks(start, stop)
  if (at >= stop) {
    outcome = STOPPED
    return stop
  }
  const byte = load<u8>(at) as u32
  // With CR LF, an LF alone is a line end if nothing follows it.
  if (((byte == otherEnd && lineEnd == 10) || (byte == lineEnd && isCrLf)) && at + 1 >= stop) {
    outcome = STOPPED
    return stop
  }
  if (byte == delimiter || (byte == lineEnd && !isCrLf) || (byte == otherEnd && lineEnd == 10 && load<u8>(at + 1) == lineEnd)) {
    if (at > start) {
      hasTrailingBlank = true
      noteOdd(start, at)
    }
    return at
  }
  textAt = at
  outcome = TEXT_AFTER_QUOTE
  return stop
}

function passBlanks(start: usize, stop: usize): usize {
  let at = start
  while (at < stop && isBlank(load<u8>(at))) at++
  return at
}
