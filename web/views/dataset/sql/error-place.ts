// Error place: where in a statement an error is, by the line and the mark in its message. Knows no element.
import type { TextPlace } from '../../../check/texts/read-texts.ts'

/** Null if the message marks no place, or one that is not in the statement. */
export function errorPlace(sql: string, message: string): TextPlace | null {
  const [, number, excerpt = '', pad = ''] = /LINE (\d+): ([^\n]*)\n( *)\^/.exec(message) ?? []
  if (number === undefined) return null
  const line = sql.split('\n')[Number(number) - 1]
  if (line === undefined) return null
  // The engine shows a part of a long line, with dots where it was cut.
  const shown = excerpt.replace(/^\.\.\./, '').replace(/\.\.\.$/, '')
  const shownAt = line.indexOf(shown)
  const column = pad.length - `LINE ${number}: `.length - (excerpt.startsWith('...') ? 3 : 0) + shownAt
  if (shownAt < 0 || column < 0 || column > line.length) return null
  const from = sql.split('\n', Number(number) - 1).reduce((sum, one) => sum + one.length + 1, 0) + column
  const word = /^(?:"[^"]*"|'[^']*'|[\p{L}\p{N}_.]+|.)/u.exec(sql.slice(from))?.[0] ?? ''
  return { from, to: from + Math.max(1, word.length) }
}

/** The message without the excerpt, which is marked in the statement itself. */
export function withoutPlace(message: string): string {
  return message.replace(/\n+LINE \d+: [^\n]*\n *\^[\s\S]*$/, '')
}
