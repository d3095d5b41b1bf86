// Live: what happens at the service, from one stream of events for the whole page: uploads of anyone in progress, one
// status for each, and changes of datasets. Knows no element.
import { useLayoutEffect } from 'preact/hooks'
import { isFinished, type UploadStatus } from '../../src/core/upload-status.ts'
import { listDatasets } from '../api.ts'
import { useMayLook } from '../caller.ts'
import { sharedState } from '../shared-state.ts'
import { eventsAt } from './upload-events.ts'

interface LiveState {
  /** False while the stream is broken: what is shown may be of the past. */
  readonly isLive: boolean
  /** Uploads in progress, by their id. Empty while the stream is broken, since any of them may have ended. */
  readonly running: ReadonlyMap<string, UploadStatus>
  /** Uploads that have ended, the last of them: a late event must not bring one back. */
  readonly ended: ReadonlySet<string>
  /** Counts the changes of datasets, of all and of those in the trash. */
  readonly changes: number
}

/** More uploads than run at once. */
const endedMax = 1_000

const broken = { isLive: false, running: new Map<string, UploadStatus>() }
const state = sharedState<LiveState>({ ...broken, ended: new Set(), changes: 0 })

/** What happens, with every change. */
export const useLive = state.use

interface ShownDataset {
  /** How many uploads of it are shown. */
  uploads: number
  /** True if it was deleted, or moved to the trash, while it is shown. */
  isGone: boolean
  /** Counts events about it and questions to the service: an answer from before the last of them is of the past. */
  turn: number
}

/** Datasets of the uploads that are shown: of the others, nothing is kept. */
const shown = new Map<string, ShownDataset>()

/** Whether the dataset of an upload that is shown is gone, with every change. */
export function useIsGone(id: string): boolean {
  state.use()
  useLayoutEffect(() => showDataset(id), [id])
  return isGone(id)
}

export function isGone(id: string): boolean {
  return shown.get(id)?.isGone === true
}

/** @returns What to call once it is not shown any more. */
export function showDataset(id: string): () => void {
  const dataset = shown.get(id) ?? { uploads: 0, isGone: false, turn: 0 }
  shown.set(id, dataset)
  dataset.uploads++
  return () => {
    if (--dataset.uploads === 0) shown.delete(id)
  }
}

/** Follows the events while the key of this tab may read them. */
export function useEvents(): void {
  const mayLook = useMayLook()
  useLayoutEffect(() => {
    if (!mayLook) return
    const stop = new AbortController()
    void follow(stop.signal).catch(() => {})
    return () => stop.abort()
  }, [mayLook])
}

/** Whatever the stream still says: it is over, and what is stored may have changed. */
export function endUpload(id: string): void {
  state.change(afterEnd(state.current(), id))
}

async function follow(signal: AbortSignal): Promise<void> {
  try {
    for await (const { event, data } of eventsAt('/qas/events', signal)) {
      if (signal.aborted) return
      if (event === 'dataset' && data !== null) noteChange(data)
      if (event === 'reset') void lookAtShown(signal).catch(() => {}) // the next reset asks again
      state.change(data === null ? broken : afterEvent(state.current(), event, data))
    }
  } finally {
    state.change(broken)
  }
}

/** @param data JSON, as the service documents it for the event. */
export function afterEvent(before: LiveState, event: string, data: string): LiveState {
  const changes = before.changes + 1
  if (event === 'reset') return { ...before, isLive: true, running: new Map(), changes }
  if (event === 'dataset') return { ...before, changes }
  if (event !== 'upload') return before
  const status = JSON.parse(data) as UploadStatus
  if (isFinished(status)) return afterEnd(before, status.id)
  const known = before.running.get(status.id)
  if (before.ended.has(status.id) || (known !== undefined && known.version > status.version)) return before
  return { ...before, running: new Map(before.running).set(status.id, status) }
}

/** @param data Of a `dataset` event. */
export function noteChange(data: string): void {
  const { id, change } = JSON.parse(data) as Readonly<Record<'id' | 'change', string>>
  const dataset = shown.get(id)
  if (dataset === undefined) return
  dataset.isGone = change === 'deleted' || change === 'trashed'
  dataset.turn++
}

let looks = 0

/** After a reset, one after another: no event tells what has changed before. The last look stops those before. */
export async function lookAtShown(signal: AbortSignal): Promise<void> {
  const look = ++looks
  for (const [id, dataset] of shown) {
    if (look !== looks) return
    const turn = ++dataset.turn
    const { total } = await listDatasets({ id, limit: '1' }, signal)
    if (dataset.turn === turn) dataset.isGone = total === 0
  }
  state.change({})
}

function afterEnd(before: LiveState, id: string): LiveState {
  if (before.ended.has(id)) return before
  return {
    ...before,
    running: new Map([...before.running].filter(([one]) => one !== id)),
    ended: new Set([...before.ended, id].slice(-endedMax)),
    changes: before.changes + 1,
  }
}
