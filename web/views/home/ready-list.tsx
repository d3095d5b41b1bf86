// Ready list: the chosen files that were not sent, and those that cannot be.
import type { ComponentProps } from 'preact'
import { useUploadBlocker } from '../../caller.ts'
import { count, shownName } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { Failure } from '../../parts/failure.tsx'
import { t } from '../../texts.ts'
import { queue } from '../../upload/upload-queue.ts'
import { useLoaded } from '../../use-loaded.ts'
import { isSent } from '../tray/tray.tsx'
import type { ReadyFile } from './ready-file.tsx'

export function ReadyList() {
  const blocker = useUploadBlocker()
  const chosen = queue.use().uploads.filter((upload) => !isSent(upload))
  if (chosen.length === 0) return null
  const ready = chosen
    .filter(({ phase, isRefused, size }) => phase === 'ready' && !isRefused && blocker(size) === null)
    .map(({ number }) => number)
  return (
    <section class="ready-list">
      <div class="row">
        <h2 class="grow">{t.beforeSending}</h2>
        {ready.length > 1 && (
          <Button text={t.sendAll(count(ready.length))} look="primary" onClick={() => queue.send(...ready)} />
        )}
      </div>
      {!navigator.onLine && <p role="status">{t.offline}</p>}
      <ul class="files">
        {chosen.map((upload) =>
          upload.file !== null ? (
            <Ready key={upload.number} upload={upload} file={upload.file} />
          ) : (
            <li key={upload.number} class="panel">
              <div class="row">
                <strong class="name grow">{shownName(upload.name)}</strong>
                <Button text={t.remove} of={upload.name} look="small" onClick={() => queue.remove(upload.number)} />
              </div>
              <Failure error={upload.error} />
            </li>
          ),
        )}
      </ul>
    </section>
  )
}

/** What shows a file before it is sent is a script of its own. */
function Ready(props: ComponentProps<typeof ReadyFile>) {
  const { value: view, error } = useLoaded(() => import('./ready-file.tsx'), [])
  if (error !== null) return <Failure error={error} />
  return view === null ? <li class="panel">{t.reading}</li> : <view.ReadyFile {...props} />
}
