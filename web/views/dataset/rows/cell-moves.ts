// Cell moves: where a key moves the selected cell of a table, and which cells lie between two. Knows no element.

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

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey'>

/** Null for a key that does not move. */
export function movedCell({ key, ctrlKey }: Key, { row, column }: Cell, { rows, columns, page }: Size): Cell | null {
  const far = Number.POSITIVE_INFINITY
  const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    PageDown: [page, 0],
    PageUp: [-page, 0],
    Home: [ctrlKey ? -far : 0, -far],
    End: [ctrlKey ? far : 0, far],
  }
  const move = moves[key]
  const within = (to: number, count: number) => Math.max(0, Math.min(count - 1, to))
  return move === undefined ? null : { row: within(row + move[0], rows), column: within(column + move[1], columns) }
}

/** The rectangle that two cells span. */
export function rangeOf(one: Cell, other: Cell): CellRange {
  return {
    from: { row: Math.min(one.row, other.row), column: Math.min(one.column, other.column) },
    to: { row: Math.max(one.row, other.row), column: Math.max(one.column, other.column) },
  }
}

export function isInside({ from, to }: CellRange, { row, column }: Cell): boolean {
  return row >= from.row && row <= to.row && column >= from.column && column <= to.column
}
