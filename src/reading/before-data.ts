// Before data: counts the part of a head that is not scanned, and finds where scanning starts. Knows nothing of how tables are found.
import { noteLinesMax } from '../core/notes.ts'
import type { Encoding, HeaderGap } from '../core/receipt.ts'
import { byteOffsetAfter } from './encoding/detect-encoding.ts'
import type { UnusualLineEnd } from './encoding/line-end-coder.ts'
import type { Top } from './header/detect-header.ts'
import type { Reading } from './reading.ts'
import { countOf } from './sniffer/detect-dialect.ts'
import { lineOf } from './sniffer/line-numbers.ts'
import { isBlank, type Tokens } from './sniffer/tokenize.ts'

/** A head, and its records. */
export interface TokenizedHead {
  readonly head: Uint8Array
  readonly encoding: Encoding
  readonly tokens: Tokens
  /** Null if the line ends are LF, CR LF or CR. */
  readonly lineEnd: UnusualLineEnd | null
}

/** Counts the records that are not scanned. @param rows Records that are neither blank nor a comment. */
export function beforeData(of: TokenizedHead, top: Top, rows: readonly number[]): Reading['before'] {
  const { firstScanned, firstHeader, firstData, headers, titles } = top
  const { tokens } = of
  const start = placeOf(of, firstScanned)
  const gap = firstScanned < firstData ? gapOf(of, top) : null
  const below = rows.findIndex((record) => record >= firstData)
  const isRow = new Set(below < 0 ? rows : rows.slice(0, below))
  const passed = Array.from({ length: firstData }, (_, record) => record).filter(
    (record) => record < firstScanned || record >= firstHeader,
  )
  const comments = passed.filter((record) => !isBlank(tokens, record) && !isRow.has(record))
  const skipped = titles.length + top.unitRows + top.emptyRows + comments.length
  return {
    header: headers.length,
    skipped,
    blank: passed.length - headers.length - skipped,
    lines: start.lines,
    bytes: start.bytes,
    headerEnd: placeOf(of, firstData).bytes,
    gap,
    comments: comments.length,
    classBytes: classBytesOf(of, passed, top),
    commentLines: comments.slice(0, noteLinesMax).map((record) => lineOf(tokens, record)),
  }
}

function classBytesOf(
  of: TokenizedHead,
  passed: readonly number[],
  { headerRows }: Top,
): Reading['before']['classBytes'] {
  const isPassed = new Set(passed)
  let place = placeOf(of, 0)
  const bytes = { header: 0, blank: 0, skipped: place.bytes }
  for (let record = 0; record <= (passed.at(-1) ?? -1); record += 1) {
    const next = placeOf(of, record + 1, place)
    const kind = headerRows.includes(record) ? 'header' : isBlank(of.tokens, record) ? 'blank' : 'skipped'
    if (isPassed.has(record)) bytes[kind] += next.bytes - place.bytes
    place = next
  }
  return bytes
}

function gapOf(of: TokenizedHead, { firstHeader, firstData }: Top): HeaderGap {
  const from = placeOf(of, firstHeader)
  const to = placeOf(of, firstData)
  return {
    byteOffset: from.bytes,
    byteLength: to.bytes - from.bytes,
    records: firstData - firstHeader,
    lines: to.lines - from.lines,
  }
}

/** Where a record of the head starts: in its text, and what precedes it, physical lines and bytes of the file. */
interface HeadPlace {
  readonly start: number
  readonly lines: number
  readonly bytes: number
}

/** @param from An earlier place. */
function placeOf(of: TokenizedHead, record: number, from?: HeadPlace): HeadPlace {
  const { head, encoding, tokens, lineEnd: unusual } = of
  const start = tokens.recordStarts[record] ?? tokens.end
  const lineEnd = tokens.layout.lineEnd === 'cr' ? '\r' : '\n'
  const added = countOf(tokens.text.slice(from?.start ?? 0, start), lineEnd)
  // In a file of LF CR, lines begin after the CR.
  const lastByte = unusual === '\n\r' ? '\r' : lineEnd
  const isAtEnd = start === tokens.text.length && !tokens.text.endsWith(lineEnd)
  const bytes = () => byteOffsetAfter(head, encoding, lastByte.charCodeAt(0), added, from?.bytes)
  return { start, lines: (from?.lines ?? 0) + added, bytes: isAtEnd ? head.length : bytes() }
}
