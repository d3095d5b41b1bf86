// Window scroll: which rows of a table of any length are in view. Pure arithmetic; knows no element.

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
