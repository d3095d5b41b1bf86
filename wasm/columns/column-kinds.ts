// Column kinds: how the texts of a column are read. The host, src/columns/parquet/column-kind.ts, has the same numbers.
import { DECIMAL, DECIMAL_COMMA, GROUP_NONE, NO_CLASS, NUMBER, NUMBER_COMMA, TEXT, TRUE_LOWER } from './values/value-classes'
import { classOf } from './facts/classify-value'
import { readDateForm } from './values/other-dates'
import { readDecimal, readLongDecimal, setDecimal } from './values/decimals'
import { readNumber } from './values/doubles'
import { readInteger } from './values/integers'
import { PLAIN_NUMBER } from './memory'
import { readDate, readTime, readTimestamp, readTimestampWithZone } from './values/iso-dates'
import { plainEnd, toPlainNumber } from './values/other-numbers'
import { booleanOf, isTrue } from './values/special-words'

/** Only facts are gathered; nothing is written. */
export const FACTS_ONLY: u32 = 0
export const TEXTS: u32 = 1
export const INTEGERS: u32 = 2
/** At most 18 digits. */
export const DECIMALS: u32 = 3
/** At most 38 digits. */
export const LONG_DECIMALS: u32 = 4
export const NUMBERS: u32 = 5
export const BOOLEANS: u32 = 6
export const DATES: u32 = 7
export const TIMES: u32 = 8
export const TIMESTAMPS: u32 = 9
export const ZONED_TIMESTAMPS: u32 = 10
/** Dates and timestamps in another form. */
export const DATES_IN_FORM: u32 = 11
export const TIMESTAMPS_IN_FORM: u32 = 12

const COMMA_BYTE: u32 = 44
const POINT_BYTE: u32 = 46

/** Numbers are not in plain form. */
export let hasForm: bool = false
/** The decimal character, and the class of numbers with few digits that have it. */
export let decimal: u32 = POINT_BYTE
export let decimalClass: u32 = DECIMAL
export let group: u32 = GROUP_NONE
export let order: u32 = 0
export let separator: u32 = 0
/** The spelling of a boolean from 1, 0 for any. */
export let spelling: u32 = 0

/**
 * Sets how the texts of the next column are written.
 *
 * @param first Precision of a decimal, order of a date, spelling of a boolean (0 for any).
 * @param second Scale of a decimal, separator of a date.
 * @param decimalByte 0 for plain numbers, else the decimal character of the form; `groupCharacter` as in values/value-classes.ts.
 */
export function setKind(first: u32, second: u32, decimalByte: u32, groupCharacter: u32): void {
  setDecimal(first, second)
  order = first
  separator = second
  spelling = first
  hasForm = decimalByte != 0
  decimal = hasForm ? decimalByte : POINT_BYTE
  decimalClass = decimal == COMMA_BYTE ? DECIMAL_COMMA : DECIMAL
  group = groupCharacter
}

/** Bytes that a value of the kind takes in `values`. */
export function valueBytes(kind: u32): usize {
  return kind == LONG_DECIMALS ? 16 : kind == BOOLEANS ? 1 : 8
}

/** Whether values of the kind may belong to a class with a fraction: in another form, `1.234` may be an integer. */
export function hasDigits(kind: u32): bool {
  return hasForm || (kind >= DECIMALS && kind <= NUMBERS)
}

/** Stores the value of a text at `out`; returns its class, NO_CLASS if it is not of the kind. */
@inline
export function readValue(kind: u32, start: usize, end: usize, out: usize): u32 {
  if (hasForm) return readInForm(kind, start, end, out)
  if (kind == INTEGERS) return readInteger(start, end, out)
  if (kind == DECIMALS) return readDecimal(start, end, out)
  if (kind == TIMESTAMPS) return readTimestamp(start, end, out)
  return readRarer(kind, start, end, out)
}

function readRarer(kind: u32, start: usize, end: usize, out: usize): u32 {
  switch (kind) {
    case NUMBERS:
      return readNumber(start, end, out)
    case BOOLEANS: {
      const found = booleanOf(start, end - start)
      if (found == NO_CLASS || (spelling != 0 && found - TRUE_LOWER != spelling - 1)) return NO_CLASS
      store<u8>(out, isTrue as u8)
      return found
    }
    case DATES:
      return readDate(start, end, out)
    case TIMES:
      return readTime(start, end, out)
    case ZONED_TIMESTAMPS:
      return readTimestampWithZone(start, end, out)
    case LONG_DECIMALS:
      return readLongDecimal(start, end, out)
    case DATES_IN_FORM:
    case TIMESTAMPS_IN_FORM:
      return readDateForm(start, end, order, separator, kind == TIMESTAMPS_IN_FORM, out)
    default:
      return NO_CLASS
  }
}

/** The class of the unchanged text: it shows the groups and the comma. */
function readInForm(kind: u32, start: usize, end: usize, out: usize): u32 {
  if (!toPlainNumber(start, end, decimal, group)) return NO_CLASS
  let plain: u32 = NO_CLASS
  if (kind == INTEGERS) plain = readInteger(PLAIN_NUMBER, plainEnd, out)
  else if (kind == DECIMALS) plain = readDecimal(PLAIN_NUMBER, plainEnd, out)
  else if (kind == LONG_DECIMALS) plain = readLongDecimal(PLAIN_NUMBER, plainEnd, out)
  else if (kind == NUMBERS) plain = readNumber(PLAIN_NUMBER, plainEnd, out)
  if (plain == NO_CLASS) return NO_CLASS
  const found = classOf(start, end)
  // `1e5` has no comma: it is a number written with a point. Numbers in groups have no exponent: `1 234e5` is not a
  // number, and in `1,234e5` the comma is a decimal comma.
  const isOther = found == (decimal == COMMA_BYTE ? NUMBER : NUMBER_COMMA)
  return found == TEXT || isOther ? NO_CLASS : found
}
