// Tests of I/O errors of a running service: some file calls of the service and its converters fail once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../support/samples.ts'
import { whyNoFaultyCalls } from './crash/faulty-calls.ts'
import { failServiceCalls } from './service-io-errors.ts'

test(`a file call that fails or is half done leaves a complete dataset or none (SEED=${seed})`, async (t) => {
  const why = whyNoFaultyCalls()
  if (why !== null) return t.skip(why)
  const came = await failServiceCalls({ seed, count: 20 })
  t.diagnostic(JSON.stringify(came))
  assert.ok(came.failed > 10, 'hardly any call failed')
  assert.ok(came.refused > 0 && came.refused < came.failed)
})
