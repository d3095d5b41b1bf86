// Equal number notes: columns of numbers in whose first records different texts are the same number. It changes no type.
import { type Note, note } from '../../core/notes.ts'
import type { Column } from '../../core/receipt.ts'
import type { Reading } from '../../reading/reading.ts'

/** So many columns are noted. */
const notesMax = 20

/** @param declared One per column; null if its type was detected, since only those are noted. */
export function equalNumberNotes(
  { equalNumbers }: Pick<Reading, 'equalNumbers'>,
  columns: readonly Pick<Column, 'name' | 'type'>[],
  declared: readonly (object | null)[],
): readonly Note[] {
  const notes = columns.flatMap(({ name, type }, i) => {
    const pair = equalNumbers[i] ?? null
    if (pair === null || type !== 'number' || declared[i]) return []
    const [one, other] = pair.texts
    const lines = `${pair.lines.length === 1 ? 'line' : 'lines'} ${pair.lines.join(', ')}`
    const message = `Column ${name}: ${one} and ${other} are different texts and the same number (${lines}); data.csv keeps the texts.`
    return [note('EQUAL_NUMBERS', message, { lines: pair.lines, column: name })]
  })
  return notes.slice(0, notesMax)
}
