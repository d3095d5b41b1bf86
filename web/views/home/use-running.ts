// Use running: the uploads in progress, for a view, and their phases in words. Knows no element.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { UploadStatus } from '../../../src/core/upload-status.ts'
import { useMayLook } from '../../caller.ts'
import { t } from '../../texts.ts'
import { RunningUploads } from '../../upload/running-uploads.ts'
import type { UploadQueue } from '../../upload/upload-queue.ts'

const phases: Readonly<Record<string, string>> = {
  receiving: t.receiving,
  reading: t.readingRecords,
  writing: t.writing,
}

/** What the service is doing with an upload, in words; empty for one that has ended. */
export function phaseName(phase: string): string {
  return phases[phase] ?? ''
}

/** Those in progress, while the view is shown and the key may read them. */
export function useRunning(queue: UploadQueue): readonly UploadStatus[] {
  const mayLook = useMayLook()
  const [running, setRunning] = useState<readonly UploadStatus[]>([])
  useLayoutEffect(() => {
    if (!mayLook) return
    const isOwn = (id: string) => queue.uploads.some((upload) => upload.id === id)
    const uploads = new RunningUploads(isOwn, setRunning)
    return () => uploads.close()
  }, [queue, mayLook])
  return running
}
