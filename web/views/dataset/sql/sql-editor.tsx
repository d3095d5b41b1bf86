// SQL editor: a statement in color, with completion, and with a mark at an error. Knows no dataset.
import type { RefObject } from 'preact'
import { useId, useLayoutEffect, useState } from 'preact/hooks'
import type { TextPlace } from '../../../check/texts/read-texts.ts'
import { count } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { type Completion, type Completions, complete } from './complete.ts'
import { tokens } from './sql-tokens.ts'

interface SqlEditorProps {
  readonly sql: string
  readonly area: RefObject<HTMLTextAreaElement | null>
  readonly columns: readonly string[]
  readonly functions: readonly string[]
  readonly errorPlace: TextPlace | null
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
  readonly onFocus: () => void
}

export function SqlEditor({ sql, area, columns, functions, errorPlace, onChange, onRun, onFocus }: SqlEditorProps) {
  const { found, chosen, look, take, close, choose } = useCompletion(area, columns, functions)
  const listId = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      close()
      onRun()
    } else if (choose(event)) event.preventDefault()
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
          aria-autocomplete="list"
          aria-controls={found === null ? undefined : listId}
          aria-activedescendant={found === null ? undefined : `${listId}-${chosen}`}
          aria-invalid={errorPlace !== null}
          spellcheck={false}
          autocapitalize="off"
          wrap="off"
          value={sql}
          onInput={({ currentTarget }) => {
            onChange(currentTarget.value)
            look(currentTarget)
          }}
          onClick={close}
          onBlur={close}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
        />
      </div>
      {found !== null && <OptionList id={listId} sql={sql} found={found} chosen={chosen} onTake={take} />}
      <span class="hidden" role="status">
        {found === null ? '' : t.completions(count(found.options.length))}
      </span>
    </div>
  )
}

function useCompletion(
  area: RefObject<HTMLTextAreaElement | null>,
  columns: readonly string[],
  functions: readonly string[],
) {
  const [found, setFound] = useState<Completions | null>(null)
  const [chosen, setChosen] = useState(0)
  const look = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setFound(complete(value, selectionStart, columns, functions))
    setChosen(0)
  }
  const take = ({ text }: Completion) => {
    if (found === null || area.current === null) return
    area.current.setSelectionRange(found.from, found.to)
    putText(area.current, text)
    setFound(null)
  }
  /** False for a key that has nothing to do with completion. */
  const choose = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (found === null) return false
    const option = found.options[chosen]
    if (key === 'Tab' && option !== undefined && !shiftKey) take(option)
    else if (key === 'Escape') setFound(null)
    else if (key === 'ArrowDown') setChosen((chosen + 1) % found.options.length)
    else if (key === 'ArrowUp') setChosen((chosen + found.options.length - 1) % found.options.length)
    else return false
    return true
  }
  // The functions may arrive while a word is being typed.
  useLayoutEffect(() => {
    if (functions.length > 0 && area.current !== null && document.activeElement === area.current) look(area.current)
  }, [functions])
  return { found, chosen, look, take, choose, close: () => setFound(null) }
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

interface OptionListProps {
  readonly id: string
  readonly sql: string
  readonly found: Completions
  readonly chosen: number
  readonly onTake: (option: Completion) => void
}

/** Below the word, in columns and lines of the editor's font. */
function OptionList({ id, sql, found, chosen, onTake }: OptionListProps) {
  const kinds = { column: t.column, function: t.function, keyword: 'SQL' } as const
  const lines = sql.slice(0, found.from).split('\n')
  return (
    <ul
      class="menu completions"
      role="listbox"
      id={id}
      aria-label={t.suggestions}
      ref={(list) => {
        list?.style.setProperty('--line-number', String(lines.length))
        list?.style.setProperty('--column', String(lines.at(-1)?.length))
      }}
    >
      {found.options.map((option, index) => (
        <li
          key={`${option.kind} ${option.label}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          // Runs before the editor loses the focus.
          onPointerDown={(event) => {
            event.preventDefault()
            onTake(option)
          }}
        >
          <code>{option.label}</code> <span class="quiet small">{kinds[option.kind]}</span>
        </li>
      ))}
    </ul>
  )
}
