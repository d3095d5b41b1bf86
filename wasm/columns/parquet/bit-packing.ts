// Bit packing: writes numbers in Parquet's compact encodings, DELTA_BINARY_PACKED and RLE. Knows no columns.
import { BLOCK } from '../memory'
import { lesserOf } from './two-integers'

export function writeVarint(out: usize, value: u64): usize {
  while (value >= 128) {
    store<u8>(out++, (value as u8) | 128)
    value >>= 7
  }
  store<u8>(out++, value as u8)
  return out
}

@inline
function zigzag(value: i64): u64 {
  return ((value << 1) ^ (value >> 63)) as u64
}

/** Writes i64 values as differences, in blocks of four times 32; returns the end. */
export function writeDeltas(from: usize, count: u32, out: usize): usize {
  out = writeVarint(out, 128)
  out = writeVarint(out, 4)
  out = writeVarint(out, count)
  out = writeVarint(out, zigzag(count > 0 ? load<i64>(from) : 0))
  let at = from + 8
  for (let left: i32 = (count as i32) - 1; left > 0; left -= 128) {
    const inBlock = min(left, 128)
    const least = inBlock == 128 ? fillBlock(at) : fillPart(at, inBlock as u32)
    out = writeBlock(least, inBlock as u32, out)
    at += 1024
  }
  return out
}

/** Stores 128 differences, of the values from `at` on to those before them; returns the smallest. */
function fillBlock(at: usize): i64 {
  let leasts = i64x2.splat(i64.MAX_VALUE)
  let others = leasts
  for (let to = BLOCK; to < BLOCK + 1024; to += 32) {
    const a = i64x2.sub(v128.load(at), v128.load(at - 8))
    const b = i64x2.sub(v128.load(at, 16), v128.load(at - 8, 16))
    leasts = lesserOf(leasts, a)
    others = lesserOf(others, b)
    v128.store(to, a)
    v128.store(to, b, 16)
    at += 32
  }
  leasts = lesserOf(leasts, others)
  return min(i64x2.extract_lane(leasts, 0), i64x2.extract_lane(leasts, 1))
}

/** Like `fillBlock`, for fewer than 128; the rest of the block is filled with the smallest. */
function fillPart(at: usize, count: u32): i64 {
  let least: i64 = i64.MAX_VALUE
  const end = BLOCK + ((count as usize) << 3)
  for (let to = BLOCK; to < end; to += 8) {
    const difference = load<i64>(at) - load<i64>(at - 8)
    least = min(least, difference)
    store<i64>(to, difference)
    at += 8
  }
  for (let to = end; to < BLOCK + 1024; to += 8) store<i64>(to, least)
  return least
}

function writeBlock(least: i64, inBlock: u32, out: usize): usize {
  out = writeVarint(out, zigzag(least))
  const widths = out
  store<u32>(widths, 0)
  out += 4
  for (let quarter: u32 = 0; quarter * 32 < inBlock; quarter++) {
    const from = BLOCK + ((quarter as usize) << 8)
    const bits = bitsAbove(least, from)
    store<u8>(widths + quarter, bits)
    if (bits > 0) out = writePacked(from, least, bits, out)
  }
  return out
}

/** How many bits the largest of 32 differences needs, counted from the smallest of the block. */
@inline
function bitsAbove(least: i64, from: usize): u32 {
  const leasts = i64x2.splat(least)
  let a = i64x2.splat(0)
  let b = a
  for (let at = from; at < from + 256; at += 32) {
    a = v128.or(a, i64x2.sub(v128.load(at), leasts))
    b = v128.or(b, i64x2.sub(v128.load(at, 16), leasts))
  }
  const all = v128.or(a, b)
  return 64 - (clz(i64x2.extract_lane(all, 0) | i64x2.extract_lane(all, 1)) as u32)
}

/** Writes 32 differences in `bits` bits each, which adds up to whole 32-bit words. */
function writePacked(from: usize, least: i64, bits: u32, out: usize): usize {
  let word: u64 = 0
  let used: u32 = 0
  for (let at = from; at < from + 256; at += 8) {
    const value = (load<i64>(at) - least) as u64
    word |= value << (used as u64)
    used += bits
    if (used < 64) continue
    store<u64>(out, word)
    out += 8
    used -= 64
    word = used == 0 ? 0 : value >> ((bits - used) as u64)
  }
  if (used == 0) return out
  store<u64>(out, word)
  return out + (used >> 3)
}

/** From this many equal numbers on, a run takes less room than the numbers themselves. */
const equalMin: u32 = 32

/** Writes u16 numbers of `bits` bits as RLE runs and bit-packed groups; returns the end. */
export function writeRuns(from: usize, count: u32, bits: u32, out: usize): usize {
  let at: u32 = 0
  let unwritten: u32 = 0
  while (at < count) {
    const number = load<u16>(from + (at << 1))
    let end = at + 1
    while (end < count && load<u16>(from + (end << 1)) == number) end++
    if (end - at < equalMin) {
      at = end
      continue
    }
    // The numbers before the run are written in groups of eight; the run fills up the last group.
    at += (8 - ((at - unwritten) & 7)) & 7
    out = writeGroups(from, unwritten, at, bits, out)
    out = writeVarint(out, ((end - at) as u64) << 1)
    store<u16>(out, number)
    out += (bits + 7) >> 3
    at = end
    unwritten = end
  }
  return writeGroups(from, unwritten, count, bits, out)
}

function writeGroups(from: usize, first: u32, end: u32, bits: u32, out: usize): usize {
  if (first == end) return out
  const groups = (end - first + 7) >> 3
  out = writeVarint(out, ((groups << 1) | 1) as u64)
  const outEnd = out + groups * bits
  let word: u64 = 0
  let used: u32 = 0
  for (let i = first; i < first + groups * 8; i++) {
    const number = i < end ? (load<u16>(from + (i << 1)) as u64) : 0
    word |= number << (used as u64)
    used += bits
    if (used < 32) continue
    store<u32>(out, word as u32)
    out += 4
    word >>= 32
    used -= 32
  }
  store<u32>(out, word as u32)
  return outEnd
}
