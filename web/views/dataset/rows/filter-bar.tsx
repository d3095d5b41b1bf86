// Filter bar: the conditions that rows must meet as chips, and ways to columns, to be found, shown or hidden.
import { useState } from 'preact/hooks'
import type { Receipt } from '../../../api.ts'
import { count, shownName } from '../../../format.ts'
import { SearchField } from '../../../parts/controls.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Menu } from '../../../parts/menu.tsx'
import { t } from '../../../texts.ts'
import { shownValue } from './column-shape.ts'
import type { Filter, Operator, RowView } from './row-view.ts'

/** Those of a condition with one value or none; the others are chosen from a plot. */
export const operatorNames: readonly (readonly [Operator, string])[] = [
  ['contains', t.contains],
  ['=', '='],
  ['<>', '≠'],
  ['<', '<'],
  ['<=', '≤'],
  ['>', '>'],
  ['>=', '≥'],
  ['null', t.isNull],
  ['notNull', t.isNotNull],
]
const nameOf = new Map(operatorNames)

/** Columns listed at once, of those that have a part of a name. */
const listedMax = 40

interface FilterBarProps {
  readonly columns: Receipt['columns']
  /** Of the cursor. */
  readonly column: string
  readonly view: RowView
  readonly onChange: (change: Partial<RowView>) => void
  readonly onColumn: (column: string) => void
}

export function FilterBar({ columns, column, view: { filters, hidden }, onChange, onColumn }: FilterBarProps) {
  const [name, setName] = useState('')
  const found = columnsLike(
    columns.map((one) => one.name),
    name,
  )
  const shown = found.filter((one) => !hidden.includes(one))
  const toggle = (one: string) =>
    onChange({ hidden: hidden.includes(one) ? hidden.filter((other) => other !== one) : [...hidden, one] })
  return (
    <div class="bar chips">
      {filters.map((filter, index) => (
        <span key={`${index} ${filter.column}`} class="chip on">
          <span class="name">{filterText(filter, columns)}</span>
          <button
            type="button"
            class="hit"
            aria-label={t.removeFilter(filterText(filter, columns))}
            onClick={() => onChange({ filters: filters.filter((one) => one !== filter) })}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <button type="button" class="chip" onClick={() => onChange({ column })}>
        <Icon name="plus" /> {t.filter}
      </button>
      <form
        class="grow"
        onSubmit={(event) => {
          event.preventDefault()
          if (shown[0] !== undefined) onColumn(shown[0])
        }}
      >
        <SearchField
          id="find-column"
          size={13}
          list="column-names"
          label={t.findColumn}
          aria-invalid={shown.length === 0}
          value={name}
          onInput={(value) => {
            setName(value)
            if (value !== '' && shown.includes(value)) onColumn(value)
          }}
        />
        <datalist id="column-names">
          {name !== '' && shown.slice(0, listedMax).map((one) => <option key={one} value={one} />)}
        </datalist>
      </form>
      <Menu class="btn ghost" label={t.columnsShown(count(columns.length - hidden.length), count(columns.length))}>
        {columns.length > listedMax && <SearchField label={t.searchMenu} value={name} onInput={setName} />}
        {found.slice(0, listedMax).map((one) => (
          <label key={one} class="row">
            <input
              class="check"
              type="checkbox"
              checked={!hidden.includes(one)}
              // The last one stays.
              disabled={columns.length - hidden.length === 1 && !hidden.includes(one)}
              onChange={() => toggle(one)}
            />
            <span class="name">{shownName(one)}</span>
          </label>
        ))}
        {found.length > listedMax && <p class="small quiet">{t.narrowSearch}</p>}
      </Menu>
    </div>
  )
}

/** Columns with a part of a name: first the one of that name, then those that begin with it, then the others. */
function columnsLike(columns: readonly string[], name: string): readonly string[] {
  const wanted = name.toLowerCase()
  const rank = (one: string) => (one === wanted ? 0 : one.startsWith(wanted) ? 1 : 2)
  const found = columns.filter((one) => one.toLowerCase().includes(wanted))
  return wanted === '' ? found : found.toSorted((a, b) => rank(a.toLowerCase()) - rank(b.toLowerCase()))
}

export function filterText({ column, operator, values, isLength }: Filter, columns: Receipt['columns']): string {
  const type = columns.find(({ name }) => name === column)?.type ?? ''
  const what = isLength ? `${t.length} (${shownName(column)})` : shownName(column)
  const shown = values.map((one) => (one.length > 40 ? `${one.slice(0, 40)}…` : shownValue(one, type)))
  if (operator === 'between') return `${what} ${shown.join(' – ')}`
  if (operator === 'in') return `${what} ${t.is} ${shown.join(` ${t.or} `)}`
  return [what, nameOf.get(operator), ...shown].join(' ')
}
