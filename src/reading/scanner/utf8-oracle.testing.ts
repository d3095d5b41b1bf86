// UTF-8 oracle: finds the first invalid byte, byte by byte, for the scanner's oracle.

/** Index of the first byte that is not UTF-8, or NUL. Lengths and ranges as in the table of RFC 3629, section 4. */
export function firstBadByte(bytes: Uint8Array, start: number, end: number): number | null {
  for (let at = start; at < end; ) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, Math.min(at + 4, end))
    const isTail = (byte: number) => byte >= 0x80 && byte <= 0xbf
    if (a > 0 && a <= 0x7f) at += 1
    else if (a >= 0xc2 && a <= 0xdf && isTail(b)) at += 2
    else if (a === 0xe0 && b >= 0xa0 && b <= 0xbf && isTail(c)) at += 3
    else if (a >= 0xe1 && a <= 0xec && isTail(b) && isTail(c)) at += 3
    else if (a === 0xed && b >= 0x80 && b <= 0x9f && isTail(c)) at += 3
    else if (a >= 0xee && a <= 0xef && isTail(b) && isTail(c)) at += 3
    else if (a === 0xf0 && b >= 0x90 && b <= 0xbf && isTail(c) && isTail(d)) at += 4
    else if (a >= 0xf1 && a <= 0xf3 && isTail(b) && isTail(c) && isTail(d)) at += 4
    else if (a === 0xf4 && b >= 0x80 && b <= 0x8f && isTail(c) && isTail(d)) at += 4
    else return at
  }
  return null
}
