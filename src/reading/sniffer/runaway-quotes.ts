// Runaway quotes: finds in a head what distinguishes a value over several lines from records swallowed by a stray
// quote. "Runaway quotes" in scanner/record-rules.ts describes how it is used. Knows nothing of bytes.
import type { RunawayRule } from '../../core/receipt.ts'
import { fieldsOf, fieldValue, fits, isQuoted, rawField, recordCount, type Tokens } from './tokenize.ts'

/** Records examined for numeric columns, from the second on: the first may be the header. */
const recordsMax = 200
const figureColumnsMax = 2
/** This many values over several lines show that such values are usual. */
const valuesMax = 500

/**
 * Each line that reads as a record scores points: for its number of delimiters, which prose rarely has by chance, and
 * for each number, if the table has numeric columns. Few points suffice if no other value spans lines; more are needed
 * if others do, and most if such values occur regularly, as stray quotes do not.
 */
const pointsMin = 3
const pointsBesideOthers = 12
const pointsWhereRegular = 100
const pointsOfFigures = 2
/** More such values are regular in a file of any length. */
const regularMax = 20
/** These also occur in prose. */
const proseDelimiters = ', '

/** Decides when lines of a value are read as records; null if none can be. */
export function runawayRule(tokens: Tokens, width: number): RunawayRule | null {
  if (width < 2 || tokens.layout.quote === 'none') return null
  const figureColumns = figureColumnsOf(tokens, width)
  const isProse = proseDelimiters.includes(String.fromCharCode(tokens.layout.delimiter))
  const points = Math.min(width - 1, 3) * (isProse ? 1 : 2) + pointsOfFigures * figureColumns.length
  let plainCount = 0
  let suspectCount = 0
  for (const record of recordsOverLines(tokens)) {
    if (!fits(tokens, record, width)) continue
    if (suspectCount + plainCount === valuesMax) break
    if (linesLikeRecords(tokens, record, width, figureColumns) > 0) suspectCount += 1
    else plainCount += 1
  }
  const isRegular = suspectCount > regularMax || (suspectCount > 2 && suspectCount * 10 > recordCount(tokens))
  const least = isRegular ? pointsWhereRegular : plainCount > 0 ? pointsBesideOthers : pointsMin
  return { figureColumns, linesMin: Math.ceil(least / points) }
}

/** Values over several lines that look like records, or of which the closing quote belongs to a field of its own. */
export function suspectValues(tokens: Tokens, width: number): number {
  if (width < 2) return 0
  const figureColumns = figureColumnsOf(tokens, width)
  const isSuspect = (record: number) =>
    fits(tokens, record, width) &&
    (sharesQuote(tokens, record) || linesLikeRecords(tokens, record, width, figureColumns) > 0)
  return recordsOverLines(tokens).filter(isSuspect).take(valuesMax).toArray().length
}

function sharesQuote(tokens: Tokens, record: number): boolean {
  const raw = fieldsOf(tokens, record).flatMap((field) => (isOverLines(tokens, field) ? [rawField(tokens, field)] : []))
  return raw.some((one) => innerFieldStart(tokens, one) < one.length)
}

/**
 * Positions of the quotes that swallow records by the rule, in the first records: those decide where the data begin.
 */
export function runawayQuotes(tokens: Tokens, width: number, { figureColumns, linesMin }: RunawayRule): Set<number> {
  const quotes = new Set<number>()
  for (const record of recordsOverLines(tokens)) {
    if (record > recordsMax) break
    if (!fits(tokens, record, width) || linesLikeRecords(tokens, record, width, figureColumns) < linesMin) continue
    const opening = fieldsOf(tokens, record).find((field) => isOverLines(tokens, field))
    if (opening !== undefined) quotes.add(tokens.fieldStarts[opening] ?? 0)
  }
  return quotes
}

