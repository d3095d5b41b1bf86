// Figures: reads bench/figures.json, which bench/main.ts writes, for the docs.
import { readFileSync } from 'node:fs'
import type { rows } from './rows.ts'

type Row = (typeof rows)[number]

/** What each row has measured. */
export type Figures = { readonly date: string; readonly machine: string } & {
  readonly [One in Row as One['name']]: Awaited<ReturnType<One['measure']>>
}

export const figuresUrl = new URL('figures.json', import.meta.url)

export function readFigures(): Figures {
  return JSON.parse(readFileSync(figuresUrl, 'utf8')) as Figures // written by bench/main.ts
}
