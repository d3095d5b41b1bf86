// Live: what happens at the service, from one stream of events for the whole page: uploads of anyone in progress, one
// status for each, and changes of datasets. Knows no element.
import { useLayoutEffect } from 'preact/hooks'
import { isFinished, type UploadStatus } from '../../src/core/upload-status.ts'
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
  /** Datasets that were deleted, or moved to the trash, since the page was opened. */
  readonly gone: ReadonlySet<string>
  /** Counts the changes of datasets, of all and of those in the trash. */
  readonly changes: number
}

/** More uploads than run at once. */
const endedMax = 1_000

const broken = { isLive: false, running: new Map<string, UploadStatus>() }
const state = sharedState<LiveState>({ ...broken, ended: new Set(), gone: new Set(), changes: 0 })

/** What happens, with every change. */
export const useLive = state.use

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
      if (data === null) state.change(broken)
      else state.change(afterEvent(state.current(), event, data))
    }
  } finally {
    state.change(broken)
  }
}

/** @param data JSON, as the service documents it for the event. */
export function afterEvent(before: LiveState, event: string, data: string): LiveState {
  const changes = before.changes + 1
  if (event === 'reset') return { ...before, isLive: true, running: new Map(), changes }
  if (event === 'dataset') return { ...before, gone: goneAfter(before.gone, JSON.parse(data)), changes }
  if (event !== 'upload') return before
  const status = JSON.parse(data) as UploadStatus
  if (isFinished(status)) return afterEnd(before, status.id)
  const known = before.running.get(status.id)
  if (before.ended.has(status.id) || (known !== undefined && known.version > status.version)) return before
  return { ...before, running: new Map(before.running).set(status.id, status) }
}

function goneAfter(gone: LiveState['gone'], { id, change }: Readonly<Record<'id' | 'change', string>>) {
  const others = [...gone].filter((one) => one !== id)
  return new Set(change === 'deleted' || change === 'trashed' ? [...others, id] : others)
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
