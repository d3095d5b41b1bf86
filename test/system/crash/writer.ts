// Crash writer: the child of the crash tests. Makes and removes datasets, and says what the store has promised it.
// Arguments: directory, number of the first dataset, how many, how many at a time.
import { writeSync } from 'node:fs'
import { ServiceError } from '../../../src/core/errors.ts'
import { createFsStore } from '../../../src/store/fs/fs-store.ts'
import { publishSample, replaceSample } from '../../../src/store/store-samples.testing.ts'
import { crashSample } from './crash-sample.ts'

/** Goes to the pipe before it returns: what has been said stays said when the process dies. */
const say = (line: string) => void writeSync(1, `${line}\n`)

const [first, count, laneCount] = process.argv.slice(3).map(Number) as [number, number, number]
const store = await createFsStore({ dir: process.argv[2]! })
say('ready 0')

/** What distinguishes the upload that replaced a dataset from the one that made it. */
const replacedBy = 1_000_000

async function lane(offset: number): Promise<void> {
  for (let number = first + offset; number < first + count; number += laneCount) {
    try {
      await keepAndRemove(number)
    } catch (error) {
      // The store says in its own terms that it could not, and goes on; anything else is a fault of ours.
      if (!(error instanceof ServiceError) || error.cause === undefined) throw error
      say(`refused ${number}`)
    }
  }
}

async function keepAndRemove(number: number): Promise<void> {
  const { receipt } = crashSample(number)
  say(`begun ${number}`)
  await publishSample(store, crashSample(number), number)
  say(`kept ${number}`)
  // As for one that is damaged: whatever happens meanwhile, it stays kept.
  if (number % 3 === 0) await replaceSample(store, crashSample(number), number + replacedBy)
  if (number % 5 !== 0) return
  say(`removing ${number}`)
  await store.remove(receipt.id)
  say(`removed ${number}`)
}

await Promise.all(Array.from({ length: laneCount }, (_, offset) => lane(offset)))
await store.close()
