// Dictionary: the different texts of a column, and for each text which of them it is. Knows texts that lie one behind the
// other, nothing of columns.
import { DICTIONARY, DICTIONARY_BYTES_MAX, ENTRIES, ENTRIES_MAX, SLOTS, SLOT_COUNT } from '../memory'
import { addText, beginTexts, endTexts } from './statistics'

/** How many different texts there are. */
export let entryCount: u32 = 0
/** Bytes of the dictionary as a page of plain texts. */
export let dictionaryBytes: u32 = 0

/** When so many different texts more than a quarter of those seen are found, most are different. */
const differentMax: u32 = 1024

/** A table that is never more than a quarter full finds a text at once or nearly, unless texts were made to collide. */
const stepsMax: u32 = 64

/** Numbers texts, u16 each at `numbers`, by their lengths, i64 each. Gives false where too many are different, or too long. */
export function numberTexts(from: usize, lengths: usize, count: u32, numbers: usize): bool {
  memory.fill(SLOTS, 0, SLOT_COUNT << 3)
  entryCount = 0
  dictionaryBytes = 0
  let at = from
  for (let i: u32 = 0; i < count; i++) {
    const bytes = load<i64>(lengths + (i << 3)) as usize
    const number = numberOf(at, bytes)
    if (number == ENTRIES_MAX || entryCount > differentMax + (i >> 2)) return false
    store<u16>(numbers + (i << 1), number)
    at += bytes
  }
  return true
}

@inline
function hashOf(at: usize, bytes: usize): u64 {
  let hash = (bytes as u64) * 0x9e3779b97f4a7c15
  if (bytes >= 8) {
    const last = at + bytes - 8
    for (let i = at; i < last; i += 8) hash = rotl(hash ^ (load<u64>(i) * 0x9e3779b97f4a7c15), 29) * 0xff51afd7ed558ccd
    hash ^= load<u64>(last)
  } else if (bytes > 0) hash ^= load<u64>(at) << (64 - ((bytes as u64) << 3))
  hash *= 0xff51afd7ed558ccd
  return hash ^ (hash >> 32)
}

@inline
function areSame(a: usize, b: usize, bytes: usize): bool {
  if (bytes >= 8) {
    const last = bytes - 8
    for (let i: usize = 0; i < last; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false
    return load<u64>(a + last) == load<u64>(b + last)
  }
  return bytes == 0 || (load<u64>(a) ^ load<u64>(b)) << (64 - ((bytes as u64) << 3)) == 0
}

/** ENTRIES_MAX where it has no room. */
function numberOf(at: usize, bytes: usize): u32 {
  const hash = hashOf(at, bytes)
  const tag = (hash >> 32) as u32
  let slot = (hash as usize) & (SLOT_COUNT - 1)
  for (let step: u32 = 0; step < stepsMax; step++) {
    const row = SLOTS + (slot << 3)
    const found = load<u32>(row)
    if (found == 0) return addEntry(row, tag, at, bytes)
    if (load<u32>(row, 4) == tag) {
      const entry = ENTRIES + (((found - 1) as usize) << 3)
      if (load<u32>(entry, 4) == (bytes as u32) && areSame(load<u32>(entry) as usize, at, bytes)) return found - 1
    }
    slot = (slot + 1) & (SLOT_COUNT - 1)
  }
  return ENTRIES_MAX
}

function addEntry(row: usize, tag: u32, at: usize, bytes: usize): u32 {
  if (entryCount == ENTRIES_MAX || bytes > DICTIONARY_BYTES_MAX) return ENTRIES_MAX
  if (dictionaryBytes + 4 + (bytes as u32) > (DICTIONARY_BYTES_MAX as u32)) return ENTRIES_MAX
  const entry = ENTRIES + ((entryCount as usize) << 3)
  store<u32>(entry, at as u32)
  store<u32>(entry, bytes as u32, 4)
  const out = DICTIONARY + dictionaryBytes
  store<u32>(out, bytes as u32)
  memory.copy(out + 4, at, bytes)
  dictionaryBytes += 4 + (bytes as u32)
  store<u32>(row, ++entryCount)
  store<u32>(row, tag, 4)
  return entryCount - 1
}

/** The least and the greatest text, which are among the entries. */
export function dictionaryStatistics(): void {
  beginTexts(load<u32>(ENTRIES) as usize, load<u32>(ENTRIES, 4) as usize)
  for (let i: u32 = 1; i < entryCount; i++) {
    const entry = ENTRIES + ((i as usize) << 3)
    addText(load<u32>(entry) as usize, load<u32>(entry, 4) as usize)
  }
  endTexts()
}
