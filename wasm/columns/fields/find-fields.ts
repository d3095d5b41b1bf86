// Find fields: finds where the fields of records end, 64 bytes at a time. Knows the dialect, and nothing of values.
// Trusts nothing: reports bytes that are not RFC 4180 records of the dialect.
import { NONE, delimiter, lineEnd, quote, width } from './dialect'
import { places, placesEnd } from '../memory'

/** More bytes are needed. */
export const NEEDS_MORE: u32 = 0
/** As many records as requested, or as there is room for, have been found. */
export const FULL: u32 = 1
/** A record has another number of fields. */
export const WRONG_WIDTH: u32 = 2
/** A misplaced quote. */
export const WRONG_QUOTE: u32 = 3

/** Whole records found so far. */
export let records: u32 = 0
/** The byte after the last of them. */
export let recordsEnd: usize = 0

/** Where the next position is stored. */
let next: usize = 0
let nextByte: usize = 0
/** How many of the stored positions are line ends. */
let lineEnds: u32 = 0
let isQuoted: u64 = 0
/** The first bit says of the byte before `nextByte`: it closes quotes; it is a CR after a closing quote. */
let afterClosing: u64 = 0
let afterReturn: u64 = 0

/** Begins a row group with the record at `start`. */
export function beginRecords(start: usize): void {
  store<u32>(places, start - 1)
  next = places + 4
  nextByte = start
  records = 0
  recordsEnd = start
  lineEnds = 0
  isQuoted = 0
  afterClosing = 0
  afterReturn = 0
}

/** One bit for each of 64 lanes, which are all ones or all zeros. */
@inline
function bitsOf(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = (i8x16.bitmask(a) as u64) | ((i8x16.bitmask(b) as u64) << 16)
  const high = (i8x16.bitmask(c) as u64) | ((i8x16.bitmask(d) as u64) << 16)
  return low | (high << 32)
}

/** Each bit is set if an odd number of bits up to it is. */
@inline
function parityOf(bits: u64): u64 {
  bits ^= bits << 1
  bits ^= bits << 2
  bits ^= bits << 4
  bits ^= bits << 8
  bits ^= bits << 16
  return bits ^ (bits << 32)
}

/** Whether any of 64 bytes equals that of the vector. */
@inline
function hasAny(a: v128, b: v128, c: v128, d: v128, byte: v128): bool {
  const low = v128.or(i8x16.eq(a, byte), i8x16.eq(b, byte))
  return v128.any_true(v128.or(low, v128.or(i8x16.eq(c, byte), i8x16.eq(d, byte))))
}

/** The most blocks that cannot overflow a lane that counts line ends: 31 blocks of 4 vectors have at most 124. */
const blocksAtOnce: usize = 31

/** Continues up to `end`, for at most `recordsMax` records. */
export function findPlaces(end: usize, recordsMax: u32): u32 {
  const limit = min(places + 4 + (((recordsMax as usize) * (width as usize)) << 2), placesEnd)
  let areRight = true
  while (areRight && nextByte < end && next < limit) areRight = findSome(min(end, nextByte + blocksAtOnce * 64), limit)
  if (!countRecords(recordsMax)) return WRONG_WIDTH
  if (!areRight) return WRONG_QUOTE
  return next >= limit || records == recordsMax ? FULL : NEEDS_MORE
}

/** Stores the positions of some blocks. False if a quote is wrong. */
function findSome(end: usize, limit: usize): bool {
  const delimiters = i8x16.splat(delimiter as i8)
  const lineEndBytes = i8x16.splat(lineEnd as i8)
  const quotes = i8x16.splat(quote as i8)
  const hasQuotes = quote != NONE
  let counts = i8x16.splat(0)
  let at = nextByte
  let out = next
  let areRight = true
  for (; at < end && out < limit; at += 64) {
    const a = v128.load(at)
    const b = v128.load(at, 16)
    const c = v128.load(at, 32)
    const d = v128.load(at, 48)
    const aEnds = i8x16.eq(a, lineEndBytes)
    const bEnds = i8x16.eq(b, lineEndBytes)
    const cEnds = i8x16.eq(c, lineEndBytes)
    const dEnds = i8x16.eq(d, lineEndBytes)
    counts = i8x16.add(counts, i8x16.add(i8x16.add(aEnds, bEnds), i8x16.add(cEnds, dEnds)))
    let separators = bitsOf(
      v128.or(aEnds, i8x16.eq(a, delimiters)),
      v128.or(bEnds, i8x16.eq(b, delimiters)),
      v128.or(cEnds, i8x16.eq(c, delimiters)),
      v128.or(dEnds, i8x16.eq(d, delimiters)),
    )
    if (at + 64 > end || (hasQuotes && (hasAny(a, b, c, d, quotes) || (isQuoted | afterClosing | afterReturn) != 0))) {
      separators = separatorsOf(separators, at, end)
      areRight = !isMisplaced
      if (!areRight) break
    }
    out = storePlaces(separators, at as u32, out)
  }
  lineEnds += sumOf(counts)
  next = out
  nextByte = min(at, end)
  return areRight
}

/** The sum of 16 numbers, each 0 or negative, as a positive number. */
@inline
function sumOf(counts: v128): u32 {
  const pairs = i16x8.extadd_pairwise_i8x16_s(counts)
  const fours = i32x4.extadd_pairwise_i16x8_s(pairs)
  const sum = i32x4.extract_lane(fours, 0) + i32x4.extract_lane(fours, 1) + i32x4.extract_lane(fours, 2) + i32x4.extract_lane(fours, 3)
  return -sum as u32
}

