// Equal number notes: columns of numbers in which different texts may be the same number. Changes no type.
import type { ColumnFacts } from '../../core/column-facts.ts'
import { type Note, note } from '../../core/notes.ts'
import type { Column } from '../../core/receipt.ts'
import { differentForms, type LineOf } from '../../reading/types/infer-types.ts'

/** At most this many columns are noted. */
const notesMax = 20

export interface NumberColumns {
  readonly columns: readonly Pick<Column, 'name' | 'type'>[]
  /** One per column; null if its type was detected, since only those are noted. */
  readonly declared: readonly (object | null)[]
  /** Facts about all values of a column; null if they are unknown. */
  readonly factsOf: (column: number) => ColumnFacts | null
  readonly lineOf: LineOf | undefined
}

export function equalNumberNotes({ columns, declared, factsOf, lineOf }: NumberColumns): readonly Note[] {
  const notes = columns.flatMap(({ name: column, type }, i) => {
    const facts = type !== 'number' || declared[i] ? null : factsOf(i)
    const records = facts && differentForms(facts)
    if (records === null) return []
    const places = lineOf === undefined ? records : records.map(lineOf)
    const at = `${lineOf === undefined ? 'row' : 'line'}${places.length === 1 ? '' : 's'} ${places.join(', ')}`
    const what =
      places.length === 1
        ? `a number is written in an unusual way (${at})`
        : `numbers are written in different ways (${at})`
    const message = `Column ${column}: ${what}: different text values may be the same number; data.csv keeps the text values.`
    return [note('NUMBER_FORMS_DIFFER', message, { lines: lineOf === undefined ? [] : places, column })]
  })
  return notes.slice(0, notesMax)
}
