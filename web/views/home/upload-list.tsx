// Upload list: the files of this visit: those not sent yet, and each upload with its phase, progress and outcome.
import { useEffect, useReducer } from 'preact/hooks'
import type { UploadStatus } from '../../api.ts'
import { bytes, count, duration, percent } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import type { Phase, QueuedUpload, UploadQueue } from '../../upload-queue.ts'
import { ReadyFile } from './ready-file.tsx'
import { phaseName } from './use-running.ts'

interface UploadListProps {
  readonly queue: UploadQueue
  /** What the service knows of the uploads on their way. */
  readonly running: readonly UploadStatus[]
}

export function UploadList({ queue, running }: UploadListProps) {
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  useEffect(() => queue.subscribe(() => render(null)), [queue])
  if (queue.uploads.length === 0) return null
  const ready = queue.uploads.filter(({ phase }) => phase === 'ready').map(({ number }) => number)
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
          .toReversed()
          .map((upload) =>
            upload.phase === 'ready' ? (
              <ReadyFile key={upload.number} upload={upload} queue={queue} />
            ) : (
              <UploadItem
                key={upload.number}
                upload={upload}
                queue={queue}
                status={running.find(({ fileName }) => fileName === upload.file.name)}
              />
            ),
          )}
      </ul>
    </section>
  )
}

const phaseTexts: Readonly<Record<Phase, string>> = {
  ready: t.notSentYet,
  waiting: t.waiting,
  sending: t.sending,
  processing: t.processing,
  done: t.done,
  failed: t.failed,
  canceled: t.canceled,
}

interface UploadItemProps {
  readonly upload: QueuedUpload
  readonly queue: UploadQueue
  readonly status: UploadStatus | undefined
}

function UploadItem({ upload, queue, status }: UploadItemProps) {
  const { number, file, phase, receipt, error } = upload
  const isRunning = phase === 'waiting' || phase === 'sending' || phase === 'processing'
  return (
    <li>
      <div class="row between">
        <strong class="name">{file.name}</strong>
        <span class="row">
          <span class="quiet" role="status">
            {(phase === 'processing' && status && phaseName(status.phase)) || phaseTexts[phase]}
          </span>
          {isRunning && (
            <button type="button" class="small" onClick={() => queue.cancel(number)}>
              {t.cancel}
            </button>
          )}
          {(phase === 'failed' || phase === 'canceled') && (
            <button type="button" class="small" onClick={() => queue.retry(number)}>
              {t.retry}
            </button>
          )}
          {!isRunning && (
            <button type="button" class="small" onClick={() => queue.remove(number)}>
              {t.remove}
            </button>
          )}
        </span>
      </div>
      {(phase === 'sending' || phase === 'processing') && <Progress upload={upload} status={status} />}
      {error !== null && <Failure error={error} />}
      {receipt !== null && (
        <p>
          <a href={datasetHref(receipt.id)}>
            {t.acceptedSentence(
              count(receipt.records.accepted),
              count(receipt.records.accepted + receipt.records.rejected),
              count(receipt.records.rejected),
            )}
          </a>{' '}
          {receipt.duplicate && <span class="quiet">({t.alreadyStored})</span>}
        </p>
      )}
    </li>
  )
}

function Progress({ upload: { file, sentBytes, rate, phase }, status }: Omit<UploadItemProps, 'queue'>) {
  const share = file.size === 0 ? 1 : sentBytes / file.size
  const leftMs = rate > 0 ? ((file.size - sentBytes) / rate) * 1_000 : null
  return (
    <div>
      <progress max={1} value={phase === 'processing' ? undefined : share} aria-label={file.name} />
      <p class="quiet figures">
        {bytes(sentBytes)} / {bytes(file.size)} · {percent(share)}
        {phase === 'sending' && rate > 0 && ` · ${bytes(rate)}/s`}
        {phase === 'sending' && leftMs !== null && ` · ${t.left(duration(leftMs))}`}
        {status?.records && ` · ${t.recordsSoFar(count(status.records.accepted), count(status.records.rejected))}`}
      </p>
    </div>
  )
}
