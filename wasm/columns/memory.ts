// Memory: its layout, with a guard of unused bytes after each region. Knows no formats.
// The host, src/columns/memory/columns-memory.ts, keeps the fixed addresses; it alone grows the memory.

/** The gap between two regions. No load or store crosses it, since none is wider than 16 bytes. */
export const GUARD_BYTES: usize = 64
/** In a region with this pad, loads and stores of 16 bytes may begin at the last byte. */
export const PAD_BYTES: usize = 64

/** One row for each class of values, see facts/facts.ts; then a count for each null word. */
export const FACTS: usize = 2048
/** The ways in which numbers are written, see facts/number-texts.ts; follows the counts. */
export const NUMBER_TEXTS: usize = FACTS + 100 * 32
export const FACTS_END: usize = NUMBER_TEXTS + 16 * 4
/** Powers of ten as doubles, 10^0 to 10^22. */
export const POWERS: usize = 6144
/** Masks and byte orders, see values/wide-digits.ts. */
export const LAST_LANES: usize = 6400
export const DIGIT_LANES: usize = LAST_LANES + 32
export const DIGIT_LANES_BYTES: usize = 4 * 16 * 16
/** Days of each month and days before it, one u32 each: months 0 (empty) to 12 of common years, then of leap years. */
export const MONTHS: usize = 7552
/** Days from 1970-01-01 to January 1 of the years 0 to 10000, i32 each. */
export const YEARS: usize = 8192
/** Where matches of four bytes were last seen, u16 each. */
export const SNAPPY: usize = 49152
export const SNAPPY_BYTES: usize = 32768
/** Slots of the known texts: row number + 1, u16 each. */
export const TEXT_SLOTS: usize = 82048
export const TEXT_SLOT_BITS: u32 = 13
export const ENTRIES_MAX: u32 = 2000
/** The dictionary page. */
export const DICTIONARY: usize = 163840
export const DICTIONARY_BYTES_MAX: usize = 65536
/** The differences of a block, i64 each. */
export const BLOCK: usize = 238080
/** A quoted field without its quotes. */
export const SCRATCH: usize = 239616
export const SCRATCH_BYTES: usize = 16384
/** A number in plain form: with a point and without groups. */
export const PLAIN_NUMBER: usize = 256128
/** The smallest and the largest value, up to 64 bytes each. */
export const LEAST: usize = 272640
export const GREATEST: usize = 272768
/** Rows of the known texts, which are those of the dictionary: 64 bytes each. */
export const TEXT_ROWS: usize = 273408
/** The UTF-8 of each byte of an encoding, see ../shared/single-byte.ts; then bytes to convert, and their UTF-8. */
export const UTF8_OF_BYTES: usize = 401472
export const ENCODED_BYTES: usize = 402560
export const ENCODED_BYTES_MAX: usize = 16384
export const DECODED: usize = 419072
/** `layOut` sets the lengths of the regions from here on. */
const DYNAMIC: usize = 468352

/** What the host needs to know of declared columns: tables of words, states and programs. */
export let rules: usize = 0
let rulesEnd: usize = 0
/** For each record of the row group 0, or the number of a broken rule, u32 each; none if there are no rules. */
export let marks: usize = 0
/** Positions of separators, u32 each, after that of the byte before the records. */
export let places: usize = 0
export let placesEnd: usize = 0
/** A bit for each record of the row group: set if it has a value. */
export let levels: usize = 0
/** Values of one column, 8, 16 or 1 bytes each. */
export let values: usize = 0
/** The bytes of records. */
export let window: usize = 0
/** The texts of a column, each after its length, u32: the page if there is no dictionary. */
export let texts: usize = 0
export let textsEnd: usize = 0
/** Encoded values of other types. */
export let encoded: usize = 0
/** Compressed bytes, or the numbers of dictionary entries. */
export let packed: usize = 0
/** The hashes of keys; none if there are no keys. */
export let hashes: usize = 0
let memoryEnd: usize = 0

