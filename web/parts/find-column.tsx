// Find column: the field for a part of a column's name, where not all columns are shown. Knows no column.
import { t } from '../texts.ts'

interface FindColumnProps {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly label?: string
}

export function FindColumn({ value, onInput, label = t.findColumn }: FindColumnProps) {
  return (
    <input
      class="field"
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  )
}
