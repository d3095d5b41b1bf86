// Pattern: whether a text matches a pattern, by tables of states that the host lays out (src/columns/patterns). Knows no
// columns.
//
// A block has, u32 each: where the first row is, and how many intervals there are; two unused; the column of each ASCII
// character; the first code point of each interval from 128 on, and its column; then a row for each state: whether a
// text may end there, and the next row for each column. Rows and columns are offsets in bytes.

/** Instead of a row: the host has to be asked, or no text matches any more. */
const UNKNOWN: usize = 0
const DEAD: usize = 4
const ASCII: usize = 16
const INTERVALS: usize = ASCII + 128 * 4

/** Provided by the host: a row that is not known yet. It may clear all others. */
@external("host", "nextRow")
declare function nextRow(block: usize, row: usize, column: usize): usize

/** Whether the whole text, in UTF-8, matches the pattern with the tables at `block`. */
export function matchesPattern(block: usize, start: usize, end: usize): bool {
  let row = load<u32>(block) as usize
  let at = start
  while (at < end) {
    const byte = load<u8>(at) as usize
    let column: usize
    if (byte < 128) {
      column = load<u32>(block + (byte << 2), ASCII)
      at++
    } else {
      const bytes: usize = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
      column = columnOf(block, codePoint(at, bytes))
      at += bytes
    }
    let next = load<u32>(block + column + row) as usize
    if (next <= DEAD) {
      if (next == UNKNOWN) next = nextRow(block, row, column)
      if (next == DEAD) return false
    }
    row = next
  }
  return load<u32>(block + row) != 0
}

/** Of a sequence of 2 to 4 bytes. */
function codePoint(at: usize, bytes: usize): u32 {
  const second = (load<u8>(at, 1) & 0x3f) as u32
  const first = load<u8>(at) as u32
  if (bytes == 2) return ((first & 0x1f) << 6) | second
  const third = (second << 6) | (load<u8>(at, 2) & 0x3f)
  if (bytes == 3) return ((first & 0x0f) << 12) | third
  return ((first & 0x07) << 18) | (third << 6) | (load<u8>(at, 3) & 0x3f)
}

/** The column of the last interval that begins at or before `codePoint`. */
function columnOf(block: usize, codePoint: u32): usize {
  const intervals = block + INTERVALS
  let low: usize = 0
  let high = load<u32>(block, 4) as usize
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (load<u32>(intervals + (middle << 3)) <= codePoint) low = middle
    else high = middle
  }
  return load<u32>(intervals + (low << 3), 4)
}
