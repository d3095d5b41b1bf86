// For each limit: the same work on many items, a bounded number at a time. Knows nothing of what the work is.

/**
 * Runs `work` on every item, at most `atOnceMax` at a time. When some fail, no new one begins, and the first failure is
 * thrown after all that had begun have ended: nothing is still running behind the caller's back.
 */
export async function forEachLimit<Item extends NonNullable<unknown>>(
  items: Iterable<Item>,
  atOnceMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items].reverse()
  const lane = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
      try {
        await work(item)
      } catch (error) {
        queue.length = 0
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: atOnceMax }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
}
