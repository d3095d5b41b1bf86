// Row table: the rows of a dataset with what filters, sorts, finds and copies them. The address keeps the view.
import { useLayoutEffect, useMemo, useReducer, useState } from 'preact/hooks'
import { type Receipt, runQuery, type TabProps } from '../../../api.ts'
import { count, list } from '../../../format.ts'
import { Failure } from '../../../parts/failure.tsx'
import { textOf, tsv } from '../../../parts/text-of.ts'
import { datasetHref, goTo } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { useLoaded } from '../../../use-loaded.ts'
import { type Cell, type CellRange, rangeOf } from './cell-moves.ts'
import { ColumnHeads } from './column-heads.tsx'
import { FilterBar, filterText } from './filter-bar.tsx'
import { GridFoot } from './grid-foot.tsx'
import type { GridColumn } from './grid-row.tsx'
import { Inspector, SidePanel } from './inspector.tsx'
import { RowGrid, type RowGridProps, type Selection, start } from './row-grid.tsx'
import { RowSource } from './row-source.ts'
import { countsSql, type Filter, nextSort, parseView, type RowView, rowsHref } from './row-view.ts'
import { useProfile } from './use-profile.ts'

const copiedMax = 10_000
const atStart: Selection = { cell: start, anchor: start }

/** @param props.query The view. */
export function RowTable({ receipt, query }: TabProps) {
  const { id, records } = receipt
  const shown = useShownRows(receipt, query)
  const { view, columns, source, order, show, onSort } = shown
  const { profile, profileError } = useProfile(receipt)
  const [{ cell, anchor }, setSelection] = useState(atStart)
  const [message, setMessage] = useState('')
  const [isWhole, setWhole] = useState(false)
  useLayoutEffect(() => setSelection(({ cell }) => (cell.row < 0 ? { cell, anchor: start } : atStart)), [order])
  useLayoutEffect(() => setWhole(false), [view.column])
  const { total } = source
  const current = columns[Math.min(cell.column, columns.length - 1)]
  const value = source.row(cell.row)?.values[current?.at ?? 0]
  const moveTo = (to: Cell) => setSelection({ cell: to, anchor: to })
  const onCopy = async (range: CellRange) => setMessage(t.rowsCopied(count(await copyRows(source, columns, range))))
  const onKey = keyHandler({
    isHead: cell.row < 0,
    sort: () => current && onSort(current.name),
    open: () => current && show({ column: current.name }),
    whole: () => setWhole(true),
    filter: () => current && show({ filters: [...view.filters, filterOf(current.name, value)] }),
    release: () => (view.column === null ? moveTo(cell) : show({ column: null })),
  })
  const heads: RowGridProps['heads'] = (inView, place) => (
    <ColumnHeads
      receipt={receipt}
      view={view}
      profile={profile}
      columns={inView}
      place={place}
      onSort={onSort}
      onOpen={(column) => show({ column: view.column === column ? null : column })}
    />
  )
  const foot: RowGridProps['foot'] = (first, last) => (
    <>
      {total === 0 && <Empty receipt={receipt} filters={view.filters} />}
      <GridFoot
        {...{ id, view, columns, total, first, last, message }}
        range={rangeOf(anchor, cell)}
        rows={records.accepted}
        onRow={(row) => moveTo({ row: Math.max(0, Math.min((total ?? 1) - 1, row)), column: cell.column })}
      />
    </>
  )
  const onColumn = (name: string) => moveTo({ row: cell.row, column: columns.findIndex((one) => one.name === name) })
  const grid = { source, columns, total, order, cell, anchor, onKey, heads, foot }
  return (
    <>
      <FilterBar columns={receipt.columns} column={current?.name ?? ''} onChange={show} {...{ view, onColumn }} />
      {(source.error ?? profileError) !== null && <Failure error={source.error ?? profileError} />}
      <div class="split">
        <div>
          <RowGrid label={t.rows} {...grid} onSelect={setSelection} onCopy={(range) => void onCopy(range)} />
        </div>
        {isWhole && current !== undefined ? (
          <WholeValue
            name={current.name}
            row={source.row(cell.row)?.number ?? 0}
            value={value}
            onClose={() => setWhole(false)}
          />
        ) : (
          <Inspector receipt={receipt} view={view} profile={profile} onChange={show} />
        )}
      </div>
    </>
  )
}

