// Find column: the field for a part of a column's name, where not all columns are shown. Knows no column.
import { t } from '../texts.ts'

interface FindColumnProps {
  readonly value: string
  readonly onInput: (value: string) => void
}

export function FindColumn({ value, onInput }: FindColumnProps) {
  return (
    <input
      class="field"
      type="search"
      aria-label={t.findColumn}
      placeholder={t.findColumn}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  )
}
