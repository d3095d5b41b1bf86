// Moment format: reads dates and times as a program says, which the host makes from a strptime pattern. Knows no columns.
// The host, src/columns/rules/moment-format.ts, has the same numbers.
import { tenTo } from '../values/decimals'
import { isDigit } from '../values/digits'
import { NO_DAY, dayMicros, dayOf, instantEnd, instantMin } from '../values/iso-dates'
import { areDigits, pairsOf } from '../values/wide-digits'

// A program: the number of bytes of texts that have all their digits and nothing of varying length, 0 if there are none;
// where such a text has `am` or `pm`, from 1, 0 if nowhere; whether there are dates, times, and years of two digits.
const HALF_PLACE: usize = 1
const HAS_DATE: usize = 2
const HAS_TIME: usize = 3
const HAS_SHORT_YEAR: usize = 4
/** The marks of such a text, 32 bytes, 0 for all else. */
const MARKS: usize = 16
/** Where its digits go: YYYYMMDDhhmmss, from its first and from its other 16 bytes; then `0` where the text has none. */
const DIGITS: usize = 48
const ZEROS: usize = 80
/** One byte for each directive, or mark, up to a 0. A directive for names has them behind it. */
const TOKENS: usize = 96

const DIRECTIVE: u32 = 0x80
/** All digits are needed. */
const WIDE: u32 = 0x10
/** Two digits, like those up to SECOND. */
const SHORT_YEAR: u32 = 0
const YEAR: u32 = 1
const MONTH: u32 = 2
const DAY: u32 = 3
const MINUTE: u32 = 6
const SECOND: u32 = 7
const FRACTION: u32 = 8
const HALF: u32 = 9
const MONTH_NAME: u32 = 11
const NAME_BYTES: usize = 10

/** Whether the last text that was not read has the form of the pattern: then it is no day of the calendar. */
export let isMomentShape: bool = false

/** Stores an i64 at `out`: days for a date, microseconds of the day for a time, microseconds in UTC for both. */
export function readMoment(program: usize, start: usize, end: usize, out: usize): bool {
  if ((load<u8>(program) as usize) == end - start && readWhole(program, start, out)) return true
  return readTokens(program, start, end, out)
}

/** Reads a text with all its digits at once: less than half of the time of one after the other. */
@inline
function readWhole(program: usize, start: usize, out: usize): bool {
  const head = v128.load(start)
  const tail = v128.load(start, 16)
  if (areOthers(head, v128.load(program, MARKS)) || areOthers(tail, v128.load(program, MARKS + 16))) return false
  const first = i8x16.swizzle(head, v128.load(program, DIGITS))
  const other = i8x16.swizzle(tail, v128.load(program, DIGITS + 16))
  const digits = i8x16.sub(v128.or(v128.or(first, other), v128.load(program, ZEROS)), i8x16.splat(48))
  const pairs = pairsOf(digits)
  if (!areDigits(digits) || v128.any_true(i16x8.gt_s(pairs, i16x8(99, 99, 12, 31, 23, 59, 59, 0)))) return false
  let half: u32 = 0
  const halfPlace = load<u8>(program, HALF_PLACE) as usize
  if (halfPlace > 0) {
    half = halfOf(start + halfPlace - 1)
    if (half == 0 || (i16x8.extract_lane_u(pairs, 4) as u32) - 1 > 11) return false
  }
  const year = yearOf(program, i16x8.extract_lane_s(pairs, 0) as i32, i16x8.extract_lane_s(pairs, 1) as i32)
  const hour = hourOf(i16x8.extract_lane_s(pairs, 4) as i32, half)
  const seconds = hour * 3600 + (i16x8.extract_lane_s(pairs, 5) as i32) * 60 + (i16x8.extract_lane_s(pairs, 6) as i32)
  return storeMoment(program, year, i16x8.extract_lane_s(pairs, 2) as i32, i16x8.extract_lane_s(pairs, 3) as i32, (seconds as i64) * 1000000, 0, out)
}

/** Whether any byte differs from its mark. */
@inline
function areOthers(text: v128, marks: v128): bool {
  return !i8x16.all_true(v128.or(i8x16.eq(text, marks), i8x16.eq(marks, i8x16.splat(0))))
}

@inline
function yearOf(program: usize, century: i32, year: i32): i32 {
  if (load<u8>(program, HAS_SHORT_YEAR) == 0) return century * 100 + year
  // As in POSIX.
  return year + (year >= 69 ? 1900 : 2000)
}

