// Nested lists: which of two delimiters separates fields, and which the items of a list in one of them. Knows two readings.
import { firstRows } from './single-column.ts'
import { recordValues, type Tokens } from './tokenize.ts'
import { kindOf } from './value-kind.ts'

/**
 * True if the other delimiter occurs in one column only, between items of one kind; the other reading then cuts records
 * into that list and one field with all the other columns, which are of several kinds or separated by tabs.
 */
export function isOuter(outer: Tokens, inner: Tokens): boolean {
  const [own, other] = [outer, inner].map(({ layout }) => String.fromCharCode(layout.delimiter)) as [string, string]
  const rows = firstRows(outer)
  if (rows.length < 2 || outer.layout.quote !== inner.layout.quote) return false
  const lists = new Set<number>()
  for (const row of rows) {
    for (const [column, value] of recordValues(outer, row).entries()) {
      if (!value.includes(other)) continue
      lists.add(column)
      if (lists.size > 1 || kindsIn(value, other) > 1) return false
    }
  }
  const isMixed = (row: number) => recordValues(inner, row).some((value) => kindsIn(value, own) > 1)
  return lists.size === 1 && (own === '\t' || firstRows(inner).slice(1).every(isMixed))
}

function kindsIn(value: string, delimiter: string): number {
  return new Set(value.split(delimiter).map(kindOf)).size
}
