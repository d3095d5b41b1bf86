// Find titles: which records above a table are titles, not part of any table. Knows nothing of headers.
import { fieldValue, fits, isBlank, recordValues, type Tokens } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'

/** Where the table begins, and how many rows above it are titles. Both are indices into rows. */
export interface TableStart {
  readonly tableRow: number
  /** Rows before it are titles; those from it up to the table are records of another width. */
  readonly titleRows: number
}

/**
 * Finds the first row of the usual width that is not a title, and the titles above it. `rows` are neither blank nor comments.
 *
 * @param header What is declared about it: a declared header is the first row of full width, and so is a record without one.
 */
export function findTableStart(tokens: Tokens, rows: readonly number[], width: number, header?: boolean): TableStart {
  const found = rows.findIndex((row) => fits(tokens, row, width))
  const first = Math.max(0, found)
  const tableRow = first + (header === false ? 0 : paddedTitles(tokens, rows, first, width, header === true))
  let titleRows = 0
  while (titleRows < tableRow && isTitle(tokens, rows[titleRows] ?? 0, width)) titleRows += 1
  return { tableRow, titleRows }
}

/** The number of titles above a header at a row: names with values, too, if a blank line sets them off. */
export function titlesAbove(tokens: Tokens, rows: readonly number[], titleRows: number, at: number): number {
  return titleRows < at && isBelowKeys(tokens, rows, at) ? at : Math.min(titleRows, at)
}

/** True if every record above a row is a title or a name with its value, and a blank line sets them off. */
export function isBelowKeys(tokens: Tokens, rows: readonly number[], at: number): boolean {
  const row = rows[at]
  if (row === undefined || at === 0 || !isSetOffAbove(tokens, row)) return false
  return rows.slice(0, at).every((above) => {
    const [key, ...values] = filledIn(tokens, above)
    return !tokens.broken.has(above) && values.length <= 2 && (key === undefined || kindOf(key) === 'text')
  })
}

/** True if the record above is blank or has no value. */
export function isSetOffAbove(tokens: Tokens, row: number): boolean {
  return row > 0 && isEmpty(tokens, row - 1)
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
  return isEmpty(tokens, next) || isEmpty(tokens, row)
}

/**
 * Spreadsheets pad titles to full width: one value, the rest empty. They are titles only if the rows below are filled. A
 * name above a number is none.
 */
function paddedTitles(
  tokens: Tokens,
  rows: readonly number[],
  first: number,
  width: number,
  isSetOff: boolean,
): number {
  const fitsAt = (at: number) => at < rows.length && fits(tokens, rows[at] ?? 0, width)
  let at = first
  let hasEmpty = false
  while (fitsAt(at) && width > 1 && filledIn(tokens, rows[at] ?? 0).length < 2) {
    if (filledIn(tokens, rows[at] ?? 0).length === 0) hasEmpty = true
    at += 1
  }
  if (!fitsAt(at)) return 0
  if (hasEmpty || isSetOff) return hasEmpty ? at - first : 0
  if (at > first && isAboveValue(tokens, rows[at - 1] ?? 0, rows[at] ?? 0)) at -= 1
  const filled = filledIn(tokens, rows[at] ?? 0).length
  const isFilled = filled > 2 || filled * 2 >= width
  return isFilled && width > 2 ? at - first : 0
}

/** True if the only value of a row, not the first, is above a number or the like. */
function isAboveValue(tokens: Tokens, row: number, next: number): boolean {
  const column = recordValues(tokens, row).findIndex((value) => value.trim() !== '')
  return column > 0 && isMeasured(kindOf(recordValues(tokens, next)[column] ?? ''))
}

/** At most one value that is not a number, date or the like. Nobody sees skipped titles, so other records become rejects. */
function isTitle(tokens: Tokens, row: number, width: number): boolean {
  if (tokens.broken.has(row)) return false
  const filled = filledIn(tokens, row)
  return width > 1 && filled.length < 2 && !filled.some((value) => isMeasured(kindOf(value)))
}

/** A text with a blank after each delimiter, if there are any. */
export function isProse(tokens: Tokens, row: number): boolean {
  const [first = '', ...others] = recordValues(tokens, row)
  if (tokens.broken.has(row) || kindOf(first) !== 'text') return false
  return others.every((value) => value === '' || value.startsWith(' '))
}

/** True if a record is blank or has no value. */
function isEmpty(tokens: Tokens, row: number): boolean {
  // Nearly all records show it by their first field.
  const first = tokens.firstFields[row] ?? 0
  return isBlank(tokens, row) || (fieldValue(tokens, first).trim() === '' && filledIn(tokens, row).length === 0)
}

/** The non-empty values of a record. */
export function filledIn(tokens: Tokens, row: number): string[] {
  return recordValues(tokens, row).filter((value) => value.trim() !== '')
}
