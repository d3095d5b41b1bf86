// Statistics: the smallest and the largest value of a column, as Parquet wants them. Knows values, not their source.
import { GREATEST, LEAST } from '../memory'
import { greaterOf, lesserOf } from './two-integers'

/** False if there are no values, or no short text is an upper bound of a cut one. */
export let hasStatistics: bool = false
export let leastBytes: u32 = 0
export let greatestBytes: u32 = 0
/** False if a text was too long: then the bound is below the smallest, or above the largest. */
export let isLeastExact: bool = true
export let isGreatestExact: bool = true

/** Longer bounds are cut. */
const textBytesMax: usize = 64

export function noStatistics(): void {
  hasStatistics = false
  leastBytes = 0
  greatestBytes = 0
  isLeastExact = true
  isGreatestExact = true
}

/** Statistics of 64-bit integers; `bytes` bytes of each are written. */
export function integerStatistics(from: usize, count: u32, bytes: u32): void {
  let leasts = v128.load_splat<i64>(from)
  let greatests = leasts
  let otherLeasts = leasts
  let otherGreatests = leasts
  const end = from + ((count as usize) << 3)
  let at = from
  for (; at + 32 <= end; at += 32) {
    const a = v128.load(at)
    const b = v128.load(at, 16)
    leasts = lesserOf(leasts, a)
    greatests = greaterOf(greatests, a)
    otherLeasts = lesserOf(otherLeasts, b)
    otherGreatests = greaterOf(otherGreatests, b)
  }
  for (; at < end; at += 8) {
    const value = v128.load_splat<i64>(at)
    leasts = lesserOf(leasts, value)
    greatests = greaterOf(greatests, value)
  }
  leasts = lesserOf(leasts, otherLeasts)
  greatests = greaterOf(greatests, otherGreatests)
  store<i64>(LEAST, min(i64x2.extract_lane(leasts, 0), i64x2.extract_lane(leasts, 1)))
  store<i64>(GREATEST, max(i64x2.extract_lane(greatests, 0), i64x2.extract_lane(greatests, 1)))
  setBytes(bytes)
}

/** Statistics of doubles, none of them NaN or minus zero. */
export function doubleStatistics(from: usize, count: u32): void {
  let leasts = v128.load_splat<f64>(from)
  let greatests = leasts
  const last = from + ((count as usize) << 3) - 16
  for (let at = from; at <= last; at += 16) {
    const values = v128.load(at)
    leasts = f64x2.pmin(leasts, values)
    greatests = f64x2.pmax(greatests, values)
  }
  const end = load<f64>(last, 8)
  store<f64>(LEAST, min(end, min(f64x2.extract_lane(leasts, 0), f64x2.extract_lane(leasts, 1))))
  store<f64>(GREATEST, max(end, max(f64x2.extract_lane(greatests, 0), f64x2.extract_lane(greatests, 1))))
  setBytes(8)
}

/** Statistics of little-endian 128-bit integers; they are written as big-endian. */
export function longStatistics(from: usize, count: u32): void {
  let least = from
  let greatest = from
  const end = from + ((count as usize) << 4)
  for (let at = from; at < end; at += 16) {
    if (isBelow(at, least)) least = at
    if (isBelow(greatest, at)) greatest = at
  }
  reverse(least, LEAST)
  reverse(greatest, GREATEST)
  setBytes(16)
}

function isBelow(a: usize, b: usize): bool {
  const aHigh = load<i64>(a, 8)
  const bHigh = load<i64>(b, 8)
  return aHigh < bHigh || (aHigh == bHigh && load<u64>(a) < load<u64>(b))
}

/** Writes 16 bytes in reverse order. */
export function reverse(from: usize, to: usize): void {
  const bytes = v128.load(from)
  v128.store(to, i8x16.shuffle(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
}

/** Statistics of booleans, one byte each. */
export function booleanStatistics(from: usize, count: u32): void {
  let all: u32 = 1
  let any: u32 = 0
  for (let at = from; at < from + count; at++) {
    all &= load<u8>(at)
    any |= load<u8>(at)
  }
  store<u8>(LEAST, all)
  store<u8>(GREATEST, any)
  setBytes(1)
}

function setBytes(bytes: u32): void {
  hasStatistics = true
  leastBytes = bytes
  greatestBytes = bytes
}

let leastAt: usize = 0
let leastLength: usize = 0
let leastHead: u64 = 0
let greatestAt: usize = 0
let greatestLength: usize = 0
let greatestHead: u64 = 0

/** The first 8 bytes of a text as a number; such numbers sort like texts. */
@inline
function headOf(at: usize, bytes: usize): u64 {
  const head = bswap<u64>(load<u64>(at))
  return bytes >= 8 ? head : bytes == 0 ? 0 : head & (~(0 as u64) << ((64 - (bytes << 3)) as u64))
}

function beginTexts(at: usize, bytes: usize): void {
  leastAt = at
  greatestAt = at
  leastLength = bytes
  greatestLength = bytes
  leastHead = headOf(at, bytes)
  greatestHead = leastHead
}

@inline
function addText(at: usize, bytes: usize): void {
  const head = headOf(at, bytes)
  if (head <= leastHead && (head < leastHead || compare(at, bytes, leastAt, leastLength) < 0)) {
    leastAt = at
    leastLength = bytes
    leastHead = head
  }
  if (head >= greatestHead && (head > greatestHead || compare(at, bytes, greatestAt, greatestLength) > 0)) {
    greatestAt = at
    greatestLength = bytes
    greatestHead = head
  }
}

function compare(a: usize, aBytes: usize, b: usize, bBytes: usize): i32 {
  const order = memory.compare(a, b, min(aBytes, bBytes))
  if (order != 0) return order
  return aBytes < bBytes ? -1 : ((aBytes > bBytes) as i32)
}

/** Statistics of at least one text, each after its length, u32. */
export function textStatistics(at: usize, end: usize): void {
  beginTexts(at + 4, load<u32>(at) as usize)
  for (at += 4 + load<u32>(at); at < end; at += 4 + load<u32>(at)) addText(at + 4, load<u32>(at) as usize)
  endTexts()
}

/** Writes the smallest and largest text that `addText` found, cut between characters if too long. */
function endTexts(): void {
  hasStatistics = true
  isLeastExact = leastLength <= textBytesMax
  leastBytes = (isLeastExact ? leastLength : cutBytes(leastAt)) as u32
  memory.copy(LEAST, leastAt, leastBytes)
  isGreatestExact = greatestLength <= textBytesMax
  greatestBytes = (isGreatestExact ? greatestLength : cutBytes(greatestAt)) as u32
  memory.copy(GREATEST, greatestAt, greatestBytes)
  if (!isGreatestExact) raiseGreatest()
}

/** How many of the first bytes are whole characters. */
function cutBytes(at: usize): usize {
  let bytes = textBytesMax
  while ((load<u8>(at + bytes) & 0xc0) == 0x80) bytes--
  return bytes
}

/**
 * Makes a cut text greater than all texts that begin with it: raises its last ASCII character and drops the rest. If it
 * has none, there are no statistics, because readers use both values or neither.
 */
function raiseGreatest(): void {
  while (greatestBytes > 0) {
    const last = load<u8>(GREATEST + greatestBytes - 1) as u32
    if (last < 0x7f) {
      store<u8>(GREATEST + greatestBytes - 1, last + 1)
      return
    }
    greatestBytes--
  }
  hasStatistics = false
}
