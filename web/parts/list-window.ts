// List window: which rows of a list are in view, of rows of equal height in one scroller. Knows no element.

export interface ListWindow {
  readonly first: number
  /** The one after the last. */
  readonly end: number
}

/** Rows above and below those in view. */
const margin = 8

/** @param above Pixels between the top of the view and the first row; negative once it is scrolled out. */
export function windowOf(above: number, viewHeight: number, rowHeight: number, rowCount: number): ListWindow {
  const first = Math.max(0, Math.min(rowCount, Math.floor(-above / rowHeight)) - margin)
  const end = Math.min(rowCount, Math.max(0, Math.ceil((viewHeight - above) / rowHeight)) + margin)
  return { first: Math.min(first, end), end }
}
