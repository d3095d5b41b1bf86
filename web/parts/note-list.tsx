// Note list: what a careful reader would ask about a file, each with its public code and the lines it is about.
import type { ShownNote } from '../../src/core/notes.ts'
import { count } from '../format.ts'
import { noteSentence } from '../sentences.ts'
import { t } from '../texts.ts'
import { Spoken } from './spoken.tsx'

export function NoteList({ notes }: { readonly notes: readonly ShownNote[] }) {
  const isSerious = ({ severity }: ShownNote) => severity === 'serious'
  return (
    <ul class="list">
      {notes
        .toSorted((a, b) => Number(isSerious(b)) - Number(isSerious(a)))
        .map((note) => (
          <li key={note.message}>
            {isSerious(note) && <strong>{t.serious} </strong>}
            <Spoken sentence={noteSentence(note)} />{' '}
            <span class="quiet">
              <a class="plain-link" href={`/docs/notes#${note.code}`} target="_blank" rel="noopener">
                {note.code}
              </a>
              {note.lines !== undefined &&
                note.lines.length > 0 &&
                ` · ${t.lines(note.lines.length, note.lines.map(count).join(', '))}`}
            </span>
          </li>
        ))}
    </ul>
  )
}
