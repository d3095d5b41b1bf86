// Go to: a way to a row by its number, and to a column by a part of its name. Knows no rows.
import { useState } from 'preact/hooks'
import { t } from '../../../texts.ts'

interface GoToProps {
  readonly total: number
  readonly columns: readonly string[]
  readonly onRow: (row: number) => void
  readonly onColumn: (column: number) => void
}

export function GoTo({ total, columns, onRow, onColumn }: GoToProps) {
  const [row, setRow] = useState('')
  const [name, setName] = useState('')
  const found = name === '' ? -1 : columnLike(columns, name)
  return (
    <div class="row go-to">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          if (row !== '') onRow(Number(row) - 1)
        }}
      >
        <input
          class="small"
          type="number"
          min={1}
          max={total}
          aria-label={t.goToRow}
          placeholder={t.goToRow}
          value={row}
          onInput={({ currentTarget }) => setRow(currentTarget.value)}
        />
      </form>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          if (found >= 0) onColumn(found)
        }}
      >
        <input
          class="small"
          type="search"
          list="column-names"
          aria-label={t.findColumn}
          aria-invalid={name !== '' && found < 0}
          placeholder={t.findColumn}
          value={name}
          onInput={({ currentTarget }) => {
            setName(currentTarget.value)
            const exact = columns.indexOf(currentTarget.value)
            if (exact >= 0) onColumn(exact)
          }}
        />
        <datalist id="column-names">
          {columns.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </form>
    </div>
  )
}

/**
 * The column of that name; otherwise the first that begins with it; otherwise the first that contains it; -1 for none.
 */
function columnLike(columns: readonly string[], name: string): number {
  const wanted = name.toLowerCase()
  const tests = [
    (one: string) => one === wanted,
    (one: string) => one.startsWith(wanted),
    (one: string) => one.includes(wanted),
  ]
  const lower = columns.map((one) => one.toLowerCase())
  return tests.map((test) => lower.findIndex(test)).find((index) => index >= 0) ?? -1
}
