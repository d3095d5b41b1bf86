// Use deletion: deletes datasets some seconds after the user asked for it, unless that is undone. Knows no element.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, deleteDataset, type ListedReceipt } from '../../api.ts'

const undoMs = 6_000

export interface Deletion {
  /** The one whose deletion can still be undone. */
  readonly leaving: ListedReceipt | null
  /** The last one that could not be deleted, and why. */
  readonly failed: { readonly dataset: ListedReceipt; readonly error: unknown } | null
  /** True for one that is being deleted, from the first moment on. */
  isGone(id: string): boolean
  remove(dataset: ListedReceipt): void
  undo(): void
}

/** @param timesSent How often the file of a dataset was sent in this visit: one that is sent again is wanted. */
export function useDeletion(onDeleted: (dataset: ListedReceipt) => void, timesSent: (id: string) => number): Deletion {
  const [leaving, setLeaving] = useState<ListedReceipt | null>(null)
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const [failed, setFailed] = useState<Deletion['failed']>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sentBefore = useRef(0)
  const comeBack = ({ id }: ListedReceipt) => setGone((last) => new Set([...last].filter((one) => one !== id)))
  const finish = async (dataset: ListedReceipt) => {
    setLeaving((last) => (last === dataset ? null : last))
    try {
      await deleteDataset(dataset.id)
    } catch (error) {
      // Someone else was faster.
      if (!(error instanceof ApiError && error.status === 404)) {
        setFailed({ dataset, error })
        comeBack(dataset)
        return
      }
    }
    onDeleted(dataset)
    // The same bytes sent again would be the same dataset.
    comeBack(dataset)
  }
  const undo = () => {
    clearTimeout(timer.current)
    if (leaving !== null) comeBack(leaving)
    setLeaving(null)
  }
  const sent = leaving === null ? 0 : timesSent(leaving.id)
  useLayoutEffect(() => {
    if (leaving !== null && sent > sentBefore.current) undo()
  }, [sent])
  return {
    leaving,
    failed,
    isGone: (id) => gone.has(id),
    remove(dataset) {
      clearTimeout(timer.current)
      if (leaving !== null) void finish(leaving)
      sentBefore.current = timesSent(dataset.id)
      setLeaving(dataset)
      setGone((last) => new Set(last).add(dataset.id))
      setFailed(null)
      timer.current = setTimeout(() => void finish(dataset), undoMs)
    },
    undo,
  }
}
