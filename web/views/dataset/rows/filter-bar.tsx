// Filter bar: the conditions that rows must meet as chips, and ways to a column. Knows no rows.
import { useState } from 'preact/hooks'
import { count } from '../../../format.ts'
import { Icon } from '../../../parts/icon.tsx'
import { t } from '../../../texts.ts'
import { ColumnMenu, columnsLike } from './column-menu.tsx'
import type { Filter, Operator, RowView } from './row-view.ts'

/** Those of a condition with one value or none; the others are chosen from a plot. */
export const operatorNames: Partial<Readonly<Record<Operator, string>>> = {
  contains: t.contains,
  '=': '=',
  '<>': '≠',
  '<': '<',
  '<=': '≤',
  '>': '>',
  '>=': '≥',
  null: t.isNull,
  notNull: t.isNotNull,
}

interface FilterBarProps {
  readonly columns: readonly string[]
  readonly view: RowView
  readonly onChange: (change: Partial<RowView>) => void
  readonly onColumn: (column: string) => void
}

export function FilterBar({ columns, view: { filters, hidden }, onChange, onColumn }: FilterBarProps) {
  const shown = columns.filter((one) => !hidden.includes(one))
  return (
    <div class="bar chips">
      {filters.map((filter, index) => (
        <span key={`${index} ${filter.column}`} class="chip on">
          <span class="name">{filterText(filter)}</span>
          <button
            type="button"
            class="hit"
            aria-label={t.removeFilter(filterText(filter))}
            onClick={() => onChange({ filters: filters.filter((one) => one !== filter) })}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <ColumnMenu
        id="filter-menu"
        class="chip"
        columns={columns}
        label={
          <>
            <Icon name="plus" /> {t.filter}
          </>
        }
        item={(column, close) => (
          <button
            key={column}
            type="button"
            onClick={() => {
              close()
              onChange({ column })
            }}
          >
            <span class="name">{column}</span>
          </button>
        )}
      />
      <span class="grow" />
      <FindColumn columns={shown} onColumn={onColumn} />
      <ColumnMenu
        id="columns-menu"
        class="btn ghost"
        columns={columns}
        label={t.columnsShown(count(shown.length), count(columns.length))}
        item={(column) => (
          <label key={column} class="row">
            <input
              class="check"
              type="checkbox"
              checked={!hidden.includes(column)}
              // The last one stays.
              disabled={shown.length === 1 && shown[0] === column}
              onChange={() =>
                onChange({
                  hidden: hidden.includes(column) ? hidden.filter((one) => one !== column) : [...hidden, column],
                })
              }
            />
            <span class="name">{column}</span>
          </label>
        )}
      />
    </div>
  )
}

/** Suggested at once. */
const suggestedMax = 20

function FindColumn({ columns, onColumn }: Pick<FilterBarProps, 'columns' | 'onColumn'>) {
  const [name, setName] = useState('')
  const found = name === '' ? [] : columnsLike(columns, name)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (found[0] !== undefined) onColumn(found[0])
      }}
    >
      <input
        id="find-column"
        class="field"
        type="search"
        size={13}
        list="column-names"
        aria-label={t.findColumn}
        aria-invalid={name !== '' && found.length === 0}
        placeholder={t.findColumn}
        value={name}
        onInput={({ currentTarget }) => {
          setName(currentTarget.value)
          if (columns.includes(currentTarget.value)) onColumn(currentTarget.value)
        }}
      />
      <datalist id="column-names">
        {found.slice(0, suggestedMax).map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </form>
  )
}

export function filterText({ column, operator, values, isLength }: Filter): string {
  const what = isLength ? `${t.length} (${column})` : column
  const shown = values.map((one) => (one.length > 40 ? `${one.slice(0, 40)}…` : one))
  if (operator === 'between') return `${what} ${shown.join(' – ')}`
  if (operator === 'in') return `${what} ${t.is} ${shown.join(` ${t.or} `)}`
  return [what, operatorNames[operator], ...shown].join(' ')
}
