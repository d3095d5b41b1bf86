// Row grid: millions of rows in a window that is scrolled by mouse, touch or keyboard. Knows rows, but not their source.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { count } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { type Cell, type CellRange, movedCell, rangeOf } from './cell-moves.ts'
import { type GridColumn, Head, Row, type ShownColumns } from './grid-row.tsx'
import {
  autoColumnsMax,
  columnWidth,
  columnWindow,
  firstRow,
  numbersWidth,
  rowHeight,
  scrollHeight,
  scrollLeftOf,
  scrollTopOf,
} from './grid-window.ts'
import type { RowSource } from './row-source.ts'
import type { Sort } from './row-view.ts'

interface RowGridProps {
  readonly source: Pick<RowSource, 'row'>
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

export function RowGrid({ source, columns, total, sort, onSort, cell, anchor, onSelect, onCopy }: RowGridProps) {
  const viewHeight = useViewHeight()
  const visible = visibleRows(viewHeight)
  const { view, first, window, isWide, look } = useView(total, columns.length, cell, viewHeight)
  const shown = Array.from({ length: Math.max(0, Math.min(visible, total - first)) }, (_, index) => first + index)
  const range = rangeOf(anchor, cell)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLButtonElement) return
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && event.key === 'c') onCopy(range)
    else if (isCommand && event.key === 'a') {
      onSelect({ row: total - 1, column: columns.length - 1 }, false)
      onSelect({ row: 0, column: 0 }, true)
    } else {
      const moved = movedCell(event, cell, { rows: total, columns: columns.length, page: visible - 3 })
      if (moved === null) return
      onSelect(moved, event.shiftKey)
    }
    event.preventDefault()
  }
  return (
    <>
      <p class="quiet figures" aria-live="polite">
        {t.rowOf(count(Math.min(total, first + 1)), count(Math.min(total, first + visible - 1)), count(total))}
      </p>
      <div class="grid-frame">
        <div class="grid-view" ref={view} onScroll={({ currentTarget }) => look(currentTarget)}>
          <div
            class="grid-space"
            ref={(space) => space?.style.setProperty('height', `${scrollHeight(total) + rowHeight}px`)}
          >
            <table
              class={isWide ? 'grid wide-grid' : 'grid'}
              ref={(table) => {
                if (isWide) table?.style.setProperty('width', `${numbersWidth + columns.length * columnWidth}px`)
              }}
              role="grid"
              tabIndex={0}
              aria-rowcount={total + 1}
              aria-colcount={columns.length + 1}
              aria-multiselectable="true"
              aria-label={t.rows}
              aria-activedescendant={total > 0 ? `cell-${cell.row}-${cell.column}` : undefined}
              onKeyDown={onKeyDown}
            >
              {isWide && <Widths columns={columns} window={window} isWide />}
              <Head columns={columns} window={window} isWide={isWide} sort={sort} onSort={onSort} />
              <tbody>
                {shown.map((index) => (
                  <Row
                    // A row that scrolls out of view passes its elements on to one that comes in.
                    key={index % visible}
                    index={index}
                    row={source.row(index)}
                    columns={columns}
                    window={window}
                    isWide={isWide}
                    cell={cell}
                    range={range}
                    onSelect={onSelect}
                  />
                ))}
              </tbody>
            </table>
          </div>
        </div>
      </div>
    </>
  )
}

/** A tall window shows more rows, besides the heading above and the value below. Pixels. */
const viewHeightMin = 560
const besideHeight = 440

function useViewHeight(): number {
  const now = () => Math.max(viewHeightMin, Math.floor((innerHeight - besideHeight) / rowHeight) * rowHeight)
  const [height, setHeight] = useState(now)
  useLayoutEffect(() => {
    const onResize = () => setHeight(now())
    addEventListener('resize', onResize)
    return () => removeEventListener('resize', onResize)
  }, [])
  return height
}

function visibleRows(viewHeight: number): number {
  return Math.ceil(viewHeight / rowHeight) + 1
}

/** The part of the table in view; a selected cell is scrolled into view. */
function useView(total: number, columnCount: number, cell: Cell, viewHeight: number) {
  const visible = visibleRows(viewHeight)
  const view = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [sideways, setSideways] = useState({ left: 0, width: 0 })
  const isWide = columnCount > autoColumnsMax
  const look = (element: HTMLElement) => {
    setFirst(firstRow(total, element.scrollTop, viewHeight))
    if (isWide) setSideways({ left: Math.abs(element.scrollLeft), width: element.clientWidth })
  }
  useLayoutEffect(() => {
    view.current?.style.setProperty('--height', `${viewHeight}px`)
    if (view.current !== null) look(view.current)
  }, [viewHeight])
  useLayoutEffect(() => view.current?.style.setProperty('--columns', String(columnCount)), [columnCount])
  useLayoutEffect(() => {
    if (view.current === null || !isWide) return
    const element = view.current
    const observer = new ResizeObserver(() => look(element))
    observer.observe(element)
    return () => observer.disconnect()
  }, [isWide, total])
  useLayoutEffect(() => {
    const top =
      cell.row < first ? cell.row : cell.row >= first + visible - 3 ? Math.max(0, cell.row - visible + 4) : null
    if (top !== null && view.current) view.current.scrollTop = scrollTopOf(top, total, viewHeight)
    if (top !== null) setFirst(firstRow(total, scrollTopOf(top, total, viewHeight), viewHeight))
    // Behind the rendering of the row, and before the next key press.
    queueMicrotask(() => showColumn(view.current, cell, isWide))
  }, [cell.row, cell.column])
  return { view, first, isWide, look, window: columnWindow(columnCount, sideways.left, sideways.width) }
}

/** Scrolls sideways as far as needed; the row numbers, which stay, are in front. */
function showColumn(view: HTMLElement | null, { row, column }: Cell, isWide: boolean): void {
  if (view !== null && isWide) {
    // It may not be rendered yet.
    view.scrollLeft = scrollLeftOf(column, view.scrollLeft, view.clientWidth)
    return
  }
  const found = document.getElementById(`cell-${row}-${column}`)
  const numbers = found?.parentElement?.firstElementChild
  if (!view || !found || !numbers) return
  const { left, right } = found.getBoundingClientRect()
  const leftEdge = numbers.getBoundingClientRect().right
  const rightEdge = view.getBoundingClientRect().left + view.clientWidth
  if (left < leftEdge) view.scrollLeft -= leftEdge - left
  else if (right > rightEdge) view.scrollLeft += Math.min(right - rightEdge, left - leftEdge)
}

function Widths({ columns, window: { from, to } }: ShownColumns) {
  return (
    <colgroup>
      <Width pixels={numbersWidth} />
      <Width pixels={from * columnWidth} />
      {columns.slice(from, to).map(({ name }) => (
        <Width key={name} pixels={columnWidth} />
      ))}
      <Width pixels={(columns.length - to) * columnWidth} />
    </colgroup>
  )
}

function Width({ pixels }: { readonly pixels: number }) {
  return <col ref={(col) => col?.style.setProperty('width', `${pixels}px`)} />
}
