// Complete: what a word of a statement may become: a column, a function or a keyword. Knows no element.
import { keywords, nameOf, tokens } from './sql-tokens.ts'

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

const words = [...keywords, 'data']
const optionsMax = 8

/** Null if no word ends at `at`, if nothing begins with it, or if it is already complete. */
export function complete(
  sql: string,
  at: number,
  columns: readonly string[],
  functions: readonly string[],
): Completions | null {
  const token = tokens(sql.slice(0, at)).at(-1)
  if (token?.to !== at || /[\p{L}\p{N}_"]/u.test(sql.charAt(at))) return null
  const word = sql.slice(token.from, at)
  const isQuoted = token.kind === 'name'
  const wanted = word.replace(/^"/, '').toLowerCase()
  if (wanted === '' || (isQuoted ? word.endsWith('"') : !/^(?:word|keyword)$/.test(token.kind))) return null
  const all: readonly Completion[] = [
    ...columns.map((name) => ({ kind: 'column' as const, label: name, text: nameOf(name, isQuoted || undefined) })),
    ...(isQuoted ? [] : functions.map((name) => ({ kind: 'function' as const, label: `${name}()`, text: `${name}(` }))),
    ...(isQuoted ? [] : words.map((name) => ({ kind: 'keyword' as const, label: name, text: `${name} ` }))),
  ]
  const begins = all.filter(({ label }) => label.toLowerCase().startsWith(wanted))
  const inside = all.filter(({ kind, label }) => kind === 'column' && label.toLowerCase().indexOf(wanted) > 0)
  // Most words are meant to be a name of the table.
  const isColumn = ({ kind }: Completion) => kind === 'column'
  const ordered = [...begins.filter(isColumn), ...inside, ...begins.filter((one) => !isColumn(one))]
  const options = ordered.filter(({ text }) => text.trim() !== word).slice(0, optionsMax)
  return options.length === 0 ? null : { from: token.from, to: at, options }
}
