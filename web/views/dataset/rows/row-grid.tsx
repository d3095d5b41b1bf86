// Row grid: millions of rows in a window that is scrolled by mouse, touch or keyboard. Knows rows, not where they come from.
import { useEffect, useRef, useState } from 'preact/hooks'
import { count } from '../../../format.ts'
import { textOf } from '../../../parts/text-of.ts'
import { Value } from '../../../parts/value.tsx'
import { t } from '../../../texts.ts'
import { type Cell, type CellRange, isInside, movedCell, rangeOf } from './cell-moves.ts'
import type { RowSource, ShownRow } from './row-source.ts'
import type { Sort } from './row-view.ts'
import { firstRow, rowHeight, scrollHeight, scrollTopOf } from './window-scroll.ts'

export interface GridColumn {
  readonly name: string
  readonly type: string
}

export interface RowGridProps {
  readonly source: RowSource
  readonly columns: readonly GridColumn[]
  readonly total: number
  readonly sort: Sort | null
  readonly onSort: (column: string) => void
  /** The selected cell, and where the selection began. */
  readonly cell: Cell
  readonly anchor: Cell
  readonly onSelect: (cell: Cell, isExtended: boolean) => void
  readonly onCopy: (range: CellRange) => void
}

const viewHeight = 560
const visible = Math.ceil(viewHeight / rowHeight) + 1

export function RowGrid({ source, columns, total, sort, onSort, cell, anchor, onSelect, onCopy }: RowGridProps) {
  const view = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const shown = Array.from({ length: Math.max(0, Math.min(visible, total - first)) }, (_, index) => first + index)
  const range = rangeOf(anchor, cell)
  useEffect(() => {
    const top =
      cell.row < first ? cell.row : cell.row >= first + visible - 3 ? Math.max(0, cell.row - visible + 4) : null
    if (top !== null && view.current) view.current.scrollTop = scrollTopOf(top, total, viewHeight)
    if (top !== null) setFirst(firstRow(total, scrollTopOf(top, total, viewHeight), viewHeight))
    requestAnimationFrame(() => showColumn(view.current, cell))
  }, [cell.row, cell.column])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLButtonElement) return
    if (event.key === 'c' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      onCopy(range)
      return
    }
    const moved = movedCell(event, cell, { rows: total, columns: columns.length, page: visible - 3 })
    if (moved === null) return
    event.preventDefault()
    onSelect(moved, event.shiftKey)
  }
  return (
    <>
      <p class="quiet figures" aria-live="polite">
        {t.rowOf(count(Math.min(total, first + 1)), count(Math.min(total, first + visible - 1)), count(total))}
      </p>
      <div
        class="grid-view"
        ref={view}
        onScroll={({ currentTarget }) => setFirst(firstRow(total, currentTarget.scrollTop, viewHeight))}
      >
        <div
          class="grid-space"
          ref={(space) => space?.style.setProperty('height', `${scrollHeight(total) + rowHeight}px`)}
        >
          <table
            class="grid"
            role="grid"
            tabIndex={0}
            aria-rowcount={total + 1}
            aria-colcount={columns.length + 1}
            aria-multiselectable="true"
            aria-label={t.rows}
            aria-activedescendant={total > 0 ? `cell-${cell.row}-${cell.column}` : undefined}
            onKeyDown={onKeyDown}
          >
            <Head columns={columns} sort={sort} onSort={onSort} />
            <tbody>
              {shown.map((index) => (
                <Row
                  key={index}
                  index={index}
                  row={source.row(index)}
                  columns={columns}
                  cell={cell}
                  range={range}
                  onSelect={onSelect}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </>
  )
}

/** Scrolls sideways as far as needed; the row numbers, which stay, are in front. */
function showColumn(view: HTMLElement | null, { row, column }: Cell): void {
  const found = document.getElementById(`cell-${row}-${column}`)
  const numbers = found?.parentElement?.firstElementChild
  if (!view || !found || !numbers) return
  const { left, right } = found.getBoundingClientRect()
  const leftEdge = numbers.getBoundingClientRect().right
  const rightEdge = view.getBoundingClientRect().left + view.clientWidth
  if (left < leftEdge) view.scrollLeft -= leftEdge - left
  else if (right > rightEdge) view.scrollLeft += Math.min(right - rightEdge, left - leftEdge)
}

type HeadProps = Pick<RowGridProps, 'columns' | 'sort' | 'onSort'>

function Head({ columns, sort, onSort }: HeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" class="number">
          <span aria-hidden="true">#</span>
          <span class="hidden">{t.rowNumber}</span>
        </th>
        {columns.map(({ name, type }) => {
          const order = sort?.column === name ? (sort.isDescending ? 'descending' : 'ascending') : undefined
          return (
            <th scope="col" key={name} aria-sort={order} class={isNumeric(type) ? 'number' : undefined}>
              <button type="button" class="head" title={`${name}: ${type}`} onClick={() => onSort(name)}>
                <span class="head-name">{name}</span> <span class="type">{type}</span>
                <span aria-hidden="true">{order === 'ascending' ? '↑' : order === 'descending' ? '↓' : ''}</span>
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

export function isNumeric(type = ''): boolean {
  return /^(integer|number|decimal)/.test(type)
}

interface RowProps extends Pick<RowGridProps, 'columns' | 'cell' | 'onSelect'> {
  readonly index: number
  readonly row: ShownRow | null
  readonly range: CellRange
}

function Row({ index, row, columns, cell, range, onSelect }: RowProps) {
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row" class="number">
        {row === null ? '…' : count(row.number)}
      </th>
      {columns.map(({ name, type }, column) => {
        const isActive = cell.row === index && cell.column === column
        const isSelected = isInside(range, { row: index, column })
        return (
          <td
            key={name}
            role="gridcell"
            id={`cell-${index}-${column}`}
            class={`${isActive ? 'active' : isSelected ? 'selected' : ''} ${isNumeric(type) ? 'number' : ''}`}
            aria-selected={isSelected}
            title={row === null ? undefined : textOf(row.values[column])}
            onPointerDown={(event) => onSelect({ row: index, column }, event.shiftKey)}
          >
            {row === null ? <span class="null">…</span> : <Value value={row.values[column]} />}
          </td>
        )
      })}
    </tr>
  )
}
