// Detect encoding: the encoding of a head, and the byte offsets of lines of its text. Knows nothing of CSV.
import { ServiceError } from '../../core/errors.ts'
import { noteLinesMax } from '../../core/notes.ts'
import type { Encoding } from '../../core/receipt.ts'
import { byteLines } from '../bytes/byte-lines.ts'
import { includesBytes, isAscii, isUtf8, latin1Text } from '../bytes/platform-bytes.ts'
import { codePage, detectEbcdic } from './code-pages.ts'
import { createDecoder, encodingName } from './decoder.ts'
import { detectLegacy } from './detect-legacy.ts'
import { declaredRefusal, hzDoubt, provenRefusal } from './refused-encodings.ts'
import { kindOf } from './single-byte.ts'

/** The encoding, and how certain it is. */
export interface EncodingFound {
  readonly encoding: Encoding
  /** The evidence, as a sentence. */
  readonly why: string
  /** True if other encodings are possible too, so that a person should know. */
  readonly isGuess: boolean
  /** What the doubt is, if the guess alone does not say it. */
  readonly doubt?: string
  /** Set if some lines are valid UTF-8 although the encoding is not: the file may have been assembled from several. */
  readonly utf8Lines?: Utf8Lines
}

/** Lines that prove UTF-8. */
export interface Utf8Lines {
  readonly count: number
  /** The first of them, from 1, at most noteLinesMax. */
  readonly first: readonly number[]
}

const lf = 0x0a
const escapeByte = 0x1b
/** `~{` */
const hzShift = Uint8Array.of(0x7e, 0x7b)

const marks: readonly { readonly name: string; readonly bytes: readonly number[] }[] = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-32le', bytes: [0xff, 0xfe, 0x00, 0x00] },
  { name: 'utf-32be', bytes: [0x00, 0x00, 0xfe, 0xff] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
]

/**
 * Detects the encoding: by the byte order mark; else UTF-16 or 32 by the positions of NULs; else UTF-8 if at least as many
 * lines prove it as break it; else the legacy encoding under which the bytes look most like words.
 *
 * @param declared A label from the client, which always wins.
 * @throws {ServiceError} BAD_PARAMETER if the declared encoding is unknown or refused; NOT_READABLE if none fits the bytes,
 * or one that is refused.
 */
export function detectEncoding(head: Uint8Array, declared?: string): EncodingFound {
  const mark = marks.find((candidate) => candidate.bytes.every((byte, at) => head[at] === byte))
  if (declared !== undefined) {
    const name = widthOnly(declared, mark?.name ?? wideEncoding(head)) ?? encodingName(declared)
    if (name !== null) return found(name, `Encoding ${name}, as declared.`, mark?.name === name)
    throw new ServiceError('BAD_PARAMETER', {
      name: 'encoding',
      seen: `'${declared}'`,
      expected: declaredRefusal(declared) ?? 'a WHATWG encoding label',
    })
  }
  if (mark !== undefined)
    return found(mark.name, `Encoding ${mark.name}: the file begins with its byte order mark.`, true)
  const wide = wideEncoding(head)
  if (wide !== null) return found(wide, `Encoding ${wide}: at least every other byte is zero, at regular positions.`)
  if (head.includes(escapeByte)) {
    const text = latin1Text(head)
    // Its bytes are all ASCII; only the escapes to and from Kanji distinguish it from UTF-8.
    if (text.includes('\x1b$B'))
      return found('iso-2022-jp', 'Encoding iso-2022-jp: it has escape sequences to and from Kanji among ASCII.')
    const problem = isAscii(head) ? provenRefusal(text) : null
    if (problem !== null) throw new ServiceError('NOT_READABLE', { problem })
  }
  return narrowEncoding(head)
}

function found(name: string, why: string, bom = false): EncodingFound {
  return { encoding: { name, bom }, why, isGuess: false }
}

/** The byte order that the bytes have, for a label that names none, such as `utf-16`. */
function widthOnly(label: string, found: string | null): string | null {
  const bits = /^utf[-_]?(16|32)$/i.exec(label.trim())?.[1]
  return bits !== undefined && found?.startsWith(`utf-${bits}`) ? found : null
}

