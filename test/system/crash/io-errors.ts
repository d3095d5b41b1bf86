// I/O errors: makes the file calls of a writer fail one at a time, from its start on, and checks its store after each.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { scratchDir } from '../../support/running-service.ts'
import { checkPromises, runWriter } from './crash.ts'
import { type FaultyCall, FaultyCalls, type SeenCalls } from './faulty-calls.ts'
import { randomFrom } from './random.ts'

/** One dataset is published, recorded and removed; another shows that the store continues. */
export const written = { first: 5, count: 2, atOnce: 1 }

export interface FailedCalls {
  readonly places: number
  /** Uploads refused because of them. */
  readonly refused: number
}

export interface CallsToFail {
  readonly seed: number
  readonly count: number
  /** Default: all. */
  readonly among?: (call: FaultyCall) => boolean
}

/** Fails `count` calls, chosen by `seed` among all calls and errors; resolves to how many were tried. */
export async function failCalls({ seed, count, among = () => true }: CallsToFail): Promise<FailedCalls> {
  const random = randomFrom(seed)
  const places = (await failOne()).seen.places.filter(among)
  const ordered = places.map((call) => ({ call, order: random() })).toSorted((a, b) => a.order - b.order)
  const chosen = ordered.slice(0, count)
  let refused = 0
  for (const { call } of chosen) {
    try {
      refused += (await failOne(call)).refused
    } catch (cause) {
      throw new Error(`A promise was broken by ${JSON.stringify(call)}`, { cause })
    }
  }
  return { places: chosen.length, refused }
}

async function failOne(call?: FaultyCall): Promise<{ readonly seen: SeenCalls; readonly refused: number }> {
  await using scratch = await scratchDir()
  const dir = join(scratch.path, 'data')
  using calls = new FaultyCalls(dir)
  const under = ['env', ...Object.entries(calls.environment).map(([name, value]) => `${name}=${value}`)]
  calls.arm(call)
  const { promises, said } = await runWriter({ dir, ...written, under, mayFailAtStart: true })
  const seen = calls.disarm()
  assert.ok(!seen.isSyncedAgain, `${seen.path} was synced again after its sync had failed`)
  await checkPromises(dir, promises)
  return { seen, refused: said.filter((line) => line.startsWith('refused')).length }
}
