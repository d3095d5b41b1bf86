// Column window: which columns of a wide table are in view. Pure arithmetic; knows no element.

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
