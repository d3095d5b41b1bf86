// Live uploads: uploads by others, or by another tab, that are in progress, with their phase and records so far.
import type { UploadStatus } from '../../../src/core/upload-status.ts'
import { cancelUpload } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { bytes, count, shownName } from '../../format.ts'
import { t } from '../../texts.ts'
import type { UploadQueue } from '../../upload/upload-queue.ts'

interface LiveUploadsProps {
  readonly queue: UploadQueue
  readonly running: readonly UploadStatus[]
}

export function LiveUploads({ queue, running }: LiveUploadsProps) {
  const sending = queue.uploads.filter(
    ({ phase }) => phase === 'sending' || phase === 'processing' || phase === 'paused',
  )
  const ids = new Set(sending.map(({ id }) => id))
  // The id of an upload in a single request is not known.
  const names = new Set(sending.flatMap(({ id, name }) => (id === null ? [name] : [])))
  const others = running.filter(({ id, fileName }) => !ids.has(id) && !names.has(fileName ?? ''))
  if (others.length === 0) return null
  return (
    <section>
      <h2>{t.liveUploads}</h2>
      <ul class="list">
        {others.map((upload) => (
          <LiveUpload key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  )
}

function LiveUpload({ upload: { id, fileName, phase, bytes: size, records } }: { readonly upload: UploadStatus }) {
  const name = shownName(fileName ?? id)
  const mayCancel = useMay('upload')
  return (
    <li>
      <div class="row between">
        <strong class="name">{name}</strong>
        <span class="row">
          <span class="quiet">{t.phases[phase]}</span>
          {mayCancel && (
            <button
              type="button"
              class="small"
              aria-label={`${t.cancel}: ${name}`}
              // It may have ended in the meantime: the next list shows that.
              onClick={() => void cancelUpload(id).catch(() => {})}
            >
              {t.cancel}
            </button>
          )}
        </span>
      </div>
      <progress
        max={size.expected ?? 1}
        value={size.expected === null ? undefined : size.received}
        aria-label={`${t.progress}: ${name}`}
      />
      <p class="quiet figures">
        {bytes(size.received)}
        {size.expected !== null && ` / ${bytes(size.expected)}`}
        {records !== null && ` · ${t.recordsSoFar(count(records.accepted), count(records.rejected))}`}
      </p>
    </li>
  )
}
