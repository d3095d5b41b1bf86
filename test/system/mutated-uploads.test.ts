// Mutated uploads, in small: what `npm run torture` does by the thousand.
import { test } from 'node:test'
import { run as runMutatedUploads } from '../../torture/mutated-uploads.ts'
import { seed } from '../support/samples.ts'

test(`mutated uploads are taken or refused, and the service lives (SEED=${seed})`, async (t) => {
  const figures = await runMutatedUploads('short', seed)
  t.diagnostic(JSON.stringify(figures))
})
