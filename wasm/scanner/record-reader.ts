// Record reader: reads one record, odd ones too, from one byte that means something to the next. Fills the variables below; decides nothing about acceptance.
import {
  NONE,
  NOTHING,
  delimiter,
  escape,
  isBlank,
  lineEnd,
  lookAheadBytes,
  lookAheadLines,
  otherEnd,
  quote,
  width,
} from './dialect'
import { afterDelimiter, delimitersPassed, nextSpecialInQuotes, nextStop } from './special-bytes'

export const ENDED: u32 = 0
export const TEXT_AFTER_QUOTE: u32 = 1
/** The record goes on at `stop`. */
export const STOPPED: u32 = 2
/** The reading was given up: whatever follows, it is of no use to the caller. */
export const HOPELESS: u32 = 3

/** Fields begun; after STOPPED and TEXT_AFTER_QUOTE the column, from 1. */
export let fields: u32 = 0
/** Line ends inside quotes. */
export let innerLines: u32 = 0
/** Where the line end begins, and the record after it. */
export let contentEnd: usize = 0
export let recordEnd: usize = 0
/** First byte after a closing quote that may not be there. */
export let textAt: usize = 0
/** The last opening quote. */
export let quoteAt: usize = 0
/** The first quote inside an unquoted field and its column; column 0 for none. */
export let strayQuoteAt: usize = 0
export let strayQuoteColumn: u32 = 0
/** The first line-end byte inside an unquoted field and its column; column 0 for none. */
export let strayEndAt: usize = 0
export let strayEndColumn: u32 = 0
export let hasLeadingBlank: bool = false
export let hasTrailingBlank: bool = false
/** Whether quotes stand in a quoted field that are neither doubled nor escaped, and whether two of them side by side. */
export let hasBareQuote: bool = false
export let hasBarePair: bool = false
/** How many such quotes the field has that is taken otherwise, and whether the first of them stands where a word begins. */
export let bareQuotes: u32 = 0
export let beginsWord: bool = false
/** Whether one of them follows a backslash, as an escaped one does. */
export let hasBackslash: bool = false

let outcome: u32 = ENDED
let isStrictOnly: bool = false
/** The field that begins here is taken in another way: its quote is text, or else its quotes are neither doubled nor escaped. */
let repairAt: usize = 0
let isRepairText: bool = false

/** Reads the record at `start` from bytes before `stop` only. */
export function read(start: usize, stop: usize): u32 {
  return readRecord(start, stop, false)
}

/** The same, but gives up at the first stray quote and when there are more fields than wanted. */
export function readStrict(start: usize, stop: usize): u32 {
  return readRecord(start, stop, true)
}

/** Reads on as strictly from the quoted field at `at`, the field `column` of the record, with that field taken otherwise. */
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
  return readFields(start, start, 1, stop)
}

function begin(isStrict: bool): void {
  isStrictOnly = isStrict
  innerLines = 0
  strayQuoteColumn = 0
  strayEndColumn = 0
  hasLeadingBlank = false
  hasTrailingBlank = false
  hasBareQuote = false
  hasBarePair = false
  outcome = ENDED
}

/** Reads the field `column`, which begins at `from`, and those after it. Plain fields go by in blocks. */
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
    if (byte == lineEnd) return endAt(at, at + 1)
    if (byte == delimiter) {
      // A stop only where blanks after it are left out.
      fields++
      if (isStrictOnly && fields > width) return HOPELESS
      fieldStart = passBlanks(at + 1, stop)
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
        }
        at++
      }
    } else {
      if (byte == otherEnd) {
        if (lineEnd == 10) {
          if (at + 1 >= stop) return STOPPED
          if (load<u8>(at + 1) == lineEnd) return endAt(at, at + 2)
        }
        if (strayEndColumn == 0) {
          strayEndColumn = fields
          strayEndAt = at
        }
      }
      at++
    }
  }
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
      at++
      if (at >= stop) break
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
      if (escape != NONE || load<u8>(at + 1) != quote) return passAfterQuote(at + 1, stop)
      at++
    }
    if (byte == lineEnd) {
      innerLines++
      // Such a record is not accepted, nor does it end within the look-ahead. Reading on would be right, but would make
      // lines that each look like the inside of a record cost the limit each.
      const isLost = strayQuoteColumn != 0 || fields > width
      if (isLost && (innerLines > lookAheadLines || at - recordStart > lookAheadBytes)) {
        outcome = HOPELESS
        return stop
      }
    }
  }
  outcome = STOPPED
  return stop
}

/** Whether a quote behind this byte rather opens than closes. */
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
  const hadTrailingBlank = hasTrailingBlank
  hasTrailingBlank = hadTrailingBlank || at > start
  if (byte == delimiter || byte == lineEnd) return at
  if (byte == otherEnd && lineEnd == 10) {
    if (at + 1 >= stop) {
      outcome = STOPPED
      return stop
    }
    if (load<u8>(at + 1) == lineEnd) return at
  }
  hasTrailingBlank = hadTrailingBlank
  textAt = at
  outcome = TEXT_AFTER_QUOTE
  return stop
}

function passBlanks(start: usize, stop: usize): usize {
  let at = start
  while (at < stop && isBlank(load<u8>(at))) at++
  return at
}
