// Decimals: reads texts with exactly the decimal places of a column as scaled integers. Knows no columns.
import { DECIMAL, LONG_DECIMAL, NO_CLASS, THOUSAND_POINT } from './value-classes'
import { NO_DIGITS, readDigits } from './digits'
import { isKeptByDouble } from './doubles'
import { multiply, upper } from './wide-product'

/** Number of digits before the point of the last decimal read. */
export let wholeDigits: u32 = 0

/** Decimal places of every value. */
export let scale: u32 = 0
export let wholeDigitsMax: usize = 0
/** The factor for the digits before the point. */
let power: u64 = 1

export function setDecimal(precision: u32, decimalScale: u32): void {
  scale = decimalScale
  wholeDigitsMax = precision - decimalScale
  power = tenTo(min(decimalScale, 18))
}

/** 10^0 to 10^19. */
export function tenTo(exponent: u32): u64 {
  let result: u64 = 1
  for (let i: u32 = 0; i < exponent; i++) result *= 10
  return result
}

/** Stores an i64 at `out`; for columns of at most 18 digits. */
@inline
export function readDecimal(start: usize, end: usize, out: usize): u32 {
  const isNegative = load<u8>(start) == 45
  const digits = start + (isNegative as usize)
  const point = end - (scale as usize) - 1
  const whole = point - digits
  // If the text is too short, `whole - 1` wraps around to a huge number.
  if (whole - 1 >= wholeDigitsMax || load<u8>(point) != 46 || (load<u8>(digits) == 48 && whole > 1)) return NO_CLASS
  const before = readDigits(digits, whole)
  const after = readDigits(point + 1, scale as usize)
  if (before == NO_DIGITS || after == NO_DIGITS) return NO_CLASS
  const number = before * power + after
  if (isNegative && number == 0) return NO_CLASS
  store<i64>(out, isNegative ? (0 - number) as i64 : (number as i64))
  wholeDigits = whole as u32
  return decimalClass(start, end, whole, load<u8>(digits) != 48)
}

/** Stores 16 bytes at `out`, little-endian; for columns of at most 38 digits. */
export function readLongDecimal(start: usize, end: usize, out: usize): u32 {
  const isNegative = load<u8>(start) == 45
  const digits = start + (isNegative as usize)
  const point = end - (scale as usize) - 1
  const whole = point - digits
  if (whole - 1 >= wholeDigitsMax || load<u8>(point) != 46 || (load<u8>(digits) == 48 && whole > 1)) return NO_CLASS
  low = 0
  high = 0
  if (!addDigits(digits, whole) || !addDigits(point + 1, scale as usize)) return NO_CLASS
  if (isNegative && (low | high) == 0) return NO_CLASS
  if (isNegative) {
    low = 0 - low
    high = ~high + (low == 0 ? 1 : 0)
  }
  store<u64>(out, low)
  store<u64>(out, high, 8)
  wholeDigits = whole as u32
  return decimalClass(start, end, whole, load<u8>(digits) != 48)
}

let low: u64 = 0
let high: u64 = 0

/** Appends digits to the number in `low` and `high`. */
function addDigits(from: usize, count: usize): bool {
  while (count > 0) {
    const step = min(count, 18)
    const number = readDigits(from, step)
    if (number == NO_DIGITS) return false
    const factor = tenTo(step as u32)
    const lower = multiply(low, factor)
    high = high * factor + upper
    low = lower + number
    if (low < lower) high++
    from += step
    count -= step
  }
  return true
}

@inline
function decimalClass(start: usize, end: usize, whole: usize, isAboveOne: bool): u32 {
  if (scale == 3 && whole <= 3 && isAboveOne) return THOUSAND_POINT
  return end - start <= 15 || isKeptByDouble(start, end) ? DECIMAL : LONG_DECIMAL
}
