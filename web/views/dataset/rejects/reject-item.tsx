// RejectPreview item: one rejected record: its place, the problem, its text with the place marked, and a field to correct it.
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { Column, RejectPreview } from '../../../../src/core/receipt.ts'
import type { TextPlace, TextReading } from '../../../check/texts/read-texts.ts'
import { count } from '../../../format.ts'
import { Spoken } from '../../../parts/spoken.tsx'
import { Value } from '../../../parts/value.tsx'
import { rejectSentence } from '../../../sentences.ts'
import { t } from '../../../texts.ts'
import { type Draft, withLineEndsOf } from './drafts.ts'
import { MarkedText } from './marked-text.tsx'
import type { CorrectionWork, KnownReading } from './use-corrections.ts'

/** Further values are only counted. */
const fieldsMax = 40

interface RejectItemProps {
  readonly reject: RejectPreview
  /** Null if it is too long to be edited here. */
  readonly original: string | null
  readonly work: CorrectionWork
  readonly columns: readonly Column[]
  readonly isFocused: boolean
  readonly mayEdit: boolean
  onEdit(): void
  /** Discards the draft. */
  onLeave(): void
  /** Goes to the next reject. */
  onNext(): void
}

export function RejectItem(props: RejectItemProps) {
  const { reject, original, work, mayEdit, columns, onEdit } = props
  const { record, line, byteOffset } = reject
  const draft = work.drafts.get(record)
  const name = `${t.line} ${count(line)}`
  const names = columns.map((column) => column.name)
  return (
    <li class="reject">
      <div class="row">
        <span>
          <strong>{name}</strong>{' '}
          <span class="quiet">
            {t.record} {count(record)} · {t.offset} {count(byteOffset)}
          </span>
        </span>
        <span class="warn">
          <Spoken sentence={rejectSentence(reject, names)} />
        </span>
      </div>
      <div class="reject-text">
        <MarkedText
          text={original ?? reject.text ?? reject.base64 ?? ''}
          place={placeOf(reject, original, work.originalReading(record))}
        />
        {mayEdit && original !== null && draft === undefined && (
          <button type="button" class="btn small" aria-label={`${t.edit}: ${name}`} onClick={onEdit}>
            {t.edit}
          </button>
        )}
      </div>
      {original === null && <p class="quiet">{t.tooLongToEdit}</p>}
      {original !== null && draft !== undefined && <Editor {...props} original={original} draft={draft} name={name} />}
    </li>
  )
}

/** The problem with the text itself, if it was rejected for that; otherwise the named column. */
function placeOf({ reason, column }: RejectPreview, original: string | null, reading: KnownReading): TextPlace | null {
  if (original === null) return null
  const broken = original.indexOf('\ufffd')
  if (reason === 'invalid_bytes' && broken >= 0) return { from: broken, to: broken + 1 }
  if (reading?.refusal?.reason === reason) return reading.refusal.place
  return (column === null ? undefined : reading?.places[column - 1]) ?? null
}

interface EditorProps extends RejectItemProps {
  readonly original: string
  readonly draft: Draft
  readonly name: string
}

function Editor({ reject, original, draft, work, columns, name, isFocused, onLeave, onNext }: EditorProps) {
  const draftReading = work.draftReading(reject.record)
  const area = useRef<HTMLTextAreaElement>(null)
  const sayId = useId()
  // Done before the next key arrives, which would otherwise go into the previous text.
  useLayoutEffect(() => {
    if (isFocused) area.current?.focus()
  }, [isFocused])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onLeave()
    else if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    else if (event.ctrlKey || event.metaKey) work.send()
    else onNext()
    event.preventDefault()
  }
  const refused = draft.refused ?? draftReading?.refusal ?? (draft.isUnchanged ? reject : null)
  const names = columns.map((column) => column.name)
  const problem = refused === null ? null : rejectSentence(refused, names)
  return (
    <div class="correction">
      <textarea
        class="field mono"
        ref={area}
        aria-label={`${t.correctedText}: ${name}`}
        aria-describedby={sayId}
        aria-invalid={problem !== null}
        spellcheck={false}
        autocapitalize="off"
        rows={Math.min(8, draft.text.split('\n').length)}
        value={draft.text}
        onInput={({ currentTarget }) => work.write(reject, withLineEndsOf(original, currentTarget.value))}
        onKeyDown={onKeyDown}
      />
      <div class="row">
        <p id={sayId} role="status" class={problem === null ? 'good' : 'warn'}>
          {problem === null ? textState(draftReading) : <Spoken sentence={problem} />}
        </p>
        <button type="button" class="btn small" aria-label={`${t.takeBack}: ${name}`} onClick={onLeave}>
          {t.takeBack}
        </button>
      </div>
      {problem === null && draftReading?.fields && <Fields fields={draftReading.fields} columns={columns} />}
    </div>
  )
}

function textState(reading: KnownReading): string {
  if (reading === undefined) return t.readingText
  return reading === null ? t.readLater : t.readable
}

interface FieldsProps {
  readonly fields: NonNullable<TextReading['fields']>
  readonly columns: readonly Column[]
}

/** The values as they would be read, below the names of their columns. */
function Fields({ fields, columns }: FieldsProps) {
  return (
    <dl class="read-fields">
      {columns.slice(0, fieldsMax).map(({ name }, at) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value value={fields[at]} />
          </dd>
        </div>
      ))}
      {columns.length > fieldsMax && (
        <div>
          <dt>…</dt>
          <dd>{t.moreColumns(count(columns.length - fieldsMax))}</dd>
        </div>
      )}
    </dl>
  )
}
