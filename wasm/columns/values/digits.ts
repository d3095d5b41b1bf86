// Digits: reads runs of decimal digits as numbers. Loads may reach 16 bytes before the end of a run.
import { areDigits, digitsBefore, lastLanes, numberOf } from './wide-digits'

/** Stands for a run with other bytes than digits; larger than any number of 19 digits. */
export const NO_DIGITS: u64 = 0xffffffffffffffff

/** The number written with up to 19 digits; NO_DIGITS for none, for more and for other bytes. */
@inline
export function readDigits(from: usize, count: usize): u64 {
  if (count - 1 >= 16) return readManyDigits(from, count)
  const lanes = lastLanes(digitsBefore(from + count), count)
  return areDigits(lanes) ? numberOf(lanes) : NO_DIGITS
}

function readManyDigits(from: usize, count: usize): u64 {
  if (count - 1 >= 19) return NO_DIGITS
  const first = readDigits(from, count - 16)
  const last = readDigits(from + count - 16, 16)
  return first == NO_DIGITS || last == NO_DIGITS ? NO_DIGITS : first * 10000000000000000 + last
}

@inline
export function isDigit(byte: u32): bool {
  return byte - 48 < 10
}

/** How many digits follow from `from` on, before `end`. */
export function countDigits(from: usize, end: usize): usize {
  let at = from
  while (at < end && isDigit(load<u8>(at))) at++
  return at - from
}

/** Two digits as a number; 255 or more if they are not digits. */
@inline
export function twoDigits(from: usize): u32 {
  const tens = (load<u8>(from) as u32) - 48
  const ones = (load<u8>(from, 1) as u32) - 48
  return tens < 10 && ones < 10 ? tens * 10 + ones : 255
}
