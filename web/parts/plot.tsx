// Plot: bars of a histogram or of frequent values, drawn as SVG. Each bar shows its value and leads to its rows, by
// mouse and by keyboard; a table has the same figures.
import { useRef, useState } from 'preact/hooks'
import { count } from '../format.ts'
import { t } from '../texts.ts'
import { Table } from './table.tsx'

export interface Bar {
  /** What the bar represents: a value, or a range of values. */
  readonly label: string
  readonly count: number
  /** Where the rows of the bar are shown. */
  readonly href: string
}

const width = 240
const height = 56
const barWidthMax = 40

export function Plot({ name, bars }: { readonly name: string; readonly bars: readonly Bar[] }) {
  const [pointed, setPointed] = useState<number | null>(null)
  const [focused, setFocused] = useState<number | null>(null)
  const [entry, setEntry] = useState(0)
  const drawing = useRef<SVGSVGElement>(null)
  if (bars.length === 0) return null
  const active = pointed ?? focused
  const shown = active === null ? null : bars[active]
  const onKeyDown = (event: KeyboardEvent) => {
    const to = movedBar(event.key, entry, bars.length)
    if (to === null) return
    event.preventDefault()
    setEntry(to)
    drawing.current?.querySelectorAll<SVGElement>('.bar-link')[to]?.focus()
  }
  return (
    <figure class="plot">
      <svg
        ref={drawing}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={t.plotOf(name)}
        onPointerLeave={() => setPointed(null)}
        onKeyDown={onKeyDown}
      >
        {bars.map((bar, index) => (
          <PlotBar
            key={bar.label}
            bar={bar}
            index={index}
            total={bars.length}
            most={Math.max(...bars.map((one) => one.count), 1)}
            isActive={index === active}
            isEntry={index === Math.min(entry, bars.length - 1)}
            onPoint={() => setPointed(index)}
            onFocus={() => {
              setFocused(index)
              setEntry(index)
            }}
            onBlur={() => setFocused(null)}
          />
        ))}
      </svg>
      <figcaption class="quiet figures">{shown ? `${shown.label}: ${count(shown.count)}` : ' '}</figcaption>
      <details>
        <summary>{t.asTable}</summary>
        <PlotTable name={name} bars={bars} />
      </details>
    </figure>
  )
}

interface PlotBarProps {
  readonly bar: Bar
  readonly index: number
  readonly total: number
  readonly most: number
  readonly isActive: boolean
  /** The bar that the Tab key reaches; arrow keys move on from it. */
  readonly isEntry: boolean
  readonly onPoint: () => void
  readonly onFocus: () => void
  readonly onBlur: () => void
}

function PlotBar({ bar, index, total, most, isActive, isEntry, onPoint, onFocus, onBlur }: PlotBarProps) {
  // Limits the width if there are only a few bars.
  const step = Math.min(width / total, barWidthMax)
  const size = bar.count === 0 ? 0 : Math.max(1, (bar.count / most) * height)
  return (
    <a
      class="bar-link"
      href={bar.href}
      tabIndex={isEntry ? 0 : -1}
      aria-label={`${bar.label}: ${count(bar.count)}`}
      onPointerEnter={onPoint}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      <rect class="hit" x={index * step} y={0} width={step} height={height} />
      <rect
        class={isActive ? 'bar active' : 'bar'}
        x={index * step + 0.5}
        y={height - size}
        width={Math.max(1, step - 1)}
        height={size}
      />
    </a>
  )
}

function PlotTable({ name, bars }: { readonly name: string; readonly bars: readonly Bar[] }) {
  return (
    <Table
      label={name}
      rows={bars}
      keyOf={(bar) => bar.label}
      columns={[
        { head: t.values, cell: ({ label, href }) => <a href={href}>{label}</a>, class: 'name' },
        { head: t.count, cell: (bar) => count(bar.count), isNumber: true },
      ]}
    />
  )
}

/** Null for a key that does not move. */
function movedBar(key: string, from: number, total: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return Math.min(total - 1, from + 1)
    case 'ArrowLeft':
      return Math.max(0, from - 1)
    case 'Home':
      return 0
    case 'End':
      return total - 1
    default:
      return null
  }
}
