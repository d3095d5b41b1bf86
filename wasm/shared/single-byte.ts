// Single byte: converts text with one byte per character to UTF-8. Knows no encoding, and nothing of records.

/**
 * Writes bytes from … end-1 to `out` as UTF-8; returns the end. Up to 16 bytes after it are overwritten. `table` has
 * the UTF-8 of each byte, the first byte lowest, and its length in the highest eight bits. With `isAscii`, bytes below
 * 0x80 are ASCII.
 */
export function toUtf8(table: usize, from: usize, end: usize, out: usize, isAscii: bool): usize {
  let at = from
  while (at < end) {
    if (isAscii) {
      const bytes = v128.load(at)
      v128.store(out, bytes)
      const plain = min(ctz(i8x16.bitmask(bytes) | 0x10000) as usize, end - at)
      at += plain
      out += plain
      if (plain == 16) continue
    }
    // Bytes other than ASCII come in groups, unless they are rare.
    while (at < end) {
      const byte = load<u8>(at) as usize
      if (isAscii && byte < 0x80) break
      const utf8 = load<u32>(table + (byte << 2))
      store<u32>(out, utf8)
      out += (utf8 >> 24) as usize
      at++
    }
  }
  return out
}
