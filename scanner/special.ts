// Special bytes: finds the bytes that can mean anything but themselves, in blocks of 64. Knows nothing of fields.
import { NONE, delimiter, escape, quote } from './dialect'

/** Block last looked at; no block begins at this place. */
let block: usize = usize.MAX_VALUE
/** One bit for each of its bytes: whether it is special in a field without quotes, and inside quotes. */
let specials: u64 = 0
let specialsInQuotes: u64 = 0

/** To be called when the bytes have changed. */
@inline
export function forgetSpecials(): void {
  block = usize.MAX_VALUE
}

/** Where the first byte is from `from` on that is special in a field without quotes, or `stop`. */
@inline
export function nextSpecial(from: usize, stop: usize): usize {
  let at = from
  while (at < stop) {
    // The difference is huge, too, where `at` lies before the block.
    if (at - block >= 64) lookAt(at)
    const rest = specials >> ((at - block) as u64)
    if (rest != 0) return min(at + (ctz(rest) as usize), stop)
    at = block + 64
  }
  return stop
}

/** The same inside quotes: a quote, an escape or a line-end byte. */
@inline
export function nextSpecialInQuotes(from: usize, stop: usize): usize {
  let at = from
  while (at < stop) {
    if (at - block >= 64) lookAt(at)
    const rest = specialsInQuotes >> ((at - block) as u64)
    if (rest != 0) return min(at + (ctz(rest) as usize), stop)
    at = block + 64
  }
  return stop
}

function lookAt(at: usize): void {
  block = at & ~63
  specials = 0
  specialsInQuotes = 0
  for (let part: usize = 0; part < 64; part += 16) {
    const bytes = v128.load(block + part)
    let marks = v128.or(equal(bytes, 10), equal(bytes, 13))
    if (quote < NONE) marks = v128.or(marks, equal(bytes, quote))
    if (escape < NONE) marks = v128.or(marks, equal(bytes, escape))
    specialsInQuotes |= (i8x16.bitmask(marks) as u64) << part
    specials |= (i8x16.bitmask(v128.or(marks, equal(bytes, delimiter))) as u64) << part
  }
}

@inline
function equal(bytes: v128, byte: u32): v128 {
  return i8x16.eq(bytes, i8x16.splat(byte as i8))
}
