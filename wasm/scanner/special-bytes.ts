// Special bytes: finds the bytes that may be more than text, in blocks of 64. Knows nothing of fields.
import { NONE, delimiter, escape, quote, skipInitialSpace } from './dialect'

/** The block last examined; no block begins at this value. */
let block: usize = usize.MAX_VALUE
/** One bit for each of its bytes: quotes, escapes and line-end bytes; delimiters. */
let marks: u64 = 0
let delimiters: u64 = 0
/** Where reading has to stop outside quotes: at delimiters only if blanks after them are dropped. */
let stops: u64 = 0

/** What nextStop() passed: the number of delimiters, and the start of the field after the last of them. */
export let delimitersPassed: u32 = 0
export let afterDelimiter: usize = 0

/** Call when the bytes have changed. */
@inline
export function forgetSpecials(): void {
  block = usize.MAX_VALUE
}

/** First byte from `from` on that is special in an unquoted field, or `stop`. */
@inline
export function nextSpecial(from: usize, stop: usize): usize {
  let at = from
  while (at < stop) {
    // The difference is huge, too, if `at` is before the block.
    if (at - block >= 64) lookAt(at)
    const rest = (marks | delimiters) >> ((at - block) as u64)
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
    const rest = marks >> ((at - block) as u64)
    if (rest != 0) return min(at + (ctz(rest) as usize), stop)
    at = block + 64
  }
  return stop
}

/** First byte from `from` on, other than a delimiter, that can end or change a field outside quotes, or `stop`. */
@inline
export function nextStop(from: usize, stop: usize): usize {
  delimitersPassed = 0
  let at = from
  while (at < stop) {
    if (at - block >= 64) lookAt(at)
    const shift = (at - block) as u64
    const rest = stops >> shift
    const end = min(rest != 0 ? at + (ctz(rest) as usize) : block + 64, stop)
    // Fewer than 64 bytes, unless all of the block.
    const upToEnd: u64 = end - at < 64 ? ((1 as u64) << (end - at)) - 1 : ~0
    const passed = (delimiters >> shift) & upToEnd
    if (passed != 0) {
      delimitersPassed += popcnt(passed) as u32
      afterDelimiter = at + 64 - (clz(passed) as usize)
    }
    at = end
    if (rest != 0) break
  }
  return at
}

function lookAt(at: usize): void {
  block = at & ~63
  marks = 0
  delimiters = 0
  for (let part: usize = 0; part < 64; part += 16) {
    const bytes = v128.load(block + part)
    let found = v128.or(equal(bytes, 10), equal(bytes, 13))
    if (quote < NONE) found = v128.or(found, equal(bytes, quote))
    if (escape < NONE) found = v128.or(found, equal(bytes, escape))
    marks |= (i8x16.bitmask(found) as u64) << part
    delimiters |= (i8x16.bitmask(equal(bytes, delimiter)) as u64) << part
  }
  stops = skipInitialSpace ? marks | delimiters : marks
}

@inline
function equal(bytes: v128, byte: u32): v128 {
  return i8x16.eq(bytes, i8x16.splat(byte as i8))
}
