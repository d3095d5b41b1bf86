// Encoding: which characters the bytes of a head stand for, and where a line of its text begins in the bytes. Knows nothing of CSV.
import { isAscii, isUtf8 } from 'node:buffer'
import { ServiceError } from '../core/errors.ts'
import type { Encoding } from '../core/receipt.ts'

/** Tells the likely encoding of text that is neither UTF-8 nor UTF-16 or 32, as a WHATWG name. */
export type LegacyDetector = (head: Uint8Array) => string

/** What was found, and how sure that is. */
export interface EncodingFound {
  readonly encoding: Encoding
  /** True when the bytes allow other encodings too, so that a person should know. */
  readonly isGuess: boolean
}

const utf8: Encoding = { name: 'utf-8', bom: false }
const lf = 0x0a

const marks: readonly { readonly name: string; readonly bytes: readonly number[] }[] = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-32le', bytes: [0xff, 0xfe, 0x00, 0x00] },
  { name: 'utf-32be', bytes: [0x00, 0x00, 0xfe, 0xff] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
]

/**
 * Finds the encoding: the byte order mark, else UTF-16 or 32 by where NULs stand, else UTF-8 where at least as many lines
 * prove it as break it, else what `detectLegacy` says.
 *
 * @param stated A WHATWG label that is obeyed.
 * @throws {ServiceError} BAD_PARAMETER when the stated encoding is not known.
 */
export function findEncoding(head: Uint8Array, detectLegacy: LegacyDetector, stated?: string): EncodingFound {
  const mark = marks.find((candidate) => candidate.bytes.every((byte, at) => head[at] === byte))
  if (stated !== undefined) {
    const name = nameOf(stated)
    return { encoding: { name, bom: mark?.name === name }, isGuess: false }
  }
  if (mark !== undefined) return { encoding: { name: mark.name, bom: true }, isGuess: false }
  const wide = wideEncoding(head)
  if (wide !== null) return { encoding: { name: wide, bom: false }, isGuess: false }
  if (isMostlyUtf8(head)) return { encoding: utf8, isGuess: false }
  return { encoding: { name: detectLegacy(head), bom: false }, isGuess: true }
}

/** The honest guess without a detector: in this, every byte is a character and Western European text is right. */
export const windows1252: LegacyDetector = () => 'windows-1252'

function nameOf(label: string): string {
  const lower = label.trim().toLowerCase()
  if (lower === 'utf-32le' || lower === 'utf-32be') return lower
  try {
    return new TextDecoder(lower).encoding
  } catch (error) {
    throw new ServiceError(
      'BAD_PARAMETER',
      { name: 'encoding', seen: `'${label}'`, wanted: 'a WHATWG encoding label' },
      error,
    )
  }
}

/** UTF-16 or 32 without a mark: NULs stand at regular places, and what is read that way is text. */
function wideEncoding(head: Uint8Array): string | null {
  const start = head.subarray(0, Math.min(head.length, 4096) & ~3)
  const nulls = [0, 0, 0, 0]
  for (const [at, byte] of start.entries()) if (byte === 0) nulls[at & 3] = (nulls[at & 3] ?? 0) + 1
  const [first = 0, second = 0, third = 0, fourth = 0] = nulls
  const units = start.length / 4
  const name = wideName(first / units, second / units, third / units, fourth / units)
  if (name === null || !isText(decodeHead(start, { name, bom: false }))) return null
  // Most characters of a table are ASCII, whatever its language; a text that has fewer NULs may be damaged UTF-8.
  const isHalfNull = (first + second + third + fourth) / start.length > 0.3
  return isHalfNull || !isUtf8(start.subarray(0, start.length - cutBytes(start))) ? name : null
}

/** By the shares of NULs at the four places of a unit of four bytes. */
function wideName(first: number, second: number, third: number, fourth: number): string | null {
  if (first < 0.1 && third > 0.9 && fourth === 1) return 'utf-32le'
  if (fourth < 0.1 && second > 0.9 && first === 1) return 'utf-32be'
  const even = first + third
  const odd = second + fourth
  if (odd > 0.04 && odd > even * 4) return 'utf-16le'
  if (even > 0.04 && even > odd * 4) return 'utf-16be'
  return null
}

/** Without damage, and hardly a control character but tab and line ends. */
function isText(text: string): boolean {
  let odd = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x20 ? code < 0x09 || code > 0x0d : code === 0xfffd) odd += 1
  }
  return odd * 50 <= text.length
}

/** True when no line breaks UTF-8, or fewer do than have proper multi-byte characters. */
function isMostlyUtf8(head: Uint8Array): boolean {
  // A head may be cut inside its last character.
  if (isUtf8(head.subarray(0, head.length - cutBytes(head)))) return true
  let proving = 0
  let breaking = 0
  for (let at = 0; at < head.length; ) {
    const found = head.indexOf(lf, at)
    const end = found < 0 ? head.length : found
    const line = head.subarray(at, end)
    if (!isAscii(line)) {
      if (isUtf8(line)) proving += 1
      else breaking += 1
    }
    at = end + 1
  }
  return proving > 0 && proving >= breaking
}

/** Bytes at the end that begin a character and do not end it, 0 to 3. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}

/** The text of a head, without byte order mark; broken bytes become U+FFFD, a character cut at the end is left out. */
export function decodeHead(head: Uint8Array, encoding: Encoding): string {
  if (encoding.name.startsWith('utf-32')) return decodeUtf32(head, encoding)
  return new TextDecoder(encoding.name).decode(head, { stream: true })
}

function decodeUtf32(head: Uint8Array, encoding: Encoding): string {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const parts: string[] = []
  for (let at = markBytes(encoding); at + 4 <= head.length; at += 4) {
    const point = view.getUint32(at, encoding.name === 'utf-32le')
    parts.push(point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd')
  }
  return parts.join('')
}

/** Length of the byte order mark. */
export function markBytes(encoding: Encoding): number {
  return encoding.bom ? (marks.find((mark) => mark.name === encoding.name)?.bytes.length ?? 0) : 0
}

/**
 * Offset in the bytes after the `count`th character `lineEnd` (LF or CR), byte order mark included; the length when there
 * are fewer. Sound where text was damaged in decoding too: in every encoding read here these two stand for themselves.
 */
export function byteOffsetAfter(head: Uint8Array, encoding: Encoding, lineEnd: number, count: number): number {
  const unit = encoding.name.startsWith('utf-32') ? 4 : encoding.name.startsWith('utf-16') ? 2 : 1
  const isBigEndian = encoding.name.endsWith('be')
  let left = count
  let at = markBytes(encoding)
  while (left > 0 && at < head.length) {
    if (unit === 1) {
      const found = head.indexOf(lineEnd, at)
      if (found < 0) return head.length
      at = found + 1
      left -= 1
      continue
    }
    if (unitAt(head, at, unit, isBigEndian) === lineEnd) left -= 1
    at += unit
  }
  return Math.min(at, head.length)
}

function unitAt(bytes: Uint8Array, at: number, length: number, isBigEndian: boolean): number {
  let value = 0
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[at + (isBigEndian ? index : length - 1 - index)] ?? 0
    value = value * 256 + byte
  }
  return value
}