function guess(name: string, why: string): EncodingFound {
  return { encoding: { name, bom: false }, why, isGuess: true }
}

/** UTF-8, or a legacy encoding. */
function narrowEncoding(head: Uint8Array): EncodingFound {
  const { verifying, first, breaking } = checkUtf8(head)
  if (breaking === 0) {
    const what = isAscii(head) ? 'ASCII, which is the same in most encodings' : 'valid UTF-8'
    const proven = found('utf-8', `Encoding utf-8: all bytes of the head are ${what}.`)
    const doubt = includesBytes(head, hzShift, 0) && isAscii(head) ? hzDoubt(latin1Text(head)) : null
    return doubt === null ? proven : { ...proven, isGuess: true, doubt }
  }
  const lines = `${breaking} lines of the head are not valid UTF-8, ${verifying} prove it`
  if (verifying >= breaking) return found('utf-8', `Encoding utf-8: ${lines}.`)
  const ebcdic = detectEbcdic(head)
  if (ebcdic !== null)
    return guess(ebcdic, `Encoding ${ebcdic}: the bytes are the letters, digits and blanks of EBCDIC.`)
  const legacy = detectLegacy(head)
  if (legacy !== null) {
    const guessed = guess(legacy, `Encoding ${legacy}: ${lines}; in this encoding, the bytes look most like words.`)
    // Characters of two bytes may be valid UTF-8 by chance.
    const isTelling = verifying > 0 && kindOf(legacy) === 'single-byte'
    return isTelling ? { ...guessed, utf8Lines: { count: verifying, first } } : guessed
  }
  // Lines with a few invalid bytes are rejects; a text full of them would be damaged by any guess.
  const fallback = verifying > 0 ? 'utf-8' : 'windows-1252'
  if (oddBytes(head) * 5 <= head.length) return guess(fallback, `Encoding ${fallback}: ${lines}, and no other fits.`)
  throw new ServiceError('NOT_READABLE', {
    problem: 'its encoding is unknown; save it as UTF-8 and send that, or declare the encoding',
  })
}

/** UTF-16 or 32 without a mark: NULs are at regular positions, and decoding that way yields text. */
function wideEncoding(head: Uint8Array): string | null {
  const start = head.subarray(0, Math.min(head.length, 4096) & ~3)
  const nulls = [0, 0, 0, 0]
  for (let at = start.indexOf(0); at >= 0; at = start.indexOf(0, at + 1)) nulls[at & 3] = (nulls[at & 3] ?? 0) + 1
  const [first = 0, second = 0, third = 0, fourth = 0] = nulls
  const units = start.length / 4
  const name = wideName(first / units, second / units, third / units, fourth / units)
  if (name === null || !isText(decodeHead(start, { name, bom: false }))) return null
  // Most characters of a table are ASCII in many languages; a text that has fewer NULs may be damaged UTF-8.
  const isHalfNull = (first + second + third + fourth) / start.length > 0.3
  if (isHalfNull) return name
  const isNarrow =
    isUtf8(start.subarray(0, start.length - cutBytes(start))) && isText(latin1Text(start.filter((byte) => byte !== 0)))
  return !isNarrow && endsItsLines(start, name) ? name : null
}

/** Decides by the share of NULs at each of the positions in a 4-byte unit. */
function wideName(first: number, second: number, third: number, fourth: number): string | null {
  if (first < 0.1 && third > 0.9 && fourth === 1) return 'utf-32le'
  if (fourth < 0.1 && second > 0.9 && first === 1) return 'utf-32be'
  const even = first + third
  const odd = second + fourth
  if (odd > even * 4) return 'utf-16le'
  if (even > odd * 4) return 'utf-16be'
  return null
}

