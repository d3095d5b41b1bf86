// Table: rows of text in aligned columns. Knows only the width of a terminal.
import { fitted, printable, textWidth } from './printable.ts'

/** Its name, aligned to the left unless it says otherwise. */
export type TableColumn = string | { readonly name: string; readonly align: 'right' }

/** A column of numbers. */
export function right(name: string): TableColumn {
  return { name, align: 'right' }
}

/** A column is never made narrower than this to fit a terminal. */
const columnWidthMin = 8

/**
 * Lines of a table, each with a line end. Cells are made printable.
 *
 * @param widthMax Width of the terminal in columns, to which cells are shortened. Null for no limit.
 */
export function tableText(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  widthMax: number | null,
): string {
  const lines = [columns.map((one) => (typeof one === 'string' ? one : one.name)), ...rows].map((cells) =>
    cells.map(printable),
  )
  const natural = columns.map((_, i) => lines.reduce((width, cells) => Math.max(width, textWidth(cells[i] ?? '')), 0))
  const widths = widthMax === null ? natural : narrowed(natural, widthMax)
  return lines
    .map((cells) => columns.map((one, i) => cell(cells[i] ?? '', widths[i] ?? 0, typeof one !== 'string')).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

function cell(text: string, width: number, isRight: boolean): string {
  const shown = fitted(text, width)
  const blanks = ' '.repeat(Math.max(0, width - textWidth(shown)))
  return isRight ? blanks + shown : shown + blanks
}

/** The widest columns shrink until all fit, or all have the minimum width. */
function narrowed(natural: readonly number[], widthMax: number): readonly number[] {
  const room = widthMax - 2 * (natural.length - 1)
  for (let most = Math.max(...natural); most >= columnWidthMin; most--) {
    const widths = natural.map((width) => Math.min(width, most))
    if (widths.reduce((sum, width) => sum + width, 0) <= room) return widths
  }
  return natural.map((width) => Math.min(width, columnWidthMin))
}
