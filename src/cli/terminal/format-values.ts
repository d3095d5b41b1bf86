// Format values: parses rows of a dataset or a query from a server, and formats them for humans. Knows no command.
import { ClientError } from '../../client/client-error.ts'
import { tableText } from './table.ts'

export interface SentRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  /** Total number of rows; null if the server does not say. */
  readonly total: number | null
  /** The server had more rows than it sends in one response. */
  readonly truncated: boolean
}

/** Parses a page of rows. @throws {ClientError} `wrong` if it is not one */
export function readRowPage(answer: unknown): SentRows {
  const { columns, rows, total, truncated } = (answer ?? {}) as Readonly<Record<string, unknown>> // of unknown members
  if (Array.isArray(columns) && Array.isArray(rows) && rows.every(Array.isArray)) {
    return { columns, rows, total: typeof total === 'number' ? total : null, truncated: truncated === true }
  }
  throw new ClientError({ kind: 'wrong', message: 'Cannot read the response: it has no rows' })
}

/** A table of values: null is left empty, empty text is shown as two quotes. */
export function valueTable({ columns, rows }: SentRows, widthMax: number | null): string {
  const heads = columns.map(({ name, type }) =>
    /^(integer|decimal|number)/i.test(String(type))
      ? ({ name: String(name), align: 'right' } as const)
      : { name: String(name) },
  )
  return tableText(
    heads,
    rows.map((row) => row.map(shownValue)),
    widthMax,
  )
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value === '') return '""'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
