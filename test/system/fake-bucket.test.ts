// Tests of the fake bucket: the store in it passes the trial of its server and the contract of all stores, as in a real one.
import { storeContract } from '../../src/store/store-contract.testing.ts'
import { scratchDir } from '../support/running-service.ts'
import { SteppedBucket } from '../support/stepped-bucket.ts'

storeContract('s3-store in a fake bucket', async (t) => {
  const scratch = await scratchDir()
  const bucket = new SteppedBucket(scratch.path)
  t.after(async () => {
    await bucket[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  return () => bucket.open('one')
})
