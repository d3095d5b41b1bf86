// Reject lines: writes the numbers of rejects as lines of CSV. Knows nothing of scanning, and no words but those given.

/**
 * A row of numbers, f64 each: five that begin the line, the last of them 0 for none; the index of the words; the number
 * in the message.
 */
const ROW_BYTES: usize = 56
const FIRST_NUMBERS: usize = 5
/** Words: the lengths of the texts before and after the number, u32 each, then the texts, in 120 bytes each. */
const WORDS_BYTES: usize = 256
const BEFORE: usize = 16
const AFTER: usize = 136

/** Writes a line for each row to `out`; returns their end. Up to 16 bytes after it are overwritten. */
export function writeLines(rows: usize, count: u32, words: usize, out: usize): usize {
  const rowsEnd = rows + (count as usize) * ROW_BYTES
  for (let row = rows; row < rowsEnd; row += ROW_BYTES) {
    for (let i: usize = 0; i < FIRST_NUMBERS; i++) {
      const number = load<f64>(row + (i << 3))
      if (i < FIRST_NUMBERS - 1 || number > 0) out = writeNumber(number, out)
      store<u8>(out++, 44)
    }
    const text = words + (load<f64>(row, FIRST_NUMBERS << 3) as usize) * WORDS_BYTES
    out = writeBytes(text + BEFORE, load<u32>(text) as usize, out)
    out = writeNumber(load<f64>(row, (FIRST_NUMBERS + 1) << 3), out)
    out = writeBytes(text + AFTER, load<u32>(text, 4) as usize, out)
  }
  return out
}

function writeBytes(from: usize, bytes: usize, out: usize): usize {
  for (let at: usize = 0; at < bytes; at += 16) v128.store(out + at, v128.load(from + at))
  return out + bytes
}

/** Writes a whole number from 0 to 2^53. */
function writeNumber(number: f64, out: usize): usize {
  if (number < 10) {
    store<u8>(out, 48 + (number as u32))
    return out + 1
  }
  if (number < 1e8) return writeShort(number as u32, out)
  const high = (number as u64) / 100000000
  const end = writeNumber(high as f64, out)
  store<u64>(end, zeros | digitsOf(((number as u64) - high * 100000000) as u32))
  return end + 8
}

/** Eight characters `0`. */
const zeros: u64 = 0x3030303030303030

@inline
function writeShort(number: u32, out: usize): usize {
  const digits = digitsOf(number)
  const skipped = min(ctz(digits) >> 3, 7)
  store<u64>(out, (zeros | digits) >> (skipped << 3))
  return out + 8 - (skipped as usize)
}

/** The eight digits of a number below 10^8, the first in the lowest byte: halves, then pairs, then digits, side by side. */
@inline
function digitsOf(number: u32): u64 {
  const high = number / 10000
  const halves = (high as u64) | (((number - high * 10000) as u64) << 32)
  const hundreds = ((halves * 10486) >> 20) & 0x7f0000007f
  const pairs = hundreds | ((halves - hundreds * 100) << 16)
  const tens = ((pairs * 103) >> 10) & 0xf000f000f000f
  return tens | ((pairs - tens * 10) << 8)
}
