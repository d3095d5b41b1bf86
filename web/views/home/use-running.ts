// Use running: the uploads in progress, whoever sends them: found by a periodic list, one followed by its events. Knows
// no element.
import { useLayoutEffect, useState } from 'preact/hooks'
import { isFinished, type UploadStatus } from '../../../src/core/upload-status.ts'
import { listUploads } from '../../api.ts'
import { useMayLook } from '../../caller.ts'
import { uploadEvents } from '../../upload/upload-events.ts'
import type { UploadQueue } from '../../upload/upload-queue.ts'

/** Interval between searches for new ones; shorter if not all can be followed. */
const lookMs = 5_000
const crowdedLookMs = 1_000

/** Those in progress, while the view is shown and the key may read them. */
export function useRunning(queue: UploadQueue): readonly UploadStatus[] {
  const mayLook = useMayLook()
  const [running, setRunning] = useState<readonly UploadStatus[]>([])
  useLayoutEffect(() => {
    if (!mayLook) return
    const stop = new AbortController()
    watchRunning((id) => queue.uploads.some((upload) => upload.id === id), setRunning, stop.signal)
    return () => stop.abort()
  }, [queue, mayLook])
  return running
}

/** @param isOwn True for uploads that are followed elsewhere. */
function watchRunning(
  isOwn: (id: string) => boolean,
  onChange: (running: readonly UploadStatus[]) => void,
  signal: AbortSignal,
): void {
  let known = new Map<string, UploadStatus>()
  /** Browsers open six connections to a server: four are for the uploads of this page, one is for this. */
  let followed: string | null = null
  const follow = async (id: string) => {
    if (followed !== null || isOwn(id)) return
    followed = id
    try {
      for await (const status of uploadEvents(id, signal)) {
        if (isFinished(status)) known.delete(id)
        else known.set(id, status)
        onChange([...known.values()])
      }
    } catch {
      // It is gone: the next list shows that.
    }
    followed = null
  }
  const look = async () => {
    const found = document.hidden ? null : await listUploads(signal).catch(() => [])
    if (signal.aborted) return
    if (found !== null) {
      const running = found.filter((status) => !isFinished(status))
      known = new Map(running.map((status) => [status.id, status]))
      onChange(running)
      for (const { id } of running) void follow(id)
    }
    const isCrowded = [...known.keys()].some((id) => id !== followed && !isOwn(id))
    setTimeout(() => signal.aborted || void look(), isCrowded ? crowdedLookMs : lookMs)
  }
  void look()
}
