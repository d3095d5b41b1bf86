// Doubles: decides which numbers a double keeps with every digit, and reads them. Knows no columns.
//
// A double keeps numbers of at most 15 significant digits that are far from the ends of its range (IEEE 754, DBL_DIG).
// Of the others, it keeps only the text as which it is printed: its shortest digits. This file decides texts of 16 or
// 17 digits, as most programs write doubles, and leaves the rare others to the host.
import { DECIMAL, INTEGER, NO_CLASS, NUMBER, THOUSAND_POINT } from '../facts/value-classes'
import { readDigits } from './digits'
import { POWERS } from '../memory'
import { shortestDigits, shortestExponent } from './shortest-digits'

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

/** Whether the scanned text is a number as programs write it: not padded, with digits on both sides of a point. */
export function isNumberShape(end: usize): bool {
  if (numberEnd != end || isPadded) return false
  return hasPoint ? fractionCount > 0 : wholeCount > 0
}

/** Whether a double keeps the number scanned from `start` to `end`; if so, `double` is its value. */
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
    // Long whole numbers are not kept. Numbers that begin with a point are printed in another form.
    if (fractionCount == 0) return false
    if (wholeCount > 0 && load<u8>(end - 1) != 48) {
      const kept = keptLong(whole, point + 1)
      if (kept >= 0) return kept == 1
    }
  }
  const kept = hostKeptDouble(start, end - start)
  // Minus zero becomes zero, the same number: Parquet dictionaries would confuse the two.
  double = kept + 0.0
  return kept == kept
}

@inline
function tenToSmall(exponent: usize): u64 {
  return load<f64>(POWERS + (exponent << 3)) as u64
}

/** Both operands are below 2^53, so only the division rounds: the result is the nearest double. */
@inline
function setDouble(number: u64): void {
  const value = (number as f64) / load<f64>(POWERS + (fractionCount << 3))
  double = isMinus && number != 0 ? -value : value
}

/** Whether a number whose fraction does not end with a zero is kept: 1 for yes, 0 for no, -1 for unknown. */
function keptLong(whole: u64, fraction: usize): i32 {
  let from = fraction
  let count = fractionCount
  if (whole == 0) {
    while (count > 1 && load<u8>(from) == 48) {
      from++
      count--
    }
    // With many leading zeros, it may be printed with an exponent: the host decides.
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
  // Off by at most one unit in the last place; only the right double is printed with these digits.
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
  if (hasExponent || (isMinus && double == 0) || wholeCount == 0) return NUMBER
  if (!hasPoint) return INTEGER
  if (wholeCount + fractionCount > 38) return NUMBER
  return isThousand() ? THOUSAND_POINT : DECIMAL
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
