// Doubles: decides which numbers a double keeps with every digit, and reads them. Knows no columns.
//
// A double keeps numbers of at most 15 significant digits that are far from the ends of its range (IEEE 754, DBL_DIG).
// Of those with 16 to 19, it keeps the ones that it is printed as with as many digits. This file decides numbers near
// one, in exact arithmetic, and leaves the rare others to the host.
import { DECIMAL, INTEGER, NO_CLASS, NUMBER, THOUSAND_POINT } from './value-classes'
import { NO_DIGITS, readDigits } from './digits'
import { POWERS } from '../memory'
import { multiply, upper } from './wide-product'

/** Provided by the host: the double of a text, NaN if the double does not keep it. */
@external("host", "keptDouble")
declare function hostKeptDouble(start: usize, bytes: usize): f64

/** The value of the last number read. */
export let double: f64 = 0

// The results of `scanNumber`.
/** The end of the number; that of the text if it is nothing but a number. */
export let numberEnd: usize = 0
export let wholeCount: usize = 0
export let fractionCount: usize = 0
export let hasPoint: bool = false
export let hasExponent: bool = false
export let isPadded: bool = false
export let isMinus: bool = false
/** Where the digits begin. */
export let wholeAt: usize = 0

/** Scans `-?digits?(.digits?)?([eE][-+]?digits)?` as far as it goes. */
export function scanNumber(start: usize, end: usize): void {
  isMinus = start < end && load<u8>(start) == 45
  wholeAt = start + (isMinus as usize)
  let at = wholeAt
  while (at < end && (load<u8>(at) as u32) - 48 < 10) at++
  wholeCount = at - wholeAt
  isPadded = wholeCount > 1 && load<u8>(wholeAt) == 48
  fractionCount = 0
  hasPoint = at < end && load<u8>(at) == 46
  if (hasPoint) {
    const fraction = ++at
    while (at < end && (load<u8>(at) as u32) - 48 < 10) at++
    fractionCount = at - fraction
  }
  hasExponent = false
  numberEnd = at
  if (at + 1 >= end || ((load<u8>(at) as u32) | 32) != 101) return
  at++
  if (load<u8>(at) == 45 || load<u8>(at) == 43) at++
  const exponent = at
  while (at < end && (load<u8>(at) as u32) - 48 < 10) at++
  if (at == exponent) return
  hasExponent = true
  numberEnd = at
}

/** Whether the scanned text is a number as programs write it: not padded, with digits on a side of a point. */
export function isNumberShape(end: usize): bool {
  return numberEnd == end && !isPadded && wholeCount + fractionCount > 0
}

/** Whether a double keeps the number scanned from `start` to `end`; if so, `double` is its value. */
export function isKeptAsScanned(start: usize, end: usize): bool {
  if (!hasExponent && wholeCount + fractionCount <= 15) {
    const whole = wholeCount > 0 ? readDigits(wholeAt, wholeCount) : 0
    const number = fractionCount == 0 ? whole : whole * tenToSmall(fractionCount) + readDigits(wholeAt + wholeCount + 1, fractionCount)
    setDouble(number, fractionCount)
    return true
  }
  const kept = keptLong()
  if (kept >= 0) return kept == 1
  const hosts = hostKeptDouble(start, end - start)
  // Minus zero becomes zero, the same number: Parquet dictionaries would confuse the two.
  double = hosts + 0.0
  return hosts == hosts
}

@inline
function tenToSmall(exponent: usize): u64 {
  return load<f64>(POWERS + (exponent << 3)) as u64
}

/** Both operands are below 2^53 or powers up to 10^22, so only the division rounds: the result is the nearest double. */
@inline
function setDouble(number: u64, places: usize): void {
  const value = (number as f64) / load<f64>(POWERS + (places << 3))
  double = isMinus && number != 0 ? -value : value
}

/** Whether a number with a fraction or an exponent is kept: 1 for yes, 0 for no, -1 for unknown. */
function keptLong(): i32 {
  if (fractionCount == 0 || wholeCount > 19) return -1
  let from = wholeAt + wholeCount + 1
  let count = fractionCount
  let number: u64 = wholeCount > 0 ? readDigits(wholeAt, wholeCount) : 0
  const places = (count as i32) - exponentAt(from + count)
  const before: usize = number == 0 ? 0 : wholeCount
  while (before == 0 && count > 0 && load<u8>(from) == 48) {
    from++
    count--
  }
  if (before + count > 19) return 0
  if (before + count == 0 || places < 0 || places > 22) return -1
  if (count > 0) number = number * powerOf(10, count) + readDigits(from, count)
  if (before + count > 15) return keptNearest(number, places)
  setDouble(number, places)
  return 1
}

