// Selectable list: a table of datasets, of any length, with heads that sort and boxes that select, and what can be done
// with those that are selected; says why a list is missing.
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ListedDataset } from '../api.ts'
import { bytes, count, shownName } from '../format.ts'
import { t } from '../texts.ts'
import type { Outcome } from '../trash.ts'
import type { useList } from '../use-list.ts'
import { Box, Button } from './controls.tsx'
import { Failure } from './failure.tsx'
import { Icon } from './icon.tsx'
import { windowOf } from './list-window.ts'

/** A file, or a version below its file. */
export interface ListRow extends ListedDataset {
  readonly isVersion?: boolean
}

export interface ListColumn {
  /** What the list is sorted by with it; null if it cannot be. */
  readonly by: string | null
  readonly head: string
  readonly class: string
  cell(row: ListRow): ComponentChildren
}

export function column(by: string | null, head: string, classes: string, cell: ListColumn['cell']): ListColumn {
  return { by, head, class: classes, cell }
}

export interface Sort {
  readonly by: string
  readonly isDescending: boolean
}

/** Something that can be done with selected datasets. */
export interface ListAction {
  readonly label: string
  readonly look?: string
  /** Asked before, for what cannot be undone. */
  readonly question?: string
  /** What it can be done with; without, with all. */
  isFor?(one: ListedDataset): boolean
  run(selected: readonly ListedDataset[]): Promise<Outcome>
}

interface SelectableListProps {
  readonly label: string
  readonly columns: readonly ListColumn[]
  readonly list: ReturnType<typeof useList>
  /** The versions that are shown below an entry. */
  versionsOf?(entry: ListedDataset): readonly ListRow[]
  readonly sort: Sort
  onSort(sort: Sort): void
  readonly actions: readonly ListAction[]
  /** Shown while nothing is selected. */
  readonly tools: ComponentChildren
  /** Said of a list without entries. */
  readonly empty: string
}

/** As many as are drawn before the first page is there. */
const skeletonRows = 8

export function SelectableList(props: SelectableListProps) {
  const { label, list, versionsOf, actions, tools, empty } = props
  const [selected, select] = useState<ReadonlyMap<string, ListedDataset>>(new Map())
  const { entries, total, error } = list
  const rows = (entries ?? []).flatMap((entry) => [entry, ...(versionsOf?.(entry) ?? [])])
  const toggle = (concerned: readonly ListedDataset[], isOn: boolean) => {
    const ids = new Set(concerned.map(({ id }) => id))
    const others = [...selected].filter(([id]) => !ids.has(id))
    select(new Map(isOn ? others : [...others, ...concerned.map((one) => [one.id, one] as const)]))
  }
  const box = (concerned: readonly ListedDataset[], name: string) => {
    const isOn = concerned.length > 0 && concerned.every(({ id }) => selected.has(id))
    return <Box label={name} isOn={isOn} onChange={() => toggle(concerned, isOn)} />
  }
  return (
    <section class="dataset-list" aria-label={label}>
      {selected.size === 0 ? (
        tools
      ) : (
        <SelectionBar
          selected={[...selected.values()].map((one) => rows.find(({ id }) => id === one.id) ?? one)}
          actions={actions}
          onDone={(gone) => {
            list.remove(gone)
            select(new Map())
          }}
        />
      )}
      {error !== null && (
        <div class="row">
          <Failure error={error} />
          <Button text={t.retry} onClick={list.retry} />
        </div>
      )}
      {entries?.length === 0 && <p class="empty">{empty}</p>}
      {(error === null || entries !== null) && entries?.length !== 0 && (
        <div class="frame">
          <ListTable
            {...props}
            rows={rows}
            rowCount={entries === null ? skeletonRows : total + rows.length - entries.length}
            isSelected={(id) => selected.has(id)}
            box={(row) => {
              if (row === null) return box(entries ?? [], t.selectAll)
              return !row.isVersion && box([row], t.select(shownName(row.file.name) || row.id))
            }}
          />
        </div>
      )}
    </section>
  )
}

interface ListTableProps extends SelectableListProps {
  /** Those that are loaded, from the first on. */
  readonly rows: readonly ListRow[]
  /** Of all rows, loaded or not. */
  readonly rowCount: number
  isSelected(id: string): boolean
  box(row: ListRow | null): ComponentChildren
}

