// Suspicious content: notes that a file may be something other than what it is read as: markup, aligned columns, other line ends.

import { type Note, note } from '../../core/notes.ts'
import { beginningKind } from '../document-kind.ts'
import { isDrawnAcross } from '../sniffer/drawn-lines.ts'
import { linesOf } from '../sniffer/line-numbers.ts'
import { fits, lineText, type Tokens } from '../sniffer/tokenize.ts'

const alignedRowsMax = 200
/** Longer lines are not reports. Characters. */
const gutterLengthMax = 1000

/** Notes what the table may be instead. @param rows Records that are neither comments nor blank, in order. */
export function suspiciousContent(tokens: Tokens, width: number, rows: readonly number[]): Note[] {
  const notes: Note[] = []
  const kind = beginningKind(tokens.text.slice(0, 1000))
  if (kind !== null) {
    const message = `The file looks like ${kind}, not like a table: please check that it is the right one.`
    notes.push(note('NOT_A_TABLE', message))
  }
  notes.push(...alignedColumns(tokens, width, rows))
  notes.push(...ruleLines(tokens, width, rows))
  const joined = joinedByReturn(tokens, width, rows)
  if (joined.length > 0) {
    const lines = linesOf(tokens, joined)
    const message = `Some records seem to end with a lone carriage return (${lines.text}): it does not end a record in this file, so they are rejects.`
    notes.push(note('RECORDS_END_WITH_CR', message, lines))
  }
  const ending = endingWithReturn(tokens, width, rows)
  if (ending.length > 0) {
    const lines = linesOf(tokens, ending)
    const message = `Some records end with a carriage return before their line end (${lines.text}): it is read as the end of the last value.`
    notes.push(note('RECORDS_END_WITH_CR', message, lines))
  }
  return notes
}

function alignedColumns(tokens: Tokens, width: number, rows: readonly number[]): Note[] {
  const seem = 'The columns seem to be aligned with spaces'
  // Where blanks after a delimiter are declared to be none, several are one.
  const isSplit = tokens.layout.delimiter === 0x20 && !tokens.layout.skipInitialSpace
  if (width > 1 && isSplit && isWidelySpaced(tokens, rows)) {
    return [note('ALIGNED_COLUMNS', `${seem}: each space is a delimiter, so there are empty columns.`)]
  }
  // A rule that the delimiter splits is one below the names of a table.
  const isReport = () =>
    hasReportRule(
      tokens,
      rows.filter((record) => !fits(tokens, record, width)),
    )
  if (!(width === 1 ? isAligned(tokens, rows) : isReport())) return []
  return [
    note(
      'ALIGNED_COLUMNS',
      `${seem}: each line is read as one value, because several spaces do not count as one delimiter.`,
    ),
  ]
}

/** Most lines have several blanks between words. */
function isWidelySpaced(tokens: Tokens, rows: readonly number[]): boolean {
  const seen = rows.slice(0, alignedRowsMax)
  const spaced = seen.filter((record) => /\S {2,}\S/.test(lineText(tokens, record)))
  return spaced.length >= Math.max(2, seen.length * 0.6)
}

/** A line of dashes for each column, as SQL*Plus and other clients write it below the names: `----- --------`. */
const reportRule = /^\s*[-=]{2,}(?:\s+[-=]{2,})+\s*$/

function hasReportRule(tokens: Tokens, rows: readonly number[]): boolean {
  return rows.slice(0, alignedRowsMax).some((record) => reportRule.test(lineText(tokens, record)))
}

/** Rules between records of several columns. */
function ruleLines(tokens: Tokens, width: number, rows: readonly number[]): Note[] {
  const rules =
    width < 2 ? [] : rows.filter((record) => mayBeRule(tokens, record) && isDrawnAcross(lineText(tokens, record)))
  if (rules.length === 0) return []
  const lines = linesOf(tokens, rules)
  const are =
    rules.length === 1 ? 'A line is drawn across the table' : `${rules.length} lines are drawn across the table`
  const message = `${are} (${lines.text}): read as records, which are rejected if they do not have its width.`
  return [note('RULE_LINES', message, lines)]
}

/**
 * False if a line begins with a letter or a digit, as nearly all do: a rule begins with blanks or drawing characters.
 */
function mayBeRule({ text, recordStarts }: Tokens, record: number): boolean {
  const code = text.charCodeAt(recordStarts[record] ?? 0)
  return !((code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a))
}

/** True if the same two positions are blank in every line, with text on both sides. */
function hasGutter(tokens: Tokens, rows: readonly number[]): boolean {
  const lines = rows.map((record) => lineText(tokens, record).trimEnd())
  const length = Math.max(0, ...lines.map((line) => line.length))
  if (lines.length < 3 || length > gutterLengthMax) return false
  let blanks = 0
  let hasText = false
  for (let at = 0; at < length; at += 1) {
    const isBlankPlace = lines.every((line) => (line[at] ?? ' ') === ' ')
    if (!isBlankPlace && hasText && blanks > 1) return true
    blanks = isBlankPlace ? blanks + 1 : 0
    hasText ||= !isBlankPlace
  }
  return false
}

/** True if most lines have the same number of words, at least three, and several blanks between some of them. */
function isAligned(tokens: Tokens, rows: readonly number[]): boolean {
  const counts = new Map<number, number>()
  let aligned = 0
  const seen = rows.slice(0, alignedRowsMax)
  for (const record of seen) {
    const line = lineText(tokens, record).trim()
    const words = line.split(/ +/).length
    if (words > 2) counts.set(words, (counts.get(words) ?? 0) + 1)
    if (line.includes('  ')) aligned += 1
  }
  const most = Math.max(0, ...counts.values())
  if (hasReportRule(tokens, rows) || (aligned >= seen.length * 0.6 && hasGutter(tokens, seen))) return true
  return most > 2 && most >= seen.length * 0.6 && aligned >= seen.length * 0.6
}

/** Records with one carriage return more than the others have. */
function endingWithReturn(tokens: Tokens, width: number, rows: readonly number[]): number[] {
  const { text, layout, recordEnds } = tokens
  if (layout.lineEnd === 'cr' || !text.includes('\r\r\n')) return []
  return rows.filter((record) => fits(tokens, record, width) && text[(recordEnds[record] ?? 0) - 1] === '\r')
}

/** Records of another width that, split at lone carriage returns, all have the right one. */
function joinedByReturn(tokens: Tokens, width: number, rows: readonly number[]): number[] {
  const { text, layout, recordStarts, recordEnds } = tokens
  if (layout.lineEnd === 'cr' || width < 2 || !text.includes('\r') || !/\r(?!\n)/.test(text)) return []
  const delimiter = String.fromCharCode(layout.delimiter)
  return rows.filter((record) => {
    if (fits(tokens, record, width)) return false
    const pieces = text.slice(recordStarts[record], recordEnds[record]).split('\r')
    return pieces.length > 1 && pieces.every((piece) => piece.split(delimiter).length === width)
  })
}
