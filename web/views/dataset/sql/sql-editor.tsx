// SQL editor: a statement in color, and with a mark at an error. Knows no dataset.
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { TextPlace } from '../../../parts/text-of.ts'
import { t } from '../../../texts.ts'
import { tokens } from './sql-tokens.ts'

interface SqlEditorProps {
  readonly sql: string
  readonly area: RefObject<HTMLTextAreaElement | null>
  readonly errorPlace: TextPlace | null
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

export function SqlEditor({ sql, area, errorPlace, onChange, onRun }: SqlEditorProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onRun()
  }
  // Selects the error once, when it is marked: later, that would disturb a user who is typing.
  useLayoutEffect(() => {
    if (errorPlace !== null) area.current?.setSelectionRange(errorPlace.from, errorPlace.to)
  }, [errorPlace?.from, errorPlace?.to])
  return (
    <div class="editor">
      <pre aria-hidden="true" class="quiet num">
        {sql.split('\n').map((_, at) => `${at + 1}\n`)}
      </pre>
      <div class="editor-text">
        <pre aria-hidden="true">
          <Marked sql={sql} place={errorPlace} />
          {'\n'}
        </pre>
        <textarea
          ref={area}
          aria-label={t.sql}
          aria-invalid={errorPlace !== null}
          spellcheck={false}
          autocapitalize="off"
          wrap="off"
          value={sql}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
    </div>
  )
}

/** Puts a text in place of the selection, as if it were typed: nothing else can be undone with Ctrl+Z. */
export function putText(area: HTMLTextAreaElement, text: string): void {
  area.focus()
  document.execCommand('insertText', false, text)
}

function Marked({ sql, place }: { readonly sql: string; readonly place: TextPlace | null }) {
  if (place === null) return <Colored sql={sql} />
  return (
    <>
      <Colored sql={sql.slice(0, place.from)} />
      <mark>{sql.slice(place.from, place.to) || ' '}</mark>
      <Colored sql={sql.slice(place.to)} />
    </>
  )
}

/** The rest of a longer statement has no color. */
const coloredMax = 1_000
const classes: Readonly<Record<string, string>> = { keyword: 'k', text: 's', number: 'n', comment: 'c' }

function Colored({ sql }: { readonly sql: string }) {
  let at = 0
  const pieces = tokens(sql)
    .slice(0, coloredMax)
    .flatMap(({ kind, from, to }) => {
      const name = kind === 'word' && sql.charAt(to) === '(' ? 'k' : classes[kind]
      if (name === undefined) return []
      const before = sql.slice(at, from)
      at = to
      return [before, <span class={name}>{sql.slice(from, to)}</span>]
    })
  return (
    <>
      {pieces}
      {sql.slice(at)}
    </>
  )
}
