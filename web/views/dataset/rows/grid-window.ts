// Grid window: which rows and columns of a table of any size are in view. Pure arithmetic; knows no element.

/** Tables with more columns show only those in view, all of the same width. */
export const autoColumnsMax = 60
/** Pixels, as in row-grid.css. */
export const columnWidth = 160
export const numbersWidth = 96
/** Columns rendered beyond each edge, so that short scrolling finds them ready. */
const marginColumns = 2

export interface ColumnWindow {
  readonly from: number
  /** Index after the last one. */
  readonly to: number
}

export function columnWindow(columns: number, scrollLeft: number, viewWidth: number): ColumnWindow {
  if (columns <= autoColumnsMax) return { from: 0, to: columns }
  const first = Math.min(columns - 1, Math.floor(scrollLeft / columnWidth))
  const visible = Math.ceil((viewWidth - numbersWidth) / columnWidth) + 1
  return { from: Math.max(0, first - marginColumns), to: Math.min(columns, first + visible + marginColumns) }
}

/**
 * The scroll position nearest to the current one at which the whole column is in view, beside the row numbers, which
 * stay.
 */
export function scrollLeftOf(column: number, scrollLeft: number, viewWidth: number): number {
  const least = numbersWidth + (column + 1) * columnWidth - viewWidth
  return Math.max(0, Math.min(column * columnWidth, Math.max(scrollLeft, least)))
}

export const rowHeight = 28
/** Browsers limit elements to some ten million pixels; longer tables are scrolled proportionally. */
export const heightMax = 8_000_000

/** The height of the scrolled area, in pixels. */
export function scrollHeight(rows: number): number {
  return Math.min(rows * rowHeight, heightMax)
}

/** The first row in view at a scroll position. */
export function firstRow(rows: number, scrollTop: number, viewHeight: number): number {
  const visible = Math.floor(viewHeight / rowHeight)
  const last = Math.max(0, rows - visible)
  if (rows * rowHeight <= heightMax) return Math.min(last, Math.floor(scrollTop / rowHeight))
  const range = heightMax - viewHeight
  return Math.round(Math.min(1, scrollTop / range) * last)
}

/** The scroll position at which a row is the first in view. */
export function scrollTopOf(row: number, rows: number, viewHeight: number): number {
  if (rows * rowHeight <= heightMax) return row * rowHeight
  const last = Math.max(1, rows - Math.floor(viewHeight / rowHeight))
  return (Math.min(row, last) / last) * (heightMax - viewHeight)
}
