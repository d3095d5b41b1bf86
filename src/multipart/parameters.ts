// Parameters: the `; name=value` list after a media type or a disposition. Knows no parameter by name.

export type Parameters =
  | { readonly kind: 'read'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'bad'; readonly problem: string }

/** Up to the next semicolon outside quotes. Nothing follows the repetition, so it never has to step back. */
const piecePattern = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/gs
const quotedPattern = /^"((?:[^"\\]|\\.)*)"$/s

/**
 * Reads a parameter list; names come back in lower case, values unquoted, a parameter without `=` as empty.
 *
 * Lenient where only one reading is possible: blanks round `=`, characters outside the token set in an unquoted value,
 * empty places in the list. Bad where two are: a quote that does not enclose a whole value, and a parameter given twice
 * (RFC 6266 section 4.1).
 *
 * @param text What follows the first semicolon of the header's value.
 */
export function readParameters(text: string): Parameters {
  const values = new Map<string, string>()
  for (const [piece] of text.matchAll(piecePattern)) {
    const equals = piece.indexOf('=')
    const name = (equals === -1 ? piece : piece.slice(0, equals)).trim().toLowerCase()
    if (name === '' && equals === -1) continue
    const value = unquote(equals === -1 ? '' : piece.slice(equals + 1).trim())
    if (value === null || name.includes('"'))
      return { kind: 'bad', problem: 'a parameter has a quote in the wrong place' }
    if (values.has(name)) return { kind: 'bad', problem: `parameter '${name}' is given twice, wanted once` }
    values.set(name, value)
  }
  return { kind: 'read', values }
}

function unquote(value: string): string | null {
  if (!value.includes('"')) return value
  const inside = quotedPattern.exec(value)?.[1]
  // Only a quote and a backslash are taken as escaped: some clients write the path C:\dir\a.csv between quotes as it is.
  return inside?.replace(/\\(["\\])/g, '$1') ?? null
}

/** The value before the first semicolon, without blanks, and everything after it. */
export function cutAtSemicolon(value: string): readonly [first: string, rest: string] {
  const semicolon = value.indexOf(';')
  return semicolon === -1 ? [value.trim(), ''] : [value.slice(0, semicolon).trim(), value.slice(semicolon + 1)]
}
