// Trino statement: prepares a statement over the table `data` for Trino, or refuses it. Does not contact Trino.
import { ServiceError } from '../../core/errors.ts'

/**
 * A statement with the table `data` in front, on a line of its own: the statement's lines follow, with unchanged
 * columns.
 */
export interface TrinoStatement {
  readonly sql: string
  /** The statement as it was given. */
  readonly given: string
}

/** Line ends in front of the statement. */
export const linesInFront = 1

interface Token {
  /** A word is a name, a keyword or a number. */
  readonly kind: 'word' | 'quoted' | 'text' | 'other'
  /** Words in upper case. */
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Trino's own lexer has no other tokens that could hide one of these: strings, quoted names, comments. */
const tokenPattern =
  /\s+|--[^\r\n]*|\/\*[\s\S]*?\*\/|("(?:[^"]|"")*"|`(?:[^`]|``)*`)|('(?:[^']|'')*')|([\p{L}\p{N}_]+)|([\s\S])/gu

/** The name, and thus the rights, of the service at Trino. */
const aboutUs = ['CURRENT_USER', 'CURRENT_GROUPS']

const beginnings = ['SELECT', 'WITH', 'VALUES', 'TABLE', '(']

/**
 * Puts `data` in front, as the first query of `WITH`. Trino's grammar accepts only a query after it, so nothing that
 * changes anything can follow. Anything that could read other tables is refused: names of three parts, since names of
 * one or two refer to nothing in a session without a catalog, and table functions.
 *
 * @param table A query, and the names of its columns, which only `WITH RECURSIVE` needs; there, they must be distinct.
 * @throws {ServiceError} QUERY_NOT_READ_ONLY, QUERY_FAILED
 */
export function statementOver(
  { sql: table, columns }: { readonly sql: string; readonly columns: readonly string[] },
  given: string,
): TrinoStatement {
  if (given.includes('\0')) throw failed('it contains a NUL character')
  const all = tokensOf(given)
  const lastOfStatement = all.findLastIndex(({ text }) => text !== ';')
  const tokens = all.slice(0, lastOfStatement + 1)
  const [first, second] = tokens
  if (first === undefined) throw failed('it contains no statement')
  if (tokens.some(({ text }) => text === ';')) throw refused('it contains several statements, wanted one')
  if (!beginnings.includes(first.text)) {
    throw refused('it is a statement of another kind, wanted SELECT, WITH, VALUES or TABLE')
  }
  checkNames(tokens)
  const data = `data AS (${table})`
  const end = tokens.at(-1)?.end ?? 0
  if (first.text !== 'WITH') return { sql: `WITH ${data}\n${given.slice(0, end)}`, given }
  const isRecursive = second?.text === 'RECURSIVE'
  const last = isRecursive ? second : first
  const blank = given.slice(first.start, last.end).replace(/\S/g, ' ')
  const rest = given.slice(0, first.start) + blank + given.slice(last.end, end)
  if (!isRecursive) return { sql: `WITH ${data},\n${rest}`, given }
  return { sql: `WITH RECURSIVE data (${columns.join(', ')}) AS (${table}),\n${rest}`, given }
}

function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = []
  for (const { 0: whole, 1: quoted, 2: literal, 3: word, 4: other, index: start } of sql.matchAll(tokenPattern)) {
    const end = start + whole.length
    if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted, start, end })
    else if (literal !== undefined) tokens.push({ kind: 'text', text: literal, start, end })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word.toUpperCase(), start, end })
    else if (other === '"' || other === "'" || other === '`') throw failed('a quote in it is not closed')
    else if (other === '/' && sql.startsWith('/*', start)) throw failed('a comment in it is not closed')
    else if (other !== undefined) tokens.push({ kind: 'other', text: other, start, end })
  }
  return tokens
}

function checkNames(tokens: readonly Token[]): void {
  let parts = 0
  for (const [i, { kind, text }] of tokens.entries()) {
    const isName = kind === 'word' || kind === 'quoted'
    if (kind === 'word' && text === 'TABLE' && tokens[i + 1]?.text === '(') {
      throw refused('table functions are not available: a query reads the table data and nothing else')
    }
    if (kind === 'word' && aboutUs.includes(text)) {
      throw refused(`${text.toLowerCase()} is not available; put a column of that name in double quotes`)
    }
    if (text !== '.' || kind !== 'other') parts = isName ? (tokens[i - 1]?.text === '.' ? parts + 1 : 1) : 0
    if (parts > 2) {
      const wanted = 'at most two, such as data.column; put a row in parentheses: (data.column).field'
      throw refused(`a name in it has three parts, wanted ${wanted}`)
    }
  }
}

function refused(problem: string): ServiceError {
  return new ServiceError('QUERY_NOT_READ_ONLY', { problem })
}

function failed(problem: string): ServiceError {
  return new ServiceError('QUERY_FAILED', { problem })
}
