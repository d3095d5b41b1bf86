// Parameters: the `; name=value` list after a media type or a disposition. Knows no parameter by name.

export type Parameters =
  | { readonly kind: 'read'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'bad'; readonly problem: string }

/** What a header may have. Names are in lower case. */
export interface ParameterRules {
  /**
   * Parameters that must not be repeated, since they could then be read in two ways. Of any other, the first counts.
   */
  readonly once: readonly string[]
  /** Parameters whose quoted value may contain quotes that are not escaped. */
  readonly bareQuotes?: readonly string[]
}

/** Up to the next semicolon outside quotes. Nothing follows the repetition, so it never has to step back. */
const piecePattern = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/gsy
const quotedPattern = /^"((?:[^"\\]|\\.)*)"$/s
/** Up to the first quote that is followed by a semicolon or the end. */
const bareQuotesPattern = /^"(.*?)"[ \t]*(?:;|$)/s

/**
 * Reads a parameter list: names in lower case, values unquoted, a parameter without `=` as empty.
 *
 * Lenient if only one reading is possible: blanks around `=`, characters outside the token set in an unquoted value,
 * empty list entries. Bad if two are: a quote that does not enclose a whole value, and a repeated parameter that
 * `rules` allow only once (RFC 6266 section 4.1).
 *
 * @param text What follows the first semicolon of the header's value.
 */
export function readParameters(text: string, rules: ParameterRules): Parameters {
  const values = new Map<string, string>()
  for (let at = 0; at < text.length; at += 1) {
    piecePattern.lastIndex = at
    const piece = piecePattern.exec(text)?.[0] ?? ''
    const equals = piece.indexOf('=')
    const name = (equals === -1 ? piece : piece.slice(0, equals)).trim().toLowerCase()
    const raw = equals === -1 ? '' : piece.slice(equals + 1)
    let length = piece.length
    if (name !== '' || equals !== -1) {
      let value = unquote(raw.trim())
      if (value === null && rules.bareQuotes?.includes(name)) {
        const loose = readBareQuotes(text.slice(at + equals + 1), raw)
        value = loose?.value ?? null
        length = equals + 1 + (loose?.length ?? 0)
      }
      if (value === null || name.includes('"'))
        return { kind: 'bad', problem: 'a parameter has a quote in the wrong place' }
      const isRepeated = values.has(name)
      if (isRepeated && rules.once.includes(name))
        return { kind: 'bad', problem: `parameter '${name}' is given twice, expected once` }
      if (!isRepeated) values.set(name, value)
    }
    at += length
  }
  return { kind: 'read', values }
}

/**
 * Reads `"say "hi".csv"`, as written by clients that do not escape quotes (Spring's RestTemplate before 5.0): the value
 * ends at the quote before a semicolon or the end. A later quote could end it, too, unless all quotes up to there come
 * in pairs, as the reference counts them.
 *
 * @param text From after the equals sign to the end of the list.
 * @param paired The same up to the first semicolon outside pairs of quotes.
 * @returns null if there is no such end, or more than one.
 */
function readBareQuotes(text: string, paired: string): { readonly value: string; readonly length: number } | null {
  const start = text.length - text.trimStart().length
  if (text[start] !== '"') return paired.includes(';') ? null : { value: paired.trim(), length: paired.length }
  const [whole = '', value] = bareQuotesPattern.exec(text.slice(start)) ?? []
  if (value === undefined) return null
  const length = start + whole.replace(/;$/, '').length
  return length !== paired.length && text.includes('"', length) ? null : { value, length }
}

function unquote(value: string): string | null {
  if (!value.includes('"')) return value
  const inside = quotedPattern.exec(value)?.[1]
  // Only a quote and a backslash count as escaped: some clients write the path C:\dir\a.csv between quotes as it is.
  return inside?.replace(/\\(["\\])/g, '$1') ?? null
}

/** The value before the first semicolon, without blanks, and everything after it. */
export function cutAtSemicolon(value: string): readonly [first: string, rest: string] {
  const semicolon = value.indexOf(';')
  return semicolon === -1 ? [value.trim(), ''] : [value.slice(0, semicolon).trim(), value.slice(semicolon + 1)]
}
