// Tests of I/O errors of a store: each of its file calls fails once, and nothing that was promised is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scratchDir } from '../../support/running-service.ts'
import { isTraceable, runWriter } from './crash.ts'
import { type FaultyCall, whyNoFaultyCalls } from './faulty-calls.ts'
import { failCalls, written } from './io-errors.ts'
import { seed } from './random.ts'

const skip = isTraceable ? false : 'strace is not there or may not trace'

test(`an error of any file call of the store breaks no promise (SEED=${seed})`, async (t) => {
  const why = whyNoFaultyCalls()
  if (why !== null) return t.skip(why)
  const { places, refused } = await failCalls({ seed, count: 15 })
  assert.ok(refused > 0, 'no error ever happened')
  t.diagnostic(`${places} places, ${refused} refusals`)
})

test('no file is synced again after its sync has failed', async (t) => {
  const why = whyNoFaultyCalls()
  if (why !== null) return t.skip(why)
  const among = ({ kind, fault }: FaultyCall) => kind === 'sync' && fault === 'ENOSPC'
  const { places, refused } = await failCalls({ seed, count: Number.POSITIVE_INFINITY, among })
  assert.ok(places > 50 && refused > 40, `${places} places, ${refused} refusals`)
})

test('a failed sync refuses the upload, and after a failed sync of a directory, none is promised', {
  skip,
}, async () => {
  await using scratch = await scratchDir()
  // Starts after the syncs of the start itself.
  const under = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO:when=8+']
  const { said } = await runWriter({ dir: scratch.path, ...written, under })
  assert.deepEqual(
    said.filter((line) => /^(kept|refused)/.test(line)),
    ['refused 5', 'refused 6'],
  )
})
