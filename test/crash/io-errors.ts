// I/O errors: system calls of a writer fail one at a time, and its store is looked at after each.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDir } from '../whole/running-service.ts'
import { checkPromises, runWriter } from './crash.ts'
import { changingCalls } from './kills.ts'
import { randomFrom } from './random.ts'

/** Published, recorded and removed; then another one, to see that the store goes on. */
export const written = { first: 5, count: 2, atOnce: 1 }

const errors = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'EROFS']

export interface FailedCalls {
  readonly places: number
  /** Uploads that the writer was refused for them. */
  readonly refused: number
}

/** Fails `count` calls, chosen by `seed` among all there are with every error; resolves to how many were tried. */
export async function failCalls({ seed, count }: { seed: number; count: number }): Promise<FailedCalls> {
  const random = randomFrom(seed)
  const places: { calls: string; when: number; error: string; order: number }[] = []
  for (const calls of changingCalls) {
    const callCount = await countCalls(calls)
    for (let when = 1; when <= callCount; when += 1) {
      for (const error of errors) places.push({ calls, when, error, order: random() })
    }
  }
  const chosen = places.toSorted((a, b) => a.order - b.order).slice(0, count)
  let refused = 0
  for (const { calls, when, error } of chosen) {
    await using scratch = await scratchDir()
    const dir = scratch.path
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}:when=${when}`]
    const under = ['strace', '-f', '-qq', '-o', '/dev/null', ...inject]
    try {
      const { promises, said } = await runWriter({ dir, ...written, under, mayFailAtStart: true })
      await checkPromises(dir, promises)
      refused += said.filter((line) => line.startsWith('refused')).length
    } catch (cause) {
      throw new Error(`${error} at number ${when} of ${calls} broke a promise`, { cause })
    }
  }
  return { places: chosen.length, refused }
}

/** How many such calls the thread of the writer makes that makes most of them, when nothing fails. */
async function countCalls(calls: string): Promise<number> {
  await using scratch = await scratchDir()
  const trace = join(scratch.path, 'trace')
  const under = ['strace', '-f', '-qq', '-o', trace, '-e', `trace=${calls}`]
  await runWriter({ dir: join(scratch.path, 'data'), ...written, under })
  const byThread = new Map<string, number>()
  for (const line of (await readFile(trace, 'latin1')).split('\n')) {
    const thread = /^(\d+) +\w+\(/.exec(line)?.[1]
    if (thread !== undefined) byThread.set(thread, (byThread.get(thread) ?? 0) + 1)
  }
  return Math.max(0, ...byThread.values())
}
