// Runaway oracle: "Runaway quotes" of record-rules.ts implemented as plainly as possible, for the scanner's oracle.
import { mayRunAway } from './record-rules.ts'
import type { ScanOptions } from './scanner.ts'

const LF = 10
const CR = 13

interface ReadRecord {
  readonly start: number
  readonly contentEnd: number
  /** The value with its quotes, from … to-1, and the position of the delimiter or line end after it. */
  readonly fields: readonly { readonly from: number; readonly to: number; readonly end: number }[]
}

/** How many lines of a record after the first read as records, if nearly all of them do; else 0. */
export function linesLikeRecords(
  bytes: Uint8Array,
  options: ScanOptions,
  { start, fields, contentEnd }: ReadRecord,
): number {
  const { runaway, escape: escapeByte, delimiter, quote, width } = options
  const ends = lineEndsIn(bytes, options, start, contentEnd)
  if (runaway === undefined || !mayRunAway(options)) return 0
  const delimiters: number[] = []
  for (const { from, to, end } of fields) {
    const isOverLines = bytes[from] === quote && lineEndsIn(bytes, options, from, to).length > 0
    const until = escapeByte === 'nothing' ? sharedFrom(bytes, options, from, to) : to
    for (let at = from; isOverLines && at < until; at++) if (bytes[at] === delimiter) delimiters.push(at)
    if (end < contentEnd) delimiters.push(end)
  }
  const isFigure = (from: number) => {
    let at = from
    while (at < contentEnd && (bytes[at] === 32 || bytes[at] === quote)) at++
    const byte = bytes[at]!
    return at === contentEnd || byte === delimiter || '0123456789+-.\r\n'.includes(String.fromCharCode(byte))
  }
  const like = [...ends, contentEnd].flatMap((to, index) => {
    const from = index === 0 ? start : ends[index - 1]! + 1
    if (to === from || (to === from + 1 && bytes[from] === CR)) return []
    const inLine = delimiters.filter((at) => at >= from && at < to)
    const begins = [from, ...inLine.map((at) => at + 1)]
    const hasFigures = runaway.figureColumns.every(
      (column) => begins[column - 1] === undefined || isFigure(begins[column - 1]!),
    )
    return [inLine.length === width - 1 && hasFigures]
  })
  const likeLines = like.filter(Boolean).length
  return (like.length - likeLines) * 10 > like.length ? 0 : likeLines - (like[0] ? 1 : 0)
}

/** Where a field begins on the last line of another that the same quote closes; else `to`. */
function sharedFrom(bytes: Uint8Array, options: ScanOptions, from: number, to: number): number {
  const { delimiter, quote, skipInitialSpace } = options
  for (let at = (lineEndsIn(bytes, options, from, to).at(-1) ?? to) + 1, isFieldStart = true; at < to; at++) {
    if (isFieldStart && bytes[at] === quote) return at
    const isSkipped = skipInitialSpace && (bytes[at] === 32 || (bytes[at] === 9 && delimiter !== 9))
    isFieldStart = bytes[at] === delimiter || (isFieldStart && isSkipped)
  }
  return to
}

/** Where lines end from … to-1. */
export function lineEndsIn(bytes: Uint8Array, options: ScanOptions, from: number, to: number): number[] {
  const lineEnd = options.lineEnd === 'cr' ? CR : LF
  return Array.from({ length: to - from }, (_, i) => from + i).filter((at) => bytes[at] === lineEnd)
}
