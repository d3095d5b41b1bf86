// Note list: what a careful reader would ask about a file, the most serious first, each with what to do about it.
import type { ComponentChildren } from 'preact'
import { type ShownNote, severities } from '../../src/core/notes.ts'
import { count } from '../format.ts'
import { noteLines, noteSentence } from '../sentences.ts'
import { t } from '../texts.ts'
import { Icon } from './icon.tsx'
import { Spoken } from './spoken.tsx'

/** Of each severity; nobody reads more. */
const shownMax = 20

interface NoteListProps {
  readonly notes: readonly ShownNote[]
  /** What to do about a note. */
  readonly remedy?: (note: ShownNote) => ComponentChildren
}

export function NoteList({ notes, remedy }: NoteListProps) {
  const groups = severities.toReversed().map((severity) => notes.filter((one) => one.severity === severity))
  const more = groups.reduce((sum, { length }) => sum + Math.max(0, length - shownMax), 0)
  return (
    <>
      <ul class="notes">
        {groups.flatMap((group) =>
          group.slice(0, shownMax).map((note) => (
            <li key={note.message}>
              <Mark severity={note.severity} />
              <p>
                {note.severity === 'serious' && <strong>{t.serious} </strong>}
                <Spoken sentence={noteSentence(note)} /> <span class="quiet">{noteLines(note)}</span>{' '}
                <a href={`/docs/notes#${note.code}`} target="_blank" rel="noopener">
                  {t.whatItMeans}
                </a>
              </p>
              {remedy?.(note)}
            </li>
          )),
        )}
      </ul>
      {more > 0 && <p class="quiet">{t.moreNotes(count(more))}</p>}
    </>
  )
}

export function Mark({ severity }: Pick<ShownNote, 'severity'>) {
  const tone = { info: 'quiet', doubt: 'warn', serious: 'bad' }[severity]
  return <Icon name={severity === 'info' ? 'info' : 'warning'} class={tone} />
}
