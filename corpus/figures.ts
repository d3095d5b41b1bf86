// Figures: what a run over the corpora found, and how it is printed. Knows nothing of how it was found.
import { existsSync, readFileSync } from 'node:fs'
import type { Score } from './scores.ts'

export interface SetFigures {
  readonly name: string
  readonly files: number
  /** Answers of 200, of 4xx, and others or none. */
  readonly accepted: number
  readonly refused: number
  readonly failed: number
  readonly hangs: number
  readonly violations: readonly string[]
  readonly slowestMs: number
}

export interface Repeats {
  readonly files: number
  readonly different: readonly string[]
}

export interface CorpusFigures {
  readonly date: string
  readonly sets: readonly SetFigures[]
  readonly smallWrites: Repeats
  readonly rereadings: Repeats
  readonly scores: readonly Score[]
}

export const figuresUrl = new URL('figures.json', import.meta.url)

/** The figures of the last run as Markdown, or that there are none yet. */
export function corpusTable(): string {
  if (!existsSync(figuresUrl)) return 'Not measured yet.'
  return markdown(JSON.parse(readFileSync(figuresUrl, 'utf8')) as CorpusFigures) // written by main.ts
}

export function markdown({ date, sets, smallWrites, rereadings, scores }: CorpusFigures): string {
  return [
    `Measured ${date}.`,
    '',
    table(
      ['Set', 'Files', '200', '4xx', '5xx or none', 'Hangs', 'Violations', 'Slowest'],
      sets.map((set) => [
        set.name,
        set.files,
        set.accepted,
        set.refused,
        set.failed,
        set.hangs,
        set.violations.length,
        `${Math.round(set.slowestMs)} ms`,
      ]),
    ),
    '',
    table(
      ['Done again', 'Files', 'Different'],
      [
        ['sent in writes of 1 to 64 bytes', smallWrites.files, smallWrites.different.length],
        ['the export sent as a file', rereadings.files, rereadings.different.length],
      ],
    ),
    ...(scores.length === 0
      ? []
      : [
          '',
          table(
            ['Score', 'Figure'],
            scores.map(({ name, figure }) => [name, figure]),
          ),
        ]),
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
