// Plot: bars of a histogram or of frequent values, drawn as SVG, each with a read-out, and as a table for screen readers.
import { useState } from 'preact/hooks'
import { count } from '../format.ts'
import { t } from '../texts.ts'

export interface Bar {
  /** What the bar stands for: a value, or a range of values. */
  readonly label: string
  readonly count: number
}

const width = 240
const height = 56

export function Plot({ name, bars }: { readonly name: string; readonly bars: readonly Bar[] }) {
  const [active, setActive] = useState<number | null>(null)
  if (bars.length === 0) return null
  const most = Math.max(...bars.map((bar) => bar.count), 1)
  const step = width / bars.length
  const shown = active === null ? null : bars[active]
  return (
    <figure class="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={name}
        onPointerLeave={() => setActive(null)}
      >
        {bars.map((bar, index) => {
          const size = bar.count === 0 ? 0 : Math.max(1, (bar.count / most) * height)
          return (
            <g key={bar.label} onPointerEnter={() => setActive(index)}>
              <rect class="hit" x={index * step} y={0} width={step} height={height} />
              <rect
                class={index === active ? 'bar active' : 'bar'}
                x={index * step + 0.5}
                y={height - size}
                width={Math.max(1, step - 1)}
                height={size}
              />
            </g>
          )
        })}
      </svg>
      <figcaption class="quiet">{shown ? `${shown.label}: ${count(shown.count)}` : ' '}</figcaption>
      <details>
        <summary>{t.asTable}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.values}</th>
              <th scope="col" class="number">
                {t.count}
              </th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.label}>
                <td>{bar.label}</td>
                <td class="number">{count(bar.count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
