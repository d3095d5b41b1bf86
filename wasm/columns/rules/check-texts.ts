// Check texts: marks records whose texts break a rule. Texts are read as they are written, without their quotes.
import { clearLevel, hasReturn, placeOf } from '../read-column'
import { width } from '../fields/dialect'
import { findText, textEnd, textStart } from '../fields/field-text'
import { levels } from '../memory'
import { keepsBound } from './check-values'
import { REQUIRED, isMarked, markRecord } from './marks'
import { matchesPattern } from './pattern'
import { isMissing, isRequired } from './rules'
import { positionOf } from './words'

/** Provided by the host: whether a text is JSON, an object (0) or an array (1). */
@external("host", "isJson")
declare function hostIsJson(start: usize, bytes: usize, isArray: u32): bool

// What is checked; the host has the same numbers.
/** Whether there is a text; this comes first. */
const PRESENCE: u32 = 0
const LENGTH_MIN: u32 = 1
const LENGTH_MAX: u32 = 2
/** Whether it is in a table of words. */
const WORDS: u32 = 3
const JSON: u32 = 4
/** By bytes: the bounds of check-values.ts with a text of `other` bytes as the limit. */
const BOUNDS: u32 = 5
const PATTERN: u32 = 6

/** `first` and `second` are the parameters of what is checked: a number of characters, an address, a kind. */
export function checkTexts(column: u32, records: u32, what: u32, first: u32, second: u32, rule: u32): void {
  const step = (width as usize) << 2
  const trims = hasReturn(column)
  let place = placeOf(column)
  if (what == PRESENCE) memory.fill(levels, 0xff, (records + 7) >> 3)
  for (let record: u32 = 0; record < records; record++, place += step) {
    if (what != PRESENCE && (((load<u8>(levels + (record >> 3)) as u32) >> (record & 7)) & 1) == 0) continue
    findText(place, trims)
    if (what != PRESENCE) {
      if (!isMarked(record) && !isKept(what, first, second)) markRecord(record, rule)
    } else if (isMissing(textStart, textEnd)) {
      clearLevel(record)
      if (isRequired) markRecord(record, REQUIRED)
    }
  }
}

function isKept(what: u32, first: u32, second: u32): bool {
  const bytes = textEnd - textStart
  switch (what) {
    case LENGTH_MIN:
      return bytes >= (first as usize) && characters() >= first
    case LENGTH_MAX:
      return bytes <= (first as usize) || characters() <= first
    case WORDS:
      return positionOf(first, textStart, bytes) != 0
    case PATTERN:
      return matchesPattern(first, textStart, textEnd)
    case JSON:
      return hostIsJson(textStart, bytes, first)
    default:
      // All texts of the column have as many bytes as the limit.
      return keepsBound(second, memory.compare(textStart, first, bytes))
  }
}

/** Bytes that do not continue a character. */
function characters(): u32 {
  let count: u32 = 0
  for (let at = textStart; at < textEnd; at++) count += ((load<u8>(at) & 0xc0) != 0x80) as u32
  return count
}
