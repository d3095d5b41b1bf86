// Row grid: millions of rows in a window that is scrolled by mouse, touch or keyboard. Knows rows, but not their source.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../../texts.ts'
import { type Cell, type CellRange, movedCell, rangeOf } from './cell-moves.ts'
import { cellId, type GridColumn, type HeadPlace, Row } from './grid-row.tsx'
import {
  columnStarts,
  columnWindow,
  firstRow,
  numbersWidth,
  scrollHeight,
  scrollLeftOf,
  scrollTopOf,
} from './grid-window.ts'
import type { ShownRow } from './row-source.ts'

export interface Selection {
  /** Where the cursor is, and where the selection began. */
  readonly cell: Cell
  readonly anchor: Cell
}

export interface RowGridProps extends Selection {
  readonly label: string
  readonly source: { row(index: number): ShownRow | null }
  readonly columns: readonly GridColumn[]
  /** Null while rows are being counted. */
  readonly total: number | null
  /** Which rows, and their order: a change leads back to the cursor. */
  readonly order?: string
  readonly onSelect: (selection: Selection) => void
  readonly onCopy: (range: CellRange) => void
  /** Other keys than those that move, select and copy. */
  readonly onKey?: (event: KeyboardEvent) => void
  readonly heads: (columns: readonly GridColumn[], place: HeadPlace) => ComponentChildren
  /** What stands below, with the rows in view, counted from 1. */
  readonly foot?: (first: number, last: number) => ComponentChildren
}

