// Keys: for each record a hash of its key by value, and one of its whole text, by which the host finds equal keys and equal
// records. Both are SipHash-1-3 with a secret, so that nobody can choose values that collide: two different keys of an
// upload have the same 128 bits with a probability of 10^-25 for 10 million of them. Knows no files.
import { NUMBERS, TEXTS, valueBytes } from '../column-kinds'
import { delimiter, lineEnd, width } from '../fields/dialect'
import { copyText, findText, hasQuote, startAt, textEnd, textStart, trimBlanks } from '../fields/field-text'
import { BLOCK, PLAIN_NUMBER, hashes, levels, packed, places, values } from '../memory'
import { hasReturn, placeOf } from '../read-column'
import { isMarked } from './marks'

/** Provided by the host: writes a text for a number that a double does not tell from others; 0 bytes if it does. */
@external("host", "numberKey")
declare function hostNumberKey(start: usize, bytes: usize, out: usize): usize

/** Of a state, v0 to v3, and of the entry that replaces it; and of the header of a chunk, with 1,024 buckets. */
const ENTRY_BYTES: usize = 32
const HEADER_BYTES: usize = 1025 * 4
/** The state of each hash before the first value, that of the text of a record, and zeros. */
const BEGIN: usize = BLOCK + 64
const TEXT: usize = BEGIN + ENTRY_BYTES
const ZEROS: usize = TEXT + ENTRY_BYTES
/** Numbers of up to 15 characters are told apart by their doubles from this one on. */
const SHORT_MAX: u32 = 15
const NORMAL_MIN: f64 = 1e-280
/** Before the text of a number; no double that was read has these bits. */
const NOT_A_DOUBLE: u64 = 0xffffffffffffffff

/** Begins the hashes of key `index` of the first `records` records found. */
export function beginKey(records: u32, index: u32, secretLow: u64, secretHigh: u64): void {
  store<u64>(BEGIN, secretLow ^ 0x736f6d6570736575)
  store<u64>(BEGIN, secretHigh ^ 0x646f72616e646f6d ^ 0xee, 8)
  store<u64>(BEGIN, secretLow ^ 0x6c7967656e657261, 16)
  store<u64>(BEGIN, secretHigh ^ 0x7465646279746573, 24)
  memory.fill(ZEROS, 0, 16)
  absorb(BEGIN, index, 0, 0)
  for (let record: u32 = 0; record < records; record++) begin(entryOf(record))
}

/** Adds the values of a column, which were read while its rules were checked. */
export function addToKey(column: u32, records: u32, kind: u32): void {
  const bytes = valueBytes(kind)
  const trims = hasReturn(column)
  const step = (width as usize) << 2
  let place = placeOf(column)
  for (let record: u32 = 0; record < records; record++, place += step) {
    const at = values + (record as usize) * bytes
    const entry = entryOf(record)
    if (kind == TEXTS) {
      findText(place, trims)
      absorbText(entry)
    } else if (kind == NUMBERS) absorbNumber(entry, load<f64>(at), place, trims)
    else absorb(entry, bytes == 1 ? (load<u8>(at) as u64) : load<u64>(at), 0, 0)
  }
}

/**
 * Ends the hashes, adds those of the texts, and makes the chunk that the host describes (`keyChunk`) after them. A record
 * counts if it has a value in the column that was added last. `read` records were found, the marked ones among them are
 * gone; the first of all is number `first`.
 */
export function endKey(read: u32, first: u32, key: u32): void {
  const chunk = entryOf(read)
  memory.fill(chunk, 0, HEADER_BYTES)
  let record: u32 = 0
  for (let i: u32 = 0; i < read; i++) {
    if (isMarked(i)) continue
    const entry = entryOf(record)
    const head = finish(entry, 16, 0xee)
    store<u64>(entry, finish(entry, 8, 0xdd), 8)
    store<u64>(entry, head)
    begin(TEXT)
    absorbRecord(TEXT, record)
    store<u64>(entry, finish(TEXT, 16, 0xee), 16)
    const counts = ((load<u8>(levels + (record >> 3)) as u32) >> (record & 7)) & 1
    store<u64>(entry, counts == 0 ? 0 : ((key as u64) << 32) | ((first + i) as u64), 24)
    const bucket = bucketOf(chunk, entry)
    store<u32>(bucket, load<u32>(bucket) + counts)
    record++
  }
  for (let bucket = chunk; bucket < chunk + HEADER_BYTES - 4; bucket += 4) store<u32>(bucket, load<u32>(bucket) + load<u32>(bucket, 4), 4)
  // Each bucket is filled from its end, so that its entry in the header becomes the number of those before it.
  while (record-- > 0) {
    const entry = entryOf(record)
    if (load<u32>(entry, 24) == 0) continue
    const bucket = bucketOf(chunk, entry)
    const place = load<u32>(bucket) - 1
    store<u32>(bucket, place)
    const to = chunk + HEADER_BYTES + (place as usize) * ENTRY_BYTES
    v128.store(to, v128.load(entry))
    v128.store(to, v128.load(entry, 16), 16)
  }
}