/** The rows and columns that the address shows, and ways to others. */
function useShownRows(receipt: Receipt, query: string) {
  const names = useMemo(() => receipt.columns.map(({ name }) => name), [receipt])
  const view = useMemo(() => parseView(query, names), [query, names])
  const order = JSON.stringify([view.filters, view.sort])
  const source = useSource(receipt, names, view, order)
  const { hidden, sort } = view
  const columns = useMemo(
    () => receipt.columns.map((column, at) => ({ ...column, at })).filter(({ name }) => !hidden.includes(name)),
    [receipt, hidden.join('\0')],
  )
  const show = (change: Partial<RowView>) => goTo(rowsHref(receipt.id, { ...view, ...change }))
  const onSort = (column: string) => show({ sort: nextSort(sort, column) })
  return { view, order, source, columns, show, onSort }
}

interface WholeValueProps {
  readonly name: string
  /** In the file, from 1. */
  readonly row: number
  readonly value: unknown
  readonly onClose: () => void
}

function WholeValue({ name, row, value, onClose }: WholeValueProps) {
  return (
    <SidePanel title={name} label={t.valueOf(name, count(row))} onClose={onClose}>
      <section class="code whole" aria-label={t.wholeValue} tabIndex={0}>
        {value === null || value === undefined ? t.nullValue : textOf(value)}
      </section>
    </SidePanel>
  )
}

/** Returns the number of rows in the clipboard. */
async function copyRows(source: RowSource, columns: readonly GridColumn[], { from, to }: CellRange): Promise<number> {
  const rows = await source.rows(from.row, Math.min(to.row, from.row + copiedMax - 1))
  const copied = columns.slice(from.column, to.column + 1)
  await navigator.clipboard.writeText(tsv(rows.map(({ values }) => copied.map(({ at }) => values[at]))))
  return rows.length
}

function filterOf(column: string, value: unknown): Filter {
  if (value === null || value === undefined) return { column, operator: 'null', values: [] }
  return { column, operator: '=', values: [textOf(value)] }
}

interface KeyUses extends Readonly<Record<'sort' | 'open' | 'whole' | 'filter' | 'release', () => void>> {
  /** The cursor is on the head of a column. */
  readonly isHead: boolean
}

/** Keys of the grid besides those that move, select and copy. */
function keyHandler({ isHead, ...uses }: KeyUses) {
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return
    const focus = (id: string) => () => document.getElementById(id)?.focus()
    const keys: Readonly<Record<string, () => void>> = {
      ...(isHead ? { Enter: uses.sort, ' ': uses.open } : { ' ': uses.whole, f: uses.filter }),
      g: focus('go-to-row'),
      '/': focus('find-column'),
      Escape: uses.release,
    }
    const use = event.altKey ? (event.key === 'ArrowDown' ? uses.open : undefined) : keys[event.key]
    if (use === undefined) return
    event.preventDefault()
    use()
  }
}

interface EmptyProps {
  readonly receipt: Receipt
  readonly filters: readonly Filter[]
}

/** Why there are no rows: which filters leave none, even on their own. */
function Empty({ receipt: { id, columns, records }, filters }: EmptyProps) {
  const { value: counts } = useLoaded(
    async (signal) => (filters.length === 0 ? null : await runQuery(id, countsSql(filters), signal)),
    [id, JSON.stringify(filters)],
  )
  const alone = filters.filter((_, at) => Number(counts?.rows[0]?.[at] ?? 1) === 0)
  return (
    <div class="empty">
      <p>{filters.length === 0 ? t.noRows : t.noMatch}</p>
      {filters.length === 0 && records.rejected > 0 && (
        <p>
          <a href={datasetHref(id, 'fix')}>{t.fixRejects(count(records.rejected))}</a>
        </p>
      )}
      {alone.length > 0 && <p>{t.noMatchAlone(list(alone.map((one) => filterText(one, columns))))}</p>}
    </div>
  )
}

function useSource(
  { id, records, file }: Receipt,
  columns: readonly string[],
  view: RowView,
  order: string,
): RowSource {
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  const source = useMemo(() => {
    const { accepted: total } = records
    const rowBytes = file.bytes / Math.max(1, total)
    return new RowSource({ id, columns, view, total, rowBytes, onChange: () => render(null) })
  }, [id, order])
  useLayoutEffect(() => () => source.close(), [source])
  return source
}
