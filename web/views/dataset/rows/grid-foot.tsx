// Grid foot: how many rows there are and which are in view, the sum of those selected, and a way to a row.
import { useState } from 'preact/hooks'
import { runQuery } from '../../../api.ts'
import { count, isNumeric, shownFigure } from '../../../format.ts'
import { Field } from '../../../parts/controls.tsx'
import { t } from '../../../texts.ts'
import { rest, settled, useLoaded } from '../../../use-loaded.ts'
import type { CellRange } from './cell-moves.ts'
import type { GridColumn } from './grid-row.tsx'
import { type RowView, sampledRowsMin, sumSql } from './row-view.ts'

interface GridFootProps {
  readonly id: string
  readonly view: RowView
  readonly columns: readonly GridColumn[]
  readonly range: CellRange
  /** Of the view; null while they are counted. */
  readonly total: number | null
  readonly rows: number
  /** Rows in view, counted from 1. */
  readonly first: number
  readonly last: number
  /** What was done last. */
  readonly message: string
  readonly onRow: (row: number) => void
}

export function GridFoot({ id, view, columns, range, total, rows, first, last, message, onRow }: GridFootProps) {
  const [row, setRow] = useState('')
  return (
    <div class="grid-foot">
      <span role="status">
        {total === null ? t.counting : total === rows ? t.rowTerm(count(rows)) : t.rowsOf(count(total), count(rows))}
      </span>
      <SelectionSum id={id} view={view} columns={columns} range={range} />
      <span role="status">{message}</span>
      {view.filters.length > 0 && rows >= sampledRowsMin && <span>{t.plotsSampled}</span>}
      <span class="grow" />
      {total !== null && total > 0 && <span class="phone-hide">{t.rowsShown(count(first), count(last))}</span>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (row !== '') onRow(Number(row) - 1)
        }}
      >
        <Field
          id="go-to-row"
          look="soft"
          type="number"
          min={1}
          max={Math.max(1, total ?? 1)}
          label={t.goToRow}
          placeholder={t.goToRow}
          value={row}
          onInput={setRow}
        />
      </form>
    </div>
  )
}

/** More columns make a statement that nobody waits for. */
const summedColumnsMax = 200

function SelectionSum({ id, view, columns, range }: Pick<GridFootProps, 'id' | 'view' | 'columns' | 'range'>) {
  const { from, to } = range
  const [rows, width] = [to.row - from.row + 1, to.column - from.column + 1]
  const selected = columns.slice(from.column, to.column + 1).filter(({ type }) => isNumeric(type))
  const isSummed = rows * width > 1 && selected.length > 0 && selected.length <= summedColumnsMax
  const names = selected.map(({ name }) => name)
  const sql = isSummed ? sumSql(view, names, from.row, rows) : null
  const summed = useLoaded(
    async (signal) => {
      if (sql === null) return null
      await rest(signal)
      return await runQuery(id, sql, signal)
    },
    [sql],
  )
  const [sum, mean] = settled(summed)?.rows[0] ?? []
  if (rows * width < 2) return null
  return (
    <span>
      {t.cells(count(rows * width))}
      {mean != null && `: ${t.sumAndMean(shownFigure(sum), shownFigure(mean))}`}
    </span>
  )
}
