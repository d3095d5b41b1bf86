// Ready list: the chosen files that were not sent, and those that cannot be.
import { useUploadBlocker } from '../../caller.ts'
import { count, shownName } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { t } from '../../texts.ts'
import type { UploadQueue } from '../../upload/upload-queue.ts'
import { isSent } from '../tray/tray.tsx'
import { ReadyFile } from './ready-file.tsx'

export function ReadyList({ queue }: { readonly queue: UploadQueue }) {
  const blocker = useUploadBlocker()
  const chosen = queue.uploads.filter((upload) => !isSent(upload))
  if (chosen.length === 0) return null
  const ready = chosen
    .filter(({ phase, isRefused, size }) => phase === 'ready' && !isRefused && blocker(size) === null)
    .map(({ number }) => number)
  return (
    <section class="old">
      <div class="row between">
        <h2>{t.beforeSending}</h2>
        {ready.length > 1 && (
          <button type="button" class="main" onClick={() => queue.send(...ready)}>
            {t.sendAll(count(ready.length))}
          </button>
        )}
      </div>
      {!navigator.onLine && <p role="status">{t.offline}</p>}
      <ul class="list">
        {chosen
          // The last choice first, its files in the order in which the browser names them.
          .toSorted((a, b) => b.firstNumber - a.firstNumber)
          .map((upload) =>
            upload.file !== null ? (
              <ReadyFile key={upload.number} upload={upload} file={upload.file} queue={queue} />
            ) : (
              <li key={upload.number}>
                <div class="row between">
                  <strong class="name">{shownName(upload.name)}</strong>
                  <button
                    type="button"
                    class="small"
                    aria-label={`${t.remove}: ${upload.name}`}
                    onClick={() => queue.remove(upload.number)}
                  >
                    {t.remove}
                  </button>
                </div>
                <Failure error={upload.error} />
              </li>
            ),
          )}
      </ul>
    </section>
  )
}
