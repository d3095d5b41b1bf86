// Head reader: reads a long head by its beginning where all of it goes on in the same way, in a third of the time.
import { includesBytes, isAscii } from './platform-bytes.ts'
import { type DeclaredDialect, headBytesMax, type ReadHead, type Reading } from './reading.ts'
import { dataStart, scanOptions } from './scan-options.ts'
import type { CreateScanner } from './scanner/scanner.ts'

/** What of a long head decides. A head of less than twice as much is read whole. Bytes. */
const beginningBytes = 262_144
/** A beginning of fewer records decides nothing. */
const recordsMin = 200
const lf = 0x0a
const escapeByte = 0x1b
/** What a record begins with that may be commented out, see notes/marked-records.ts. */
const marks = [...'#!;%/'].map((mark) => Uint8Array.of(lf, mark.charCodeAt(0)))

/**
 * The same reading as of the whole head, but for two things: what the evidence counts, and tables of the same width that
 * begin behind the beginning, which are not noted, as they are not behind the head.
 */
export function createHeadReader(readHead: ReadHead, createScanner: CreateScanner): ReadHead {
  /** Null unless the beginning is beyond doubt and the rest is like it. */
  const readBeginning = (head: Uint8Array, declared: DeclaredDialect): Reading | null => {
    if (head.length < 2 * beginningBytes || head.includes(0) || head.includes(escapeByte)) return null
    const beginning = head.subarray(0, beginningBytes)
    if (isAscii(beginning) && !isAscii(head)) return null
    const reading = readHead(beginning, false, declared)
    if (reading.encoding.name !== 'utf-8' || reading.width < 2 || reading.notes.length > 0) return null
    if (marks.some((mark) => includesBytes(head, mark, reading.before.bytes))) return null
    return isUniform(head, reading, createScanner) && !repeatsHeader(head, reading) ? reading : null
  }
  return (head, isWholeFile, declared = {}) =>
    readBeginning(head.subarray(0, headBytesMax), declared) ?? readHead(head, isWholeFile, declared)
}

/** True if every line is a record that is accepted as it stands. */
function isUniform(head: Uint8Array, reading: Reading, createScanner: CreateScanner): boolean {
  const { before } = reading
  if (before.gap !== null) return false
  const scanner = createScanner(scanOptions({ ...reading, start: dataStart(reading) }, headBytesMax))
  const beginning = scanner.push(head.subarray(before.bytes, beginningBytes))
  if (!beginning.isVerbatim || beginning.accepted < recordsMin) return false
  const rest = scanner.push(head.subarray(beginningBytes))
  // A record that ends behind the head takes a line at most.
  const isConsumed = rest.consumedTo === head.lastIndexOf(lf) + 1
  return rest.isVerbatim && isConsumed && rest.lines - before.lines === beginning.accepted + rest.accepted
}

/** True if the header, or the last line of one, stands again. */
function repeatsHeader(head: Uint8Array, { before }: Reading): boolean {
  if (before.bytes === 0) return false
  const lastLine = head.subarray(head.lastIndexOf(lf, before.bytes - 2) + 1, before.bytes)
  return includesBytes(head, lastLine, before.bytes)
}
