// Digits: reads runs of decimal digits as numbers, eight at a time. Loads may reach 8 bytes past the end of a run.

@inline
function areDigits(chunk: u64): bool {
  return (((chunk & 0xf0f0f0f0f0f0f0f0) | (((chunk + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333)
}

/** The number in eight digits, the first in the lowest byte. */
@inline
function eightDigits(chunk: u64): u64 {
  chunk = ((chunk & 0x0f0f0f0f0f0f0f0f) * 2561) >> 8
  chunk = ((chunk & 0x00ff00ff00ff00ff) * 6553601) >> 16
  return ((chunk & 0x0000ffff0000ffff) * 42949672960001) >> 32
}

/** `count` bytes, 1 to 8, after as many digits `0` as fill eight bytes. */
@inline
function lastBytes(from: usize, count: usize): u64 {
  if (count == 8) return load<u64>(from)
  const shift = (count as u64) << 3
  return (load<u64>(from) << (64 - shift)) | ((0x3030303030303030 as u64) >> shift)
}

/** Stands for a run with other bytes than digits; larger than any number of 19 digits. */
export const NO_DIGITS: u64 = 0xffffffffffffffff

/** The number written with up to 19 digits; NO_DIGITS for none, for more and for other bytes. */
@inline
export function readDigits(from: usize, count: usize): u64 {
  if (count - 1 < 8) {
    const chunk = lastBytes(from, count)
    return areDigits(chunk) ? eightDigits(chunk) : NO_DIGITS
  }
  return readManyDigits(from, count)
}

function readManyDigits(from: usize, count: usize): u64 {
  if (count - 1 >= 19) return NO_DIGITS
  const head = ((count - 1) & 7) + 1
  let chunk = lastBytes(from, head)
  if (!areDigits(chunk)) return NO_DIGITS
  let number = eightDigits(chunk)
  for (let at = head; at < count; at += 8) {
    chunk = load<u64>(from + at)
    if (!areDigits(chunk)) return NO_DIGITS
    number = number * 100000000 + eightDigits(chunk)
  }
  return number
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
