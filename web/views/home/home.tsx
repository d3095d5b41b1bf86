// Home: the place for files, those chosen and not sent, whose key the tab uses, and the list of datasets.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Caller, Quota } from '../../../src/core/responses.ts'
import { listDatasets } from '../../api.ts'
import { enterKey, lookAtCaller, useCaller, useMay, useMayLook } from '../../caller.ts'
import { bytes, count, list, moment } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icon.tsx'
import { t } from '../../texts.ts'
import { useLive } from '../../upload/live.ts'
import { queue } from '../../upload/upload-queue.ts'
import { useLoaded } from '../../use-loaded.ts'
import { DatasetList } from './dataset-list.tsx'
import { FileButtons, FormatsLine } from './file-buttons.tsx'
import { FirstVisit } from './first-visit.tsx'
import { ReadyList } from './ready-list.tsx'

/** @param props.query How the list is searched, filtered and sorted. */
export function Home({ query }: { readonly query: string }) {
  const { uploads } = queue.use()
  const isEmpty = useIsEmpty()
  const mayRead = useMay('read')
  if (isEmpty && query === '' && uploads.length === 0) return <FirstVisit />
  return (
    <div class="page">
      <section class="drop" aria-labelledby="drop">
        <Icon name="upload" class="lead-icon" />
        <div>
          <h1 id="drop">{t.dropHere}</h1>
          <p class="quiet">{t.promise}</p>
          <FormatsLine />
        </div>
        <FileButtons />
      </section>
      <CallerLine />
      <ReadyList />
      {isEmpty !== null && mayRead && <DatasetList query={query} />}
      {!mayRead && <p>{t.mayNotRead}</p>}
    </div>
  )
}

/** Whether there is no dataset; null while that is unknown, false if it cannot be known. */
function useIsEmpty(): boolean | null {
  const { changes } = useLive()
  const mayLook = useMayLook()
  const { value: total, error } = useLoaded(
    async (signal) => (mayLook ? (await listDatasets({ limit: '1' }, signal)).total : null),
    [changes, mayLook],
  )
  if (total === null) return error === null ? null : false
  return total === 0
}

let greetedCount = 0

/** Whose key is used, what it may do, and what of its quota is used. */
function CallerLine() {
  const { caller, keyCount } = useCaller()
  const { changes } = useLive()
  const line = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => void (changes > 1 && lookAtCaller()), [changes])
  // Users who have just entered a key continue reading here: before the next key press, so that it does not get lost.
  useLayoutEffect(() => {
    if (keyCount > greetedCount) line.current?.focus()
    greetedCount = keyCount
  }, [keyCount])
  if (caller === null) return null
  const facts = factsOf(caller)
  if (facts.length === 0) return null
  return (
    <p class="row caller quiet small" ref={line} tabIndex={-1}>
      <span>{facts.join(' · ')}</span>
      {caller.name !== null && (
        <Button text={t.forgetKey} look="small ghost" onClick={() => void enterKey(null).catch(() => {})} />
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
  return max === null ? inWords(used) : t.partOf(inWords(used), inWords(max))
}
