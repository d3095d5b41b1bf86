// Dictionary: the different texts of a column as a page of plain texts. Knows no columns, and not which texts are the same.
import { DICTIONARY, DICTIONARY_BYTES_MAX, ENTRIES_MAX } from '../memory'
import { addText, beginTexts, endTexts } from './statistics'

/** How many different texts there are. */
export let entryCount: u32 = 0
/** Bytes of the page. */
export let dictionaryBytes: u32 = 0

export function beginDictionary(): void {
  entryCount = 0
  dictionaryBytes = 0
}

/** Adds a text, whose number is how many there were before. Gives false where it has no room. */
export function addEntry(at: usize, bytes: usize): bool {
  if (entryCount == ENTRIES_MAX || bytes > DICTIONARY_BYTES_MAX) return false
  if (dictionaryBytes + 4 + (bytes as u32) > (DICTIONARY_BYTES_MAX as u32)) return false
  const out = DICTIONARY + dictionaryBytes
  store<u32>(out, bytes as u32)
  memory.copy(out + 4, at, bytes)
  dictionaryBytes += 4 + (bytes as u32)
  entryCount++
  return true
}

/** The least and the greatest text, which are among the entries. */
export function dictionaryStatistics(): void {
  const end = DICTIONARY + dictionaryBytes
  let at = DICTIONARY
  beginTexts(at + 4, load<u32>(at) as usize)
  for (at += 4 + load<u32>(at); at < end; at += 4 + load<u32>(at)) addText(at + 4, load<u32>(at) as usize)
  endTexts()
}
