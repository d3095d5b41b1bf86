// Column menu: finds columns by a part of their name, one of a thousand too, and shows what can be done with each.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { t } from '../../../texts.ts'

/** Rendered at once. */
const shownMax = 40

interface ColumnMenuProps {
  readonly id: string
  readonly class: string
  readonly label: ComponentChildren
  readonly columns: readonly string[]
  readonly item: (column: string, close: () => void) => ComponentChildren
}

export function ColumnMenu({ id, label, columns, item, ...rest }: ColumnMenuProps) {
  const [name, setName] = useState('')
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const found = columnsLike(columns, name)
  return (
    <>
      <button type="button" class={rest.class} popovertarget={id} aria-expanded={isOpen}>
        {label}
      </button>
      <div
        id={id}
        class="menu column-menu"
        popover="auto"
        ref={menu}
        onToggle={(event) => {
          setOpen(event.newState === 'open')
          setName('')
        }}
      >
        {isOpen && (
          <>
            <input
              class="field"
              type="search"
              aria-label={t.findColumn}
              placeholder={t.findColumn}
              value={name}
              autofocus
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
            {found.slice(0, shownMax).map((one) => item(one, () => menu.current?.hidePopover()))}
            {found.length > shownMax && <p class="small quiet">{t.narrowSearch}</p>}
          </>
        )}
      </div>
    </>
  )
}

/** Columns with a part of a name: first the one of that name, then those that begin with it, then the others. */
export function columnsLike(columns: readonly string[], name: string): readonly string[] {
  const wanted = name.toLowerCase()
  const rank = (column: string) => {
    const lower = column.toLowerCase()
    return lower === wanted ? 0 : lower.startsWith(wanted) ? 1 : 2
  }
  const found = columns.filter((one) => one.toLowerCase().includes(wanted))
  return wanted === '' ? found : found.toSorted((a, b) => rank(a) - rank(b))
}
