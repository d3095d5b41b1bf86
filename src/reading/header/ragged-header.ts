// Ragged header: column names in a record whose width differs from the table's. Knows nothing of titles.

import { hasQuotes, isBlank, isQuoted, lineText, recordValues, type Tokens } from '../sniffer/tokenize.ts'
import { isMeasured, type Kind, kindOf } from '../sniffer/value-kind.ts'
import { looksLikeNames } from './score-header.ts'
import { withoutLabel } from './table-rows.ts'

const otherDelimiters = [',', ';', '\t', '|', ' ']

/** Names in a record of another width. */
export interface RaggedNames {
  readonly names: string[]
  /** They have another delimiter than the records. */
  readonly isOtherwise: boolean
}

/**
 * The names in a record with one name too many or too few, a stray quote or another delimiter; null if it is more likely a
 * title, as one set off by a blank line is.
 */
export function namesIn(tokens: Tokens, row: number, width: number): RaggedNames | null {
  const line = lineText(tokens, row)
  const own = String.fromCharCode(tokens.layout.delimiter)
  const cells = withoutLabel(tokens.broken.has(row) ? splitPlainly(line, own) : recordValues(tokens, row))
  const named = cells.filter((cell) => cell.trim() !== '')
  if (cells.length > 1 && cells.length * 3 >= width * 2) {
    return looksLikeNames(named) && named.length * 2 >= cells.length ? { names: cells, isOtherwise: false } : null
  }
  if (isBlank(tokens, row + 1)) return null
  for (const delimiter of otherDelimiters) {
    const others = splitPlainly(line, delimiter)
    if (others.length === width && looksLikeNames(others)) return { names: others, isOtherwise: true }
  }
  return null
}

/** Splits a line at every delimiter, ignoring quotes, and unquotes the pieces that are quoted at both ends. */
function splitPlainly(line: string, delimiter: string): string[] {
  return line.split(delimiter).map((cell) => cell.trim().replace(/^(["'])(.*)\1$/, '$2'))
}

/** Facts about the column that a header one name short may leave unnamed. */
export interface RowNames {
  readonly tokens: Tokens
  /** Records below the header, of the table's width. */
  readonly body: readonly number[]
  /** Kinds of the columns below. */
  readonly kinds: readonly Kind[]
}

/**
 * R writes row names without a name above them: its header is one name short, and its names belong to the rightmost
 * columns. Row names are texts, or numbers that count up from 1, none repeated.
 */
export function hasRowNames(names: readonly string[], { tokens, body, kinds }: RowNames): boolean {
  if (names.length !== kinds.length - 1 || body.length === 0) return false
  // Texts above numbers, even if all are equal: R calls the columns of a matrix without names the same.
  const areNames = names.every((name) => name !== '' && !isMeasured(kindOf(name)))
  const first = body.map((row) => tokens.firstFields[row] ?? 0)
  const values = body.map((row) => recordValues(tokens, row)[0] ?? '')
  // An id in the header is the name of the column that identifies rows.
  if (/^(?:id|nr|no|num|number|key|index|#)\b/i.test(names[0] ?? '')) return false
  if (!areNames || new Set(values).size < values.length || kinds.at(-1) === 'empty') return false
  const count = values.every((value, at) => value === String(at + 1))
  const areTexts = values.every((value) => kindOf(value) === 'text')
  const areQuoted = first.every((field) => isQuoted(tokens, field))
  // R quotes either all texts or none.
  if (!count && !areQuoted && body.some((row) => hasQuotes(tokens, row))) return false
  // A single name may just as well be a title.
  if (names.length === 1 && !areQuoted) return false
  const others = kinds.slice(1)
  return count || areTexts || (areQuoted && others.some((kind) => isMeasured(kind)))
}
