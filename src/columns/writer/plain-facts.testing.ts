// Plain facts: the facts of the columns of a table, in plain TypeScript: the oracle for those of the column writer.

import { type ClassFacts, type ColumnFacts, joinClasses, nullWords, type ValueClass } from '../../core/column-facts.ts'
import type { Table } from './columns.testing.ts'
import { classOf, trimBlanks } from './value-oracle.testing.ts'

/** Everything but how numbers are written. */
export function plainFacts(table: Table): readonly Omit<ColumnFacts, 'numberTexts'>[] {
  return (table[0] ?? []).map((_, column) => factsOf(table.map((record) => record[column] ?? null)))
}

function factsOf(column: readonly (string | null)[]): ColumnFacts {
  const words = new Map<string, number>()
  const classes: Partial<Record<ValueClass, ClassFacts>> = {}
  for (const [i, padded] of column.entries()) {
    if (padded === null) continue
    const text = trimBlanks(padded)
    const name = classOf(text)
    if (name === 'word') {
      words.set(text, (words.get(text) ?? 0) + 1)
      continue
    }
    const own = { count: 1, first: [i + 1], ...digitsOf(name, text) }
    classes[name] = joinClasses([...(classes[name] ? [classes[name]] : []), own])
  }
  const counts = nullWords.flatMap((word) => (words.has(word) ? [[word, words.get(word)!] as const] : []))
  const nulls = column.filter((text) => text === null).length
  return { records: column.length, nulls, nullWords: Object.fromEntries(counts), classes }
}

/** Only of numbers with a fraction, or with a separator that could begin one, and of those that fit no other class. */
function digitsOf(name: ValueClass, text: string): Pick<ClassFacts, 'digits'> {
  if (/^(number|numberComma|tooLong|padded|signed)$/.test(name)) {
    if (/e/i.test(text)) return { digits: { wholeMax: 99, scaleMin: 0, scaleMax: 0 } }
    const separators: readonly string[] = text.match(/[^-0-9]/g) ?? []
    const last = separators.at(-1) ?? ''
    const hasFraction = /[.,]/.test(last) && separators.indexOf(last) === separators.length - 1
    const scale = hasFraction ? text.length - text.indexOf(last) - 1 : 0
    const wholeMax = Math.max(text.replaceAll(/[^0-9]/g, '').length - scale, 1)
    return { digits: { wholeMax, scaleMin: scale, scaleMax: scale } }
  }
  if (!/^((long)?[dD]ecimal(Comma)?|thousand(Point|Comma)|(g|longG)rouped ..)$/.test(name)) return {}
  const at = Math.max(text.indexOf('.'), text.indexOf(','))
  const scale = text.length - at - 1
  const wholeMax = text.slice(0, at).replaceAll(/[^0-9]/g, '').length
  return { digits: { wholeMax, scaleMin: scale, scaleMax: scale } }
}
