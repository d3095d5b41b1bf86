// Row table: the rows of a dataset with what filters, sorts, finds and copies them. The address keeps the view.
import { useLayoutEffect, useMemo, useReducer, useState } from 'preact/hooks'
import type { Receipt } from '../../../api.ts'
import { count } from '../../../format.ts'
import { Failure } from '../../../parts/failure.tsx'
import { tsv } from '../../../parts/text-of.ts'
import { Value } from '../../../parts/value.tsx'
import { t } from '../../../texts.ts'
import type { Cell, CellRange } from './cell-moves.ts'
import { FilterBar } from './filter-bar.tsx'
import { GoTo } from './go-to.tsx'
import { RowGrid } from './row-grid.tsx'
import { RowSource } from './row-source.ts'
import { parseView, type RowView, rowsHref } from './row-view.ts'

const copiedMax = 10_000
const start: Cell = { row: 0, column: 0 }

interface RowTableProps {
  readonly receipt: Receipt
  /** The view in the address. */
  readonly viewText: string
}

export function RowTable({ receipt: { id, columns, records }, viewText }: RowTableProps) {
  const names = useMemo(() => columns.map(({ name }) => name), [columns])
  const view = useMemo(() => parseView(viewText, names), [viewText, names])
  const source = useSource(id, names, view, records.accepted)
  const [{ cell, anchor }, setSelection] = useState({ cell: start, anchor: start })
  const [copied, setCopied] = useState<number | null>(null)
  const select = (to: Cell, isExtended = false) =>
    setSelection((last) => ({ cell: to, anchor: isExtended ? last.anchor : to }))
  useLayoutEffect(() => {
    select(start)
  }, [viewText])

  const show = (change: Partial<RowView>) => {
    location.hash = rowsHref(id, { ...view, ...change })
  }
  const onSort = (column: string) => {
    const { sort } = view
    if (sort?.column !== column) show({ sort: { column, isDescending: false } })
    else show({ sort: sort.isDescending ? null : { column, isDescending: true } })
  }
  const onCopy = async ({ from, to }: CellRange) => {
    const rows = await source.rows(from.row, Math.min(to.row, from.row + copiedMax - 1))
    await navigator.clipboard.writeText(tsv(rows.map(({ values }) => values.slice(from.column, to.column + 1))))
    setCopied(rows.length)
  }
  if (records.accepted === 0) return <p>{t.noRows}</p>
  const { total } = source
  return (
    <div class="rows">
      <div class="row between">
        <FilterBar columns={names} filters={view.filters} onChange={(filters) => show({ filters })} />
        <GoTo
          total={total ?? 1}
          columns={names}
          onRow={(row) => select({ row: Math.max(0, Math.min((total ?? 1) - 1, row)), column: cell.column })}
          onColumn={(column) => select({ row: cell.row, column })}
        />
      </div>
      {source.error !== null && <Failure error={source.error} />}
      {total === null && source.error === null && <p class="quiet">{t.loading}</p>}
      {total === 0 && <p>{t.noMatch}</p>}
      {total !== null && total > 0 && (
        <>
          <RowGrid
            key={viewText}
            source={source}
            columns={columns}
            total={total}
            sort={view.sort}
            onSort={onSort}
            cell={cell}
            anchor={anchor}
            onSelect={select}
            onCopy={(range) => void onCopy(range)}
          />
          <FullValue name={names[cell.column]} source={source} cell={cell} />
          <p class="quiet" role="status">
            {copied === null ? t.copyHint : t.rowsCopied(count(copied))}
          </p>
        </>
      )}
    </div>
  )
}

interface FullValueProps {
  readonly name: string | undefined
  readonly source: RowSource
  readonly cell: Cell
}

/** The selected cell, which the table may have cut. */
function FullValue({ name, source, cell }: FullValueProps) {
  const row = source.row(cell.row)
  return (
    <section class="full-value" aria-label={t.fullValue} tabIndex={0}>
      <output>
        <span class="quiet">
          {name} · {row === null ? '…' : count(row.number)}
        </span>{' '}
        {row === null ? t.loading : <Value value={row.values[cell.column]} />}
      </output>
    </section>
  )
}

function useSource(id: string, columns: readonly string[], view: RowView, total: number): RowSource {
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  const source = useMemo(() => new RowSource({ id, columns, view, total, onChange: () => render(null) }), [id, view])
  useLayoutEffect(() => () => source.close(), [source])
  return source
}