/** A table of which only the rows in view exist, however many there are. */
function ListTable({ label, columns, list, sort, onSort, rows, rowCount, isSelected, box }: ListTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const { first, last, rowHeight } = useRowsInView(table, rowCount, list.reach)
  return (
    <table class="list" ref={table} aria-label={label} aria-rowcount={rowCount + 1}>
      <thead>
        <tr>
          <th scope="col">{box(null)}</th>
          {columns.map((one) => (
            <Head key={one.head} column={one} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        <Gap rows={first} height={rowHeight} />
        {Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at).map((index) => {
          const row = rows[index]
          if (row === undefined) return <Skeleton key={index} index={index} />
          return (
            <tr
              key={row.isVersion ? `version ${row.id}` : row.id}
              class={row.isVersion ? 'child' : isSelected(row.id) ? 'picked' : undefined}
              aria-rowindex={index + 2}
            >
              <td>{box(row)}</td>
              {columns.map((one) => (
                <td key={one.head} class={one.class}>
                  {one.cell(row)}
                </td>
              ))}
            </tr>
          )
        })}
        <Gap rows={rowCount - last} height={rowHeight} />
      </tbody>
    </table>
  )
}

/** Of a row that was never measured. Pixels. */
const usualRowHeight = 38

/** @param onReach Called when rows up to this one are in view. */
function useRowsInView(table: RefObject<HTMLTableElement | null>, rowCount: number, onReach: (end: number) => void) {
  const rowHeight = useRef(usualRowHeight)
  const [{ first, end }, setWindow] = useState({ first: 0, end: 30 })
  useLayoutEffect(() => {
    const measure = () => {
      const body = table.current?.tBodies[0]
      const main = document.querySelector('main')
      if (!body || main === null) return
      const row = body.querySelector<HTMLElement>('tr[aria-rowindex]')
      if (row !== null) rowHeight.current = row.getBoundingClientRect().height
      const above = body.getBoundingClientRect().top - main.getBoundingClientRect().top
      const seen = windowOf(above, main.clientHeight, rowHeight.current, rowCount)
      setWindow((last) => (last.first === seen.first && last.end === seen.end ? last : seen))
      onReach(seen.end)
    }
    measure()
    const stop = new AbortController()
    document.querySelector('main')?.addEventListener('scroll', measure, stop)
    addEventListener('resize', measure, stop)
    return () => stop.abort()
  })
  return { first, last: Math.min(end, rowCount), rowHeight: rowHeight.current }
}

/** The first press sorts texts upwards, and figures downwards. */
function Head({
  column,
  sort,
  onSort,
}: Pick<SelectableListProps, 'sort' | 'onSort'> & { readonly column: ListColumn }) {
  const { by, head, class: classes } = column
  const isSorted = sort.by === by
  const order = sort.isDescending ? 'descending' : 'ascending'
  const isDescending = isSorted ? !sort.isDescending : classes.includes('num')
  return (
    <th scope="col" class={classes} aria-sort={isSorted ? order : undefined}>
      {by === null ? (
        head
      ) : (
        <button type="button" class="sort" onClick={() => onSort({ by, isDescending })}>
          {head}
          {isSorted && <Icon name={sort.isDescending ? 'down' : 'up'} />}
        </button>
      )}
    </th>
  )
}

/** The room of rows that are not in view. */
function Gap({ rows, height }: Readonly<Record<'rows' | 'height', number>>) {
  if (rows <= 0) return null
  return (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${Math.round(rows * height)}px` }} />
    </tr>
  )
}

function Skeleton({ index }: { readonly index: number }) {
  return (
    <tr aria-rowindex={index + 2}>
      <td />
      <td class="name-cell">
        <span class="skeleton" style={{ width: `${8 + (index % 5) * 2}rem` }}>
          <span class="hidden">{t.loading}</span>
        </span>
      </td>
    </tr>
  )
}

interface SelectionBarProps {
  readonly selected: readonly ListedDataset[]
  readonly actions: readonly ListAction[]
  /** Called with those that are gone, and with none if the user lets go. */
  onDone(gone: ReadonlySet<string>): void
}

function SelectionBar({ selected, actions, onDone }: SelectionBarProps) {
  const [asked, ask] = useState<ListAction | null>(null)
  const [error, setError] = useState<unknown>(null)
  const concerned = ({ isFor = () => true }: ListAction) => selected.filter(isFor)
  const run = async (action: ListAction) => {
    ask(null)
    const { gone, failure } = await action.run(concerned(action))
    setError(failure)
    if (failure === null) onDone(gone)
  }
  return (
    <>
      <section class="toolbar" aria-label={t.selection}>
        <b class="strong">{t.selectedCount(count(selected.length))}</b>
        <span class="quiet small">{bytes(selected.reduce((sum, { file }) => sum + file.bytes, 0))}</span>
        <span class="grow" />
        {actions
          .filter((action) => concerned(action).length > 0)
          .map((action) => (
            <Button
              key={action.label}
              text={action.label}
              look={action.look ?? ''}
              onClick={() => (action.question === undefined ? void run(action) : ask(action))}
            />
          ))}
        <Button text={t.clear} look="ghost" onClick={() => onDone(new Set())} />
      </section>
      {asked !== null && (
        <dialog
          class="dialog"
          aria-label={asked.label}
          ref={(dialog) => {
            if (dialog?.open === false) dialog.showModal()
          }}
          onClose={() => ask(null)}
        >
          <p>{asked.question}</p>
          <span class="row">
            <Button text={t.keep} onClick={() => ask(null)} />
            <Button text={asked.label} look="danger" onClick={() => void run(asked)} />
          </span>
        </dialog>
      )}
      {error !== null && <Failure error={error} />}
    </>
  )
}
