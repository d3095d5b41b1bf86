// Ready file: a chosen file that has not been sent: its first rows, how it is read, and on request a check of the whole file.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { noRowsText } from '../../accepted-text.ts'
import type { ProvisionalReceipt } from '../../check/provisional.ts'
import { Refusal, Undecodable } from '../../check/run-check.ts'
import { receiptOf, useCheck } from '../../check/use-check.ts'
import { bytes } from '../../format.ts'
import { DialectFields } from '../../parts/dialect-fields.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PreviewTable } from '../../parts/preview-table.tsx'
import { ReadingLine } from '../../parts/reading-line.tsx'
import { t } from '../../texts.ts'
import type { QueuedUpload, UploadQueue } from '../../upload/upload-queue.ts'
import { useHindrance } from './use-hindrance.ts'
import { WholeCheck } from './whole-check.tsx'

interface ReadyFileProps {
  readonly upload: QueuedUpload
  readonly file: File
  readonly queue: UploadQueue
}

export function ReadyFile({ upload: { number, dialect }, file, queue }: ReadyFileProps) {
  const [isChecking, setChecking] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const head = useCheck(file, dialect, 'head')
  const whole = useCheck(file, dialect, isChecking ? 'whole' : null)
  const known = receiptOf(whole) ?? receiptOf(head)
  const checkLabel = whole.kind === 'running' ? t.stopCheck : whole.kind === 'done' ? t.hideCheck : t.checkWhole
  const isRefused = head.kind === 'failed' && head.error instanceof Refusal
  useLayoutEffect(() => queue.setRefused(number, isRefused), [number, isRefused])
  const hindrance = useHindrance(file)
  const send = useFocus(!isRefused && hindrance === null)
  return (
    <li class="ready">
      <div class="row between">
        <h3 class="name">{file.name}</h3>
        <span class="row">
          <span class="quiet figures">{bytes(file.size)}</span>
          <button
            type="button"
            class="small"
            aria-label={`${t.remove}: ${file.name}`}
            onClick={() => queue.remove(number)}
          >
            {t.remove}
          </button>
        </span>
      </div>
      {head.kind === 'failed' &&
        (isRefused ? (
          <Failure error={head.error} />
        ) : (
          <p class="quiet">{head.error instanceof Undecodable ? t.noDecoder : t.noPreview}</p>
        ))}
      {known !== null && <ReadingLine receipt={known} />}
      <details class="dialect" open={isOpen || isRefused} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t.changeReading}</summary>
        <DialectFields dialect={dialect} onChange={(chosen) => queue.setDialect(number, chosen)} />
      </details>
      {head.kind !== 'failed' && <Preview name={file.name} known={known} />}
      <div class="row actions">
        <button
          type="button"
          class="main"
          ref={send}
          aria-label={`${t.send}: ${file.name}`}
          disabled={isRefused || hindrance !== null}
          onClick={() => queue.send(number)}
        >
          {t.send}
        </button>
        <button
          type="button"
          aria-label={`${checkLabel}: ${file.name}`}
          disabled={head.kind === 'failed'}
          onClick={() => setChecking(!isChecking)}
        >
          {checkLabel}
        </button>
        {hindrance === null ? <span class="quiet">{t.notSentYet}</span> : <strong role="status">{hindrance}</strong>}
      </div>
      <WholeCheck state={whole} file={file} />
    </li>
  )
}

function Preview({ name, known }: { readonly name: string; readonly known: ProvisionalReceipt | null }) {
  if (known === null) return <p class="quiet">{t.reading}</p>
  const said = noRowsText(known)
  return (
    <>
      <PreviewTable label={`${t.preview}: ${name}`} columns={known.columns} rows={known.rows} />
      {said !== null && <p class="quiet">{said}</p>}
    </>
  )
}

/** Enter sends a file that was just chosen; a user who is elsewhere on the page stays there. */
function useFocus(isWanted: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const { activeElement } = document
    const isFree = activeElement === document.body || activeElement instanceof HTMLInputElement
    if (isWanted && isFree) button.current?.focus({ preventScroll: true })
  }, [])
  return button
}
