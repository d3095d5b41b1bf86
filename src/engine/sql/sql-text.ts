// SQL text: names, texts and paths from outside, safe in a statement.

/** A name of any characters but NUL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text of any characters. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A path to read from, as a literal: DuckDB reads `*`, `?` and `[` in a path as a pattern. */
export function pathLiteral(path: string): string {
  return literal(path.replaceAll(/[*?[]/g, '[$&]'))
}
