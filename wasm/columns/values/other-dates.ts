// Other dates: reads dates and timestamps in an order or with separators other than ISO 8601. Knows no columns.
import { DASH, DMY, DOT, EITHER, MDY, NO_CLASS, SLASH, YMD, dateFormClass } from '../facts/value-classes'
import { countDigits, isDigit, twoDigits } from './digits'
import { NO_DAY, NO_MICROS, dayMicros, dayOf, fractionMicros, timeEnd, timeEndsAt } from './iso-dates'

// The three fields of the last date scanned, the separator between them, and where it ends.
let first: i32 = 0
let second: i32 = 0
let third: i32 = 0
let isYearFirst: bool = false
let separator: u32 = 0
let dateEnd: usize = 0

/** Scans a year of four digits before or after two fields of one or two digits, with one separator throughout. */
function scanDate(start: usize, end: usize): bool {
  const firstDigits = countDigits(start, end)
  const firstEnd = start + firstDigits
  if (firstDigits == 0 || firstDigits == 3 || firstDigits > 4 || firstEnd >= end) return false
  isYearFirst = firstDigits == 4
  const between = load<u8>(firstEnd) as u32
  separator = between == 47 ? SLASH : between == 46 ? DOT : DASH
  if (separator == DASH && between != 45) return false
  const secondDigits = countDigits(firstEnd + 1, end)
  const secondEnd = firstEnd + 1 + secondDigits
  if (secondDigits - 1 > 1 || secondEnd >= end || (load<u8>(secondEnd) as u32) != between) return false
  const thirdDigits = countDigits(secondEnd + 1, end)
  if (isYearFirst ? thirdDigits - 1 > 1 : thirdDigits != 4) return false
  first = numberOf(start, firstDigits)
  second = numberOf(firstEnd + 1, secondDigits)
  third = numberOf(secondEnd + 1, thirdDigits)
  dateEnd = secondEnd + 1 + thirdDigits
  return true
}

function numberOf(at: usize, digits: usize): i32 {
  let number: i32 = 0
  for (let i: usize = 0; i < digits; i++) number = number * 10 + (load<u8>(at + i) as i32) - 48
  return number
}

/** The day of the scanned date, read in an order; NO_DAY if it is not in the calendar in that order. */
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

/** Stores an i64 at `out`: days, or microseconds if there is a time. */
export function readDateForm(start: usize, end: usize, order: u32, formSeparator: u32, hasTime: bool, out: usize): bool {
  if (!scanDate(start, end) || separator != formSeparator) return false
  const day = dayIn(order)
  if (day == NO_DAY) return false
  if (!hasTime) {
    store<i64>(out, day)
    return dateEnd == end
  }
  const micros = clockMicros(dateEnd, end)
  if (micros == NO_MICROS) return false
  store<i64>(out, (day as i64) * dayMicros + micros)
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
