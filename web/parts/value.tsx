// Value: one cell of a table; null and empty text look different from each other and from words.
import { t } from '../texts.ts'

export function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="null">{t.nullValue}</span>
  if (value === '') return <span class="null">{t.emptyText}</span>
  return <>{textOf(value)}</>
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
