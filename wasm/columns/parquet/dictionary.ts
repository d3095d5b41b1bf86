// Dictionary: the distinct texts of a column as a Parquet page. Knows no columns, and does not look for equal texts.
import { DICTIONARY, DICTIONARY_BYTES_MAX, ENTRIES_MAX } from '../memory'

/** How many texts the dictionary has. */
export let entryCount: u32 = 0
/** Bytes of the page. */
export let dictionaryBytes: u32 = 0
/** The text that was added last. */
export let entryAt: usize = 0

export function beginDictionary(): void {
  entryCount = 0
  dictionaryBytes = 0
}

/** Adds a text, numbered by how many there were before. Returns false if there is no room. */
export function addEntry(at: usize, bytes: usize): bool {
  if (entryCount == ENTRIES_MAX || bytes > DICTIONARY_BYTES_MAX) return false
  if (dictionaryBytes + 4 + (bytes as u32) > (DICTIONARY_BYTES_MAX as u32)) return false
  const out = DICTIONARY + dictionaryBytes
  store<u32>(out, bytes as u32)
  entryAt = out + 4
  memory.copy(entryAt, at, bytes)
  dictionaryBytes += 4 + (bytes as u32)
  entryCount++
  return true
}
