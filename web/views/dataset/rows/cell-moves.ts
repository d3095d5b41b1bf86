// Cell moves: where a key moves the cursor of a table, and which cells lie between two. Knows no element.

/** The heads of columns are row -1. */
export interface Cell {
  readonly row: number
  readonly column: number
}

export interface CellRange {
  readonly from: Cell
  readonly to: Cell
}

interface Size {
  readonly rows: number
  readonly columns: number
  /** Rows in view. */
  readonly page: number
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

/** Null for a key that does not move. */
export function movedCell(press: Key, { row, column }: Cell, { rows, columns, page }: Size): Cell | null {
  const far = Number.POSITIVE_INFINITY
  const isFar = press.ctrlKey || press.metaKey
  const step = isFar ? far : 1
  const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
    ArrowDown: [step, 0],
    ArrowUp: [-step, 0],
    ArrowRight: [0, step],
    ArrowLeft: [0, -step],
    PageDown: [page, 0],
    PageUp: [-page, 0],
    Home: [isFar ? -far : 0, -far],
    End: [isFar ? far : 0, far],
  }
  const move = moves[press.key]
  if (move === undefined) return null
  const isInHeads = row < 0 && move[0] === 0
  const entersHeads = row <= 0 && press.key === 'ArrowUp' && !press.shiftKey
  const top = isInHeads || entersHeads ? -1 : 0
  const within = (to: number, least: number, count: number) => Math.max(least, Math.min(count - 1, to))
  return { row: within(row + move[0], top, rows), column: within(column + move[1], 0, columns) }
}

/** The rectangle of cells, without heads, that two span. */
export function rangeOf(one: Cell, other: Cell): CellRange {
  return {
    from: { row: Math.max(0, Math.min(one.row, other.row)), column: Math.min(one.column, other.column) },
    to: { row: Math.max(one.row, other.row), column: Math.max(one.column, other.column) },
  }
}

export function isInside({ from, to }: CellRange, { row, column }: Cell): boolean {
  return row >= from.row && row <= to.row && column >= from.column && column <= to.column
}
