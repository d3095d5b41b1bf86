// Type notes: what a careful reader would ask about the types of columns. Knows decisions, not where their facts come from.
import { type Note, note } from '../../core/notes.ts'
import type { Decision } from './infer-types.ts'

/** At most this many columns have notes; others are only counted. */
const notesMax = 20

/** Columns whose type was declared raise no doubt. The suffix ends each sentence, before its full stop. */
export interface TypeNoteOptions {
  readonly declared: readonly (object | null)[]
  readonly suffix: string
}

/** One decision per name, in the order of the columns. */
export function typeNotes(
  names: readonly string[],
  decisions: readonly Decision[],
  { declared, suffix }: TypeNoteOptions,
): readonly Note[] {
  const notes = decisions.flatMap(({ doubt }, i) => {
    if (doubt === null || declared[i]) return []
    const column = names[i] ?? ''
    return [note(doubt.code, `Column ${column}: ${doubt.clause}${suffix}.`, { lines: doubt.lines, column })]
  })
  const others = notes.length - notesMax
  if (others <= 0) return notes
  const message = `And ${others} more ${others === 1 ? 'column' : 'columns'} of this kind.`
  return [...notes.slice(0, notesMax), note('MORE_COLUMNS', message)]
}
