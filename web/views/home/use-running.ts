// Use running: the uploads that are on their way to the service, whoever sends them. Knows no element.
import { useEffect, useState } from 'preact/hooks'
import { listUploads, type UploadStatus } from '../../api.ts'
import { useMayLook } from '../../caller.ts'
import { t } from '../../texts.ts'

/** So often is asked while something runs, and while nothing does. */
const busyMs = 1_000
const quietMs = 5_000

const phases: Readonly<Record<string, string>> = {
  receiving: t.receiving,
  reading: t.readingRecords,
  writing: t.writing,
}

/** What the service is doing with an upload, in words; empty for one that has ended. */
export function phaseName(phase: string): string {
  return phases[phase] ?? ''
}

/** The uploads that run, asked for again and again while the page is seen. */
export function useRunning(): readonly UploadStatus[] {
  const mayLook = useMayLook()
  const [running, setRunning] = useState<readonly UploadStatus[]>([])
  useEffect(() => {
    if (!mayLook) return
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      const found = document.hidden ? [] : await listUploads(controller.signal).catch(() => [])
      if (controller.signal.aborted) return
      const now = found.filter(({ phase }) => phase in phases)
      setRunning(now)
      timer = setTimeout(look, now.length > 0 ? busyMs : quietMs)
    }
    void look()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [mayLook])
  return running
}
