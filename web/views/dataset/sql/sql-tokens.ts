// SQL tokens: the words, texts, numbers and comments of a statement, for what colors and mends it. Knows no element.
import { quotedName } from '../rows/row-view.ts'

export type TokenKind = 'keyword' | 'word' | 'name' | 'text' | 'number' | 'comment'

export interface Token {
  readonly kind: TokenKind
  readonly from: number
  readonly to: number
}

export const keywords: readonly string[] =
  'SELECT FROM WHERE GROUP BY ALL ORDER HAVING LIMIT OFFSET DISTINCT AS AND OR NOT IN BETWEEN LIKE ILIKE IS NULL CASE WHEN THEN ELSE END JOIN LEFT USING ON UNION EXCEPT INTERSECT WITH QUALIFY OVER PARTITION DESC ASC NULLS LAST FIRST FILTER EXCLUDE REPLACE SUMMARIZE DESCRIBE PIVOT CAST TRY_CAST'.split(
    ' ',
  )
const known = new Set(keywords)
/** What is not closed goes on to the end. */
const pattern =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'[^']*(?:'|$))|(?<name>"[^"]*(?:"|$))|(?<number>\d[\w.]*)|(?<word>[\p{L}_][\p{L}\p{N}_]*)/gu

/** In order; what is between them is space and signs. */
export function tokens(sql: string): readonly Token[] {
  return Array.from(sql.matchAll(pattern), ({ 0: found, index, groups }) => {
    const [kind = 'word'] = Object.entries(groups ?? {}).find(([, part]) => part !== undefined) ?? []
    return {
      kind: kind === 'word' && known.has(found.toUpperCase()) ? 'keyword' : (kind as TokenKind), // a group of the pattern
      from: index,
      to: index + found.length,
    }
  })
}

/** In statements, a name of this form needs no quotes. */
const plainName = /^[a-z_][a-z0-9_]*$/i

/** A name as statements have it, in quotes if it needs them. */
export function nameOf(name: string): string {
  return plainName.test(name) && !known.has(name.toUpperCase()) ? name : quotedName(name)
}

/** What belongs between the text before the caret and a name that is put there. */
export function gapBefore(before: string): string {
  if (/(?:^|[\s(.])$/.test(before)) return ''
  return /\)$/.test(before) || /^(?:word|name)$/.test(tokens(before).at(-1)?.kind ?? '') ? ', ' : ' '
}
