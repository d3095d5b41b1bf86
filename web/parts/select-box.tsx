// Select box: selects an entry of a list, or in its head all that are loaded.
import type { ListedDataset } from '../api.ts'
import { shownName } from '../format.ts'
import { t } from '../texts.ts'

interface SelectBoxProps {
  /** Null for the box of all that are loaded. */
  readonly entry: ListedDataset | null
  readonly entries: readonly ListedDataset[]
  readonly selected: ReadonlyMap<string, ListedDataset>
  onSelect(selected: ReadonlyMap<string, ListedDataset>): void
}

export function SelectBox({ entry, entries, selected, onSelect }: SelectBoxProps) {
  const concerned = entry === null ? entries : [entry]
  const isOn = concerned.length > 0 && concerned.every(({ id }) => selected.has(id))
  const onChange = () => {
    const ids = new Set(concerned.map(({ id }) => id))
    const others = [...selected].filter(([id]) => !ids.has(id))
    onSelect(new Map(isOn ? others : [...others, ...concerned.map((one) => [one.id, one] as const)]))
  }
  return (
    <label class="hit">
      <input class="check" type="checkbox" checked={isOn} onChange={onChange} />
      <span class="hidden">{entry === null ? t.selectAll : t.select(shownName(entry.file.name) || entry.id)}</span>
    </label>
  )
}
