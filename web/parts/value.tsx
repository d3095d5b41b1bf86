// Value: one cell of a table; null and empty text look different from each other and from words.
import { t } from '../texts.ts'
import { textOf } from './text-of.ts'

export function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="null">{t.nullValue}</span>
  if (value === '') return <span class="null">{t.emptyText}</span>
  return <>{textOf(value)}</>
}
