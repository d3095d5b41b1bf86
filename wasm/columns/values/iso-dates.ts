// ISO dates: reads ISO 8601 dates, times and timestamps that exist in the calendar. Knows no columns.
import { DATE, NO_CLASS, TIME, TIMESTAMP, TIMESTAMPTZ } from './value-classes'
import { isDigit, twoDigits } from './digits'
import { MONTHS, YEARS } from '../memory'
import { areDigits, pairsOf } from './wide-digits'

export const dayMicros: i64 = 86400000000
/** 0001-01-01 and the day after 9999-12-31. */
export const instantMin: i64 = -719162 * 86400000000
export const instantEnd: i64 = 2932897 * 86400000000

/** Fills the tables of the days before each year, and before each month. */
export function fillDays(): void {
  // 0000-01-01 is 719528 days before 1970.
  let days: i32 = -719528
  for (let year: i32 = 0; year <= 10000; year++) {
    store<i32>(YEARS + ((year as usize) << 2), days)
    days += isLeapYear(year) ? 366 : 365
  }
  for (let isLeap: u32 = 0; isLeap < 2; isLeap++) {
    let before: u32 = 0
    for (let month: u32 = 1; month <= 12; month++) {
      const length = month == 2 ? 28 + isLeap : 30 + ((0x15aa >> month) & 1)
      store<u32>(MONTHS + (((isLeap * 13 + month) as usize) << 2), (before << 8) | length)
      before += length
    }
  }
}

@inline
function isLeapYear(year: i32): bool {
  return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0)
}

/** Stands for a text that is not a date. */
export const NO_DAY: i32 = i32.MIN_VALUE

/** Days since 1970-01-01 of a date in the years 1 to 9999; NO_DAY for one that is not in the calendar. */
@inline
export function dayOf(year: i32, month: i32, day: i32): i32 {
  if (((year - 1) as u32) >= 9999 || ((month - 1) as u32) >= 12) return NO_DAY
  const row = YEARS + ((year as usize) << 2)
  const first = load<i32>(row)
  const isLeap = load<i32>(row, 4) - first - 365
  const entry = load<u32>(MONTHS + (((isLeap * 13 + month) as usize) << 2))
  if (((day - 1) as u32) >= (entry & 0xff)) return NO_DAY
  return first + ((entry >> 8) as i32) + day - 1
}

/** The day of `YYYY-MM-DD`; NO_DAY for anything else. */
export function isoDay(at: usize): i32 {
  if (load<u8>(at, 4) != 45 || load<u8>(at, 7) != 45) return NO_DAY
  const century = twoDigits(at)
  const year = twoDigits(at + 2)
  const month = twoDigits(at + 5)
  const day = twoDigits(at + 8)
  if ((century | year | month | day) > 127) return NO_DAY
  return dayOf((century * 100 + year) as i32, month as i32, day as i32)
}

/** Stands for a text that is not a time or timestamp. */
export const NO_MICROS: i64 = i64.MIN_VALUE

/** Where the last time read ends. */
export let timeEnd: usize = 0

/** Sets where the seconds end, for `fractionMicros` to read their fraction. */
export function timeEndsAt(end: usize): void {
  timeEnd = end
}

/** Microseconds of `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f` (1 to 6 digits); NO_MICROS for other texts. More may follow. */
export function isoTime(at: usize, end: usize): i64 {
  if (end - at < 5 || end < at || load<u8>(at, 2) != 58) return NO_MICROS
  const hour = twoDigits(at)
  const minute = twoDigits(at + 3)
  if (end - at < 8 || load<u8>(at, 5) != 58) {
    timeEnd = at + 5
    return hour > 23 || minute > 59 ? NO_MICROS : ((hour * 60 + minute) as i64) * 60000000
  }
  const second = twoDigits(at + 6)
  if (hour > 23 || minute > 59 || second > 59) return NO_MICROS
  timeEnd = at + 8
  return ((hour * 3600 + minute * 60 + second) as i64) * 1000000 + fractionMicros(end)
}

/** Reads a point and up to six digits at `timeEnd`, and moves it past them. */
export function fractionMicros(end: usize): i64 {
  if (timeEnd + 1 >= end || load<u8>(timeEnd) != 46 || !isDigit(load<u8>(timeEnd, 1))) return 0
  let micros: i64 = 0
  let at = timeEnd + 1
  const limit = min(end, at + 6)
  let digits: u32 = 0
  for (; at < limit && isDigit(load<u8>(at)); at++) {
    micros = micros * 10 + (load<u8>(at) as i64) - 48
    digits++
  }
  for (; digits < 6; digits++) micros *= 10
  timeEnd = at
  return micros
}

