// Crash writer: the child process of the crash tests. Publishes and removes datasets, and prints what was promised.
// Arguments: directory, number of the first dataset, number of datasets, how many at a time.
import { writeSync } from 'node:fs'
import { ServiceError } from '../../../src/core/errors.ts'
import { createFsStore } from '../../../src/store/fs/fs-store.ts'
import { publishSample, replaceSample } from '../../../src/store/store-samples.testing.ts'
import { crashSample } from './crash-sample.ts'

/** Writes to the pipe synchronously, so that no line is lost when the process dies. */
const say = (line: string) => void writeSync(1, `${line}\n`)

const [first, count, laneCount] = process.argv.slice(3).map(Number) as [number, number, number]
const store = await createFsStore({ dir: process.argv[2]! })
say('ready 0')

/** Added to the number of the upload that replaces a dataset. */
const replacedBy = 1_000_000

async function lane(offset: number): Promise<void> {
  for (let number = first + offset; number < first + count; number += laneCount) {
    try {
      await keepAndRemove(number)
    } catch (error) {
      // A refusal of the store is a ServiceError with a cause; anything else is a bug.
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
  // As if it were damaged. Whatever happens meanwhile, the dataset stays kept.
  if (number % 3 === 0) await replaceSample(store, crashSample(number), number + replacedBy)
  if (number % 5 !== 0) return
  say(`removing ${number}`)
  await store.remove(receipt)
  say(`removed ${number}`)
}

await Promise.all(Array.from({ length: laneCount }, (_, offset) => lane(offset)))
await store.close()
