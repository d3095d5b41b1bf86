// TSV: cells as spreadsheets take them from the clipboard. Knows no element.
import { textOf } from '../../../parts/text-of.ts'

/** Values with tabs, line ends or quotes are in quotes; null is an empty cell. */
export function tsv(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => row.map((value) => cell(textOf(value))).join('\t')).join('\n')
}

function cell(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
