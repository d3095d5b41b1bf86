// Plots: draws the figures as SVG for the docs. Measures nothing.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figures } from './figures.ts'

interface Bar {
  readonly label: string
  readonly value: number
  /** Drawn in a quieter colour, for comparisons. */
  readonly isOther?: boolean
  /** The target value. */
  readonly goal?: number
}

interface Chart {
  readonly title: string
  readonly bars: readonly Bar[]
  format(value: number): string
}

const directory = join(import.meta.dirname, '..', 'docs', 'plots')
const goals: Readonly<Record<string, number>> = {
  '4.2 MB': 0.7,
  '1000 MB': 0.75,
  '400 MB of numbers': 0.75,
  '400 MB of texts': 0.95,
  '64 MB of 500 columns': 1,
}

/** Writes docs/plots/*.svg. */
export function writePlots(figures: Figures): void {
  mkdirSync(directory, { recursive: true })
  const charts = { ratios: ratios(figures), beside: beside(figures), cores: cores(figures), peers: peers(figures) }
  for (const [name, chart] of Object.entries(charts)) {
    writeFileSync(join(directory, `${name}.svg`), svgOf(chart, `${figures.machine}, ${figures.date}`))
  }
}

function ratios({ sizes, mixes }: Figures): Chart {
  const bars = [...sizes, ...mixes].map(({ name, ratio }) => {
    const goal = goals[name]
    return { label: name, value: ratio, ...(goal !== undefined && { goal }) }
  })
  return { title: 'Time of an upload, as a multiple of DuckDB alone', bars, format: (value) => value.toFixed(2) }
}

function beside({ small, beside: figures }: Figures): Chart {
  const bars = (where: string, one: { readonly p50Ms: number; readonly p99Ms: number }): Bar[] => [
    { label: `${where}: median`, value: one.p50Ms, ...(where !== 'alone' && { goal: 40 }) },
    { label: `${where}: 99th percentile`, value: one.p99Ms, isOther: true, ...(where !== 'alone' && { goal: 200 }) },
  ]
  return {
    title: 'A file of 1 KB beside uploads of 1000 MB',
    bars: [...bars('alone', small), ...figures.flatMap((one) => bars(`beside ${one.large}`, one))],
    format: milliseconds,
  }
}

function cores({ cores: figures }: Figures): Chart {
  const label = (count: number, isMeasured: boolean) =>
    `${count} ${count === 1 ? 'core' : 'cores'}${isMeasured ? '' : ' (modelled)'}`
  return {
    title: 'Upload of 1000 MB by cores',
    bars: figures.map((one) => ({
      label: label(one.cores, one.isMeasured),
      value: one.uploadMs,
      isOther: !one.isMeasured,
    })),
    format: milliseconds,
  }
}

/** The largest file that every tool has read. */
function peers({ peers: figures }: Figures): Chart {
  const file = '100 MB'
  const timed = figures.flatMap(({ name, times }) =>
    times.filter((one) => one.file === file).map((one) => ({ name, ...one })),
  )
  const [first] = timed
  const own = first === undefined ? [] : [{ label: 'CSV Upload Service', value: first.uploadMs }]
  const others = timed.map(({ name, ms }) => ({ label: name, value: ms, isOther: true }))
  const bars = [...own, ...others].sort((a, b) => a.value - b.value)
  return { title: `A file of ${file} through each`, bars, format: milliseconds }
}

function milliseconds(value: number): string {
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(2)} s`
}

const layout = { width: 720, top: 48, row: 30, bar: 18, left: 200, right: 90, bottom: 34 }
const colours = { own: '#1f6feb', other: '#9aa7b4', goal: '#b42318', text: '#1f2328', quiet: '#59636e' }

/** Horizontal bars from 0 on; a target is a line across its bar. */
function svgOf({ title, bars, format }: Chart, source: string): string {
  const { width, top, row, bar, left, right, bottom } = layout
  const height = top + bars.length * row + bottom
  const most = Math.max(...bars.map(({ value, goal = 0 }) => Math.max(value, goal)))
  const x = (value: number) => (value / most) * (width - left - right)
  const shown = bars.map(({ label, value, isOther, goal }, i) => {
    const y = top + i * row
    const middle = y + bar / 2 + 4
    return [
      text(left - 8, middle, label, 'end'),
      `<rect x="${left}" y="${y}" width="${x(value).toFixed(1)}" height="${bar}" rx="2" fill="${isOther ? colours.other : colours.own}"/>`,
      text(left + Math.max(x(value), goal === undefined ? 0 : x(goal)) + 8, middle, format(value)),
      ...(goal === undefined
        ? []
        : [
            `<line x1="${(left + x(goal)).toFixed(1)}" x2="${(left + x(goal)).toFixed(1)}" y1="${y - 4}" y2="${y + bar + 4}" stroke="${colours.goal}" stroke-width="2"/>`,
          ]),
    ].join('\n')
  })
  const hasGoals = bars.some(({ goal }) => goal !== undefined)
  const foot = `${source}${hasGoals ? '; red: target' : ''}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="16" y="26" font-size="16" font-weight="600" fill="${colours.text}">${escaped(title)}</text>
${shown.join('\n')}
<text x="16" y="${height - 12}" font-size="11" fill="${colours.quiet}">${escaped(foot)}</text>
</svg>
`
}

function text(x: number, y: number, content: string, anchor = 'start'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colours.text}">${escaped(content)}</text>`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
