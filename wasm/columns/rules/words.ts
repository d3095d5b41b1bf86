// Words: tables of byte strings that the host sorts, by their number of bytes and then their bytes; looked up by halving.
// A table: u32 count, u32 lengths (bit min(bytes, 31) is set if a word has as many), then u32 address and u32 bytes each.

/** The position of a word in a table, from 1; 0 if it has no such word. */
export function positionOf(table: usize, start: usize, bytes: usize): u32 {
  if (((load<u32>(table, 4) >> (min(bytes, 31) as u32)) & 1) == 0) return 0
  let low: u32 = 0
  let high = load<u32>(table)
  while (low < high) {
    const middle = (low + high) >>> 1
    const entry = table + 8 + ((middle as usize) << 3)
    const length = load<u32>(entry, 4) as usize
    let order = length < bytes ? -1 : (length > bytes) as i32
    if (order == 0) order = memory.compare(load<u32>(entry) as usize, start, bytes)
    if (order == 0) return middle + 1
    if (order < 0) low = middle + 1
    else high = middle
  }
  return 0
}