/** The exponent of the scanned number, which begins at `at` if it has one; a huge one for more than four digits. */
function exponentAt(at: usize): i32 {
  if (!hasExponent) return 0
  const isNegative = load<u8>(++at) == 45
  if (isNegative || load<u8>(at) == 43) at++
  const digits = numberEnd - at > 4 ? NO_DIGITS : readDigits(at, numberEnd - at)
  if (digits == NO_DIGITS) return 9999
  return isNegative ? -(digits as i32) : (digits as i32)
}

/**
 * For `number` / 10^`places`. The nearest double is m * 2^e, so both are compared as multiples of 2^-shift/10^places:
 * number * 2^shift with m * 5^places.
 */
function keptNearest(number: u64, places: i32): i32 {
  const bits = reinterpret<u64>((number as f64) / load<f64>(POWERS + ((places as usize) << 3)))
  // Next to a power of two, one neighbour is nearer than the other.
  const fraction = bits & 0xfffffffffffff
  if (fraction < 4 || fraction > 0xffffffffffffb) return -1
  const shift = 1075 - ((bits >> 52) as i32) - places
  if (shift < 0 || shift > 116) return -1
  const step = powerOf(5, places as usize) as i64
  const low = multiply(fraction | 0x10000000000000, step as u64)
  const shifted = shift < 64 ? number << (shift as u64) : 0
  // Both products are nearly equal, so their difference is in the lower halves.
  let difference = (shifted - low) as i64
  let nearest = bits
  for (; 2 * difference > step; difference -= step) nearest++
  for (; 2 * difference < -step; difference += step) nearest--
  const twice = (2 * abs(difference)) as u64
  const unit = shift < 63 ? (1 as u64) << (shift as u64) : 0x8000000000000000
  // Half way between two texts, C and Python print the even one, JavaScript the greater.
  if (twice > unit) return 0
  const value = reinterpret<f64>(nearest)
  double = isMinus ? -value : value
  return 1
}

function powerOf(base: u64, exponent: usize): u64 {
  let result: u64 = 1
  for (let i: usize = 0; i < exponent; i++) result *= base
  return result
}

/** Whether a double keeps a number in canonical form without an exponent. */
export function isKeptByDouble(start: usize, end: usize): bool {
  scanNumber(start, end)
  return isKeptAsScanned(start, end)
}

/** Stores a double at `out`; returns the class of the number, NO_CLASS for other texts and for numbers not kept. */
export function readNumber(start: usize, end: usize, out: usize): u32 {
  scanNumber(start, end)
  if (!isNumberShape(end) || !isKeptAsScanned(start, end)) return NO_CLASS
  store<f64>(out, double)
  return classOfKept()
}

/** The class of the scanned number, which a double keeps. */
export function classOfKept(): u32 {
  if (hasExponent || (isMinus && double == 0) || wholeCount == 0 || isPointLast()) return NUMBER
  if (!hasPoint) return wholeCount < 19 || readDigits(wholeAt, wholeCount) - (isMinus as u64) <= 0x7fffffffffffffff ? INTEGER : NUMBER
  if (wholeCount + fractionCount > 38) return NUMBER
  return isThousand() ? THOUSAND_POINT : DECIMAL
}

/** Whether no digit follows the point, as in `5.`. */
export function isPointLast(): bool {
  return hasPoint && fractionCount == 0
}

/** Whether the point might also separate groups. */
export function isThousand(): bool {
  return fractionCount == 3 && wholeCount <= 3 && load<u8>(wholeAt) != 48
}

/** Whether the scanned number is minus zero, with any number of decimal places. */
export function isMinusZero(): bool {
  if (!isMinus || wholeCount != 1 || load<u8>(wholeAt) != 48) return false
  for (let at = wholeAt + 2; at < wholeAt + 2 + fractionCount; at++) if (load<u8>(at) != 48) return false
  return true
}
