// Reject item: one rejected record: its place, the problem, its text with the place marked, and a field to correct it.
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { RejectPreview } from '../../../../src/core/receipt.ts'
import { fieldsOf } from '../../../../src/service/ingest/mend.ts'
import type { Receipt } from '../../../api.ts'
import { count } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import { Spoken } from '../../../parts/spoken.tsx'
import { Value } from '../../../parts/value.tsx'
import { rejectSentence } from '../../../sentences.ts'
import { t } from '../../../texts.ts'
import { type Draft, withLineEndsOf } from './drafts.ts'
import { MarkedText, placeOf } from './marked-text.tsx'
import type { CorrectionWork } from './use-corrections.ts'

/** Further values are only counted. */
const fieldsMax = 40

interface RejectItemProps {
  readonly reject: RejectPreview
  /** Null if it is too long to be edited here. */
  readonly original: string | null
  readonly work: CorrectionWork
  readonly receipt: Receipt
  readonly isFocused: boolean
  readonly mayEdit: boolean
  onEdit(): void
  /** Discards the draft. */
  onLeave(): void
  /** Goes to the next reject. */
  onNext(): void
}

export function RejectItem(props: RejectItemProps) {
  const { reject, original, work, mayEdit, receipt, onEdit } = props
  const { record, line, byteOffset } = reject
  const draft = work.drafts.get(record)
  const name = `${t.line} ${count(line)}`
  const names = receipt.columns.map((column) => column.name)
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
          place={original === null ? null : placeOf(reject, original, receipt)}
        />
        {mayEdit && original !== null && draft === undefined && (
          <Button text={t.edit} of={name} look="small" onClick={onEdit} />
        )}
      </div>
      {original === null && <p class="quiet">{t.tooLongToEdit}</p>}
      {original !== null && draft !== undefined && <Editor {...props} original={original} draft={draft} name={name} />}
    </li>
  )
}

interface EditorProps extends RejectItemProps {
  readonly original: string
  readonly draft: Draft
  readonly name: string
}

function Editor({ reject, original, draft, work, receipt, name, isFocused, onLeave, onNext }: EditorProps) {
  const refusal = work.refusalOf(reject.record)
  const isInTransit = work.isInTransit(reject.record)
  const area = useRef<HTMLTextAreaElement>(null)
  const problemId = useId()
  // Done before the next key arrives, which would otherwise go into the previous text.
  useLayoutEffect(() => {
    if (isFocused) area.current?.focus()
  }, [isFocused])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !isInTransit) onLeave()
    else if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    else if (event.ctrlKey || event.metaKey) work.send()
    else onNext()
    event.preventDefault()
  }
  const refused = draft.isUnchanged ? reject : refusal
  const names = receipt.columns.map((column) => column.name)
  const problem = refused && rejectSentence(refused, names)
  return (
    <div class="correction">
      <textarea
        class="field mono"
        ref={area}
        aria-label={`${t.correctedText}: ${name}`}
        aria-describedby={problemId}
        aria-invalid={Boolean(problem)}
        readOnly={isInTransit}
        spellcheck={false}
        autocapitalize="off"
        rows={Math.min(8, draft.text.split('\n').length)}
        value={draft.text}
        onInput={({ currentTarget }) => work.write(reject, withLineEndsOf(original, currentTarget.value))}
        onKeyDown={onKeyDown}
      />
      <div class="row">
        <p id={problemId} role="status" class={problem ? 'warn' : 'good'}>
          {problem ? <Spoken sentence={problem} /> : refused === null ? t.readable : t.readingText}
        </p>
        <Button text={t.takeBack} of={name} look="small" disabled={isInTransit} onClick={onLeave} />
      </div>
      {refused === null && <Fields text={draft.text} receipt={receipt} />}
    </div>
  )
}

/** The values as they would be read, below the names of their columns. */
function Fields({ text, receipt: { columns, dialect } }: { readonly text: string; readonly receipt: Receipt }) {
  const fields = fieldsOf(text, dialect)
  return (
    <dl class="read-fields">
      {columns.slice(0, fieldsMax).map(({ name }, at) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value value={fields[at]?.raw ? fields[at].value : null} />
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
