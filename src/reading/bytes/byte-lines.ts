// Byte lines: the lines of a text that is not decoded yet, in any encoding that contains ASCII. Knows no encoding.

const lf = 0x0a

/** Views of the lines, without their line feeds. After the last line feed, a line only if bytes follow. */
export function* byteLines(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(lf, at)
    const end = found < 0 ? bytes.length : found
    yield bytes.subarray(at, end)
    at = end + 1
  }
}