export function RowGrid({ label, source, columns, cell, anchor, onSelect, ...props }: RowGridProps) {
  const { sizes, first, left, total, refs, measure, showCell } = useView(props.total)
  const visible = visibleRows(sizes)
  const starts = columnStarts(columns, sizes.width, visible, sizes.row / rowHeightUsual)
  const window = columnWindow(starts, left, sizes.width - numbersWidth)
  const shown = Array.from({ length: Math.max(0, Math.min(visible, total - first)) }, (_, at) => first + at)
  const range = rangeOf(anchor, cell)
  useLayoutEffect(() => showCell(cell, starts), [cell.row, cell.column, sizes.row, props.order])
  const select = (to: Cell, isExtended: boolean) => onSelect({ cell: to, anchor: isExtended ? anchor : to })
  const size = { rows: total, columns: columns.length, page: Math.max(1, visible - 3) }
  const onKeyDown = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey
    const moved = event.altKey ? null : movedCell(event, cell, size)
    if (moved !== null) select(moved, event.shiftKey)
    else if (isCommand && event.key === 'c') props.onCopy(range)
    else if (isCommand && event.key === 'a')
      onSelect({ cell: start, anchor: { row: size.rows - 1, column: size.columns - 1 } })
    else return props.onKey?.(event)
    event.preventDefault()
  }
  const place = { window, cell }
  const inView = columns.slice(window.from, window.to)
  return (
    <>
      <div class="grid-box rows" ref={refs.box} onScroll={measure}>
        <div
          class="grid-space"
          style={{ height: px(scrollHeight(total, sizes.row) + sizes.head), width: px(numbersWidth + starts.at(-1)!) }}
        >
          <table
            class="grid"
            role="grid"
            tabIndex={0}
            style={{ width: px(numbersWidth + starts[window.to]!) }}
            aria-label={label}
            aria-rowcount={total + 1}
            aria-colcount={columns.length + 1}
            aria-multiselectable="true"
            aria-activedescendant={total > 0 || cell.row < 0 ? cellId(cell) : undefined}
            onKeyDown={onKeyDown}
          >
            <Widths starts={starts} place={place} />
            <thead ref={refs.head}>
              <tr aria-rowindex={1}>
                <Corner />
                {props.heads(inView, place)}
              </tr>
            </thead>
            <tbody ref={refs.body} {...pointing(select)}>
              {shown.map((index) => (
                <Row
                  // A row that scrolls out of view passes its elements on to one that comes in.
                  key={index % visible}
                  index={index}
                  row={source.row(index)}
                  columns={columns}
                  range={range}
                  {...place}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
      {props.foot?.(Math.min(total, first + 1), Math.min(total, first + visible - 1))}
    </>
  )
}

export const start: Cell = { row: 0, column: 0 }

/** A mouse selects where it is pressed, and more where it is dragged; a finger selects where it taps, since it scrolls. */
function pointing(select: (cell: Cell, isExtended: boolean) => void) {
  const at = (event: Event): Cell | null => {
    const cell = event.target instanceof Element ? event.target.closest('[role=gridcell]') : null
    const row = Number(cell?.parentElement?.getAttribute('aria-rowindex')) - 2
    return cell === null ? null : { row, column: Number(cell.getAttribute('aria-colindex')) - 2 }
  }
  const selectAt = (event: Event, isExtended: boolean) => {
    const cell = at(event)
    if (cell !== null) select(cell, isExtended)
  }
  return {
    onPointerDown: (event: PointerEvent) =>
      event.pointerType === 'mouse' && event.button === 0 && selectAt(event, event.shiftKey),
    onPointerOver: (event: PointerEvent) =>
      event.pointerType === 'mouse' && event.buttons === 1 && selectAt(event, true),
    onClick: (event: MouseEvent) =>
      event instanceof PointerEvent && event.pointerType !== 'mouse' && selectAt(event, event.shiftKey),
  }
}

/** Of a row, until one has been measured. */
const rowHeightUsual = 28
const noSizes = { width: 0, height: 0, head: 0, row: rowHeightUsual }

/** The last one may be partly in view, and the first one, too. */
function visibleRows({ height, row }: typeof noSizes): number {
  return Math.ceil(height / row) + 1
}

/** The rows in view, and the size of the view in pixels: its height is that below the heads. */
function useView(counted: number | null) {
  const box = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [{ sizes, first, left }, setView] = useState({ sizes: noSizes, first: 0, left: 0 })
  const total = counted ?? visibleRows(sizes)
  const measure = () => {
    const view = box.current
    if (view === null) return
    const headHeight = head.current?.offsetHeight ?? 0
    const row = body.current?.rows[0]?.getBoundingClientRect().height || rowHeightUsual
    const height = Math.max(0, view.clientHeight - headHeight)
    const seen = firstRow(total, view.scrollTop, height, row)
    // Rows come into view by pixels, and are rendered only where another one does.
    if (body.current !== null) body.current.style.transform = `translateY(${-seen.above}px)`
    const next = {
      sizes: { width: view.clientWidth, height, head: headHeight, row },
      first: seen.first,
      left: Math.round(Math.abs(view.scrollLeft) / leftStep) * leftStep,
    }
    setView((last) => (JSON.stringify(last) === JSON.stringify(next) ? last : next))
  }
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure)
    for (const { current } of [box, head]) if (current !== null) observer.observe(current)
    measure()
    return () => observer.disconnect()
  }, [counted])
  const showCell = ({ row, column }: Cell, starts: readonly number[]) => {
    const view = box.current
    if (view === null || sizes.height === 0) return
    view.scrollLeft = scrollLeftOf(starts, column, view.scrollLeft, view.clientWidth - numbersWidth)
    const seen = firstRow(total, view.scrollTop, sizes.height, sizes.row)
    const whole = Math.max(1, Math.floor(sizes.height / sizes.row))
    const isAbove = row < seen.first || (row === seen.first && seen.above > 0)
    const to = isAbove ? Math.max(0, row) : row >= seen.first + whole ? row - whole + 1 : null
    if (to !== null) view.scrollTop = scrollTopOf(to, total, sizes.height, sizes.row)
    measure()
  }
  return { sizes, first, left, total, refs: { box, head, body }, measure, showCell }
}

/** Fewer pixels bring no other column into view than those rendered beyond the edges. */
const leftStep = 64

/** Above the row numbers. */
function Corner() {
  return (
    <>
      <th scope="col" class="number">
        <span aria-hidden="true">#</span>
        <span class="hidden">{t.rowNumber}</span>
      </th>
      <td class="room" role="presentation" />
    </>
  )
}

function px(length: number): string {
  return `${length}px`
}

function Widths({ starts, place: { window } }: { readonly starts: readonly number[]; readonly place: HeadPlace }) {
  const { from, to } = window
  const widths = starts.slice(from, to).map((start, index) => (starts[from + index + 1] ?? start) - start)
  return (
    <colgroup>
      {[numbersWidth, starts[from] ?? 0, ...widths].map((width, at) => (
        <col key={at} style={{ width: px(width) }} />
      ))}
    </colgroup>
  )
}
