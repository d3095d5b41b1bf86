// Grid row: one head and one row of the row grid, as far as their columns are in view. Knows no source.
import type { ComponentChildren } from 'preact'
import { bytes, count, isNumeric, shownName, typeName } from '../../../format.ts'
import { Icon } from '../../../parts/icon.tsx'
import { textOf } from '../../../parts/text-of.ts'
import { t } from '../../../texts.ts'
import { type Cell, type CellRange, isInside } from './cell-moves.ts'
import type { ColumnWindow } from './grid-window.ts'
import type { ShownRow } from './row-source.ts'

export interface GridColumn {
  readonly name: string
  readonly type: string
  /** Place of its values in a row. */
  readonly at: number
  readonly nulls?: number
}

/** The columns in view, and where the cursor is. */
export interface HeadPlace {
  readonly window: ColumnWindow
  readonly cell: Cell
}

interface HeadCellProps {
  readonly name: string
  readonly type: string
  readonly note?: string
  readonly place: HeadPlace
  /** In the window. */
  readonly index: number
  readonly order?: 'ascending' | 'descending' | undefined
  readonly isChosen?: boolean
  readonly onSort: () => void
  readonly children?: ComponentChildren
}

export function HeadCell({ name, type, note, place, index, order, isChosen, onSort, children }: HeadCellProps) {
  const column = place.window.from + index
  const isCursor = place.cell.row < 0 && place.cell.column === column
  return (
    <th
      scope="col"
      id={cellId({ row: -1, column })}
      aria-colindex={column + 2}
      aria-sort={order}
      class={`${isNumeric(type) ? 'num' : ''} ${isChosen ? 'chosen' : ''} ${isCursor ? 'cursor' : ''}`}
    >
      <span class="col-name">
        <button type="button" class="sort" tabIndex={-1} title={shownName(name)} onClick={onSort}>
          <span class="name">{shownName(name)}</span>
          {order !== undefined && <Icon name={order === 'ascending' ? 'up' : 'down'} />}
        </button>
      </span>
      <span class="col-type">{[typeName(type), note].filter(Boolean).join(' · ')}</span>
      {children}
    </th>
  )
}

export function cellId({ row, column }: Cell): string {
  return row < 0 ? `head-${column}` : `cell-${row}-${column}`
}

interface RowProps extends HeadPlace {
  readonly columns: readonly GridColumn[]
  readonly index: number
  readonly row: ShownRow | null
  readonly range: CellRange
}

export function Row({ index, row, columns, window, cell, range }: RowProps) {
  const isMany = range.from.row < range.to.row || range.from.column < range.to.column
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row" class="number">
        {row === null ? '…' : count(row.number)}
      </th>
      <td class="room" role="presentation" />
      {columns.slice(window.from, window.to).map(({ name, type, at }, place) => {
        const column = window.from + place
        const isCursor = cell.row === index && cell.column === column
        const isSelected = isInside(range, { row: index, column })
        const { text, kind, size } = row === null ? waiting : shownCell(row.values[at])
        return (
          <td
            key={name}
            role="gridcell"
            id={cellId({ row: index, column })}
            aria-colindex={column + 2}
            aria-selected={isSelected}
            class={`${kind} ${isNumeric(type) ? 'num' : ''} ${isSelected && isMany ? 'selected' : ''} ${isCursor ? 'cursor' : ''}`}
            data-size={size}
          >
            {text}
          </td>
        )
      })}
    </tr>
  )
}

/** No column is as wide; the rest costs browsers time. */
const shownCharacters = 300
/** From here on, a cell says how large its value is. */
const sizedCharacters = 1_000

const waiting = { text: '', kind: 'cell-waiting', size: undefined }

/** Null, empty text and blanks at the ends look different from each other and from words. */
function shownCell(value: unknown) {
  if (value === null || value === undefined) return { ...waiting, text: t.nullValue, kind: 'cell-null' }
  const text = textOf(value)
  if (text === '') return { ...waiting, text: '""', kind: 'cell-empty' }
  return {
    text: text.slice(0, shownCharacters).replaceAll(/^ +| +$/g, (blanks) => '·'.repeat(blanks.length)),
    kind: '',
    size: text.length < sizedCharacters ? undefined : bytes(text.length),
  }
}
