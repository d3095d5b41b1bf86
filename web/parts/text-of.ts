// Text of: a value of a cell as text, and cells for the clipboard. Knows no element.

/** A part of a text, in characters; empty if something is missing there. */
export interface TextPlace {
  readonly from: number
  readonly to: number
}

/** Null is empty; lists and structs are JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** As spreadsheets take them: values with tabs, line ends or quotes are in quotes; null is an empty cell. */
export function tsv(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => row.map((value) => quotedCell(textOf(value))).join('\t')).join('\n')
}

function quotedCell(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
