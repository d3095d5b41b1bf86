// Oracle lines: where lines end, what escapes escape, and how fields are written, for the scanner's oracle. As plain as possible.
import type { EndedReading, Field } from './oracle-reading.testing.ts'
import type { ScanOptions } from './scanner.ts'

const LF = 10
const CR = 13

/** The input with a line end at its end; in `crlf` mode, an LF there is one. */
export function withLineEnd(input: Uint8Array, { lineEnd }: ScanOptions): Uint8Array {
  const text = latin1(input)
  if (text === '') return input
  const [end, missing] = { lf: [/\n$/, '\n'], cr: [/\r$/, '\r'], crlf: [/\r?\n$|\r$/, '\r\n'] }[lineEnd] as [
    RegExp,
    string,
  ]
  if (lineEnd === 'crlf') return Buffer.from(text.replace(end, '') + missing, 'latin1')
  return end.test(text) ? input : Buffer.from(text + missing, 'latin1')
}

/** How many bytes an escape at `at` escapes: a CR LF is escaped as one. */
export function escapeLength(bytes: Uint8Array, options: ScanOptions, at: number): number {
  return options.lineEnd !== 'cr' && bytes[at + 1] === CR && bytes[at + 2] === LF ? 2 : 1
}

/** The same outside quotes; 0 if there is no declared escape, or nothing after it but the end of the input. */
export function escapedAt(bytes: Uint8Array, options: ScanOptions, at: number): number {
  const { escape: escapeByte, isEscapeDeclared } = options
  if (!isEscapeDeclared || typeof escapeByte !== 'number' || bytes[at] !== escapeByte) return 0
  const length = escapeLength(bytes, options, at)
  return at + length + 1 >= bytes.length ? 0 : length
}

/** Start of the physical line after the one with the byte at `at`. */
export function lineAfter(bytes: Uint8Array, options: ScanOptions, at: number): number {
  const endByte = options.lineEnd === 'cr' ? CR : LF
  let end = bytes.indexOf(endByte, at)
  while (end >= 0 && end + 1 < bytes.length && isText(bytes, options, at, end)) end = bytes.indexOf(endByte, end + 1)
  return end < 0 ? bytes.length : end + 1
}

/** Whether the line-end byte at `end` of the line at `from` is escaped, or an LF alone in `crlf` mode. */
function isText(bytes: Uint8Array, options: ScanOptions, from: number, end: number): boolean {
  const { lineEnd, isEscapeDeclared, escape: escapeByte } = options
  if (lineEnd !== 'crlf' && !isEscapeDeclared) return false
  const line = latin1(bytes.subarray(from, end))
  if (lineEnd === 'crlf' && !line.endsWith('\r')) return true
  const before = lineEnd === 'cr' ? line : line.replace(/\r$/, '')
  let count = 0
  while (before.charCodeAt(before.length - 1 - count) === escapeByte) count++
  return isEscapeDeclared === true && count % 2 === 1
}

/** Start of the line end before `end`. */
export function contentEndOf(bytes: Uint8Array, options: ScanOptions, start: number, end: number): number {
  const isCrLf = options.lineEnd !== 'cr' && end - 2 >= start && bytes[end - 2] === CR
  return isCrLf ? end - 2 : end - 1
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

/** The field as it is passed on, one character per byte. */
export function written(bytes: Uint8Array, options: ScanOptions, field: Field): string {
  const whole = latin1(bytes.subarray(field.from, field.to))
  const text = field.isBare ? whole.slice(1, -1) : whole
  if (!field.isBare && field.strayQuoteAt === null && field.strayEndAt === null) return text
  const quote = String.fromCharCode(options.quote!)
  if (typeof options.escape !== 'number') return quote + text.replaceAll(quote, quote + quote) + quote
  const escapeText = String.fromCharCode(options.escape)
  if (options.isEscapeDeclared) {
    const pairs = new RegExp(`(\\${escapeText}(?:\\r\\n|[^]))|${quote}|\\${escapeText}$`, 'g')
    return quote + text.replaceAll(pairs, (found, pair) => pair ?? escapeText + found) + quote
  }
  const escaped = text.replaceAll(escapeText, escapeText + escapeText).replaceAll(quote, escapeText + quote)
  return quote + escaped + quote
}

/** Whether delimiters and blanks are all there is. */
export function hasNoValue(text: Uint8Array, { delimiter }: ScanOptions): boolean {
  return text.every((byte) => byte === delimiter || byte === 32 || byte === 9)
}

/** The reading without the fields beyond the width, if none of them has a single byte. */
export function withoutSurplus(reading: EndedReading, { width }: ScanOptions): EndedReading {
  const isEmpty = reading.fields.slice(width).every(({ from, end }) => from === end)
  return isEmpty ? { ...reading, fields: reading.fields.slice(0, width) } : reading
}
