// Quoted field: finds the end of a quoted field in a record known to be readable. Decides nothing.
import { NONE, afterEscape, delimiter, doublesToo, escape, escapesAll, isBlank, isSkipped, quote } from './dialect'
import { nextSpecialInQuotes } from './special-bytes'

/** Start of the field at `from`, after any blanks that are dropped before it. */
export function afterSkipped(from: usize, end: usize): usize {
  let at = from
  while (at < end && isSkipped(load<u8>(at))) at++
  return at
}

/** Start of the value at `from`, after any blanks. */
export function afterBlanks(from: usize, end: usize): usize {
  let at = from
  while (at < end && isBlank(load<u8>(at))) at++
  return at
}

/** The quote that closes the field at `from`. */
export function closingQuote(from: usize, end: usize): usize {
  for (let at = nextSpecialInQuotes(from + 1, end); at < end; at = nextSpecialInQuotes(at + 1, end)) {
    const byte = load<u8>(at) as u32
    if (byte == escape) at = escapesAll ? afterEscape(at, end) - 1 : at + 1
    else if (byte == quote) {
      if ((escape != NONE && !doublesToo) || at + 1 == end || load<u8>(at + 1) != quote) return at
      at++
    }
  }
  return end - 1
}

/** The quote before a delimiter or the end of the record. */
export function closingBareQuote(from: usize, end: usize): usize {
  for (let at = nextSpecialInQuotes(from + 1, end); at < end; at = nextSpecialInQuotes(at + 1, end)) {
    if (load<u8>(at) != quote) continue
    const after = afterBlanks(at + 1, end)
    if (after == end || load<u8>(after) == delimiter) return at
  }
  return end - 1
}
