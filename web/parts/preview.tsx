// Preview: how a file would be read, in one line, and its first rows, with names and types. Knows no file.
import type { ProvisionalReceipt } from '../check/provisional.ts'
import { count, isNumeric, shownName, typeName } from '../format.ts'
import { t } from '../texts.ts'
import { Table } from './table.tsx'
import { Value } from './value.tsx'

/** Nobody reads a table with more columns, and browsers render it slowly. */
const columnsMax = 30
const rowsMax = 20

interface PreviewProps {
  readonly label: string
  /** Null while it is being read. */
  readonly receipt: ProvisionalReceipt | null
}

export function Preview({ label, receipt }: PreviewProps) {
  if (receipt === null) return <p class="quiet">{t.reading}</p>
  const { isWhole, records, columns, rows } = receipt
  const noRows = !isWhole ? t.noRecordsInHead : records.header > 0 ? t.noRecordsBelow : t.noRecords
  const shown = columns.slice(0, columnsMax).map(({ name, type }, column) => ({
    head: (
      <>
        {shownName(name)} <span class="type">{typeName(type)}</span>
      </>
    ),
    cell: (row: readonly unknown[]) => <Value value={row[column]} />,
    isNumber: isNumeric(type),
  }))
  const number = {
    head: '#',
    cell: (_: readonly unknown[], at: number) => count(at + 1),
    isNumber: true,
    isRowHead: true,
  }
  return (
    <>
      <section class="preview" aria-label={label} tabIndex={0}>
        <Table class="compact" rows={rows.slice(0, rowsMax)} columns={[number, ...shown]} />
      </section>
      {columns.length > columnsMax && <p class="quiet">{t.moreColumns(count(columns.length - columnsMax))}</p>}
      {records.accepted + records.rejected === 0 && <p class="quiet">{noRows}</p>}
    </>
  )
}
