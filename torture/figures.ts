// Figures: the results of the last torture runs, and their table in the docs. Knows no modules.
import { existsSync, readFileSync } from 'node:fs'

/** The results of one module. */
export interface TortureFigures {
  readonly date: string
  readonly machine: string
  readonly seed: number
  readonly seconds: number
  /** Counts and observations, in the words of the module. */
  readonly figures: Readonly<Record<string, number | string>>
}

export const figuresUrl = new URL('figures.json', import.meta.url)

/** Results by module; empty before the first run. */
export function readFigures(): Readonly<Record<string, TortureFigures>> {
  return existsSync(figuresUrl) ? JSON.parse(readFileSync(figuresUrl, 'utf8')) : {} // written by main.ts
}

/** The results of the last long runs as Markdown. A run that finds a violation has no results. */
export function tortureTable(modules: readonly { readonly name: string; readonly what: string }[]): string {
  const measured = readFigures()
  const rows = modules.map(({ name, what }) => {
    const run = measured[name]
    if (run === undefined) return `| \`${name}\` | ${what} | Not run yet. | | | |`
    // Seed and seconds have their own columns.
    const shown = Object.entries(run.figures).filter(([key]) => key !== 'seed' && key !== 'seconds')
    const seen = shown.map(([key, value]) => `${key}: ${value}`)
    return `| \`${name}\` | ${what} | ${seen.join('<br>')} | ${run.seed} | ${Math.round(run.seconds)} s | ${run.machine}, ${run.date} |`
  })
  return ['| Run | Test | Result | Seed | Time | Machine, date |', '| --- | --- | --- | --- | --- | --- |']
    .concat(rows)
    .join('\n')
}
