// Upload list: the uploads of this visit, each with its phase, progress and outcome.
import { useEffect, useReducer } from 'preact/hooks'
import { bytes, count, duration, percent } from '../format.ts'
import { Failure } from '../parts/failure.tsx'
import { datasetHref } from '../router.ts'
import { t } from '../texts.ts'
import type { Phase, QueuedUpload, UploadQueue } from '../upload-queue.ts'

export function UploadList({ queue }: { readonly queue: UploadQueue }) {
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  useEffect(() => queue.subscribe(() => render(null)), [queue])
  if (queue.uploads.length === 0) return null
  return (
    <section>
      <h2>{t.uploads}</h2>
      {!navigator.onLine && <p role="status">{t.offline}</p>}
      <ul class="list">
        {queue.uploads.toReversed().map((upload) => (
          <UploadItem key={upload.number} upload={upload} queue={queue} />
        ))}
      </ul>
    </section>
  )
}

const phaseTexts: Readonly<Record<Phase, string>> = {
  waiting: t.waiting,
  sending: t.sending,
  processing: t.processing,
  done: t.done,
  failed: t.failed,
  canceled: t.canceled,
}

function UploadItem({ upload, queue }: { readonly upload: QueuedUpload; readonly queue: UploadQueue }) {
  const { number, file, phase, receipt, error } = upload
  const isRunning = phase === 'waiting' || phase === 'sending' || phase === 'processing'
  return (
    <li>
      <div class="row between">
        <strong class="name">{file.name}</strong>
        <span class="row">
          <span class="quiet" role="status">
            {phaseTexts[phase]}
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
      {(phase === 'sending' || phase === 'processing') && <Progress upload={upload} />}
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

function Progress({ upload: { file, sentBytes, rate, phase } }: { readonly upload: QueuedUpload }) {
  const share = file.size === 0 ? 1 : sentBytes / file.size
  const leftMs = rate > 0 ? ((file.size - sentBytes) / rate) * 1_000 : null
  return (
    <div>
      <progress max={1} value={phase === 'processing' ? undefined : share} aria-label={file.name} />
      <p class="quiet figures">
        {bytes(sentBytes)} / {bytes(file.size)} · {percent(share)}
        {phase === 'sending' && rate > 0 && ` · ${bytes(rate)}/s`}
        {phase === 'sending' && leftMs !== null && ` · ${t.left(duration(leftMs))}`}
      </p>
    </div>
  )
}
