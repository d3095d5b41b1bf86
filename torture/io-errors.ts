// I/O errors: every file call of a store, and of a whole service with its converters, meets every error once.
import { whyNoFaultyCalls } from '../test/system/crash/faulty-calls.ts'
import { failCalls } from '../test/system/crash/io-errors.ts'
import { failServiceCalls } from '../test/system/service-io-errors.ts'
import type { Run } from './modules.ts'

export const run: Run = async (scale, seed) => {
  const why = whyNoFaultyCalls()
  if (why !== null) throw new Error(`Cannot let calls fail: ${why}`)
  const count = Number(process.env.PLACES ?? (scale === 'long' ? Number.POSITIVE_INFINITY : 15))
  const store = await failCalls({ seed, count })
  const service = await failServiceCalls({ seed, count })
  return {
    'calls of the store failed': store.places,
    'writes refused for them': store.refused,
    'calls of the service and its converters failed': service.failed,
    'requests refused for them': service.refused,
    'of these whole all the same, the fault coming after the commit': service.refusedButWhole,
    'starts needed because a directory could not be synced': service.restarts,
    'promises broken': 0,
  }
}
