// Head reader: reads only the beginning of a long head if the rest continues in the same way, in a third of the time.
import type { Note } from '../core/notes.ts'
import { includesBytes, isAscii, latin1Text } from './bytes/platform-bytes.ts'
import { type DeclaredDialect, headBytesMax, type ReadHead, type Reading } from './reading.ts'
import { scanOptionsOf } from './scan-options.ts'
import { hasLoneFeed } from './scanner/record-rules.ts'
import { type CreateScanner, ignoredCount, type ScanResult } from './scanner/scanner.ts'
import { isDigit } from './sniffer/value-kind.ts'

/**
 * Length of the part of a long head that decides, if it has enough lines: exactly the characters on which layouts are
 * tried.
 */
const beginningLength = 65_536
/** Otherwise this length. Bytes. */
const longBeginningBytes = 262_144
/** A shorter head is read as a whole. Bytes. */
const headBytesMin = 524_288
/** A beginning with fewer records decides nothing. */
const recordsMin = 200
const lf = 0x0a
const cr = 0x0d
const escapeByte = 0x1b
/** First characters of a record that may be commented out, see notes/marked-records.ts. */
const marks = [...'#!;%/']

/**
 * The same reading as of the whole head, except for notes about tables of the same width that begin after the
 * beginning.
 */
export function createHeadReader(readHead: ReadHead, createScanner: CreateScanner): ReadHead {
  /** Null unless the beginning is beyond doubt and the rest is like it. */
  const readBeginning = (head: Uint8Array, isWholeFile: boolean, declared: DeclaredDialect): Reading | null => {
    if (head.length < headBytesMin || head.includes(0) || head.includes(escapeByte)) return null
    // Only those who read the whole file see what follows a last line end.
    if (isWholeFile && head.at(-1) !== lf) return null
    const beginning = beginningOf(head)
    if (beginning === null) return null
    const reading = readHead(beginning, false, declared)
    if (reading.encoding.name !== 'utf-8' || reading.width < 2 || !reading.notes.every(isOfAnyLength)) return null
    const text = latin1Text(head)
    const hasMarkedLine = marks.some((mark) => text.includes(`\n${mark}`, reading.before.bytes - 1))
    if (hasMarkedLine || repeatsHeader(text, reading)) return null
    const recordsBehind = uniformRecordsBehind(head, reading, beginning.length, createScanner)
    return recordsBehind === null ? null : ofWholeHead(reading, recordsBehind)
  }
  return (head, isWholeFile, declared = {}) =>
    readBeginning(head.subarray(0, headBytesMax), isWholeFile && head.length <= headBytesMax, declared) ??
    readHead(head, isWholeFile, declared)
}

/** True for a note that says the same of the whole head. */
function isOfAnyLength({ code, lines }: Note): boolean {
  return code === 'DELIMITER_UNCERTAIN' && lines === undefined
}

/** Null if it would not show that there are letters beyond ASCII. */
function beginningOf(head: Uint8Array): Uint8Array | null {
  const isAllAscii = isAscii(head)
  const isTelling = (beginning: Uint8Array) => isAllAscii || !isAscii(beginning)
  const beginning = head.subarray(0, isAllAscii ? beginningLength : bytesOf(head, beginningLength))
  if (isTelling(beginning) && lineStart(head, recordsMin) < beginning.length) return beginning
  const longer = head.subarray(0, longBeginningBytes)
  return isTelling(longer) ? longer : null
}

/** Number of UTF-8 bytes that make this many UTF-16 code units. */
function bytesOf(head: Uint8Array, length: number): number {
  // A byte order mark is not one of them.
  let units = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? -1 : 0
  let at = 0
  for (; at < head.length; at += 1) {
    const byte = head[at] as number
    if ((byte & 0xc0) === 0x80) continue
    if (units >= length) break
    units += byte < 0xf0 ? 1 : 2
  }
  return at
}

/** With the number of all records. */
function ofWholeHead(reading: Reading, recordsBehind: number): Reading {
  const { dialect } = reading.evidence
  const { fitting, records } = dialect
  const counted = { ...dialect, fitting: fitting + recordsBehind, records: records + recordsBehind }
  return { ...reading, evidence: { ...reading.evidence, dialect: counted } }
}

/** Start of the `count`th line, or end of the last line. */
function lineStart(head: Uint8Array, count: number): number {
  let at = 0
  for (let line = 0; line < count; line += 1) {
    const end = head.indexOf(lf, at)
    if (end < 0) return head.length
    at = end + 1
  }
  return at
}

/**
 * Number of records after the beginning if every line of the head is an accepted record without repairs; otherwise
 * null.
 */
function uniformRecordsBehind(
  head: Uint8Array,
  reading: Reading,
  length: number,
  createScanner: CreateScanner,
): number | null {
  const { before, dialect } = reading
  if (before.gap !== null || dialect.padShortRecords) return null
  const scanner = createScanner(scanOptionsOf(reading, headBytesMax))
  const beginning = scanner.push(head.subarray(before.bytes, length))
  if (!areAllRead(beginning) || beginning.accepted < recordsMin) return null
  const { accepted, isVerbatim } = beginning
  const rest = scanner.push(head.subarray(length))
  if (!areAllRead(rest)) return null
  // Line ends of two kinds are noted.
  const areMixed = [beginning, rest].some((one) => one.hasReturn) && [beginning, rest].some((one) => one.hasLoneFeed)
  if (areMixed && hasLoneFeed(head) && includesBytes(head, Uint8Array.of(cr, lf), 0)) return null
  const mayMislead = () => endsWithReturns(head) || !quotesFollowWords(head.subarray(before.bytes, length), dialect)
  if (!(isVerbatim && rest.isVerbatim) && mayMislead()) return null
  // A record that ends after the head takes at most a line.
  const isConsumed = rest.consumedTo === head.lastIndexOf(lf) + 1
  return isConsumed && rest.lines - before.lines === accepted + rest.accepted ? rest.accepted : null
}

/** As they are, or by their odd quotes, blanks and line-end bytes alone. */
function areAllRead({ rejects, repairedLines, otherEscapeLines, runaways, ...scanned }: ScanResult): boolean {
  const others = [rejects, repairedLines, otherEscapeLines, runaways]
  return ignoredCount(scanned) === 0 && others.every(({ length }) => length === 0)
}

/** Whether there may be line ends other than LF and CR LF. */
function endsWithReturns(head: Uint8Array): boolean {
  return includesBytes(head, Uint8Array.of(cr, cr), 0) || includesBytes(head, Uint8Array.of(lf, cr), 0)
}

/**
 * Whether each quote follows the delimiter, a letter or a digit. After anything else, it opens fields of other layouts,
 * which are then tried on more text.
 */
function quotesFollowWords(records: Uint8Array, { delimiter, quoteChar }: Reading['dialect']): boolean {
  if (quoteChar === null) return true
  const [quote, separator] = [quoteChar.charCodeAt(0), delimiter.charCodeAt(0)]
  for (let at = records.indexOf(quote); at >= 0; at = records.indexOf(quote, at + 1)) {
    const byte = records[at - 1] ?? lf
    if (byte !== separator && byte < 0x80 && !isDigit(byte) && !isLetter(byte)) return false
  }
  return true
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a
}

/** True if the header, or its last line, occurs again. */
function repeatsHeader(text: string, { before }: Reading): boolean {
  const lastLine = text.slice(text.lastIndexOf('\n', before.bytes - 2) + 1, before.bytes)
  return before.bytes > 0 && text.includes(lastLine, before.bytes)
}
