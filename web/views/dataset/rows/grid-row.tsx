// Grid row: the head and one row of the row grid, as far as their columns are in view. Knows no source.
import type { Column } from '../../../../src/core/receipt.ts'
import { count } from '../../../format.ts'
import { textOf } from '../../../parts/text-of.ts'
import { isNumeric, Value } from '../../../parts/value.tsx'
import { t } from '../../../texts.ts'
import { type Cell, type CellRange, isInside } from './cell-moves.ts'
import type { ColumnWindow } from './grid-window.ts'
import type { ShownRow } from './row-source.ts'
import type { Sort } from './row-view.ts'

export type GridColumn = Pick<Column, 'name' | 'type'>

/** The rendered columns: those in view, with space for the others on both sides if a table is wide. */
export interface ShownColumns {
  readonly columns: readonly GridColumn[]
  readonly window: ColumnWindow
  readonly isWide: boolean
}

interface HeadProps extends ShownColumns {
  readonly sort: Sort | null
  readonly onSort: (column: string) => void
}

export function Head({ columns, window, isWide, sort, onSort }: HeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" class="number">
          <span aria-hidden="true">#</span>
          <span class="hidden">{t.rowNumber}</span>
        </th>
        {isWide && <Room />}
        {columns.slice(window.from, window.to).map(({ name, type }, index) => {
          const order = sort?.column === name ? (sort.isDescending ? 'descending' : 'ascending') : undefined
          return (
            <th
              scope="col"
              key={name}
              aria-colindex={window.from + index + 2}
              aria-sort={order}
              class={isNumeric(type) ? 'number' : undefined}
            >
              <button type="button" class="head" title={`${name}: ${type}`} onClick={() => onSort(name)}>
                <span class="head-name">{name}</span> <span class="type">{type}</span>
                <span aria-hidden="true">{order === 'ascending' ? '↑' : order === 'descending' ? '↓' : ''}</span>
              </button>
            </th>
          )
        })}
        {isWide && <Room />}
      </tr>
    </thead>
  )
}

function Room() {
  return <td class="room" role="presentation" aria-hidden="true" />
}

interface RowProps extends ShownColumns {
  readonly cell: Cell
  readonly onSelect: (cell: Cell, isExtended: boolean) => void
  readonly index: number
  readonly row: ShownRow | null
  readonly range: CellRange
}

export function Row({ index, row, columns, window, isWide, cell, range, onSelect }: RowProps) {
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row" class="number">
        {row === null ? '…' : count(row.number)}
      </th>
      {isWide && <Room />}
      {columns.slice(window.from, window.to).map(({ name, type }, at) => {
        const column = window.from + at
        const isActive = cell.row === index && cell.column === column
        const isSelected = isInside(range, { row: index, column })
        return (
          <td
            key={name}
            role="gridcell"
            id={`cell-${index}-${column}`}
            aria-colindex={column + 2}
            class={`${isActive ? 'active' : isSelected ? 'selected' : ''} ${isNumeric(type) ? 'number' : ''}`}
            aria-selected={isSelected}
            title={row === null ? undefined : textOf(row.values[column])}
            onPointerDown={(event) => onSelect({ row: index, column }, event.shiftKey)}
          >
            {row === null ? <span class="null">…</span> : <Value value={row.values[column]} />}
          </td>
        )
      })}
      {isWide && <Room />}
    </tr>
  )
}
