// Plot: bars of a histogram or of frequent values, drawn as SVG. Each bar shows its value and leads to its rows, by
// mouse and by keyboard; a table has the same figures.
import { useState } from 'preact/hooks'
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
  if (bars.length === 0) return null
  const last = bars.length - 1
  const shown = bars[pointed ?? focused ?? -1]
  // Limits the width if there are only a few bars.
  const step = Math.min(width / bars.length, barWidthMax)
  const most = Math.max(...bars.map((one) => one.count), 1)
  const sizeOf = (bar: Bar) => (bar.count === 0 ? 0 : Math.max(1, (bar.count / most) * height))
  return (
    <figure class="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={t.plotOf(name)}
        onPointerLeave={() => setPointed(null)}
        onKeyDown={(event) => {
          const to = movedBar(event.key, entry, last)
          if (to === null) return
          event.preventDefault()
          event.currentTarget.querySelectorAll<SVGElement>('.bar-link')[to]?.focus()
        }}
      >
        {bars.map((bar, index) => (
          <a
            key={bar.label}
            class="bar-link"
            href={bar.href}
            // Arrow keys move on from the bar that the Tab key reaches.
            tabIndex={index === Math.min(entry, last) ? 0 : -1}
            aria-label={`${bar.label}: ${count(bar.count)}`}
            onPointerEnter={() => setPointed(index)}
            onFocus={() => {
              setFocused(index)
              setEntry(index)
            }}
            onBlur={() => setFocused(null)}
          >
            <rect class="bar-hit" x={index * step} y={0} width={step} height={height} />
            <rect
              class="bar"
              x={index * step + 0.5}
              y={height - sizeOf(bar)}
              width={Math.max(1, step - 1)}
              height={sizeOf(bar)}
            />
          </a>
        ))}
      </svg>
      <figcaption class="quiet figures">{shown ? `${shown.label}: ${count(shown.count)}` : ' '}</figcaption>
      <details>
        <summary>{t.asTable}</summary>
        <Table
          label={name}
          rows={bars}
          keyOf={(bar) => bar.label}
          columns={[
            { head: t.values, cell: ({ label, href }) => <a href={href}>{label}</a>, class: 'name' },
            { head: t.count, cell: (bar) => count(bar.count), isNumber: true },
          ]}
        />
      </details>
    </figure>
  )
}

/** Null for a key that does not move. */
function movedBar(key: string, from: number, last: number): number | null {
  const moves: Readonly<Record<string, number>> = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: last }
  const to = moves[key]
  return to === undefined ? null : Math.max(0, Math.min(last, to))
}
