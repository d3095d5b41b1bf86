// Other numbers: turns numbers with another decimal character or with groups of three digits into plain ones.
// Knows no columns.
import { GROUP_NONE } from './value-classes'
import { countDigits } from './digits'
import { PLAIN_NUMBER, SCRATCH_BYTES } from '../memory'

/** Where the last plain number ends; it begins at PLAIN_NUMBER. */
export let plainEnd: usize = 0
/** How many groups followed its first digits. */
export let groupCount: u32 = 0

const point: u32 = 46

/** Bytes of the group character if it is at `at`, else 0. */
export function groupBytes(group: u32, at: usize, end: usize): usize {
  const byte = load<u8>(at) as u32
  switch (group) {
    case 0:
      return (byte == 44) as usize
    case 1:
      return (byte == point) as usize
    case 2:
      return (byte == 32) as usize
    case 3:
      return (byte == 39) as usize
    case 4:
      return at + 1 < end && load<u16>(at) == 0xa0c2 ? 2 : 0
    case 5:
      return at + 2 < end && load<u16>(at) == 0x80e2 && load<u8>(at, 2) == 0xaf ? 3 : 0
    case 6:
      return at + 2 < end && load<u16>(at) == 0x80e2 && load<u8>(at, 2) == 0x99 ? 3 : 0
    default:
      return 0
  }
}

/**
 * Removes the group characters of a number, and makes its decimal character a point. Returns false for a text with
 * other groups than the form has, or another decimal character. Does not check that the rest is a number.
 */
export function toPlainNumber(start: usize, end: usize, decimal: u32, group: u32): bool {
  groupCount = 0
  if (end - start > SCRATCH_BYTES) return false
  let out = PLAIN_NUMBER
  let at = start
  if (at < end && load<u8>(at) == 45) {
    store<u8>(out++, 45)
    at++
  }
  const first = at
  const count = countDigits(at, end)
  memory.copy(out, at, count)
  out += count
  at += count
  if (group != GROUP_NONE) {
    while (at < end) {
      const bytes = groupBytes(group, at, end)
      if (bytes == 0) break
      if (countDigits(at + bytes, end) != 3) return false
      memory.copy(out, at + bytes, 3)
      out += 3
      at += bytes + 3
      groupCount++
    }
    if (groupCount > 0 && (count - 1 >= 3 || load<u8>(first) == 48)) return false
  }
  if (at < end) {
    const byte = load<u8>(at) as u32
    if (byte == decimal) {
      store<u8>(out++, point)
      at++
    } else if ((byte | 32) != 101) return false
    memory.copy(out, at, end - at)
    out += end - at
  }
  plainEnd = out
  return true
}
