// Known fields: a hash table of fields by their bytes in the file: one lookup identifies a field and its count.
// Knows no values; callers store further facts in the rows.
import { FIELDS, FIELDS_MAX, FIELD_SLOTS, FIELD_SLOT_BITS, LAST_LANES } from '../memory'

// A row of 64 bytes per field: its first 16 bytes, padded with zeros, then u32 each.
const ROW_BYTES: usize = 64
const BYTES: usize = 16
const START: usize = 20
const COUNT: usize = 24
/** Its first three records, from 1. */
const RECORDS: usize = 28
// Stored by callers.
export const NUMBER: usize = 40
export const TEXT_BYTES: usize = 44
export const CLASS: usize = 48
export const WORD_NUMBER: usize = 52

/**
 * The most slots tried per field. The table is never more than a quarter full, so a field is found in one or a few
 * steps, unless fields were made to collide.
 */
const stepsMax: u32 = 64

let fieldCount: u32 = 0
/** Where to insert a field that was not found; 0 if there is no room. */
let freeSlot: usize = 0

export function forgetFields(): void {
  memory.fill(FIELD_SLOTS, 0, (2 as usize) << FIELD_SLOT_BITS)
  fieldCount = 0
}

/** The end of the rows, which are contiguous from FIELDS on. */
export function fieldsEnd(): usize {
  return FIELDS + (fieldCount as usize) * ROW_BYTES
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
  // So far, the last bytes of a field have changed only the upper half.
  hash = (hash ^ (hash >> 32)) * 0xc4ceb9fe1a85ec53
  return (hash >> (64 - (FIELD_SLOT_BITS as u64))) as usize
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

/** The row of a field; 0 if it is not known. */
@inline
export function rowOf(start: usize, bytes: usize): usize {
  const head = headOf(start, bytes)
  let slot = slotOf(head, start, bytes)
  for (let step: u32 = 0; step < stepsMax; step++) {
    const found = load<u16>(FIELD_SLOTS + (slot << 1)) as usize
    if (found == 0) {
      freeSlot = FIELD_SLOTS + (slot << 1)
      return 0
    }
    const row = FIELDS + (found - 1) * ROW_BYTES
    if (i8x16.all_true(i8x16.eq(v128.load(row), head)) && (load<u32>(row, BYTES) as usize) == bytes) {
      if (bytes <= 16 || areSameBehind(load<u32>(row, START) as usize, start, bytes)) return row
    }
    slot = (slot + 1) & (((1 as usize) << FIELD_SLOT_BITS) - 1)
  }
  freeSlot = 0
  return 0
}

/** Adds a field that `rowOf` has just not found; returns its row, 0 if there is no room. Its bytes are not copied. */
export function addField(start: usize, bytes: usize): usize {
  if (freeSlot == 0 || fieldCount == FIELDS_MAX) return 0
  const row = fieldsEnd()
  store<u16>(freeSlot, ++fieldCount)
  v128.store(row, headOf(start, bytes))
  store<u32>(row, bytes as u32, BYTES)
  store<u32>(row, start as u32, START)
  store<u32>(row, 0, COUNT)
  return row
}

/** Counts a field of a record, numbered from 1. */
@inline
export function countField(row: usize, record: u32): void {
  const count = load<u32>(row, COUNT)
  store<u32>(row, count + 1, COUNT)
  if (count < 3) store<u32>(row + ((count as usize) << 2), record, RECORDS)
}

@inline
export function countOf(row: usize): u32 {
  return load<u32>(row, COUNT)
}

/** One of the first three records of a field. */
@inline
export function recordOf(row: usize, index: u32): u32 {
  return load<u32>(row + ((index as usize) << 2), RECORDS)
}

/** The row after another. */
@inline
export function rowAfter(row: usize): usize {
  return row + ROW_BYTES
}
