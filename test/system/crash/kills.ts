// Kills: kills a writer at every system call of a kind, or at random moments, and checks its store after each.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchDir } from '../../support/running-service.ts'
import { checkPromises, type Promises, runWriter } from './crash.ts'
import { randomFrom } from './random.ts'

/** The dataset that is published, replaced and removed; it has a part and no rejects. */
const number = 15

/** More calls than the writer makes of any kind. */
const callsMax = 1_000

/** Rounds of random kills in one data directory. Bounded, since each start reads every receipt. */
const roundsInOneDirectory = 100

/**
 * Calls that change the disk, by kind. Names that some processors lack are marked with a question mark. strace counts
 * calls by thread, and the writer makes them all in its one file thread.
 */
export const changingCalls = ['fsync', '?rename,?renameat,?renameat2', '?mkdir,?mkdirat', '?unlink,?rmdir,?unlinkat']

/** Kills a writer at its first such call, another at its second, and so on; resolves to how many were killed. */
export async function killAtEveryCall(calls: string): Promise<number> {
  for (let callIndex = 1; callIndex < callsMax; callIndex += 1) {
    await using scratch = await scratchDir()
    const dir = scratch.path
    await leaveLeftovers(dir)
    const strace = ['strace', '-f', '-qq', '-o', '/dev/null']
    const inject = `inject=${calls}:signal=SIGKILL:when=${callIndex}`
    const under = [...strace, '-e', `trace=${calls}`, '-e', inject]
    const { promises, isWhole } = await runWriter({ dir, first: number, count: 1, atOnce: 1, under })
    await checkPromises(dir, promises)
    if (isWhole) return callIndex - 1
  }
  throw new Error('the writer never ends')
}

/** Leaves what a crash may have left, for the sweep at start: a draft, and a dataset without a receipt. */
async function leaveLeftovers(dir: string): Promise<void> {
  for (const place of ['incoming', 'datasets']) {
    const path = join(dir, place, 'f'.repeat(32))
    await mkdir(join(path, 'data'), { recursive: true, mode: 0o700 })
    for (const name of ['original', 'data/part-00000.parquet']) await writeFile(join(path, name), 'left')
  }
}

export interface RandomKills {
  readonly kills: number
  readonly begun: number
  readonly kept: number
}

/** Kills writers at random moments, one after another on the same data; resolves to their counts. */
export async function killAtRandom({ seed, rounds }: { seed: number; rounds: number }): Promise<RandomKills> {
  const random = randomFrom(seed)
  const done = { kills: 0, begun: 0, kept: 0 }
  while (done.kills < rounds) {
    const all = await killInOneDirectory(Math.min(roundsInOneDirectory, rounds - done.kills), random)
    done.kills += Math.min(roundsInOneDirectory, rounds - done.kills)
    done.begun += all.size
    done.kept += [...all.values()].filter((state) => state === 'kept').length
  }
  return done
}

async function killInOneDirectory(rounds: number, random: () => number): Promise<Promises> {
  await using scratch = await scratchDir()
  const dir = scratch.path
  const all: Promises = new Map()
  for (let round = 0; round < rounds; round += 1) {
    // One in six dies while it starts, the others a moment after a random line of output.
    const isAtStart = random() < 1 / 6
    let wordsLeft = isAtStart ? 0 : Math.floor(random() * 60)
    const delayMs = random() * (isAtStart ? 150 : 5)
    const { promises, isWhole } = await runWriter({
      dir,
      first: round * 10_000,
      count: 10_000,
      atOnce: 1 + (round % 4),
      onLine(line, kill) {
        if ((line === null) !== isAtStart) return
        if (wordsLeft === 0) setTimeout(kill, delayMs)
        wordsLeft -= 1
      },
    })
    assert.equal(isWhole, false)
    for (const [number, state] of promises) all.set(number, state)
    await checkPromises(dir, promises, all.keys())
  }
  await checkPromises(dir, all)
  return all
}
