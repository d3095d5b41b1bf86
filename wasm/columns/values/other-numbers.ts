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

/** The UTF-8 of a group character as a number, the first byte lowest. */
export function groupText(group: u32): u32 {
  if (group < 4) return group == 0 ? 44 : group == 1 ? point : group == 2 ? 32 : 39
  return group == 4 ? 0xa0c2 : group == 5 ? 0xaf80e2 : 0x9980e2
}

@inline
export function utf8Bytes(character: u32): usize {
  return (4 - (clz(character) >> 3)) as usize
}

/** Bytes of a character, as its UTF-8, if it is at `at`; else 0. */
@inline
export function bytesAt(character: u32, at: usize, end: usize): usize {
  const bytes = utf8Bytes(character)
  if (character == 0 || at + bytes > end) return 0
  return (load<u32>(at) & (0xffffffff >> ((4 - (bytes as u32)) << 3))) == character ? bytes : 0
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
    const character = groupText(group)
    while (at < end) {
      const bytes = bytesAt(character, at, end)
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
