// Other dates: reads dates and timestamps in an order or with separators other than ISO 8601. Knows no columns.
import { DASH, DMY, DOT, EITHER, MDY, NO_CLASS, SLASH, YMD, dateFormClass } from './value-classes'
import { isDigit, twoDigits } from './digits'
import { NO_DAY, NO_MICROS, dayMicros, dayOf, fractionMicros, timeEnd, timeEndsAt } from './iso-dates'
import { LAST_LANES } from '../memory'
import { areDigits, pairsOf } from './wide-digits'

// The three fields of the last date scanned, the separator between them, and where it ends.
let first: i32 = 0
let second: i32 = 0
let third: i32 = 0
let isYearFirst: bool = false
let separator: u32 = 0
let dateEnd: usize = 0

/** Scans a year of four digits before or after two fields of one or two digits, with one separator throughout. */
@inline
function scanDate(start: usize, end: usize): bool {
  // The shortest date has eight bytes, as many as the fields before the last one can have.
  if (end - start < 8) return false
  isYearFirst = isDigit(load<u8>(start, 1)) && isDigit(load<u8>(start, 2))
  dateEnd = start
  first = isYearFirst ? scanYear(end) : scanShort(end)
  const between = load<u8>(dateEnd) as u32
  separator = between == 47 ? SLASH : between == 46 ? DOT : DASH
  if (separator == DASH && between != 45) return false
  dateEnd++
  second = scanShort(end)
  if ((load<u8>(dateEnd) as u32) != between) return false
  dateEnd++
  third = isYearFirst ? scanShort(end) : scanYear(end)
  return (first | second | third) >= 0
}

/** Reads four digits at `dateEnd`, and moves it past them; negative if there are others. */
@inline
function scanYear(end: usize): i32 {
  const century = twoDigits(dateEnd)
  const year = twoDigits(dateEnd + 2)
  dateEnd += 4
  return (century | year) > 127 || dateEnd > end ? -1 : ((century * 100 + year) as i32)
}

/** The same for one or two digits. */
@inline
function scanShort(end: usize): i32 {
  const one = (load<u8>(dateEnd) as u32) - 48
  const two = (load<u8>(dateEnd, 1) as u32) - 48
  if (one > 9 || dateEnd >= end) return -1
  dateEnd++
  if (two > 9 || dateEnd >= end) return one as i32
  dateEnd++
  return (one * 10 + two) as i32
}

/** The day of the scanned date, read in an order; NO_DAY if it is not in the calendar in that order. */
@inline
function dayIn(order: u32): i32 {
  if (isYearFirst != (order == YMD)) return NO_DAY
  if (order == YMD) return dayOf(first, second, third)
  return order == DMY ? dayOf(third, second, first) : dayOf(third, first, second)
}

/** Microseconds of ` h:mm`, with or without seconds and their fraction; NO_MICROS for anything else. */
function clockMicros(start: usize, end: usize): i64 {
  if (end - start < 5 || end < start || load<u8>(start) != 32 || !isDigit(load<u8>(start, 1))) return NO_MICROS
  let at = start + 1
  let hour = (load<u8>(at) as u32) - 48
  if (isDigit(load<u8>(at, 1))) hour = twoDigits(at++)
  at++
  if (hour > 23 || end - at < 3 || end < at || load<u8>(at) != 58) return NO_MICROS
  const minute = twoDigits(at + 1)
  if (minute > 59) return NO_MICROS
  const micros = ((hour * 60 + minute) as i64) * 60000000
  at += 3
  if (at == end) return micros
  if (end - at < 3 || load<u8>(at) != 58) return NO_MICROS
  const secondOfMinute = twoDigits(at + 1)
  if (secondOfMinute > 59) return NO_MICROS
  timeEndsAt(at + 3)
  const fraction = fractionMicros(end)
  return timeEnd == end ? micros + (secondOfMinute as i64) * 1000000 + fraction : NO_MICROS
}