export function readDate(start: usize, end: usize, out: usize): u32 {
  if (end - start != 10) return NO_CLASS
  const day = isoDay(start)
  if (day == NO_DAY) return NO_CLASS
  store<i64>(out, day)
  return DATE
}

export function readTime(start: usize, end: usize, out: usize): u32 {
  const micros = isoTime(start, end)
  if (micros == NO_MICROS || timeEnd != end) return NO_CLASS
  store<i64>(out, micros)
  return TIME
}

@inline
export function readTimestamp(start: usize, end: usize, out: usize): u32 {
  if (end - start == 19 && readUsualTimestamp(start, out)) return TIMESTAMP
  const micros = isoTimestamp(start, end)
  if (micros == NO_MICROS || timeEnd != end) return NO_CLASS
  store<i64>(out, micros)
  return TIMESTAMP
}

/** Microseconds of a date, a space or T, and a time. */
function isoTimestamp(start: usize, end: usize): i64 {
  if (end - start < 16 || (load<u8>(start, 10) != 32 && load<u8>(start, 10) != 84)) return NO_MICROS
  const day = isoDay(start)
  if (day == NO_DAY) return NO_MICROS
  const micros = isoTime(start + 11, end)
  return micros == NO_MICROS ? NO_MICROS : (day as i64) * dayMicros + micros
}

export function readTimestampWithZone(start: usize, end: usize, out: usize): u32 {
  const micros = isoTimestamp(start, end)
  if (micros == NO_MICROS || timeEnd == end) return NO_CLASS
  const sign = load<u8>(timeEnd) as u32
  const zone = timeEnd + 1
  let offset: i64 = 0
  if (sign == 90) {
    if (zone != end) return NO_CLASS
  } else {
    if ((sign != 43 && sign != 45) || end - zone < 2) return NO_CLASS
    const hours = twoDigits(zone)
    let minutes: u32 = 0
    let at = zone + 2
    if (at < end) {
      if (load<u8>(at) == 58) at++
      if (end - at != 2) return NO_CLASS
      minutes = twoDigits(at)
    }
    if (hours > 23 || minutes > 59) return NO_CLASS
    offset = ((hours * 60 + minutes) as i64) * 60000000
    if (sign == 45) offset = -offset
  }
  const instant = micros - offset
  if (instant < instantMin || instant >= instantEnd) return NO_CLASS
  store<i64>(out, instant)
  return TIMESTAMPTZ
}

/** Reads `YYYY-MM-DD hh:mm:ss`, all digits at once: six times as fast as field by field. */
@inline
export function readUsualTimestamp(start: usize, out: usize): bool {
  const between = load<u8>(start, 10)
  if (between != 32 && between != 84) return false
  const head = v128.load(start)
  // The fourth byte and those after it.
  const tail = v128.load(start, 3)
  const marks = i8x16.shuffle(head, tail, 4, 7, 13, 29, 4, 7, 13, 29, 4, 7, 13, 29, 4, 7, 13, 29)
  if (!i8x16.all_true(i8x16.eq(marks, i32x4.splat(0x3a3a2d2d)))) return false
  const texts = i8x16.shuffle(head, tail, 0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 30, 31, 30, 31)
  const digits = i8x16.sub(texts, i8x16.splat(48))
  const pairs = pairsOf(digits)
  const limits = i16x8(99, 99, 12, 31, 23, 59, 59, 59)
  if (!areDigits(digits) || v128.any_true(i16x8.gt_s(pairs, limits))) return false
  const year = (i16x8.extract_lane_s(pairs, 0) as i32) * 100 + (i16x8.extract_lane_s(pairs, 1) as i32)
  const day = dayOf(year, i16x8.extract_lane_s(pairs, 2) as i32, i16x8.extract_lane_s(pairs, 3) as i32)
  if (day == NO_DAY) return false
  const seconds = i32x4.dot_i16x8_s(pairs, i16x8(0, 0, 0, 0, 3600, 60, 1, 0))
  const ofDay = i32x4.extract_lane(seconds, 2) + i32x4.extract_lane(seconds, 3)
  store<i64>(out, (day as i64) * dayMicros + (ofDay as i64) * 1000000)
  return true
}
