// Home: the place to upload, whose key the tab uses, the uploads of this visit, and the list of datasets.
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks'
import type { Caller, Quota } from '../../../src/core/responses.ts'
import { enterKey, lookAtCaller, useCaller } from '../../caller.ts'
import { bytes, count, list, moment } from '../../format.ts'
import { t } from '../../texts.ts'
import { hasPicker, pickFiles, plainFiles } from '../../upload/chosen-files.ts'
import type { UploadQueue } from '../../upload/upload-queue.ts'
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

let greetedCount = 0

/** @param changes Number of stored datasets in this visit: each changes the usage. */
function CallerLine({ changes }: { readonly changes: number }) {
  const { caller, keyCount } = useCaller()
  const line = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => void (changes > 0 && lookAtCaller()), [changes])
  // Users who have just entered a key continue reading here: before the next key press, so that it does not get lost.
  useLayoutEffect(() => {
    if (keyCount > greetedCount) line.current?.focus()
    greetedCount = keyCount
  }, [keyCount])
  if (caller === null) return null
  const facts = factsOf(caller)
  if (facts.length === 0) return null
  return (
    <p class="caller quiet" ref={line} tabIndex={-1}>
      <span>{facts.join(' · ')}</span>
      {caller.name !== null && (
        <button type="button" class="small" onClick={() => void enterKey(null).catch(() => {})}>
          {t.forgetKey}
        </button>
      )}
    </p>
  )
}

function factsOf({ name, owner, scopes, expiresAt, bytes: size, datasets }: Caller): readonly string[] {
  const allowed = scopes.map((scope) => t.scopeNames[scope] ?? scope)
  const hasUsage = name !== null || size.max !== null || datasets.max !== null
  return [
    name !== null && t.keyOf(name, owner ?? '', allowed.length > 0 ? t.may(list(allowed)) : t.mayNothing),
    expiresAt !== null && t.validUntil(moment(expiresAt)),
    hasUsage && `${t.stored}: ${usage(size, bytes)}`,
    hasUsage && `${t.datasets}: ${usage(datasets, count)}`,
  ].filter((fact) => fact !== false)
}

function usage({ used, max }: Quota, inWords: (value: number) => string): string {
  return max === null ? inWords(used) : t.ofMost(inWords(used), inWords(max))
}
