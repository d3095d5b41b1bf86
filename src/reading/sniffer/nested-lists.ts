// Nested lists: which of two delimiters separates fields, and which the items of a list in one of them. Knows two readings.
import { fieldValue, isBlank, recordCount, type Tokens, widthOf } from './tokenize.ts'
import { kindOf } from './value-kind.ts'

const recordsMax = 100

/**
 * True if the other delimiter occurs in one column only, between items of one kind; the other reading then cuts records
 * into that list and one field with all the other columns, which are of several kinds or separated by tabs.
 */
export function isOuter(outer: Tokens, inner: Tokens): boolean {
  const [own, other] = [outer, inner].map(({ layout }) => String.fromCharCode(layout.delimiter)) as [string, string]
  const rows = rowsOf(outer)
  if (rows.length < 2 || outer.layout.quote !== inner.layout.quote) return false
  const lists = new Set<number>()
  for (const row of rows) {
    for (const [column, value] of valuesOf(outer, row).entries()) {
      if (!value.includes(other)) continue
      lists.add(column)
      if (lists.size > 1 || kindsIn(value, other) > 1) return false
    }
  }
  const isMixed = (row: number) => valuesOf(inner, row).some((value) => kindsIn(value, own) > 1)
  return lists.size === 1 && (own === '\t' || rowsOf(inner).slice(1).every(isMixed))
}

function kindsIn(value: string, delimiter: string): number {
  return new Set(value.split(delimiter).map(kindOf)).size
}

function rowsOf(tokens: Tokens): number[] {
  const rows: number[] = []
  for (let row = 0; row < recordCount(tokens) && rows.length < recordsMax; row += 1) {
    if (!isBlank(tokens, row)) rows.push(row)
  }
  return rows
}

function valuesOf(tokens: Tokens, row: number): string[] {
  const first = tokens.firstFields[row] ?? 0
  return Array.from({ length: widthOf(tokens, row) }, (_, at) => fieldValue(tokens, first + at))
}