function* recordsOverLines(tokens: Tokens): Generator<number> {
  const { text, recordStarts, recordEnds } = tokens
  const lineEnd = lineEndOf(tokens)
  let next = -1
  for (let record = 0; record < recordCount(tokens); record += 1) {
    const start = recordStarts[record] ?? 0
    if (next < start) next = text.indexOf(lineEnd, start)
    if (next < 0) return
    if (next < (recordEnds[record] ?? 0)) yield record
  }
}

function lineEndOf({ layout }: Tokens): string {
  return layout.lineEnd === 'cr' ? '\r' : '\n'
}

function isOverLines(tokens: Tokens, field: number): boolean {
  return isQuoted(tokens, field) && rawField(tokens, field).includes(lineEndOf(tokens))
}

/** Columns, from 1, in which nearly every value begins with a digit. */
function figureColumnsOf(tokens: Tokens, width: number): number[] {
  const filled = new Array<number>(width).fill(0)
  const figures = new Array<number>(width).fill(0)
  const count = Math.min(recordCount(tokens), 1 + recordsMax)
  for (let record = 1; record < count; record += 1) {
    const first = tokens.firstFields[record] ?? 0
    if (!fits(tokens, record, width)) continue
    for (let column = 0; column < width; column += 1) {
      const value = fieldValue(tokens, first + column).trimStart()
      if (value === '') continue
      filled[column] = (filled[column] ?? 0) + 1
      if (isFigure(value)) figures[column] = (figures[column] ?? 0) + 1
    }
  }
  return (
    figures
      .map((found, column) => ({ found, column: column + 1, filled: filled[column] ?? 0 }))
      // One of them may be the column's name, if titles precede the header.
      .filter(({ found, filled: all }) => found >= 2 && (found >= all * 0.95 || (found > 2 && found === all - 1)))
      .sort((a, b) => b.found - a.found)
      .slice(0, figureColumnsMax)
      .map(({ column }) => column)
      .sort((a, b) => a - b)
  )
}

function isFigure(value: string): boolean {
  return /^["' ]*(?:$|[\d+.\r\n-])/.test(value)
}

/** Where a field begins on the last line of another that the same quote closes; else the length of the other. */
function innerFieldStart(tokens: Tokens, raw: string): number {
  const { layout } = tokens
  if (layout.escape !== 'nothing') return raw.length
  const quote = raw.charAt(0)
  let at = raw.lastIndexOf(lineEndOf(tokens))
  do {
    at += 1
    while (layout.skipInitialSpace && (raw[at] === ' ' || raw[at] === '\t')) at += 1
    if (raw[at] === quote) return at
    at = raw.indexOf(String.fromCharCode(layout.delimiter), at)
  } while (at >= 0)
  return raw.length
}

/** Number of lines of the record, after the first, that read as records, if nearly all do; otherwise 0. */
function linesLikeRecords(tokens: Tokens, record: number, width: number, figureColumns: readonly number[]): number {
  const delimiter = String.fromCharCode(tokens.layout.delimiter)
  // A value quoted within one line is one field, whatever its content.
  const stand = delimiter === 'x' ? 'y' : 'x'
  const fields = fieldsOf(tokens, record).map((field) => {
    const raw = rawField(tokens, field)
    const from = !isQuoted(tokens, field) ? raw.length : isOverLines(tokens, field) ? innerFieldStart(tokens, raw) : 0
    return raw.slice(0, from) + raw.slice(from).replaceAll(delimiter, stand)
  })
  const lines = fields.join(delimiter).split(lineEndOf(tokens))
  const areRecords = lines.flatMap((line, at) => {
    if (line === '' || line === '\r') return []
    const values = line.split(delimiter)
    // The header has names above its numbers.
    const isHeader = record === 0 && at === 0
    return [
      values.length === width && (isHeader || figureColumns.every((column) => isFigure(values[column - 1] ?? ''))),
    ]
  })
  const recordLines = areRecords.filter(Boolean).length
  const isFirst = areRecords[0] === true
  return (areRecords.length - recordLines) * 10 > areRecords.length ? 0 : recordLines - (isFirst ? 1 : 0)
}
