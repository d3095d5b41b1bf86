// Special bytes: finds the bytes that may be more than text, in blocks of 64. Knows nothing of fields.
import { NONE, delimiter, escape, quote, skipInitialSpace } from './dialect'
import { BLOCK_BYTES, BLOCKS, BLOCKS_MAX } from './memory'

/** The last block examined; no block begins at this value. */
let block: usize = usize.MAX_VALUE
/** One bit for each of its bytes: quotes, escapes and line-end bytes; delimiters. */
let marks: u64 = 0
let delimiters: u64 = 0
/** Where reading has to stop outside quotes: at delimiters only if blanks after them are dropped. */
let stops: u64 = 0
/** Bytes that are not ASCII, and NUL. */
let suspects: u64 = 0

/** Results of nextStop(): the number of delimiters passed, and the start of the field after the last of them. */
export let delimitersPassed: u32 = 0
export let afterDelimiter: usize = 0

/** Call when the bytes have changed. */
@inline
export function forgetSpecials(): void {
  block = usize.MAX_VALUE
  for (let i: usize = 0; i < BLOCKS_MAX; i++) store<u32>(BLOCKS + i * BLOCK_BYTES, 0)
}

/** First byte from `from` on that is NUL or not ASCII, or `end`. */
@inline
export function nextSuspect(from: usize, end: usize): usize {
  let at = from
  while (at < end) {
    if (at - block >= 64) lookAt(at)
    const rest = suspects >> ((at - block) as u64)
    if (rest != 0) return min(at + (ctz(rest) as usize), end)
    at = block + 64
  }
  return end
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
    // A shift by 64 would do nothing.
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

/** Reading and writing a record examine the same blocks, so the results for the last ones are cached. */
function lookAt(at: usize): void {
  block = at & ~63
  const kept = BLOCKS + ((block >> 6) % BLOCKS_MAX) * BLOCK_BYTES
  if (load<u32>(kept) != (block as u32)) examine(kept)
  marks = load<u64>(kept, 8)
  delimiters = load<u64>(kept, 16)
  suspects = load<u64>(kept, 24)
  stops = skipInitialSpace ? marks | delimiters : marks
}

function examine(kept: usize): void {
  const a = v128.load(block)
  const b = v128.load(block, 16)
  const c = v128.load(block, 32)
  const d = v128.load(block, 48)
  let found = equalBits(a, b, c, d, 10) | equalBits(a, b, c, d, 13)
  if (quote < NONE) found |= equalBits(a, b, c, d, quote)
  if (escape < NONE) found |= equalBits(a, b, c, d, escape)
  let suspicious = bits(a, b, c, d)
  if (!i8x16.all_true(i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d)))) suspicious |= equalBits(a, b, c, d, 0)
  store<u32>(kept, block as u32)
  store<u64>(kept, found, 8)
  store<u64>(kept, equalBits(a, b, c, d, delimiter), 16)
  store<u64>(kept, suspicious, 24)
}

@inline
function equalBits(a: v128, b: v128, c: v128, d: v128, byte: u32): u64 {
  const wanted = i8x16.splat(byte as i8)
  return bits(i8x16.eq(a, wanted), i8x16.eq(b, wanted), i8x16.eq(c, wanted), i8x16.eq(d, wanted))
}

/** The highest bit of each byte. */
@inline
export function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = (i8x16.bitmask(a) as u64) | ((i8x16.bitmask(b) as u64) << 16)
  const high = (i8x16.bitmask(c) as u64) | ((i8x16.bitmask(d) as u64) << 16)
  return low | (high << 32)
}
