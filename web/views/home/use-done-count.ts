// Use done count: the number of finished uploads of this visit, so that lists are loaded again. Knows no element.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { UploadQueue } from '../../upload/upload-queue.ts'

/** How many uploads of this visit are done: each changes the list. */
export function useDoneCount(queue: UploadQueue): number {
  const doneCount = () => queue.uploads.filter(({ phase }) => phase === 'done').length
  const [done, setDone] = useState(doneCount)
  useLayoutEffect(() => queue.subscribe(() => setDone(doneCount())), [queue])
  return done
}
