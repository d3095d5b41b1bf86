// Integers: reads texts that are whole numbers in canonical form. Knows no columns.
// The canonical form proves that nothing is lost: the value prints as exactly the text that was read.
import { INTEGER, LONG_INTEGER, NO_CLASS } from './value-classes'
import { NO_DIGITS, readDigits } from './digits'

/** Stores an i64 at `out`; returns the class, NO_CLASS for anything but a 64-bit integer without padding. */
@inline
export function readInteger(start: usize, end: usize, out: usize): u32 {
  const first = load<u8>(start) as u32
  const isNegative = first == 45
  const digits = start + (isNegative as usize)
  const count = end - digits
  if ((load<u8>(digits) as u32) == 48 && (count > 1 || isNegative)) return NO_CLASS
  const number = readDigits(digits, count)
  if (number == NO_DIGITS || number > 0x7fffffffffffffff + (isNegative as u64)) return NO_CLASS
  store<i64>(out, isNegative ? (0 - number) as i64 : (number as i64))
  return count <= 15 || isKeptWhole(number) ? INTEGER : LONG_INTEGER
}

/** Whether a double keeps it: printed with as many digits, zeros at the end aside, it gives the same number. */
function isKeptWhole(number: u64): bool {
  const nearest = (number as f64) as u64
  const twice = 2 * (number > nearest ? number - nearest : nearest - number)
  let unit: u64 = 1
  while (twice > unit && number % 10 == 0) {
    number /= 10
    unit *= 10
  }
  return twice <= unit
}
