// Upload list: the files of this visit: those not sent yet, and each upload with its phase, progress and outcome.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { UploadStatus } from '../../../src/core/upload-status.ts'
import { useMay, useUploadBlocker } from '../../caller.ts'
import { acceptedText, bytes, count, duration, percent, shownName } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import type { Phase, QueuedUpload, UploadQueue } from '../../upload/upload-queue.ts'
import { ReadyFile } from './ready-file.tsx'

interface UploadListProps {
  readonly queue: UploadQueue
  /** What the service knows of uploads in progress. */
  readonly running: readonly UploadStatus[]
}

export function UploadList({ queue, running }: UploadListProps) {
  if (queue.uploads.length === 0) return null
  const blocker = useUploadBlocker()
  const ready = queue.uploads
    .filter(({ phase, isRefused, size }) => phase === 'ready' && !isRefused && blocker(size) === null)
    .map(({ number }) => number)
  return (
    <section>
      <div class="row between">
        <h2>{t.uploads}</h2>
        {ready.length > 1 && (
          <button type="button" class="main" onClick={() => queue.send(...ready)}>
            {t.sendAll(count(ready.length))}
          </button>
        )}
      </div>
      {!navigator.onLine && <p role="status">{t.offline}</p>}
      <ul class="list">
        {queue.uploads
          // The last choice first, its files in the order in which the browser names them.
          .toSorted((a, b) => b.firstNumber - a.firstNumber)
          .map((upload) =>
            upload.phase === 'ready' && upload.file !== null ? (
              <ReadyFile key={upload.number} upload={upload} file={upload.file} queue={queue} />
            ) : (
              <UploadItem
                key={upload.number}
                upload={upload}
                queue={queue}
                status={upload.status ?? running.find(({ fileName }) => fileName === upload.name)}
              />
            ),
          )}
      </ul>
    </section>
  )
}

interface UploadItemProps {
  readonly upload: QueuedUpload
  readonly queue: UploadQueue
  readonly status: UploadStatus | undefined
}

function UploadItem({ upload, queue, status }: UploadItemProps) {
  const { name, phase, result, error, file, handle, isBroken } = upload
  const mayRead = useMay('read')
  const isOnItsWay = phase === 'sending' || phase === 'processing'
  const item = useKeptFocus(phase)
  return (
    <li ref={item} tabIndex={-1}>
      <div class="row between">
        <strong class="name">{shownName(name)}</strong>
        <span class="row">
          <span class="quiet" role="status">
            {isBroken ? t.broken : t.phases[phase === 'processing' && status ? status.phase : phase]}
          </span>
          <Buttons upload={upload} queue={queue} />
        </span>
      </div>
      {(isOnItsWay || phase === 'paused') && <Progress upload={upload} status={status} />}
      {phase === 'paused' && file === null && handle === null && <p>{t.chooseAgain}</p>}
      {error !== null && <Failure error={error} />}
      {result !== null && (
        <p>
          <a {...(mayRead && { href: datasetHref(result.datasetId) })}>{acceptedText(result)}</a>{' '}
          {result.isDuplicate && <span class="quiet">({t.alreadyStored})</span>}
        </p>
      )}
    </li>
  )
}

/** If the pressed button disappears with its phase, the focus moves to the upload, not to the top of the page. */
function useKeptFocus(phase: Phase) {
  const item = useRef<HTMLLIElement>(null)
  const isStill = phase === 'done' || phase === 'failed'
  useLayoutEffect(() => {
    if (!isStill && document.activeElement === document.body) item.current?.focus({ preventScroll: true })
  }, [phase])
  return item
}

function Buttons({ upload: { number, name, phase, file, handle, id }, queue }: Omit<UploadItemProps, 'status'>) {
  const isRunning = phase === 'waiting' || phase === 'sending' || phase === 'processing'
  const actions: readonly (readonly [string, boolean, () => void])[] = [
    [t.pause, phase === 'sending' && id !== null, () => queue.pause(number)],
    [t.resume, phase === 'paused' && (file !== null || handle !== null), () => void queue.resume(number)],
    [t.cancel, isRunning || phase === 'paused', () => queue.cancel(number)],
    [t.retry, (phase === 'failed' || phase === 'canceled') && file !== null, () => queue.send(number)],
    [t.remove, !isRunning && phase !== 'paused', () => queue.remove(number)],
  ]
  return actions.map(
    ([label, isShown, onClick]) =>
      isShown && (
        <button key={label} type="button" class="small" aria-label={`${label}: ${name}`} onClick={onClick}>
          {label}
        </button>
      ),
  )
}

function Progress({ upload: { name, size, sentBytes, rate, phase }, status }: Omit<UploadItemProps, 'queue'>) {
  const share = size === 0 ? 1 : sentBytes / size
  const leftMs = rate > 0 ? ((size - sentBytes) / rate) * 1_000 : null
  const step = phase === 'processing' ? (status?.phase === 'writing' ? 'writing' : 'reading') : 'sending'
  return (
    <div>
      <progress max={1} value={phase === 'processing' ? undefined : share} aria-label={name} />
      <ol class="steps">
        {Object.entries(t.steps).map(([one, name]) => (
          <li key={one} aria-current={one === step ? 'step' : undefined}>
            {name}
          </li>
        ))}
      </ol>
      <p class="quiet figures">
        {bytes(sentBytes)} / {bytes(size)} · {percent(share)}
        {phase === 'sending' && rate > 0 && ` · ${bytes(rate)}/s`}
        {phase === 'sending' && leftMs !== null && ` · ${t.left(duration(leftMs))}`}
        {status?.records && ` · ${t.recordsSoFar(count(status.records.accepted), count(status.records.rejected))}`}
      </p>
    </div>
  )
}