/** 1 for `am`, 2 for `pm`, 0 for anything else. */
@inline
function halfOf(at: usize): u32 {
  const half = (load<u16>(at) as u32) | 0x2020
  return half == 0x6d61 ? 1 : half == 0x6d70 ? 2 : 0
}

@inline
function hourOf(hour: i32, half: u32): i32 {
  return half == 0 ? hour : (hour % 12) + (half == 2 ? 12 : 0)
}

@inline
function storeMoment(program: usize, year: i32, month: i32, day: i32, micros: i64, offset: i64, out: usize): bool {
  if (load<u8>(program, HAS_DATE) == 0) {
    store<i64>(out, micros)
    return true
  }
  const date = dayOf(year, month, day)
  if (date == NO_DAY) return false
  if (load<u8>(program, HAS_TIME) == 0) {
    store<i64>(out, date)
    return true
  }
  const instant = (date as i64) * dayMicros + micros - offset
  if (instant < instantMin || instant >= instantEnd) return false
  store<i64>(out, instant)
  return true
}

let at: usize = 0
let number: i32 = 0
let year: i32 = 0
let month: i32 = 0
let day: i32 = 0
let hour: i32 = 0
let minute: i32 = 0
let second: i32 = 0
let half: u32 = 0
let fraction: i32 = 0
let offset: i64 = 0

function readTokens(program: usize, start: usize, end: usize, out: usize): bool {
  isMomentShape = false
  at = start
  month = day = 1
  hour = minute = second = fraction = 0
  half = 0
  offset = 0
  for (let token = program + TOKENS; load<u8>(token) != 0; token++) {
    const code = load<u8>(token) as u32
    if (code < DIRECTIVE) {
      if (at >= end || (load<u8>(at++) as u32) != code) return false
    } else if (!readDirective(code & 15, (code & WIDE) != 0, token + 1, end)) return false
    if (code == (DIRECTIVE | MONTH_NAME)) token += NAME_BYTES * 12
  }
  if (at != end || ((month - 1) as u32) > 11 || ((day - 1) as u32) > 30 || hour > 23 || minute > 59 || second > 59) return false
  if (half != 0 && ((hour - 1) as u32) > 11) return false
  isMomentShape = true
  const seconds = hourOf(hour, half) * 3600 + minute * 60 + second
  return storeMoment(program, yearOf(program, 0, year), month, day, (seconds as i64) * 1000000 + (fraction as i64), offset, out)
}

function readDirective(directive: u32, isWide: bool, names: usize, end: usize): bool {
  if (directive <= SECOND) {
    if (!readNumber(directive == YEAR ? 4 : 2, isWide, end)) return false
    if (directive <= YEAR) year = number
    else if (directive == MONTH) month = number
    else if (directive == DAY) day = number
    else if (directive == MINUTE) minute = number
    else if (directive == SECOND) second = number
    else hour = number
    return true
  }
  if (directive == FRACTION) {
    const from = at
    if (!readNumber(6, false, end)) return false
    fraction = number * (tenTo(6 - ((at - from) as u32)) as i32)
    return true
  }
  if (directive == HALF) {
    half = halfOf(at)
    at += 2
    return half != 0 && at <= end
  }
  return directive == MONTH_NAME ? readName(names, end) : readOffset(end)
}

/** A number of as many digits, or if it is not whole, of fewer. */
function readNumber(digits: usize, isWhole: bool, end: usize): bool {
  const limit = min(at + digits, end)
  const from = at
  number = 0
  while (at < limit && isDigit(load<u8>(at))) number = number * 10 + (load<u8>(at++) as i32) - 48
  return at - from == digits || (!isWhole && at > from)
}

/** One of twelve names, in any case. */
function readName(names: usize, end: usize): bool {
  for (month = 1; month <= 12; month++, names += NAME_BYTES) {
    let bytes: usize = 0
    while (load<u8>(names + bytes) != 0 && ((load<u8>(at + bytes) as u32) | 32) == (load<u8>(names + bytes) as u32)) bytes++
    if (load<u8>(names + bytes) != 0) continue
    at += bytes
    return at <= end
  }
  return false
}

/** `Z`, `±hhmm` or `±hh:mm`. */
function readOffset(end: usize): bool {
  const sign = load<u8>(at++) as u32
  if (sign == 90) return at <= end
  if ((sign != 43 && sign != 45) || !readNumber(2, true, end)) return false
  const hours = number
  if (at < end && load<u8>(at) == 58) at++
  if (hours > 23 || !readNumber(2, true, end) || number > 59) return false
  offset = ((hours * 60 + number) as i64) * (sign == 45 ? -60000000 : 60000000)
  return true
}
