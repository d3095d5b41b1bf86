// Doubles: which texts of numbers a double keeps with every digit, and its value. Knows no columns.
//
// Kept is what has at most 15 significant digits and is far from the ends of the range, since any double keeps those
// (IEEE 754, DBL_DIG), and else just the text that the double is printed as: its shortest digits. Of texts with 16 or 17
// digits, as most programs write doubles, this is decided here; the rare others are left to the host.
import { DECIMAL, INTEGER, NO_CLASS, NUMBER, THOUSAND_POINT } from '../facts/value-classes'
import { readDigits } from './digits'
import { POWERS } from '../memory'
import { shortestDigits, shortestExponent } from './shortest-digits'

/** The host's: the double of a text, NaN where it is not kept. */
@external("host", "keptDouble")
declare function hostKeptDouble(start: usize, bytes: usize): f64

/** The value of the number that was last read. */
export let double: f64 = 0

// What the scan of a number found.
/** After it: the end of the text, where it is a number and nothing else. */
export let numberEnd: usize = 0
export let wholeCount: usize = 0
export let fractionCount: usize = 0
export let hasPoint: bool = false
export let hasExponent: bool = false
export let isPadded: bool = false
export let isMinus: bool = false
/** Where its digits begin. */
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

/** Whether what was scanned is a number as programs write one: no padding, and digits on both sides of a point. */
export function isNumberShape(end: usize): bool {
  if (numberEnd != end || isPadded) return false
  return hasPoint ? fractionCount > 0 : wholeCount > 0
}

/** Whether a double keeps the number that was scanned, from `start` to `end`; `double` is its value then. */
export function isKeptAsScanned(start: usize, end: usize): bool {
  if (!hasExponent && wholeCount <= 17 && fractionCount <= 21) {
    const point = wholeAt + wholeCount
    let whole: u64 = 0
    if (wholeCount > 0) whole = readDigits(wholeAt, wholeCount)
    if (wholeCount + fractionCount <= 15) {
      const number = fractionCount == 0 ? whole : whole * tenToSmall(fractionCount) + readDigits(point + 1, fractionCount)
      setDouble(number)
      return true
    }
    // Whole numbers and those that begin with a point are printed in another way.
    if (fractionCount == 0) return false
    if (wholeCount > 0 && load<u8>(end - 1) != 48) {
      const kept = keptLong(whole, point + 1)
      if (kept >= 0) return kept == 1
    }
  }
  const kept = hostKeptDouble(start, end - start)
  // Minus zero becomes zero, which is the same number: Parquet dictionaries would mix the two up.
  double = kept + 0.0
  return kept == kept
}

@inline
function tenToSmall(exponent: usize): u64 {
  return load<f64>(POWERS + (exponent << 3)) as u64
}

/** Both are below 2^53, and so is the rounding of the one division the only one: the result is the nearest double. */
@inline
function setDouble(number: u64): void {
  const value = (number as f64) / load<f64>(POWERS + (fractionCount << 3))
  double = isMinus && number != 0 ? -value : value
}

/** Of a number with a fraction that does not end with a zero: 1 where it is kept, 0 where not, -1 where that is not known. */
function keptLong(whole: u64, fraction: usize): i32 {
  let from = fraction
  let count = fractionCount
  if (whole == 0) {
    while (count > 1 && load<u8>(from) == 48) {
      from++
      count--
    }
    // From five zeros on, it would be printed with an exponent, unless all its digits are kept anyway.
    if (fractionCount - count > 3) return -1
  }
  const significant = count + (whole == 0 ? 0 : wholeCount)
  if (significant > 17 || wholeCount > 16) return significant > 17 ? 0 : -1
  const digits = readDigits(from, count)
  const number = whole == 0 ? digits : whole * powerOfTen(count) + digits
  if (significant <= 15) {
    setDouble(number)
    return 1
  }
  // Within a unit in the last place of the right one; only the right one is printed with these digits.
  const guess = (number as f64) / load<f64>(POWERS + (fractionCount << 3))
  const bits = reinterpret<u64>(guess)
  const exponent = 0 - (fractionCount as i32)
  for (let step: i64 = 0; step < 3; step++) {
    const near = step == 0 ? bits : step == 1 ? bits + 1 : bits - 1
    if (shortestDigits(near) == number && shortestExponent == exponent) {
      const value = reinterpret<f64>(near)
      double = isMinus ? -value : value
      return 1
    }
  }
  return 0
}

function powerOfTen(exponent: usize): u64 {
  let result: u64 = 1
  for (let i: usize = 0; i < exponent; i++) result *= 10
  return result
}

/** Of a number in canonical form without exponent: whether a double keeps it. */
export function isKeptByDouble(start: usize, end: usize): bool {
  scanNumber(start, end)
  return isKeptAsScanned(start, end)
}

/** Stores a double at `out`; returns the class of the number, NO_CLASS for other texts and numbers that a double does not keep. */
export function readNumber(start: usize, end: usize, out: usize): u32 {
  scanNumber(start, end)
  if (!isNumberShape(end) || !isKeptAsScanned(start, end)) return NO_CLASS
  store<f64>(out, double)
  return classOfKept()
}

/** The class of a number that was scanned and is kept by a double. */
export function classOfKept(): u32 {
  if (hasExponent || (isMinus && double == 0) || wholeCount == 0) return NUMBER
  if (!hasPoint) return INTEGER
  if (wholeCount + fractionCount > 38) return NUMBER
  return isThousand() ? THOUSAND_POINT : DECIMAL
}

/** Whether the point might also stand between groups. */
export function isThousand(): bool {
  return fractionCount == 3 && wholeCount <= 3 && load<u8>(wholeAt) != 48
}

/** Whether all digits that were scanned are zeros, behind a minus. */
export function isMinusZero(): bool {
  if (!isMinus || wholeCount != 1 || load<u8>(wholeAt) != 48) return false
  for (let at = wholeAt + 2; at < wholeAt + 2 + fractionCount; at++) if (load<u8>(at) != 48) return false
  return true
}
