// SQL editor: a statement with completion, and with a mark at an error. Knows no dataset.
import type { RefObject } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { TextPlace } from '../../../check/texts/read-texts.ts'
import { count } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { type Completion, type Completions, complete } from './complete.ts'

interface SqlEditorProps {
  readonly sql: string
  readonly columns: readonly string[]
  readonly functions: readonly string[]
  readonly errorPlace: TextPlace | null
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
  readonly onFocus: () => void
}

export function SqlEditor({ sql, columns, functions, errorPlace, onChange, onRun, onFocus }: SqlEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const backdrop = useRef<HTMLPreElement>(null)
  const { found, chosen, look, take, close, choose } = useCompletion(area, columns, functions, onChange)
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
      <div class="editor-text">
        <pre class="sql backdrop" aria-hidden="true" ref={backdrop}>
          <Marked sql={sql} place={errorPlace} />
        </pre>
        <textarea
          class="sql"
          ref={area}
          aria-label={t.sql}
          aria-autocomplete="list"
          aria-controls={found === null ? undefined : listId}
          aria-activedescendant={found === null ? undefined : `${listId}-${chosen}`}
          aria-invalid={errorPlace !== null}
          spellcheck={false}
          autocapitalize="off"
          rows={Math.max(5, sql.split('\n').length)}
          value={sql}
          onInput={({ currentTarget }) => {
            onChange(currentTarget.value)
            look(currentTarget)
          }}
          onClick={close}
          onBlur={close}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
          onScroll={({ currentTarget }) => {
            if (backdrop.current) backdrop.current.scrollTop = currentTarget.scrollTop
          }}
        />
      </div>
      {found !== null && <OptionList id={listId} options={found.options} chosen={chosen} onTake={take} />}
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
  onChange: (sql: string) => void,
) {
  const [found, setFound] = useState<Completions | null>(null)
  const [chosen, setChosen] = useState(0)
  const look = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setFound(complete(value, selectionStart, columns, functions))
    setChosen(0)
  }
  const take = (option: Completion) => {
    if (found === null || area.current === null) return
    area.current.setRangeText(option.text, found.from, found.to, 'end')
    onChange(area.current.value)
    setFound(null)
    area.current.focus()
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

function Marked({ sql, place }: { readonly sql: string; readonly place: TextPlace | null }) {
  if (place === null) return <>{sql}</>
  return (
    <>
      {sql.slice(0, place.from)}
      <mark>{sql.slice(place.from, place.to) || ' '}</mark>
      {sql.slice(place.to)}
    </>
  )
}

interface OptionListProps {
  readonly id: string
  readonly options: readonly Completion[]
  readonly chosen: number
  readonly onTake: (option: Completion) => void
}

function OptionList({ id, options, chosen, onTake }: OptionListProps) {
  const kinds = { column: t.column, function: t.function, keyword: 'SQL' } as const
  return (
    <ul class="completions" role="listbox" id={id} aria-label={t.suggestions}>
      {options.map((option, index) => (
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
          <code>{option.label}</code> <span class="quiet">{kinds[option.kind]}</span>
        </li>
      ))}
    </ul>
  )
}
