// Query result: the rows of a query as a table or as bars, and as a download. Knows no SQL.
import { useState } from 'preact/hooks'
import type { RowPage } from '../../../../src/core/responses.ts'
import { downloadQuery } from '../../../api.ts'
import { count, figure } from '../../../format.ts'
import { Failure } from '../../../parts/failure.tsx'
import { Table } from '../../../parts/table.tsx'
import { textOf } from '../../../parts/text-of.ts'
import { isNumeric, Value } from '../../../parts/value.tsx'
import { t } from '../../../texts.ts'

/** Browsers are slow with more; downloads have all rows. */
const rowsMax = 1_000

interface QueryResultProps {
  readonly id: string
  readonly sql: string
  readonly page: RowPage
  readonly tookMs: number
}

export function QueryResult({ id, sql, page, tookMs }: QueryResultProps) {
  const [isDrawn, setDrawn] = useState(false)
  const canDraw = barColumns(page) !== null
  return (
    <>
      <div class="row between">
        <p class="quiet figures" role="status">
          {t.rowCount(count(page.rows.length), figure(Math.round(tookMs)))}
          {page.rows.length > rowsMax && ` ${t.firstOnly(count(rowsMax))}`}
        </p>
        <div class="row">
          {canDraw && (
            <button type="button" class="small" aria-pressed={isDrawn} onClick={() => setDrawn(!isDrawn)}>
              {t.asBars}
            </button>
          )}
          <Download id={id} sql={sql} type="text/csv" fileName="result.csv" label={t.asCsv} />
          <Download id={id} sql={sql} type="application/x-ndjson" fileName="result.ndjson" label={t.asJson} />
        </div>
      </div>
      {page.truncated && <p role="status">{t.truncated}</p>}
      {isDrawn && canDraw ? <ResultBars page={page} /> : <ResultTable page={page} />}
    </>
  )
}

function ResultTable({ page }: { readonly page: RowPage }) {
  return (
    <section class="result" aria-label={t.result} tabIndex={0}>
      <Table
        class="compact"
        rows={page.rows.slice(0, rowsMax)}
        columns={page.columns.map(({ name, type }, column) => ({
          head: name,
          title: type,
          isNumber: isNumeric(type),
          cell: (row: readonly unknown[]) => <Value value={row[column]} />,
        }))}
      />
    </section>
  )
}

type DownloadProps = Readonly<Record<'id' | 'sql' | 'type' | 'fileName' | 'label', string>>

function Download({ id, sql, type, fileName, label }: DownloadProps) {
  const [error, setError] = useState<unknown>(null)
  const save = () => downloadQuery(id, sql, type, fileName).then(() => setError(null), setError)
  return (
    <>
      <button type="button" class="small" aria-label={`${t.downloads}: ${label}`} onClick={() => void save()}>
        {label}
      </button>
      {error !== null && <Failure error={error} />}
    </>
  )
}

/** More bars would be illegible. */
const barsMax = 60

/** The columns that name and measure the bars; null if a result has none. */
function barColumns({ columns, rows }: RowPage): { readonly name: number; readonly value: number } | null {
  const value = columns.findLastIndex(({ type }) => isNumeric(type))
  const name = columns.findIndex((_, index) => index !== value)
  return value < 0 || name < 0 || rows.length < 2 ? null : { name, value }
}

function ResultBars({ page }: { readonly page: RowPage }) {
  const found = barColumns(page)
  if (found === null) return null
  const rows = page.rows.slice(0, barsMax)
  const sizeOf = (row: readonly unknown[]) => Math.abs(Number(row[found.value] ?? 0)) || 0
  const most = Math.max(...rows.map(sizeOf), Number.MIN_VALUE)
  return (
    <table class="bars" aria-label={t.asBars}>
      <thead>
        <tr>
          <th scope="col">{page.columns[found.name]?.name}</th>
          <th scope="col" colSpan={2}>
            {page.columns[found.value]?.name}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            <th scope="row" class="name">
              {textOf(row[found.name]) || t.nullValue}
            </th>
            <td class="number">{textOf(row[found.value])}</td>
            <td class="bar-cell">
              <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
                <rect class="bar" width={(100 * sizeOf(row)) / most} height={10} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
