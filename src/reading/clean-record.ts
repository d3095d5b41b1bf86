// Clean record: writes odd but readable records strictly, in their own dialect. Relies on the scanner that they are
// readable; see "Writing" in records.ts.
import type { ScanOptions } from './scanner.ts'

const LF = 10
const CR = 13
const blockBytes = 65_536

/** Takes what was written, in order; bytes from … to-1 of `source` are not changed any more. */
export type PieceTaker = (source: Uint8Array, from: number, to: number) => void

/** Writes the record from … contentEnd-1, then the line end up to `end`. */
export type CleanWriter = (bytes: Uint8Array, from: number, contentEnd: number, end: number) => void

/** Makes a writer that hands each record to `take`; records written in succession mostly lie side by side. */
export function createCleanWriter(options: ScanOptions, take: PieceTaker): CleanWriter {
  let block = new Uint8Array(0)
  let used = 0
  return (bytes, from, contentEnd, end) => {
    // A field that has to be quoted holds a byte at least, so at worst each byte becomes four.
    const bytesMax = 4 * (contentEnd - from) + (end - contentEnd)
    if (used + bytesMax > block.length) {
      block = new Uint8Array(Math.max(blockBytes, bytesMax))
      used = 0
    }
    const start = used
    used = writeRecord(options, bytes.subarray(from, contentEnd), block, used)
    for (let at = contentEnd; at < end; at++) block[used++] = bytes[at]!
    take(block, start, used)
  }
}

/** Writes one record into `to`, from `used` on; gives where it ends. */
function writeRecord(options: ScanOptions, record: Uint8Array, to: Uint8Array, used: number): number {
  const { delimiter, quote, skipInitialSpace } = options
  const isBlank = (at: number) => (record[at] === 32 || record[at] === 9) && record[at] !== delimiter
  for (let at = 0; ; at++) {
    if (skipInitialSpace && at > 0) while (isBlank(at)) at++
    if (at < record.length && record[at] === quote) {
      const valueEnd = afterClosingQuote(options, record, at)
      for (; at < valueEnd; at++) to[used++] = record[at]!
      while (isBlank(at)) at++
    } else {
      const valueStart = at
      let needsQuotes = false
      for (; at < record.length && record[at] !== delimiter; at++) {
        const byte = record[at]
        if (byte === quote || byte === CR || byte === LF) needsQuotes = true
      }
      used = needsQuotes
        ? writeQuoted(options, record, valueStart, at, to, used)
        : writeAsIs(record, valueStart, at, to, used)
    }
    if (at >= record.length) return used
    to[used++] = delimiter
  }
}

function afterClosingQuote(options: ScanOptions, record: Uint8Array, from: number): number {
  const { quote, escape: escapeByte } = options
  for (let at = from + 1; at < record.length; at++) {
    if (escapeByte !== null && record[at] === escapeByte) at++
    else if (record[at] === quote) {
      if (escapeByte !== null || record[at + 1] !== quote) return at + 1
      at++
    }
  }
  return record.length
}

function writeAsIs(record: Uint8Array, from: number, end: number, to: Uint8Array, start: number): number {
  let used = start
  for (let at = from; at < end; at++) to[used++] = record[at]!
  return used
}

function writeQuoted(
  { quote, escape: escapeByte }: ScanOptions,
  record: Uint8Array,
  from: number,
  end: number,
  to: Uint8Array,
  start: number,
): number {
  let used = start
  to[used++] = quote!
  for (let at = from; at < end; at++) {
    const byte = record[at]!
    if (byte === quote || byte === escapeByte) to[used++] = escapeByte ?? quote!
    to[used++] = byte
  }
  to[used++] = quote!
  return used
}
