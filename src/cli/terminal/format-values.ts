// Format values: rows of a dataset or a query as a table for humans. Knows no command.
import type { RowPage } from '../../client/response-shapes.ts'
import { right, tableText } from './table.ts'

/** A table of values: null is left empty, empty text is shown as two quotes. */
export function valueTable({ columns, rows }: RowPage, widthMax: number | null): string {
  const heads = columns.map(({ name, type }) =>
    /^(integer|decimal|number)/i.test(String(type)) ? right(String(name)) : String(name),
  )
  const cells = rows.map((row) => row.map(shownValue))
  return tableText(heads, cells, widthMax)
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value === '') return '""'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
