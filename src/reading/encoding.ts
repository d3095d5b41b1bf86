// Encoding: which characters the bytes of a head stand for, and where a line of its text begins in the bytes. Knows nothing of CSV.
import { isAscii, isUtf8 } from 'node:buffer'
import { ServiceError } from '../core/errors.ts'
import type { Encoding } from '../core/receipt.ts'
import { createDecoder, encodingName } from './decoder.ts'
import { detectLegacy } from './legacy.ts'

/** What was found, and how sure that is. */
interface EncodingFound {
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
 * prove it as break it, else the encoding from before Unicode under which the bytes look most like words.
 *
 * @param stated A label that is obeyed.
 * @throws {ServiceError} BAD_PARAMETER when the stated encoding is not known; NOT_READABLE when none fits the bytes.
 */
export function findEncoding(head: Uint8Array, stated?: string): EncodingFound {
  const mark = marks.find((candidate) => candidate.bytes.every((byte, at) => head[at] === byte))
  if (stated !== undefined) {
    const name = encodingName(stated)
    if (name !== null) return { encoding: { name, bom: mark?.name === name }, isGuess: false }
    throw new ServiceError('BAD_PARAMETER', {
      name: 'encoding',
      seen: `'${stated}'`,
      wanted: 'a WHATWG encoding label',
    })
  }
  if (mark !== undefined) return { encoding: { name: mark.name, bom: true }, isGuess: false }
  const wide = wideEncoding(head)
  if (wide !== null) return { encoding: { name: wide, bom: false }, isGuess: false }
  // Its bytes are all ASCII; only the escapes to and from Kanji tell it from UTF-8.
  if (Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes('\x1b$B')) {
    return { encoding: { name: 'iso-2022-jp', bom: false }, isGuess: false }
  }
  const lines = judgeUtf8(head)
  if (lines.breaking === 0 || (lines.proving > 0 && lines.proving >= lines.breaking))
    return { encoding: utf8, isGuess: false }
  const legacy = detectLegacy(head)
  if (legacy !== null) return { encoding: { name: legacy, bom: false }, isGuess: true }
  // Lines with a few odd bytes are rejects; a text full of them would be damaged by whatever we guess.
  if (oddBytes(head) * 5 <= head.length) return { encoding: utf8, isGuess: true }
  throw new ServiceError('NOT_READABLE', {
    problem: 'its encoding is none that is known here; save it as UTF-8 and send that, or state the encoding',
  })
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

/** How many lines break UTF-8, and how many prove it by proper multi-byte characters. */
function judgeUtf8(head: Uint8Array): { proving: number; breaking: number } {
  // A head may be cut inside its last character.
  if (isUtf8(head.subarray(0, head.length - cutBytes(head)))) return { proving: 0, breaking: 0 }
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
  return { proving, breaking }
}

function oddBytes(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte >= 0x80) count += 1
  return count
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
  return createDecoder(encoding.name, 'replace')(head, false)
}

/** Length of the byte order mark. */
function markBytes(encoding: Encoding): number {
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
