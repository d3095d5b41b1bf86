// Reader: reads one record byte by byte, odd ones too. Fills the variables below; decides nothing about acceptance.
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
  skipInitialSpace,
  width,
} from './dialect'
import { nextSpecial, nextSpecialInQuotes } from './special'

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

let outcome: u32 = ENDED
let isStrictOnly: bool = false
/** The field that begins here is taken in another way: its quote is text, or else its quotes are neither doubled nor escaped. */
let mendAt: usize = 0
let isMendText: bool = false

/** Reads the record at `start` from bytes before `stop` only. */
export function read(start: usize, stop: usize): u32 {
  isStrictOnly = false
  return readFields(start, stop)
}

/** The same, but gives up at the first stray quote and when there are more fields than wanted. */
export function readStrict(start: usize, stop: usize): u32 {
  isStrictOnly = true
  return readFields(start, stop)
}

/** Reads a record with the quoted field at `at` taken otherwise. */
export function readMended(start: usize, stop: usize, at: usize, isText: bool): u32 {
  isStrictOnly = false
  mendAt = at
  isMendText = isText
  const result = readFields(start, stop)
  mendAt = 0
  return result
}

function readFields(start: usize, stop: usize): u32 {
  fields = 0
  innerLines = 0
  strayQuoteColumn = 0
  strayEndColumn = 0
  hasLeadingBlank = false
  hasTrailingBlank = false
  hasBareQuote = false
  hasBarePair = false
  outcome = ENDED
  let at = start
  while (true) {
    fields++
    if (isStrictOnly && fields > width) return HOPELESS
    if (skipInitialSpace && fields > 1) {
      const value = passBlanks(at, stop)
      hasLeadingBlank = hasLeadingBlank || value > at
      at = value
    }
    if (at >= stop) return STOPPED
    if (load<u8>(at) != quote) at = passUnquoted(at, stop)
    else if (at == mendAt && isMendText) at = passUnquoted(at + 1, stop)
    else at = passQuoted(start, at, stop)
    if (outcome != ENDED) return outcome
    const end = load<u8>(at) as u32
    if (end != delimiter) {
      contentEnd = at
      recordEnd = end == lineEnd ? at + 1 : at + 2
      return ENDED
    }
    at++
  }
}

function passUnquoted(start: usize, stop: usize): usize {
  for (let at = nextSpecial(start, stop); at < stop; at = nextSpecial(at + 1, stop)) {
    const byte = load<u8>(at) as u32
    if (byte == delimiter || byte == lineEnd) return at
    if (byte == quote) {
      if (isStrictOnly) {
        outcome = HOPELESS
        return stop
      }
      if (strayQuoteColumn == 0) {
        strayQuoteColumn = fields
        strayQuoteAt = at
      }
    } else if (byte == otherEnd) {
      if (lineEnd == 10) {
        if (at + 1 >= stop) break
        if (load<u8>(at + 1) == lineEnd) return at
      }
      if (strayEndColumn == 0) {
        strayEndColumn = fields
        strayEndAt = at
      }
    }
  }
  outcome = STOPPED
  return stop
}

function passQuoted(recordStart: usize, start: usize, stop: usize): usize {
  const isBare = escape == NOTHING || start == mendAt
  quoteAt = start
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
