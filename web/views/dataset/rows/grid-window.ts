// Grid window: which rows and columns of a table of any size are in view. Pure arithmetic; knows no element. Pixels.

/** A column's name and type decide its width, so that no column moves while rows load. */
export interface SizedColumn {
  readonly name: string
  readonly type: string
}

const widthMin = 88
const widthMax = 264
const widthsOfTypes: Readonly<Record<string, number>> = { text: 160, date: 112, timestamp: 176, timestamptz: 208 }
/** Of a name in semibold, besides what surrounds it. */
const characterWidth = 8
const besideName = 44
/** A narrow table is stretched, but not so far that a row is hard to follow. */
const stretchMax = 2
/** In view at once, so that a page has few elements. */
const cellsMax = 1_500

export const numbersWidth = 64

/** Where each column begins, and where the last one ends, beside the row numbers. */
export function columnStarts(
  columns: readonly SizedColumn[],
  viewWidth: number,
  rowsInView: number,
  scale = 1,
): readonly number[] {
  const room = Math.max(0, viewWidth - numbersWidth * scale)
  const least = Math.max(widthMin * scale, (room * rowsInView) / cellsMax)
  const widths = columns.map(({ name, type }) => {
    const wanted = Math.max(widthsOfTypes[type] ?? widthMin, name.length * characterWidth + besideName)
    return Math.max(least, Math.min(widthMax, wanted) * scale)
  })
  const total = widths.reduce((sum, one) => sum + one, 0)
  const stretch = Math.min(stretchMax, Math.max(1, room / total))
  const starts = [0]
  for (const width of widths) starts.push((starts.at(-1) ?? 0) + Math.floor(width * stretch))
  return starts
}

/** Columns rendered beyond each edge, so that short scrolling finds them ready. */
const marginColumns = 2

export interface ColumnWindow {
  readonly from: number
  /** Index after the last one. */
  readonly to: number
}

/** @param roomWidth Of the view, beside the row numbers. */
export function columnWindow(starts: readonly number[], scrollLeft: number, roomWidth: number): ColumnWindow {
  const count = starts.length - 1
  const first = starts.findLastIndex((start) => start <= scrollLeft)
  const after = starts.findIndex((start) => start >= scrollLeft + roomWidth)
  return {
    from: Math.max(0, Math.min(first, count - 1) - marginColumns),
    to: after < 0 ? count : Math.min(count, after + marginColumns),
  }
}

/** The scroll position nearest to the current one at which the whole column is in view, beside the row numbers. */
export function scrollLeftOf(starts: readonly number[], column: number, scrollLeft: number, roomWidth: number): number {
  const [start = 0, end = 0] = starts.slice(column, column + 2)
  return Math.max(0, Math.min(start, Math.max(scrollLeft, end - roomWidth)))
}

/** Browsers limit elements to some ten million pixels; longer tables are scrolled proportionally. */
export const heightMax = 8_000_000

/** The height of the scrolled area. */
export function scrollHeight(rows: number, rowHeight: number): number {
  return Math.min(rows * rowHeight, heightMax)
}

/** The first row in view at a scroll position, and the part of its height above the view. */
export function firstRow(rows: number, scrollTop: number, viewHeight: number, rowHeight: number) {
  const last = Math.max(0, rows - Math.floor(viewHeight / rowHeight))
  if (rows * rowHeight > heightMax) {
    return { first: Math.round(Math.min(1, scrollTop / (heightMax - viewHeight)) * last), above: 0 }
  }
  const first = Math.min(last, Math.floor(scrollTop / rowHeight))
  return { first, above: Math.max(0, Math.min(scrollTop, rows * rowHeight - viewHeight) - first * rowHeight) }
}

/** The scroll position at which a row is the first in view. */
export function scrollTopOf(row: number, rows: number, viewHeight: number, rowHeight: number): number {
  if (rows * rowHeight <= heightMax) return row * rowHeight
  const last = Math.max(1, rows - Math.floor(viewHeight / rowHeight))
  return (Math.min(row, last) / last) * (heightMax - viewHeight)
}
