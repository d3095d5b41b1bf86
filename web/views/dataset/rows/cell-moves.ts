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

interface Key {
  readonly key: string
  readonly ctrlKey: boolean
}

/** Null for a key that does not move. */
export function movedCell({ key, ctrlKey }: Key, { row, column }: Cell, { rows, columns, page }: Size): Cell | null {
  const at = (to: number) => Math.max(0, Math.min(rows - 1, to))
  switch (key) {
    case 'ArrowDown':
      return { row: at(row + 1), column }
    case 'ArrowUp':
      return { row: at(row - 1), column }
    case 'ArrowRight':
      return { row, column: Math.min(columns - 1, column + 1) }
    case 'ArrowLeft':
      return { row, column: Math.max(0, column - 1) }
    case 'PageDown':
      return { row: at(row + page), column }
    case 'PageUp':
      return { row: at(row - page), column }
    case 'Home':
      return ctrlKey ? { row: 0, column: 0 } : { row, column: 0 }
    case 'End':
      return ctrlKey ? { row: rows - 1, column: columns - 1 } : { row, column: columns - 1 }
    default:
      return null
  }
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
