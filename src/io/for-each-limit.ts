// For each limit: runs the same work on many items, a bounded number at a time. Knows nothing of what the work is.

/**
 * Runs `work` on every item, at most `limit` at a time. While all are busy, fetches one more item of an async iterable.
 * After a failure of `work` or of the iterable, no new work starts, the signal passed to `work` is aborted, and the
 * failure is thrown once all started work has ended: nothing keeps running in the background.
 */
export async function forEachLimit<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  const stop = new AbortController()
  try {
    for await (const item of items) {
      if (running.size >= limit) await Promise.race(running)
      if (stop.signal.aborted) break
      const task: Promise<void> = work(item, stop.signal).then(
        () => void running.delete(task),
        (error: unknown) => {
          stop.abort(error)
          running.delete(task)
        },
      )
      running.add(task)
    }
  } catch (error) {
    stop.abort(error)
  }
  await Promise.all(running)
  if (stop.signal.aborted) throw stop.signal.reason
}