/** A quote was found that neither begins nor ends a field, nor is doubled. */
let isMisplaced: bool = false

/** Those separators among 64 bytes that are before `end` and not between quotes. */
function separatorsOf(found: u64, at: usize, end: usize): u64 {
  const left = min(end - at, 64) as u64
  const valid = left < 64 ? ((1 as u64) << left) - 1 : ~(0 as u64)
  let separators = found & valid
  isMisplaced = false
  if (quote != NONE) {
    const quoteBits = bitsAt(at, quote) & valid
    const inside = parityOf(quoteBits) ^ isQuoted
    separators &= ~inside
    const opening = quoteBits & inside
    const closing = quoteBits & ~inside
    const mayOpen = (separators << 1) | (isAfterSeparator(at) as u64) | (closing << 1) | afterClosing
    // After a closing quote come a separator, a CR before an LF, or another quote, which makes it a doubled quote.
    const follows = ((closing << 1) | afterClosing) & valid & ~(separators | quoteBits)
    isMisplaced = (opening & ~mayOpen) != 0
    if ((follows | afterReturn) != 0) endReturns(follows, at, left)
    const last = left - 1
    isQuoted = ((((inside >> last) & 1) as i64) * -1) as u64
    afterClosing = (closing >> last) & 1
    if (isMisplaced) separators = 0
  }
  // All of `found` have been counted.
  const others = found & ~separators
  if (others != 0) lineEnds -= popcnt(bitsAt(at, lineEnd) & others) as u32
  return separators
}

/** A CR may stand between a closing quote and an LF. */
function endReturns(follows: u64, at: usize, left: u64): void {
  const returns = lineEnd == 10 ? bitsAt(at, 13) & follows : 0
  const valid = left < 64 ? ((1 as u64) << left) - 1 : ~(0 as u64)
  if (returns != follows || (((returns << 1) | afterReturn) & valid & ~bitsAt(at, lineEnd)) != 0) isMisplaced = true
  afterReturn = (returns >> (left - 1)) & 1
}

/** One bit for each of 64 bytes: set if it equals `byte`. */
@inline
function bitsAt(at: usize, byte: u32): u64 {
  const wanted = i8x16.splat(byte as i8)
  return bitsOf(
    i8x16.eq(v128.load(at), wanted),
    i8x16.eq(v128.load(at, 16), wanted),
    i8x16.eq(v128.load(at, 32), wanted),
    i8x16.eq(v128.load(at, 48), wanted),
  )
}

/** Whether a field may begin here, if it is not between quotes. */
@inline
function isAfterSeparator(at: usize): bool {
  const before = load<u8>(at - 1) as u32
  return before == delimiter || before == lineEnd || at == (load<u32>(places) as usize) + 1
}

/** Stores the position of each bit, eight at a time, since their number is unpredictable. Returns the end. */
@inline
function storePlaces(separators: u64, base: u32, out: usize): usize {
  const outEnd = out + ((popcnt(separators) as usize) << 2)
  while (out < outEnd) {
    store<u32>(out, base + (ctz(separators) as u32))
    separators &= separators - 1
    store<u32>(out, base + (ctz(separators) as u32), 4)
    separators &= separators - 1
    store<u32>(out, base + (ctz(separators) as u32), 8)
    separators &= separators - 1
    store<u32>(out, base + (ctz(separators) as u32), 12)
    separators &= separators - 1
    store<u32>(out, base + (ctz(separators) as u32), 16)
    separators &= separators - 1
    store<u32>(out, base + (ctz(separators) as u32), 20)
    separators &= separators - 1
    store<u32>(out, base + (ctz(separators) as u32), 24)
    separators &= separators - 1
    store<u32>(out, base + (ctz(separators) as u32), 28)
    separators &= separators - 1
    out += 32
  }
  return outEnd
}

/**
 * Counts the records whose positions are all stored. False if one does not have `width` fields: then its last position
 * is not a line end, or more positions are line ends than there are records.
 */
function countRecords(recordsMax: u32): bool {
  const step = (width as usize) << 2
  const whole = min(((next - places - 4) / step) as u32, recordsMax)
  const last = places + (whole as usize) * step
  let wrong: u32 = 0
  for (let at = places + (records as usize) * step + step; at <= last; at += step) wrong |= byteAt(at) ^ lineEnd
  // Further records may follow the last one wanted.
  let endsBehind: u32 = 0
  for (let at = last + 4; at < next; at += 4) endsBehind += (byteAt(at) == lineEnd) as u32
  if (wrong != 0 || lineEnds - endsBehind != whole || width == 1) {
    if (!countOneByOne(whole)) return false
  } else endRecords(whole)
  return endsBehind == 0 || whole == recordsMax
}

@inline
function byteAt(place: usize): u32 {
  return load<u8>(load<u32>(place) as usize)
}

function endRecords(count: u32): void {
  records = count
  if (count > 0) recordsEnd = (load<u32>(places + (count as usize) * ((width as usize) << 2)) as usize) + 1
}

/** Counts records up to the first invalid one. */
function countOneByOne(whole: u32): bool {
  for (let i = records; i < whole; i++) {
    for (let field: u32 = 1; field <= width; field++) {
      if ((byteAt(places + (((i * width + field) as usize) << 2)) == lineEnd) != (field == width)) return false
    }
    // With one field per record, an empty line is not a record.
    if (width == 1 && isEmptyLine(load<u32>(places + (((i + 1) as usize) << 2)) as usize)) return false
    endRecords(i + 1)
  }
  return true
}

function isEmptyLine(end: usize): bool {
  const start = recordsEnd
  return end == start || (lineEnd == 10 && end == start + 1 && load<u8>(start) == 13)
}