/** True if lines end in 2-byte units, not in single bytes: a text in Cyrillic or Han has few other NULs. */
function endsItsLines(start: Uint8Array, name: string): boolean {
  const isBigEndian = name === 'utf-16be'
  let ends = 0
  let others = 0
  for (let at = start.indexOf(lf); at >= 0; at = start.indexOf(lf, at + 1)) {
    const isUnit = (at & 1) === (isBigEndian ? 1 : 0) && start[isBigEndian ? at - 1 : at + 1] === 0
    if (isUnit) ends += 1
    else others += 1
  }
  // Letters may have such a byte too: U+0E0A is frequent in Thai.
  return ends > 0 && ends * 4 >= others
}

/** Undamaged, with hardly any control characters but tab and line ends. */
function isText(text: string): boolean {
  let odd = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x20 ? code < 0x09 || code > 0x0d : code === 0xfffd) odd += 1
  }
  return odd * 50 <= text.length
}

/** How many lines break UTF-8, and how many prove it by valid multi-byte characters, with the first of these. */
function checkUtf8(head: Uint8Array): { verifying: number; first: readonly number[]; breaking: number } {
  const first: number[] = []
  // A head may be cut inside its last character.
  if (isUtf8(head.subarray(0, head.length - cutBytes(head)))) return { verifying: 0, first, breaking: 0 }
  let line = 0
  let verifying = 0
  let breaking = 0
  for (const bytes of byteLines(head)) {
    line += 1
    if (isAscii(bytes)) continue
    if (isUtf8(bytes)) {
      verifying += 1
      if (first.length < noteLinesMax) first.push(line)
    } else breaking += 1
  }
  return { verifying, first, breaking }
}

function oddBytes(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte >= 0x80) count += 1
  return count
}

/** Number of bytes at the end that begin a character without completing it, 0 to 3. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}

/**
 * Longer texts are kept outside the heap by Node, where many megabytes of them accumulate before the collector runs.
 * Bytes, a multiple of every unit.
 */
const decodedBytesMax = 262_144

/** The text of a head, without byte order mark; invalid bytes become U+FFFD, an incomplete last character is dropped. */
export function decodeHead(head: Uint8Array, encoding: Encoding): string {
  const decode = createDecoder(encoding.name, 'replace')
  let text = ''
  for (let from = 0; from < head.length; from += decodedBytesMax) {
    text += decode(head.subarray(from, from + decodedBytesMax), false)
  }
  return text
}

/** Length of the byte order mark. */
function markBytes(encoding: Encoding): number {
  return encoding.bom ? (marks.find((mark) => mark.name === encoding.name)?.bytes.length ?? 0) : 0
}

/**
 * Offset after the `count`th character `lineEnd` (LF or CR) in the bytes, byte order mark included; the length if there
 * are fewer. Correct for damaged text too: in every encoding read here these two characters are encoded as themselves, or,
 * in EBCDIC, have bytes of their own.
 */
export function byteOffsetAfter(
  head: Uint8Array,
  encoding: Encoding,
  lineEnd: number,
  count: number,
  from = markBytes(encoding),
): number {
  const unit = codeUnitBytes(encoding.name)
  const isBigEndian = encoding.name.endsWith('be')
  let left = count
  let at = from
  const page = codePage(encoding.name)
  if (page !== undefined) {
    const ends = lineEndBytes(page, lineEnd)
    for (; left > 0 && at < head.length; at += 1) if (ends.includes(head[at] ?? 0)) left -= 1
    return at
  }
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

/** Bytes of an ASCII character. */
export function codeUnitBytes(encoding: string): number {
  return encoding.startsWith('utf-32') ? 4 : encoding.startsWith('utf-16') ? 2 : 1
}

/** The bytes of a line end in a code page. */
function lineEndBytes(page: string, lineEnd: number): number[] {
  return Array.from(page, (character, byte) => (character.charCodeAt(0) === lineEnd ? byte : -1))
}

function unitAt(bytes: Uint8Array, at: number, length: number, isBigEndian: boolean): number {
  let value = 0
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[at + (isBigEndian ? index : length - 1 - index)] ?? 0
    value = value * 256 + byte
  }
  return value
}
