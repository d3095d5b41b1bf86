// Clean record: writes odd but readable records strictly, in their own dialect. Relies on the scanner that they are
// readable; see "Writing" in records.ts.
import type { PieceJoiner } from './piece-joiner.ts'
import type { ScanOptions } from './scanner.ts'

const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9
const none = -1
const blockBytes = 65_536

/** How a field is taken that breaks the rules: the quote that opens it, at `at`, is text; or the quotes inside it are. */
export interface Mend {
  readonly at: number
  readonly as: 'text' | 'bare'
}

/** Writes the record from … contentEnd-1, then the line end up to `end`. */
export type CleanWriter = (bytes: Uint8Array, from: number, contentEnd: number, end: number, mend: Mend | null) => void

/** Makes a writer that adds each record to `pieces`; records written in succession mostly lie side by side. */
export function createCleanWriter(options: ScanOptions, pieces: PieceJoiner): CleanWriter {
  let block = new Uint8Array(0)
  let used = 0
  return (bytes, from, contentEnd, end, mend) => {
    // A field that has to be quoted holds a byte at least, so at worst each byte becomes four.
    const bytesMax = 4 * (contentEnd - from) + options.width + (end - contentEnd)
    if (used + bytesMax > block.length) {
      block = new Uint8Array(Math.max(blockBytes, bytesMax))
      used = 0
    }
    const start = used
    used = writeRecord(options, bytes, from, contentEnd, block, used, mend)
    for (let at = contentEnd; at < end; at++) block[used++] = bytes[at]!
    pieces.add(block, start, used)
  }
}

/** Writes one record into `to`, from `start` on; gives where it ends. */
function writeRecord(
  options: ScanOptions,
  bytes: Uint8Array,
  from: number,
  end: number,
  to: Uint8Array,
  start: number,
  mend: Mend | null,
): number {
  const { delimiter, skipInitialSpace, width } = options
  const quote = options.quote ?? none
  let used = start
  for (let at = from, fields = 1; ; at++, fields++) {
    if (skipInitialSpace && at > from) at = afterBlanks(bytes, at, end, delimiter)
    const mendAs = mend?.at === at ? mend.as : null
    if (at < end && bytes[at] === quote && (mendAs === 'bare' || options.escape === 'nothing')) {
      const closing = closingBareQuote(options, bytes, at, end)
      used = writeQuoted(options, bytes, at + 1, closing, to, used)
      at = afterBlanks(bytes, closing + 1, end, delimiter)
    } else if (at < end && bytes[at] === quote && mendAs === null) {
      const valueEnd = afterClosingQuote(options, bytes, at, end)
      while (at < valueEnd) to[used++] = bytes[at++]!
      at = afterBlanks(bytes, at, end, delimiter)
    } else {
      const valueStart = at
      const usedBefore = used
      let needsQuotes = false
      for (; at < end; at++) {
        const byte = bytes[at]!
        if (byte === delimiter) break
        if (byte === quote || byte === CR || byte === LF) needsQuotes = true
        to[used++] = byte
      }
      if (needsQuotes) used = writeQuoted(options, bytes, valueStart, at, to, usedBefore)
    }
    if (at >= end) {
      for (; fields < width; fields++) to[used++] = delimiter
      return used
    }
    to[used++] = delimiter
  }
}

function afterBlanks(bytes: Uint8Array, from: number, end: number, delimiter: number): number {
  let at = from
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB) && bytes[at] !== delimiter) at++
  return at
}

function afterClosingQuote(options: ScanOptions, bytes: Uint8Array, from: number, end: number): number {
  const { quote, escape: escapeByte } = options
  for (let at = from + 1; at < end; at++) {
    if (bytes[at] === escapeByte) at++
    else if (bytes[at] === quote) {
      if (escapeByte !== null || at + 1 === end || bytes[at + 1] !== quote) return at + 1
      at++
    }
  }
  return end
}

/** The quote before a delimiter or the end of the record. */
function closingBareQuote({ quote, delimiter }: ScanOptions, bytes: Uint8Array, from: number, end: number): number {
  for (let at = from + 1; at < end; at++) {
    if (bytes[at] !== quote) continue
    const after = afterBlanks(bytes, at + 1, end, delimiter)
    if (after === end || bytes[after] === delimiter) return at
  }
  return end
}

function writeQuoted(
  { quote, escape: mark }: ScanOptions,
  bytes: Uint8Array,
  from: number,
  end: number,
  to: Uint8Array,
  start: number,
): number {
  const escapeByte = typeof mark === 'number' ? mark : null
  let used = start
  to[used++] = quote!
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!
    if (byte === quote || byte === escapeByte) to[used++] = escapeByte ?? quote!
    to[used++] = byte
  }
  to[used++] = quote!
  return used
}
