// Find titles: which records above a table are titles, not part of any table. Knows nothing of headers.
import { fits, isBlank, recordValues, type Tokens } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'

/** Where the table begins, and how many rows above it are titles. Both are indices into rows. */
export interface TableStart {
  readonly tableRow: number
  /** Rows before it are titles; those from it up to the table are records of another width. */
  readonly titleRows: number
}

/** Finds the first row of the usual width that is not a title, and the titles above it. `rows` are neither blank nor comments. */
export function findTableStart(tokens: Tokens, rows: readonly number[], width: number): TableStart {
  const found = rows.findIndex((row) => fits(tokens, row, width))
  const first = Math.max(0, found)
  const tableRow = first + paddedTitles(tokens, rows, first, width)
  return startAt(tokens, rows, width, tableRow)
}

/** A table that begins at a row, and the titles above it. */
export function startAt(tokens: Tokens, rows: readonly number[], width: number, tableRow: number): TableStart {
  let titleRows = 0
  while (titleRows < tableRow && isTitle(tokens, rows[titleRows] ?? 0, width)) titleRows += 1
  return { tableRow, titleRows }
}

/**
 * Without a header only lines set off by a blank line are titles: the first data record may be short or sparse.
 *
 * @param titleRows Titles if there were a header.
 */
export function titlesWithoutHeader(tokens: Tokens, rows: readonly number[], titleRows: number): number {
  let titles = titleRows
  while (titles > 0 && !isSetOff(tokens, rows[titles - 1] ?? 0)) titles -= 1
  return titles
}

/** A blank record above or below, or a blank line below. */
function isSetOff(tokens: Tokens, row: number): boolean {
  const next = row + 1
  if (next >= tokens.recordStarts.length) return false
  return isBlank(tokens, next) || filledIn(tokens, next).length === 0 || filledIn(tokens, row).length === 0
}

/** Spreadsheets pad titles to full width: one value, the rest empty. They are titles only if the rows below are filled. */
function paddedTitles(tokens: Tokens, rows: readonly number[], first: number, width: number): number {
  const fitsAt = (at: number) => at < rows.length && fits(tokens, rows[at] ?? 0, width)
  let at = first
  let hasEmpty = false
  while (fitsAt(at) && isPaddedTitle(tokens, rows[at] ?? 0, width)) {
    if (filledIn(tokens, rows[at] ?? 0).length === 0) hasEmpty = true
    at += 1
  }
  if (!fitsAt(at)) return 0
  const filled = filledIn(tokens, rows[at] ?? 0).length
  const isFilled = filled > 2 || filled * 2 >= width
  return hasEmpty || (isFilled && width > 2) ? at - first : 0
}

function isPaddedTitle(tokens: Tokens, row: number, width: number): boolean {
  const count = filledIn(tokens, row).length
  return width > 1 && count < 2
}

/** At most one value that is not a number, date or the like. Nobody sees skipped titles, so other records become rejects. */
function isTitle(tokens: Tokens, row: number, width: number): boolean {
  if (tokens.broken.has(row)) return false
  const filled = filledIn(tokens, row)
  return width > 1 && filled.length < 2 && !filled.some((value) => isMeasured(kindOf(value)))
}

/** The non-empty values of a record. */
function filledIn(tokens: Tokens, row: number): string[] {
  return recordValues(tokens, row).filter((value) => value.trim() !== '')
}
