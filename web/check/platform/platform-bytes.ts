// Platform bytes: src/reading/bytes/platform-bytes.ts for browsers; the build of the page replaces that with this. A test keeps them equivalent.

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true })
const encoder = new TextEncoder()
/** Arguments of one call; engines accept some tens of thousands. */
const argumentsMax = 8_192

export function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) if ((bytes[at] as number) >= 0x80) return false
  return true
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictUtf8.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** True if `wanted` occurs in the bytes at or after `from`. */
export function includesBytes(bytes: Uint8Array, wanted: Uint8Array, from: number): boolean {
  return latin1Text(bytes.subarray(from)).includes(latin1Text(wanted))
}

/** One character for each byte: U+0000 to U+00FF. A TextDecoder reads the label `latin1` as windows-1252. */
export function latin1Text(bytes: Uint8Array): string {
  return codesText(bytes)
}

/** The bytes of characters up to U+00FF. */
export function latin1Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/**
 * The text of code units in the byte order of UTF-16LE; lone surrogates stay as they are. An odd byte at the end is
 * dropped.
 */
export function utf16Text(bytes: Uint8Array): string {
  const whole = bytes.subarray(0, bytes.length & ~1)
  const text = utf16.decode(whole)
  // The platform's decoder is fast, but replaces a lone surrogate with U+FFFD.
  if (!text.includes('\ufffd')) return text
  const view = new DataView(whole.buffer, whole.byteOffset, whole.length)
  return codesText(Uint16Array.from({ length: whole.length / 2 }, (_, at) => view.getUint16(2 * at, true)))
}

function codesText(codes: Uint8Array | Uint16Array): string {
  let text = ''
  for (let from = 0; from < codes.length; from += argumentsMax) {
    text += String.fromCharCode(...codes.subarray(from, from + argumentsMax))
  }
  return text
}

/** Writes the code units of a text to an array, which is read in a fraction of the time that a string takes. */
export function writeCodeUnits(text: string, units: Uint16Array): void {
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at)
}

/** Swaps the bytes of each unit of two, in place. */
export function swapUnits(bytes: Uint8Array): void {
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const first = bytes[at] as number
    bytes[at] = bytes[at + 1] as number
    bytes[at + 1] = first
  }
}

export function utf8Bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export function base64Text(bytes: Uint8Array): string {
  return btoa(latin1Text(bytes))
}
