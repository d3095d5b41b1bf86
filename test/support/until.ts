// Until: waits for what must come. Fails when nothing has moved for a minute, never because a busy machine is slow.
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** How long everything may stand still: a minute of a processor that nothing else uses. Milliseconds. */
export function stillMsMax(): number {
  return Math.ceil(60_000 * Math.max(1, loadavg()[0]! / availableParallelism()))
}

/**
 * Resolves when `look` returns true. Any other value is how far it has come: each change of it begins another minute.
 * Polls, for what has no event.
 */
export async function until(what: string, look: () => unknown): Promise<void> {
  let last: unknown
  for (let movedMs = performance.now(); ; await sleep(5)) {
    const seen = await look()
    if (seen === true) return
    if (!isDeepStrictEqual(seen, last)) movedMs = performance.now()
    if (performance.now() - movedMs > stillMsMax())
      throw new Error(`Nothing has moved for a minute, waiting until ${what}: ${JSON.stringify(seen)}`)
    last = seen
  }
}
