// Virtual list: a table of datasets of which only the rows in view exist, however many there are, with heads that sort
// and boxes that select.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ListedDataset } from '../api.ts'
import { t } from '../texts.ts'
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

interface VirtualListProps {
  readonly label: string
  readonly columns: readonly ListColumn[]
  /** Those that are loaded, from the first on. */
  readonly rows: readonly ListRow[]
  /** Of all rows, loaded or not. */
  readonly rowCount: number
  readonly isPicked: (id: string) => boolean
  readonly sort: Sort
  onSort(sort: Sort): void
  /** Called when rows up to this one are in view. */
  onReach(end: number): void
  /** The first cell of a row, and of the head for null. */
  box(row: ListRow | null): ComponentChildren
}

/** Of a row that was never measured. Pixels. */
const usualRowHeight = 38

export function VirtualList(props: VirtualListProps) {
  const { label, columns, rows, rowCount, isPicked, sort, onSort, onReach, box } = props
  const table = useRef<HTMLTableElement>(null)
  const rowHeight = useRef(usualRowHeight)
  const [{ first, end }, setWindow] = useState({ first: 0, end: Math.min(rowCount, 30) })
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
  useLayoutEffect(() => {
    measure()
    const stop = new AbortController()
    document.querySelector('main')?.addEventListener('scroll', measure, stop)
    addEventListener('resize', measure, stop)
    return () => stop.abort()
  })
  const last = Math.min(end, rowCount)
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at)
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
        <Gap rows={first} height={rowHeight.current} />
        {indexes.map((index) => {
          const row = rows[index]
          if (row === undefined) return <Skeleton key={index} index={index} />
          return (
            <tr
              key={row.isVersion ? `version ${row.id}` : row.id}
              class={row.isVersion ? 'child' : isPicked(row.id) ? 'picked' : undefined}
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
        <Gap rows={rowCount - last} height={rowHeight.current} />
      </tbody>
    </table>
  )
}

interface HeadProps {
  readonly column: ListColumn
  readonly sort: Sort
  onSort(sort: Sort): void
}

/** The first press sorts texts upwards, and figures downwards. */
function Head({ column: { by, head, class: classes }, sort, onSort }: HeadProps) {
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