/** Stores an i64 at `out`: days, or microseconds if there is a time. Returns the class, NO_CLASS for other texts. */
export function readDateForm(start: usize, end: usize, order: u32, formSeparator: u32, hasTime: bool, out: usize): u32 {
  if (!scanDate(start, end) || separator != formSeparator) return NO_CLASS
  const day = dayIn(order)
  if (day == NO_DAY || (dateEnd == end) == hasTime) return NO_CLASS
  if (hasTime) {
    const micros = clockMicros(dateEnd, end)
    if (micros == NO_MICROS) return NO_CLASS
    store<i64>(out, (day as i64) * dayMicros + micros)
  } else store<i64>(out, day)
  // A month number is a valid day of any month.
  return dateFormClass(hasTime, separator, order != YMD && first <= 12 && second <= 12 ? EITHER : order)
}

/** The month of the last text read by `readWholeDate` might be its day. */
export let isEither: bool = false

/**
 * Reads `dd.mm.yyyy` or `mm.dd.yyyy`, and if it has a time, ` hh:mm` or ` hh:mm:ss`, all digits at once: a column of
 * dates then takes 26 ns a value instead of 39 (November 2026, two busy cores). False for other texts.
 */
@inline
export function readWholeDate(start: usize, bytes: usize, order: u32, mark: u32, hasTime: bool, out: usize): bool {
  if (hasTime ? bytes != 19 && bytes != 16 : bytes != 10) return false
  if ((load<u8>(start, 2) as u32) != mark || (load<u8>(start, 5) as u32) != mark) return false
  if (hasTime && (load<u8>(start, 10) != 32 || load<u8>(start, 13) != 58 || (bytes == 19 && load<u8>(start, 16) != 58))) return false
  // The tail is the fourth byte and those after it.
  const texts = i8x16.shuffle(v128.load(start), v128.load(start, 3), 6, 7, 8, 9, 0, 1, 3, 4, 11, 12, 14, 15, 30, 31, 30, 31)
  const digits = v128.andnot(i8x16.sub(texts, i8x16.splat(48)), v128.load(LAST_LANES + (hasTime ? (bytes == 16 ? 4 : 0) : 8)))
  const pairs = pairsOf(digits)
  if (!areDigits(digits) || v128.any_true(i16x8.gt_s(pairs, i16x8(99, 99, 31, 31, 23, 59, 59, 59)))) return false
  const year = (i16x8.extract_lane_s(pairs, 0) as i32) * 100 + (i16x8.extract_lane_s(pairs, 1) as i32)
  const a = i16x8.extract_lane_s(pairs, 2) as i32
  const b = i16x8.extract_lane_s(pairs, 3) as i32
  const day = order == DMY ? dayOf(year, b, a) : dayOf(year, a, b)
  if (day == NO_DAY) return false
  isEither = a <= 12 && b <= 12
  const seconds = i32x4.dot_i16x8_s(pairs, i16x8(0, 0, 0, 0, 3600, 60, 1, 0))
  const ofDay = i32x4.extract_lane(seconds, 2) + i32x4.extract_lane(seconds, 3)
  store<i64>(out, hasTime ? (day as i64) * dayMicros + (ofDay as i64) * 1000000 : (day as i64))
  return true
}

/** The class of such a date or timestamp; NO_CLASS for other texts. */
export function classOfDateForm(start: usize, end: usize): u32 {
  if (!scanDate(start, end)) return NO_CLASS
  const hasTime = dateEnd != end
  if (hasTime && clockMicros(dateEnd, end) == NO_MICROS) return NO_CLASS
  if (isYearFirst) {
    if (separator == DASH || dayIn(YMD) == NO_DAY) return NO_CLASS
    return dateFormClass(hasTime, separator, YMD)
  }
  const isDayFirst = dayIn(DMY) != NO_DAY
  const isMonthFirst = dayIn(MDY) != NO_DAY
  if (isDayFirst) return dateFormClass(hasTime, separator, isMonthFirst ? EITHER : DMY)
  return isMonthFirst ? dateFormClass(hasTime, separator, MDY) : NO_CLASS
}
