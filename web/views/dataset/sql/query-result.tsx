// Query result: the rows of a query as a grid, beside bars if there are few, and as a download. Knows no SQL.
import { useId, useMemo, useState } from 'preact/hooks'
import type { RowPage } from '../../../../src/core/responses.ts'
import { downloadQuery } from '../../../api.ts'
import { count, isNumeric } from '../../../format.ts'
import { Choice } from '../../../parts/controls.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Menu } from '../../../parts/menu.tsx'
import { textOf, tsv } from '../../../parts/text-of.ts'
import { language, t } from '../../../texts.ts'
import { useAction } from '../../../use-loaded.ts'
import type { CellRange } from '../rows/cell-moves.ts'
import { type GridColumn, HeadCell } from '../rows/grid-row.tsx'
import { RowGrid, type Selection, start } from '../rows/row-grid.tsx'
import { nextSort, orderOf, type Sort } from '../rows/row-view.ts'

export function QueryResult({ page }: { readonly page: RowPage }) {
  if (page.rows.length === 0) {
    return (
      <div class="empty">
        <h2>{t.noResultRows}</h2>
        <p>{page.columns.map(({ name }) => name).join(' · ')}</p>
      </div>
    )
  }
  return (
    <>
      {page.truncated && <p class="note">{t.firstRows(count(page.rows.length))}</p>}
      <div class="results">
        <div>
          <ResultGrid page={page} />
        </div>
        <ResultBars page={page} />
      </div>
    </>
  )
}

function ResultGrid({ page: { columns, rows } }: { readonly page: RowPage }) {
  const [selection, setSelection] = useState<Selection>({ cell: start, anchor: start })
  const [sort, setSort] = useState<Sort<number> | null>(null)
  const sorted = useMemo(() => (sort === null ? rows : sortedRows(rows, sort)), [rows, sort])
  const named = useMemo(() => columnsOf(columns), [columns])
  const onSort = (column: number) => setSort(nextSort(sort, column))
  const onCopy = ({ from, to }: CellRange) =>
    navigator.clipboard.writeText(
      tsv(sorted.slice(from.row, to.row + 1).map((values) => values.slice(from.column, to.column + 1))),
    )
  return (
    <RowGrid
      label={t.result}
      source={{ row: (index) => ({ number: index + 1, values: sorted[index] ?? [] }) }}
      columns={named}
      total={rows.length}
      {...selection}
      onSelect={setSelection}
      onCopy={(range) => void onCopy(range)}
      onKey={({ key }) => {
        if (key === 'Enter' && selection.cell.row < 0) onSort(selection.cell.column)
      }}
      heads={(inView, place) =>
        inView.map((one, index) => (
          <HeadCell
            key={one.name}
            {...one}
            place={place}
            index={index}
            order={orderOf(sort, one.at)}
            onSort={() => onSort(one.at)}
          />
        ))
      }
    />
  )
}

/** A result may have several columns of one name. */
function columnsOf(columns: RowPage['columns']): readonly GridColumn[] {
  return columns.map(({ name, type }, at) => {
    const before = columns.slice(0, at).filter((one) => one.name === name).length
    return { name: before === 0 ? name : `${name}_${before}`, type, at }
  })
}

/** Numbers by value, also those that are texts so as to lose no digit; null last. */
function sortedRows(rows: RowPage['rows'], { column, isDescending }: Sort<number>): RowPage['rows'] {
  const order = new Intl.Collator(undefined, { numeric: true })
  return rows.toSorted((a, b) => {
    const [one, other] = [a[column], b[column]]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    const difference = Number(one) - Number(other) || order.compare(textOf(one), textOf(other))
    return isDescending ? -difference : difference
  })
}

const forms = [
  ['CSV', 'text/csv', 'csv'],
  ['JSON', 'application/json', 'json'],
  ['NDJSON', 'application/x-ndjson', 'ndjson'],
] as const

/** The whole result, in each format of the service. */
export function ExportMenu({ id, sql }: Readonly<Record<'id' | 'sql', string>>) {
  const { isLoading, error, run } = useAction<void>()
  return (
    <>
      <Menu label={isLoading ? t.exporting : t.export}>
        {forms.map(([name, type, ending]) => (
          <button
            key={name}
            type="button"
            onClick={({ currentTarget }) => {
              currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
              run((signal) => downloadQuery(id, sql, type, `result.${ending}`, signal))
            }}
          >
            {name}
          </button>
        ))}
      </Menu>
      {error !== null && <Failure error={error} />}
    </>
  )
}

/** More bars would be illegible. */
const barsMax = 60

const short = new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 })

/** A number for each of a few names, as bars. */
function ResultBars({ page: { columns, rows } }: { readonly page: RowPage }) {
  const id = useId()
  const values = columns.flatMap(({ type }, at) => (isNumeric(type) ? [at] : []))
  const [chosen, setChosen] = useState(values.find((at) => isFalling(rows, at)) ?? values.at(-1))
  const label = columns.findIndex((_, at) => at !== chosen)
  if (chosen === undefined || label < 0 || rows.length < 2 || rows.length > barsMax) return null
  const sizeOf = (row: readonly unknown[]) => Math.abs(Number(row[chosen] ?? 0)) || 0
  const most = Math.max(...rows.map(sizeOf), Number.MIN_VALUE)
  return (
    <figure aria-labelledby={id}>
      <div class="row">
        <h2 class="h3 name grow" id={id}>
          {t.valueBy(columns[chosen]?.name ?? '', columns[label]?.name ?? '')}
        </h2>
        {values.length > 1 && (
          <Choice
            label={t.barsOf}
            look="soft"
            value={chosen}
            options={values.map((at) => [at, columns[at]?.name ?? ''] as const)}
            onChange={setChosen}
          />
        )}
      </div>
      <div class="bars">
        {rows.map((row, at) => (
          <>
            <span class="name">{textOf(row[label]) || t.nullValue}</span>
            <i key={at} ref={(bar) => bar?.style.setProperty('width', `${(100 * sizeOf(row)) / most}%`)} />
            <span class="small quiet num">
              {row[chosen] === null ? t.nullValue : short.format(Number(row[chosen]))}
            </span>
          </>
        ))}
      </div>
    </figure>
  )
}

/** The column by which a result is sorted is what it is about. */
function isFalling(rows: RowPage['rows'], column: number): boolean {
  return rows.every((row, at) => at === 0 || Number(rows[at - 1]?.[column]) >= Number(row[column]))
}
