// Filter bar: the conditions that rows must meet, a form to add one, and a way to a row or a column. Knows no rows.
import { useState } from 'preact/hooks'
import { t } from '../../../texts.ts'
import { type Filter, type Operator, operators } from './row-view.ts'

interface FilterBarProps {
  readonly columns: readonly string[]
  readonly filters: readonly Filter[]
  readonly onChange: (filters: readonly Filter[]) => void
}

const operatorNames: Readonly<Record<Operator, string>> = {
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

export function FilterBar({ columns, filters, onChange }: FilterBarProps) {
  const [column, setColumn] = useState(columns[0] ?? '')
  const [operator, setOperator] = useState<Operator>('contains')
  const [value, setValue] = useState('')
  const needsValue = operator !== 'null' && operator !== 'notNull'
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    onChange([...filters, { column, operator, value: needsValue ? value : '' }])
    setValue('')
  }
  return (
    <div class="filters">
      <form class="row" onSubmit={onSubmit} aria-label={t.filter}>
        <select
          class="small name"
          aria-label={t.filterColumn}
          value={column}
          onChange={({ currentTarget }) => setColumn(currentTarget.value)}
        >
          {columns.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <select
          class="small"
          aria-label={t.condition}
          value={operator}
          onChange={({ currentTarget }) => setOperator(currentTarget.value as Operator)}
        >
          {operators.map((one) => (
            <option key={one} value={one}>
              {operatorNames[one]}
            </option>
          ))}
        </select>
        {needsValue && (
          <input
            class="small"
            type="search"
            aria-label={t.filterValue}
            placeholder={t.filterValue}
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        )}
        <button type="submit" class="small plain-submit">
          {t.filter}
        </button>
      </form>
      {filters.length > 0 && (
        <ul class="chips" aria-label={t.filters}>
          {filters.map((filter, index) => (
            <li key={`${index} ${filter.column}`}>
              <button
                type="button"
                class="small chip"
                aria-label={`${t.remove}: ${filterText(filter)}`}
                onClick={() => onChange(filters.filter((one) => one !== filter))}
              >
                {filterText(filter)} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function filterText({ column, operator, value, isLength }: Filter): string {
  const what = isLength ? `${t.length} (${column})` : column
  return operator === 'null' || operator === 'notNull'
    ? `${what} ${operatorNames[operator]}`
    : `${what} ${operatorNames[operator]} ${value}`
}
