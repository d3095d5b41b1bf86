// Find fields: where the fields of records end, found 64 bytes at a time. Knows the dialect, and nothing of values.
// Trusts nothing: bytes that are not RFC 4180 records of the dialect are reported.
import { NONE, delimiter, lineEnd, quote, width } from './dialect'
import { places, placesEnd } from '../memory'

/** More bytes are wanted. */
export const NEEDS_MORE: u32 = 0
/** As many records as were asked for, or as there is room for, are found. */
export const FULL: u32 = 1
/** A record has another number of fields. */
export const WRONG_WIDTH: u32 = 2
/** A misplaced quote. */
export const WRONG_QUOTE: u32 = 3

/** Whole records found so far. */
export let records: u32 = 0
/** The byte after the last of them. */
export let recordsEnd: usize = 0

/** Where the next place goes. */
let next: usize = 0
let nextByte: usize = 0
let isQuoted: u64 = 0
/** Of the byte before the next one, as the first bit: it ends a field; it closes quotes; it is a CR behind a closing quote. */
let afterSeparator: u64 = 1
let afterClosing: u64 = 0
let afterReturn: u64 = 0

/** Begins a row group with the record at `start`. */
export function beginRecords(start: usize): void {
  store<u32>(places, start - 1)
  next = places + 4
  nextByte = start
  records = 0
  recordsEnd = start
  isQuoted = 0
  afterSeparator = 1
  afterClosing = 0
  afterReturn = 0
}

/** True where the records end with the bytes that were looked at. */
export function endsWithRecord(): bool {
  return recordsEnd == nextByte
}

/** One bit for each of 64 bytes: where it is `byte`. */
@inline
function bitsOf(a: v128, b: v128, c: v128, d: v128, byte: v128): u64 {
  const low = (i8x16.bitmask(i8x16.eq(a, byte)) as u64) | ((i8x16.bitmask(i8x16.eq(b, byte)) as u64) << 16)
  const high = (i8x16.bitmask(i8x16.eq(c, byte)) as u64) | ((i8x16.bitmask(i8x16.eq(d, byte)) as u64) << 16)
  return low | (high << 32)
}

/** Each bit is set where an odd number of bits up to it is. */
@inline
function parityOf(bits: u64): u64 {
  bits ^= bits << 1
  bits ^= bits << 2
  bits ^= bits << 4
  bits ^= bits << 8
  bits ^= bits << 16
  return bits ^ (bits << 32)
}

/** Looks on up to `end`, for at most `recordsMax` records. */
export function findPlaces(end: usize, recordsMax: u32): u32 {
  const delimiters = i8x16.splat(delimiter as i8)
  const lineEnds = i8x16.splat(lineEnd as i8)
  const quotes = i8x16.splat(quote as i8)
  const hasQuotes = quote != NONE
  const placesWanted = places + 4 + (((recordsMax as usize) * (width as usize)) << 2)
  const limit = min(placesWanted, placesEnd)
  let at = nextByte
  let out = next
  while (at < end && out < limit) {
    const left = end - at
    const valid = left < 64 ? ((1 as u64) << (left as u64)) - 1 : ~(0 as u64)
    const a = v128.load(at)
    const b = v128.load(at, 16)
    const c = v128.load(at, 32)
    const d = v128.load(at, 48)
    const lineEndBits = bitsOf(a, b, c, d, lineEnds)
    let separators = (bitsOf(a, b, c, d, delimiters) | lineEndBits) & valid
    const quoteBits = hasQuotes ? bitsOf(a, b, c, d, quotes) & valid : 0
    if ((quoteBits | isQuoted | afterClosing | afterReturn) != 0) {
      const inside = parityOf(quoteBits) ^ isQuoted
      separators &= ~inside
      const opening = quoteBits & inside
      const closing = quoteBits & ~inside
      const mayOpen = (separators << 1) | afterSeparator | (closing << 1) | afterClosing
      if ((opening & ~mayOpen) != 0) return WRONG_QUOTE
      // What follows a closing quote ends the field, is a CR that does, or makes the quote a doubled one.
      const follows = ((closing << 1) | afterClosing) & valid
      const returns = lineEnd == 10 ? bitsOf(a, b, c, d, i8x16.splat(13)) & follows : 0
      if ((follows & ~(separators | quoteBits | returns)) != 0) return WRONG_QUOTE
      if ((((returns << 1) | afterReturn) & valid & ~lineEndBits) != 0) return WRONG_QUOTE
      const last = left < 64 ? (left as u64) - 1 : 63
      isQuoted = ((((inside >> last) & 1) as i64) * -1) as u64
      afterClosing = (closing >> last) & 1
      afterReturn = (returns >> last) & 1
      afterSeparator = (separators >> last) & 1
    } else {
      afterSeparator = (separators >> (left < 64 ? (left as u64) - 1 : 63)) & 1
    }
    if (!countRecords(lineEndBits & separators, separators, at, out, recordsMax)) return WRONG_WIDTH
    out = storePlaces(separators, at as u32, out)
    at += min(left, 64)
  }
  next = out
  nextByte = at
  return out >= limit || records == recordsMax ? FULL : NEEDS_MORE
}

/** Stores the place of each bit, four at a time: how many there are is not foreseen, and so is rarely asked. Gives the end. */
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
    out += 16
  }
  return outEnd
}

/** Where the place of the last field of a record goes, of which there are `before` before it. */
@inline
function recordPlace(before: u32): usize {
  return places + (((before as usize) + 1) * (width as usize) << 2)
}

/** Counts the records that end among 64 bytes, whose places go to `out`. False where one has not `width` fields. */
@inline
function countRecords(ends: u64, separators: u64, at: usize, out: usize, recordsMax: u32): bool {
  while (ends != 0 && records < recordsMax) {
    const bit = ctz(ends)
    if (out + ((popcnt(separators & (((1 as u64) << bit) - 1)) as usize) << 2) != recordPlace(records)) return false
    const lineEndAt = at + (bit as usize)
    // With one field a record, an empty line would be no record.
    if (width == 1 && isEmptyLine(lineEndAt)) return false
    records++
    recordsEnd = lineEndAt + 1
    ends &= ends - 1
  }
  return true
}

function isEmptyLine(end: usize): bool {
  const start = recordsEnd
  return end == start || (lineEnd == 10 && end == start + 1 && load<u8>(start) == 13)
}
