// Type notes: what a careful reader would ask about the types of columns. Knows decisions, not where their facts come from.
import { type Note, note } from '../../core/notes.ts'
import type { Doubt } from './infer-types.ts'

/** At most this many columns have notes; others are only counted. */
const notesMax = 20

/** One decision per name, in the order of the columns. The suffix ends each sentence, before its full stop. */
export function typeNotes(
  names: readonly string[],
  decisions: readonly { readonly doubt?: Doubt | null }[],
  suffix: string,
): readonly Note[] {
  const notes = decisions.flatMap(({ doubt = null }, i) => {
    if (doubt === null) return []
    const column = names[i] ?? ''
    return [note(doubt.code, `Column ${column}: ${doubt.clause}${suffix}.`, { ...doubt, column })]
  })
  const others = notes.length - notesMax
  if (others <= 0) return notes
  const message = `And ${others} more ${others === 1 ? 'column' : 'columns'} of this kind.`
  return [...notes.slice(0, notesMax), note('MORE_COLUMNS', message)]
}