/** Copying by `memory.copy` would be a call. */
@inline
function begin(state: usize): void {
  v128.store(state, v128.load(BEGIN))
  v128.store(state, v128.load(BEGIN, 16), 16)
}

@inline
function entryOf(record: u32): usize {
  return hashes + (record as usize) * ENTRY_BYTES
}

@inline
function bucketOf(chunk: usize, entry: usize): usize {
  return chunk + ((load<u32>(entry) & 1023) << 2)
}

/** By its exact value. Zero has no sign. */
function absorbNumber(state: usize, value: f64, place: usize, trims: bool): void {
  if (load<u32>(place) - load<u32>(place - 4) > SHORT_MAX + 1 || (value != 0 && abs(value) < NORMAL_MIN)) {
    findText(place, trims)
    trimBlanks(textStart, textEnd)
    const bytes = hostNumberKey(textStart, textEnd - textStart, PLAIN_NUMBER)
    if (bytes > 0) {
      absorb(state, NOT_A_DOUBLE, 0, 0)
      absorb(state, bytes, PLAIN_NUMBER, PLAIN_NUMBER + bytes)
      return
    }
  }
  absorb(state, reinterpret<u64>(value + 0.0), 0, 0)
}

/** The first word has the length, so that no two lists of texts are the same words, and up to seven bytes. */
@inline
function absorbText(state: usize): void {
  const bytes = (textEnd - textStart) as u64
  if (bytes > 254) absorb(state, ((255 as u64) << 56) | bytes, textStart, textEnd)
  else {
    const first = load<u64>(textStart) & (((1 as u64) << (min(bytes, 7) << 3)) - 1)
    absorb(state, (bytes << 56) | first, textStart + 7, textEnd)
  }
}

/** The whole text with each field as it is without its quotes, and bytes of no text for separators between quotes. */
function absorbRecord(state: usize, record: u32): void {
  const step = (width as usize) << 2
  const before = places + (record as usize) * step
  let start = (load<u32>(before) as usize) + 1
  let end = load<u32>(before + step) as usize
  if (hasReturn(width - 1) && end > start && load<u8>(end - 1) == 13) end--
  if (hasQuote(start, end)) {
    start = packed
    end = start
    for (let column: u32 = 0; column < width; column++) {
      const place = placeOf(column) + (record as usize) * step
      findText(place, hasReturn(column))
      const to = end + textEnd - textStart
      copyText(end, textStart, to - end)
      // Without quotes, there are no separators.
      if (textStart == startAt(place)) end = to
      for (; end < to; end++) {
        const byte = load<u8>(end) as u32
        if (byte == delimiter) store<u8>(end, 0xff)
        else if (byte == lineEnd) store<u8>(end, 0xfe)
      }
      store<u8>(end++, delimiter)
    }
    end--
  }
  absorb(state, end - start, start, end)
}

function finish(state: usize, lane: usize, constant: u64): u64 {
  store<u64>(state + lane, load<u64>(state + lane) ^ constant)
  absorb(state, 0, ZEROS, ZEROS + 16)
  return load<u64>(state) ^ load<u64>(state, 8) ^ load<u64>(state, 16) ^ load<u64>(state, 24)
}

/** One round for a word, and one for each eight bytes, the last ones filled up with zeros. */
function absorb(state: usize, word: u64, start: usize, end: usize): void {
  let v0 = load<u64>(state)
  let v1 = load<u64>(state, 8)
  let v2 = load<u64>(state, 16)
  let v3 = load<u64>(state, 24)
  for (;;) {
    v3 ^= word
    v0 += v1
    v1 = rotl(v1, 13) ^ v0
    v0 = rotl(v0, 32)
    v2 += v3
    v3 = rotl(v3, 16) ^ v2
    v0 += v3
    v3 = rotl(v3, 21) ^ v0
    v2 += v1
    v1 = rotl(v1, 17) ^ v2
    v2 = rotl(v2, 32)
    v0 ^= word
    if (start >= end) break
    word = load<u64>(start)
    if (end - start < 8) word &= ((1 as u64) << ((end - start) << 3)) - 1
    start += 8
  }
  store<u64>(state, v0)
  store<u64>(state, v1, 8)
  store<u64>(state, v2, 16)
  store<u64>(state, v3, 24)
}
