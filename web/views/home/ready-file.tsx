// Ready file: a chosen file that has not been sent: its first rows, how it is read, and on request a check of the whole
// file. The buttons stand above what appears later, so that they do not move under the pointer.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useUploadBlocker } from '../../caller.ts'
import { Refusal, Undecodable } from '../../check/run-check.ts'
import { receiptOf, useCheck } from '../../check/use-check.ts'
import { bytes, shownName } from '../../format.ts'
import { DialectFields } from '../../parts/dialect-fields.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Preview, ReadingLine } from '../../parts/preview.tsx'
import { t } from '../../texts.ts'
import type { QueuedUpload, UploadQueue } from '../../upload/upload-queue.ts'
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
  const blocker = useUploadBlocker()(file.size)
  const maySend = !isRefused && blocker === null
  const item = useFocus(maySend, () => queue.send(number))
  return (
    <li class="ready" {...item}>
      <div class="row between">
        <h3 class="name">{shownName(file.name)}</h3>
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
      <div class="row actions">
        <button
          type="button"
          class="main"
          aria-label={`${t.send}: ${file.name}`}
          disabled={!maySend}
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
        {blocker === null ? <span class="quiet">{t.phases.ready}</span> : <strong role="status">{blocker}</strong>}
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
      {head.kind !== 'failed' && <Preview label={`${t.preview}: ${file.name}`} receipt={known} />}
      <WholeCheck state={whole} file={file} />
    </li>
  )
}

/**
 * Enter sends a file that was just chosen, and Space, as anywhere, scrolls; a user who is elsewhere on the page stays
 * there.
 */
function useFocus(maySend: boolean, onSend: () => void) {
  const item = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => {
    const { activeElement } = document
    const isFree = activeElement === document.body || activeElement instanceof HTMLInputElement
    if (maySend && isFree) item.current?.focus({ preventScroll: true })
  }, [])
  const onKeyDown = ({ key, target, currentTarget }: KeyboardEvent) => {
    if (key === 'Enter' && target === currentTarget && maySend) onSend()
  }
  return { ref: item, tabIndex: -1, onKeyDown }
}
