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

@inline
function bitsOf(at: usize, byte: v128): u64 {
  const low = (i8x16.bitmask(i8x16.eq(v128.load(at), byte)) as u64) | ((i8x16.bitmask(i8x16.eq(v128.load(at, 16), byte)) as u64) << 16)
  const high = (i8x16.bitmask(i8x16.eq(v128.load(at, 32), byte)) as u64) | ((i8x16.bitmask(i8x16.eq(v128.load(at, 48), byte)) as u64) << 16)
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
    let separators = (bitsOf(at, delimiters) | bitsOf(at, lineEnds)) & valid
    const quoteBits = hasQuotes ? bitsOf(at, quotes) & valid : 0
    if ((quoteBits | isQuoted | afterClosing | afterReturn) != 0) {
      const inside = parityOf(quoteBits) ^ isQuoted
      separators &= ~inside
      const opening = quoteBits & inside
      const closing = quoteBits & ~inside
      const mayOpen = (separators << 1) | afterSeparator | (closing << 1) | afterClosing
      if ((opening & ~mayOpen) != 0) return WRONG_QUOTE
      // What follows a closing quote ends the field, is a CR that does, or makes the quote a doubled one.
      const follows = ((closing << 1) | afterClosing) & valid
      const returns = lineEnd == 10 ? bitsOf(at, i8x16.splat(13)) & follows : 0
      if ((follows & ~(separators | quoteBits | returns)) != 0) return WRONG_QUOTE
      if ((((returns << 1) | afterReturn) & valid & ~bitsOf(at, lineEnds)) != 0) return WRONG_QUOTE
      const last = left < 64 ? (left as u64) - 1 : 63
      isQuoted = ((((inside >> last) & 1) as i64) * -1) as u64
      afterClosing = (closing >> last) & 1
      afterReturn = (returns >> last) & 1
      afterSeparator = (separators >> last) & 1
    } else {
      afterSeparator = (separators >> (left < 64 ? (left as u64) - 1 : 63)) & 1
    }
    const base = at as u32
    while (separators != 0) {
      store<u32>(out, base + (ctz(separators) as u32))
      out += 4
      separators &= separators - 1
    }
    at += min(left, 64)
  }
  next = out
  nextByte = at
  return countRecords(recordsMax, out >= limit)
}

/** Checks that every record ends after `width` fields and none before. */
function countRecords(recordsMax: u32, isFull: bool): u32 {
  const step = (width as usize) << 2
  let place = places + 4 + (records as usize) * step
  while (records < recordsMax && place + step <= next) {
    const lastPlace = place + step - 4
    for (; place < lastPlace; place += 4) if (load<u8>(load<u32>(place)) != delimiter) return WRONG_WIDTH
    const end = load<u32>(place) as usize
    if (load<u8>(end) != lineEnd) return WRONG_WIDTH
    // With one field a record, an empty line would be no record.
    if (width == 1 && isEmptyLine(end)) return WRONG_WIDTH
    place += 4
    records++
    recordsEnd = end + 1
  }
  return isFull || records == recordsMax ? FULL : NEEDS_MORE
}

function isEmptyLine(end: usize): bool {
  const start = recordsEnd
  return end == start || (lineEnd == 10 && end == start + 1 && load<u8>(start) == 13)
}