/** Lays out the regions; returns how many bytes of memory they need. */
export function layOut(windowBytes: usize, placesMax: usize, recordsMax: usize, rulesBytes: usize, keyBytes: usize): usize {
  rules = DYNAMIC
  rulesEnd = rules + rulesBytes
  marks = after(rulesEnd)
  places = after(marks + (rulesBytes > 0 ? recordsMax * 4 : 0))
  placesEnd = places + 4 + placesMax * 4
  // A block of 64 bytes has at most 64 separators.
  levels = after(placesEnd + 64 * 4)
  values = after(levels + (recordsMax >> 3) + PAD_BYTES)
  window = after(values + recordsMax * 16 + PAD_BYTES)
  texts = after(window + windowBytes + PAD_BYTES)
  textsEnd = texts + recordsMax * 4 + windowBytes
  encoded = after(textsEnd + PAD_BYTES)
  const encodedBytes = recordsMax * 16 + blockOverhead(recordsMax) + 64
  packed = after(encoded + encodedBytes + PAD_BYTES)
  // Snappy turns n bytes into at most 32 + n + n/6.
  const packedMax = max(textsEnd - texts, encodedBytes)
  hashes = after(packed + packedMax + packedMax / 6 + 64 + PAD_BYTES)
  memoryEnd = after(hashes + keyBytes)
  return memoryEnd
}

/**
 * Where region `index` begins, or ends with its pad; tests check that nothing is written between two regions. Zero after
 * the last region.
 */
export function regionBound(index: u32, isEnd: bool): usize {
  switch (index) {
    case 0: return isEnd ? FACTS_END : FACTS
    case 1: return isEnd ? POWERS + 23 * 8 : POWERS
    case 2: return isEnd ? DIGIT_LANES + DIGIT_LANES_BYTES : LAST_LANES
    case 3: return isEnd ? MONTHS + 26 * 4 : MONTHS
    case 4: return isEnd ? YEARS + 10001 * 4 : YEARS
    case 5: return isEnd ? SNAPPY + SNAPPY_BYTES : SNAPPY
    case 6: return isEnd ? TEXT_SLOTS + ((2 as usize) << TEXT_SLOT_BITS) : TEXT_SLOTS
    case 7: return isEnd ? DICTIONARY + DICTIONARY_BYTES_MAX : DICTIONARY
    case 8: return isEnd ? BLOCK + 1024 : BLOCK
    case 9: return isEnd ? SCRATCH + SCRATCH_BYTES + 16 : SCRATCH
    case 10: return isEnd ? PLAIN_NUMBER + SCRATCH_BYTES + 16 : PLAIN_NUMBER
    case 11: return isEnd ? LEAST + 64 : LEAST
    case 12: return isEnd ? GREATEST + 64 : GREATEST
    case 13: return isEnd ? TEXT_ROWS + (ENTRIES_MAX as usize) * 64 : TEXT_ROWS
    case 14: return isEnd ? UTF8_OF_BYTES + 1024 : UTF8_OF_BYTES
    case 15: return isEnd ? ENCODED_BYTES + ENCODED_BYTES_MAX + PAD_BYTES : ENCODED_BYTES
    case 16: return isEnd ? DECODED + 3 * ENCODED_BYTES_MAX + PAD_BYTES : DECODED
    case 17: return isEnd ? rulesEnd : rules
    case 18: return isEnd ? places - GUARD_BYTES : marks
    case 19: return isEnd ? placesEnd + 64 * 4 : places
    case 20: return isEnd ? values - GUARD_BYTES : levels
    case 21: return isEnd ? window - GUARD_BYTES : values
    case 22: return isEnd ? texts - GUARD_BYTES : window
    case 23: return isEnd ? textsEnd + PAD_BYTES : texts
    case 24: return isEnd ? packed - GUARD_BYTES : encoded
    case 25: return isEnd ? hashes - GUARD_BYTES : packed
    case 26: return isEnd ? memoryEnd - GUARD_BYTES : hashes
    default: return 0
  }
}

/** Headers of blocks of 128 values. */
function blockOverhead(records: usize): usize {
  return ((records >> 7) + 1) * 16 + 1024
}

function after(end: usize): usize {
  return (end + GUARD_BYTES + 63) & ~63
}
