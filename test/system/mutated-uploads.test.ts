// Tests of mutated uploads: a small version of those of `npm run torture`.
import { test } from 'node:test'
import { run as runMutatedUploads } from '../../torture/mutated-uploads.ts'
import { seed } from '../support/samples.ts'

test(`mutated uploads are accepted or refused, and the service survives (SEED=${seed})`, async (t) => {
  const figures = await runMutatedUploads('short', seed)
  t.diagnostic(JSON.stringify(figures))
})
