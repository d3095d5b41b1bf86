// Platform bytes: byte operations that Node does faster than JavaScript can. web/check/platform/platform-bytes.ts has the same for browsers.
import { isAscii, isUtf8 } from 'node:buffer'

export { isAscii, isUtf8 }

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** True if `wanted` occurs in the bytes at or after `from`. */
export function includesBytes(bytes: Uint8Array, wanted: Uint8Array, from: number): boolean {
  return bufferOf(bytes).includes(bufferOf(wanted), from)
}

/** One character for each byte: U+0000 to U+00FF. A TextDecoder reads the label `latin1` as windows-1252. */
export function latin1Text(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('latin1')
}

/** The bytes of characters up to U+00FF. */
export function latin1Bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

/**
 * The text of code units in the byte order of UTF-16LE; lone surrogates stay as they are. An odd byte at the end is
 * dropped.
 */
export function utf16Text(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('utf16le')
}

/** Writes the code units of a text to an array, which is read in a fraction of the time that a string takes. */
export function writeCodeUnits(text: string, units: Uint16Array): void {
  Buffer.from(units.buffer, units.byteOffset, units.byteLength).write(text, 'utf16le')
}

/** Swaps the bytes of each unit of two, in place. */
export function swapUnits(bytes: Uint8Array): void {
  bufferOf(bytes).swap16()
}

export function utf8Bytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}

export function base64Text(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('base64')
}
