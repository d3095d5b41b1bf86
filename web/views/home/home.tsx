// Home: the place to upload, the uploads of this visit, and the list of datasets.
import { useLayoutEffect, useMemo, useReducer } from 'preact/hooks'
import { t } from '../../texts.ts'
import { hasPicker, pickFiles, plainFiles } from '../../upload/chosen-files.ts'
import type { UploadQueue } from '../../upload/upload-queue.ts'
import { CallerLine } from './caller-line.tsx'
import { DatasetList } from './dataset-list.tsx'
import { LiveUploads } from './live-uploads.tsx'
import { UploadList } from './upload-list.tsx'
import { useRunning } from './use-running.ts'

export function Home({ queue }: { readonly queue: UploadQueue }) {
  const running = useRunning(queue)
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  useLayoutEffect(() => queue.subscribe(() => render(null)), [queue])
  // Each changes the list.
  const done = queue.uploads.filter(({ phase }) => phase === 'done').length
  const datasets = useMemo(() => {
    const timesSent = (id: string) => queue.uploads.filter(({ result }) => result?.datasetId === id).length
    return <DatasetList done={done} timesSent={timesSent} />
  }, [queue, done])
  return (
    <>
      <h1>{t.uploadTitle}</h1>
      <CallerLine changes={done} />
      <section class="drop" aria-label={t.uploads}>
        <p>
          {t.drop}{' '}
          <label class="button">
            {t.choose}
            <input
              type="file"
              multiple
              class="hidden-input"
              onClick={(event) => {
                if (!hasPicker()) return
                event.preventDefault()
                void pickFiles().then((chosen) => queue.add(chosen))
              }}
              onChange={({ currentTarget }) => {
                // Copied: clearing the input, so that the same file can be chosen again, empties its list.
                void queue.add(plainFiles(currentTarget.files ?? []))
                currentTarget.value = ''
              }}
            />
          </label>
        </p>
      </section>
      <UploadList queue={queue} running={running} />
      <LiveUploads queue={queue} running={running} />
      {datasets}
    </>
  )
}
