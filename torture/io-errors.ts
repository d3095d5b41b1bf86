// I/O errors: every file call of a store, and of a whole service with its converters, fails once with every error.
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
    'failed calls of the store': store.places,
    'writes refused': store.refused,
    'failed calls of the service and its converters': service.failed,
    'requests refused': service.refused,
    'refused but complete, since the fault came after the commit': service.refusedButWhole,
    'restarts needed because a directory could not be synced': service.restarts,
    'promises broken': 0,
  }
}
