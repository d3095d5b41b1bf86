// Shortest digits: finds the fewest digits that identify a double, and the nearest of these, as in R. Giulietti, "The
// Schubfach way to render doubles" (2020). For doubles between 1e-5 and 1e16, with rare exceptions. Knows no texts.
import { LONG_POWERS } from '../memory'
import { multiply, upper } from './wide-product'

/** The exponent of ten of the last digits found. */
export let shortestExponent: i32 = 0

/** Fills the table of powers: 10^0 to 10^22 fit in 128 bits, shifted so that the highest bit is set. */
export function fillLongPowers(): void {
  let high: u64 = 0x8000000000000000
  let low: u64 = 0
  for (let i: usize = 0; i < 23; i++) {
    store<u64>(LONG_POWERS + (i << 4), high)
    store<u64>(LONG_POWERS + (i << 4), low, 8)
    // Times ten, shifted back: 10/8 or 10/16 times.
    const quarterLow = (low >> 2) | (high << 62)
    const quarterHigh = high >> 2
    const sumLow = low + quarterLow
    const carry = (sumLow < low) as u64
    const sumHigh = high + quarterHigh + carry
    if (sumHigh >= high) {
      high = sumHigh
      low = sumLow
    } else {
      // The sum has 129 bits: take half of it.
      low = (sumLow >> 1) | (sumHigh << 63)
      high = (sumHigh >> 1) | 0x8000000000000000
    }
  }
}

/** The upper bits of the product; the lowest is also set if any bit below is. */
function roundToOdd(power: usize, factor: u64): u64 {
  multiply(load<u64>(power, 8), factor)
  const carried = upper
  const low = multiply(load<u64>(power), factor)
  const middle = low + carried
  const high = upper + ((middle < low) as u64)
  return high | ((middle > 1) as u64)
}

/** The shortest digits of a positive double, without trailing zeros; 0 if they are not found. */
export function shortestDigits(bits: u64): u64 {
  const fraction = bits & 0xfffffffffffff
  const significand = fraction | 0x10000000000000
  const exponent = ((bits >> 52) as i32) - 1075
  // At powers of two, the next lower double is nearer. These have few digits, so they are not needed here.
  if (fraction == 0 || exponent < -69 || exponent > 1) return 0
  const tens = (exponent * 1262611) >> 22
  const shift = exponent + ((-tens * 1741647) >> 19) + 1
  const power = LONG_POWERS + ((-tens as usize) << 4)
  const lower = roundToOdd(power, ((significand << 2) - 2) << (shift as u64))
  const value = roundToOdd(power, (significand << 2) << (shift as u64))
  const higher = roundToOdd(power, ((significand << 2) + 2) << (shift as u64))
  const isOdd = significand & 1
  const least = lower + isOdd
  const greatest = higher - isOdd
  const rounded = value >> 2
  if (rounded >= 10) {
    const fewer = rounded / 10
    const isLower = least <= 40 * fewer
    const isHigher = 40 * fewer + 40 <= greatest
    if (isLower != isHigher) return withoutZeros(fewer + (isHigher as u64), tens + 1)
  }
  const isLower = least <= 4 * rounded
  const isHigher = 4 * rounded + 4 <= greatest
  if (isLower != isHigher) return withoutZeros(rounded + (isHigher as u64), tens)
  const middle = 4 * rounded + 2
  const isUp = value > middle || (value == middle && (rounded & 1) == 1)
  return withoutZeros(rounded + (isUp as u64), tens)
}

function withoutZeros(digits: u64, exponent: i32): u64 {
  while (digits % 10 == 0) {
    digits /= 10
    exponent++
  }
  shortestExponent = exponent
  return digits
}
