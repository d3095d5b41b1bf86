// Row table: millions of rows in a window that is scrolled by mouse, touch or keyboard. Knows rows, not where they come from.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { count } from '../format.ts'
import { t } from '../texts.ts'
import { RowSource } from './row-source.ts'
import { textOf, Value } from './value.tsx'
import { firstRow, rowHeight, scrollHeight, scrollTopOf } from './window-scroll.ts'

export interface RowTableProps {
  readonly id: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly total: number
}

interface Cell {
  readonly row: number
  readonly column: number
}

const viewHeight = 560

export function RowTable({ id, columns, total }: RowTableProps) {
  const view = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [cell, setCell] = useState<Cell>({ row: 0, column: 0 })
  const source = useSource(id)
  const visible = Math.ceil(viewHeight / rowHeight) + 1
  const shown = Array.from({ length: Math.min(visible, total - first) }, (_, index) => first + index)

  const goTo = (row: number) => {
    const wanted = Math.max(0, Math.min(total - 1, row))
    if (view.current) view.current.scrollTop = scrollTopOf(wanted, total, viewHeight)
    setFirst(firstRow(total, scrollTopOf(wanted, total, viewHeight), viewHeight))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = movedCell(event, cell, total, columns.length, visible - 3)
    if (moved === null) return
    event.preventDefault()
    setCell(moved)
    if (moved.row < first) goTo(moved.row)
    if (moved.row >= first + visible - 3) goTo(moved.row - visible + 4)
  }
  if (total === 0) return <p>{t.noRows}</p>
  return (
    <div class="rows">
      <div class="row between">
        <p class="quiet" aria-live="polite">
          {t.rowOf(count(first + 1), count(Math.min(total, first + visible - 1)), count(total))}
        </p>
        <GoTo total={total} onGo={goTo} />
      </div>
      <div
        class="grid-view"
        ref={view}
        onScroll={({ currentTarget }) => setFirst(firstRow(total, currentTarget.scrollTop, viewHeight))}
      >
        <div
          class="grid-space"
          ref={(space) => space?.style.setProperty('height', `${scrollHeight(total) + rowHeight}px`)}
        >
          <table
            class="grid"
            role="grid"
            tabIndex={0}
            aria-rowcount={total + 1}
            aria-colcount={columns.length + 1}
            aria-label={t.rows}
            aria-activedescendant={`cell-${cell.row}-${cell.column}`}
            onKeyDown={onKeyDown}
          >
            <Head columns={columns} />
            <tbody>
              {shown.map((index) => (
                <Row
                  key={index}
                  index={index}
                  values={source.row(index)}
                  width={columns.length}
                  active={index === cell.row ? cell.column : null}
                  onSelect={(column) => setCell({ row: index, column })}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
      {source.error !== null && <p role="alert">{String(source.error)}</p>}
      <FullValue name={columns[cell.column]?.name} row={cell.row} values={source.row(cell.row)} column={cell.column} />
    </div>
  )
}

function Head({ columns }: Pick<RowTableProps, 'columns'>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" class="number">
          #
        </th>
        {columns.map(({ name, type }) => (
          <th scope="col" key={name} title={`${name}: ${type}`}>
            {name} <span class="quiet">{type}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface FullValueProps extends Cell {
  readonly name: string | undefined
  readonly values: readonly unknown[] | null
}

/** The selected cell, which the table may have cut. */
function FullValue({ name, row, column, values }: FullValueProps) {
  return (
    <output class="full-value" aria-label={t.fullValue}>
      <span class="quiet">
        {name} · {count(row + 1)}
      </span>{' '}
      {values === null ? t.loading : <Value value={values[column]} />}
    </output>
  )
}

interface RowProps {
  readonly index: number
  readonly values: readonly unknown[] | null
  readonly width: number
  readonly active: number | null
  readonly onSelect: (column: number) => void
}

function Row({ index, values, width, active, onSelect }: RowProps) {
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row" class="number">
        {count(index + 1)}
      </th>
      {Array.from({ length: width }, (_, column) => (
        <td
          key={column}
          role="gridcell"
          id={`cell-${index}-${column}`}
          class={column === active ? 'active' : undefined}
          aria-selected={column === active}
          title={values === null ? undefined : textOf(values[column])}
          onPointerDown={() => onSelect(column)}
        >
          {values === null ? <span class="null">…</span> : <Value value={values[column]} />}
        </td>
      ))}
    </tr>
  )
}

function GoTo({ total, onGo }: { readonly total: number; readonly onGo: (row: number) => void }) {
  const [wanted, setWanted] = useState('')
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    onGo(Number(wanted) - 1)
  }
  return (
    <form class="row" onSubmit={onSubmit}>
      <label>
        {t.goToRow}{' '}
        <input
          type="number"
          min={1}
          max={total}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </label>
      <button type="submit">{t.open}</button>
    </form>
  )
}

/** The rows of a dataset; renders again when some have arrived. */
function useSource(id: string): RowSource {
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  const [source, setSource] = useState(() => new RowSource(id, () => render(null)))
  useEffect(() => {
    const fresh = new RowSource(id, () => render(null))
    setSource(fresh)
    return () => fresh.close()
  }, [id])
  return source
}

/** Where a key moves the selected cell; null for a key that does not. */
function movedCell(
  { key, ctrlKey }: KeyboardEvent,
  { row, column }: Cell,
  rows: number,
  columns: number,
  page: number,
): Cell | null {
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
      return ctrlKey ? { row: 0, column } : { row, column: 0 }
    case 'End':
      return ctrlKey ? { row: rows - 1, column } : { row, column: columns - 1 }
    default:
      return null
  }
}
