// Known texts: the distinct texts of a column as a Parquet dictionary page, and a hash table of them by their bytes: one
// lookup identifies a text and its count. Knows no fields and no values; callers store further facts in the rows.
import {
  DICTIONARY, DICTIONARY_BYTES_MAX, ENTRIES_MAX, LAST_LANES, TEXT_ROWS, TEXT_SLOTS, TEXT_SLOT_BITS,
} from './memory'

// A row of 64 bytes per text: its first 16 bytes, padded with zeros, then u32 each.
const ROW_BYTES: usize = 64
export const BYTES: usize = 16
const START: usize = 20
const COUNT: usize = 24
/** Its first three records, from 1. */
const RECORDS: usize = 28
// Stored by callers.
export const CLASS: usize = 40
export const WORD_NUMBER: usize = 44

/**
 * The most slots tried per text. The table is never more than a quarter full, so a text is found in one or a few
 * steps, unless texts were made to collide.
 */
const stepsMax: u32 = 64

/** How many texts there are, and the bytes of their page. */
export let entryCount: u32 = 0
export let dictionaryBytes: u32 = 0
/** Where to insert a text that was not found; 0 if there is no room. */
let freeSlot: usize = 0

export function forgetTexts(): void {
  memory.fill(TEXT_SLOTS, 0, (2 as usize) << TEXT_SLOT_BITS)
  entryCount = 0
  dictionaryBytes = 0
}

/** The end of the rows, which are contiguous from TEXT_ROWS on. */
export function textRowsEnd(): usize {
  return TEXT_ROWS + (entryCount as usize) * ROW_BYTES
}

/** How many texts were added before that of a row. */
@inline
export function numberOf(row: usize): u32 {
  return ((row - TEXT_ROWS) / ROW_BYTES) as u32
}

@inline
function headOf(start: usize, bytes: usize): v128 {
  return v128.andnot(v128.load(start), v128.load(LAST_LANES + 16 - min(bytes, 16)))
}

@inline
function slotOf(head: v128, start: usize, bytes: usize): usize {
  const low = (i64x2.extract_lane(head, 0) as u64) ^ (bytes as u64)
  let hash = low * 0x9e3779b97f4a7c15 + (i64x2.extract_lane(head, 1) as u64) * 0xff51afd7ed558ccd
  if (bytes > 16) hash ^= hashOfRest(start, bytes)
  // So far, the last bytes of a text have changed only the upper half.
  hash = (hash ^ (hash >> 32)) * 0xc4ceb9fe1a85ec53
  return (hash >> (64 - (TEXT_SLOT_BITS as u64))) as usize
}

function hashOfRest(start: usize, bytes: usize): u64 {
  const last = start + bytes - 8
  let hash: u64 = 0
  for (let at = start + 16; at < last; at += 8) hash = rotl(hash ^ (load<u64>(at) * 0x9e3779b97f4a7c15), 29) * 0xff51afd7ed558ccd
  return (hash ^ load<u64>(last)) * 0x9e3779b97f4a7c15
}

function areSameBehind(a: usize, b: usize, bytes: usize): bool {
  const last = bytes - 8
  for (let at: usize = 16; at < last; at += 8) if (load<u64>(a + at) != load<u64>(b + at)) return false
  return load<u64>(a + last) == load<u64>(b + last)
}

/** The row of a text; 0 if it is not known. */
@inline
export function rowOf(start: usize, bytes: usize): usize {
  const head = headOf(start, bytes)
  let slot = slotOf(head, start, bytes)
  for (let step: u32 = 0; step < stepsMax; step++) {
    const found = load<u16>(TEXT_SLOTS + (slot << 1)) as usize
    if (found == 0) {
      freeSlot = TEXT_SLOTS + (slot << 1)
      return 0
    }
    const row = TEXT_ROWS + (found - 1) * ROW_BYTES
    if (i8x16.all_true(i8x16.eq(v128.load(row), head)) && (load<u32>(row, BYTES) as usize) == bytes) {
      if (bytes <= 16 || areSameBehind(load<u32>(row, START) as usize, start, bytes)) return row
    }
    slot = (slot + 1) & (((1 as usize) << TEXT_SLOT_BITS) - 1)
  }
  freeSlot = 0
  return 0
}

/** Adds a text that `rowOf` has just not found; returns its row, 0 if there is no room. */
export function addText(start: usize, bytes: usize): usize {
  if (freeSlot == 0 || entryCount == ENTRIES_MAX) return 0
  if (bytes > DICTIONARY_BYTES_MAX || (dictionaryBytes as usize) + 4 + bytes > DICTIONARY_BYTES_MAX) return 0
  const at = DICTIONARY + dictionaryBytes + 4
  store<u32>(at - 4, bytes as u32)
  memory.copy(at, start, bytes)
  dictionaryBytes += 4 + (bytes as u32)
  const row = textRowsEnd()
  store<u16>(freeSlot, ++entryCount)
  v128.store(row, headOf(at, bytes))
  store<u32>(row, bytes as u32, BYTES)
  store<u32>(row, at as u32, START)
  store<u32>(row, 0, COUNT)
  return row
}

/** Counts a text of a record, numbered from 1. */
@inline
export function countText(row: usize, record: u32): void {
  const count = load<u32>(row, COUNT)
  store<u32>(row, count + 1, COUNT)
  if (count < 3) store<u32>(row + ((count as usize) << 2), record, RECORDS)
}

@inline
export function countOf(row: usize): u32 {
  return load<u32>(row, COUNT)
}

/** One of the first three records of a text. */
@inline
export function recordOf(row: usize, index: u32): u32 {
  return load<u32>(row + ((index as usize) << 2), RECORDS)
}

/** The row after another. */
@inline
export function rowAfter(row: usize): usize {
  return row + ROW_BYTES
}
