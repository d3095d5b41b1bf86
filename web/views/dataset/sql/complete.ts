// Complete: what a word of a statement may become: a column, a function or a keyword. Knows no element.
import { quotedName } from '../rows/row-view.ts'

export interface Completion {
  readonly kind: 'column' | 'function' | 'keyword'
  readonly label: string
  /** The text that replaces the word. */
  readonly text: string
}

export interface Completions {
  /** Where the word begins and ends in the statement. */
  readonly from: number
  readonly to: number
  readonly options: readonly Completion[]
}

const keywords =
  'SELECT FROM WHERE GROUP BY ALL ORDER BY HAVING LIMIT OFFSET DISTINCT AS AND OR NOT IN BETWEEN LIKE ILIKE IS NULL CASE WHEN THEN ELSE END JOIN LEFT USING ON UNION EXCEPT INTERSECT WITH QUALIFY OVER PARTITION DESC ASC NULLS LAST FIRST FILTER EXCLUDE REPLACE SUMMARIZE DESCRIBE PIVOT CAST TRY_CAST data'
const words = [...new Set(keywords.split(' '))]
const optionsMax = 8
/** In statements, a name of this form needs no quotes. */
const plainName = /^[a-z_][a-z0-9_]*$/i

/** Null if no word ends at `at`, if nothing begins with it, or if it is already complete. */
export function complete(
  sql: string,
  at: number,
  columns: readonly string[],
  functions: readonly string[],
): Completions | null {
  const before = sql.slice(0, at)
  if (isInText(before)) return null
  const word = (isInName(before) ? /"[^"]*$/ : /[\p{L}_][\p{L}\p{N}_]*$/u).exec(before)?.[0] ?? ''
  const wanted = word.replace(/^"/, '').toLowerCase()
  if (wanted === '' || /[\p{L}\p{N}_"]/u.test(sql.charAt(at))) return null
  const isQuoted = word.startsWith('"')
  const all: readonly Completion[] = [
    ...columns.map((name) => ({ kind: 'column' as const, label: name, text: nameOf(name, isQuoted) })),
    ...(isQuoted ? [] : functions.map((name) => ({ kind: 'function' as const, label: `${name}()`, text: `${name}(` }))),
    ...(isQuoted ? [] : words.map((name) => ({ kind: 'keyword' as const, label: name, text: `${name} ` }))),
  ]
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(wanted))
  const inside = all.filter(({ kind, label }) => kind === 'column' && label.toLowerCase().indexOf(wanted) > 0)
  // Most words are meant to be a name of the table.
  const isColumn = ({ kind }: Completion) => kind === 'column'
  const ordered = [...begins.filter(isColumn), ...inside, ...begins.filter((one) => !isColumn(one))]
  const options = ordered.filter(({ text }) => text.trim() !== word).slice(0, optionsMax)
  return options.length === 0 ? null : { from: at - word.length, to: at, options }
}

/** A name as statements have it, in quotes if it needs them. */
export function nameOf(name: string, isQuoted: boolean): string {
  return plainName.test(name) && !isQuoted ? name : quotedName(name)
}

function isInName(before: string): boolean {
  return before.replaceAll(/'[^']*'|"[^"]*"/g, '').includes('"')
}

/** True inside a text in single quotes, or a comment. */
function isInText(before: string): boolean {
  const rest = before.replaceAll(/'[^']*'|"[^"]*"|--[^\n]*\n/g, '')
  return /^[^"]*(?:'|--)/.test(rest)
}
