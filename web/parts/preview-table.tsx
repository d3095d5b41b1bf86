// Preview table: the first rows of a file as they would be read, with names and types. Knows no file.
import { count } from '../format.ts'
import { t } from '../texts.ts'
import { Table } from './table.tsx'
import { isNumeric, Value } from './value.tsx'

/** Nobody reads a table with more columns, and browsers render it slowly. */
const columnsMax = 60

export interface PreviewTableProps {
  readonly label: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
}

export function PreviewTable({ label, columns, rows }: PreviewTableProps) {
  const shown = columns.slice(0, columnsMax).map(({ name, type }, column) => ({
    head: (
      <>
        {name} <span class="type">{type}</span>
      </>
    ),
    cell: (row: readonly unknown[]) => <Value value={row[column]} />,
    isNumber: isNumeric(type),
  }))
  const number = {
    head: (
      <>
        <span aria-hidden="true">#</span>
        <span class="hidden">{t.rowNumber}</span>
      </>
    ),
    cell: (_: readonly unknown[], at: number) => count(at + 1),
    isNumber: true,
    isRowHead: true,
  }
  return (
    <>
      <section class="preview" aria-label={label} tabIndex={0}>
        <Table class="compact" rows={rows} columns={[number, ...shown]} />
      </section>
      {columns.length > columnsMax && <p class="quiet">{t.moreColumns(count(columns.length - columnsMax))}</p>}
    </>
  )
}
