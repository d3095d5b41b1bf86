// Figures: what the last runs of the torture came to, and how they are printed. Knows nothing of how they are made.
import { existsSync, readFileSync } from 'node:fs'

/** What one module came to. */
export interface TortureFigures {
  readonly date: string
  readonly machine: string
  readonly seed: number
  readonly seconds: number
  /** What was done and seen, in the words of the module. */
  readonly figures: Readonly<Record<string, number | string>>
}

export const figuresUrl = new URL('figures.json', import.meta.url)

/** By module; empty before the first run. */
export function readFigures(): Readonly<Record<string, TortureFigures>> {
  return existsSync(figuresUrl) ? JSON.parse(readFileSync(figuresUrl, 'utf8')) : {} // written by main.ts
}

/** The figures of the last long runs as Markdown, or that there are none yet. A run that found a violation has none. */
export function tortureTable(modules: readonly { readonly name: string; readonly what: string }[]): string {
  const measured = readFigures()
  const rows = modules.map(({ name, what }) => {
    const run = measured[name]
    if (run === undefined) return `| \`${name}\` | ${what} | Not run yet. | | | |`
    // Both have columns of their own.
    const shown = Object.entries(run.figures).filter(([key]) => key !== 'seed' && key !== 'seconds')
    const seen = shown.map(([key, value]) => `${key}: ${value}`)
    return `| \`${name}\` | ${what} | ${seen.join('<br>')} | ${run.seed} | ${Math.round(run.seconds)} s | ${run.machine}, ${run.date} |`
  })
  return [
    '| Run | What is done | What it came to | Seed | Time | Where, when |',
    '| --- | --- | --- | --- | --- | --- |',
  ]
    .concat(rows)
    .join('\n')
}
