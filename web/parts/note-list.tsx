// Note list: what a careful reader would ask about a file, each with its public code and the lines it is about.
import { count } from '../format.ts'
import { t } from '../texts.ts'

export interface ShownNote {
  readonly code: string
  readonly message: string
  readonly lines?: readonly number[]
}

export function NoteList({ notes }: { readonly notes: readonly ShownNote[] }) {
  return (
    <ul class="list">
      {notes.map(({ code, message, lines }) => (
        <li key={message}>
          <span lang="en">{message}</span>{' '}
          <span class="quiet">
            <a class="plain-link" href={`/docs/notes#${code}`} target="_blank" rel="noopener">
              {code}
            </a>
            {lines !== undefined && lines.length > 0 && ` · ${t.lines(lines.map(count).join(', '))}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
