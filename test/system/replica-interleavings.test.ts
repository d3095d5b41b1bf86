// Tests of one dataset in a bucket that two replicas upload, read, scrub, repair, delete and let expire, in many orders;
// then of a replica whose calls fail, one after the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../src/core/errors.ts'
import { datasetOrders, inBucket, isWhole, placeOf, service, type serviceOver } from '../support/dataset-orders.ts'

datasetOrders(inBucket)

/** What a replica does, and where the dataset is before and after it. */
const operations = {
  upload: ['nowhere', 'live', (at) => at.upload(2)],
  'repeated upload': ['live', 'live', (at) => at.upload(2)],
  repair: ['damaged', 'live', (at) => at.upload(2)],
  removal: ['live', 'nowhere', (at) => at.removeThere()],
  expiry: ['live', 'nowhere', (at) => at.expire(Date.now())],
  'move to the trash': ['live', 'trash', (at) => at.trash()],
  restore: ['trash', 'live', (at) => at.restore()],
  erasure: ['trash', 'nowhere', (at) => at.erase()],
  'upload of what is in the trash': ['trash', 'live', (at) => at.upload(2)],
} as const satisfies Record<string, readonly [string, string, (at: ReturnType<typeof serviceOver>) => Promise<void>]>

for (const [operation, [before, after, run]] of Object.entries(operations)) {
  for (const fault of ['lost', 'refused', 'last'] as const) {
    test(`whichever call of the bucket is ${fault}, ${operation} is done, or told to be tried again`, async (t) => {
      const one = await service(t, inBucket)
      for (let calls = 0, at = 0; at <= calls; at += 1) {
        await one.begin(before === 'nowhere' ? null : 1, Date.now() - 1_000)
        if (before === 'trash') await one.store.trash({ id: one.id })
        if (before === 'damaged') await one.damage('original')
        await one.catchUp()
        calls = 0
        let isUncertain = fault === 'last'
        one.decide!((call) => {
          const number = calls++
          if (fault === 'last') return number > at ? 'refused' : 'carried'
          // After a publish in the place of a removed one, the object itself shows whether it has stayed.
          if (number === at && call === 'HeadObject') isUncertain = true
          return number === at ? fault : 'carried'
        })
        const failure: unknown = await run(one.services[1]!).then(
          () => null,
          (error) => error,
        )
        one.decide!(() => 'carried')
        const place = `${operation}, ${fault} call ${at}`
        if (failure !== null) assert.ok(isServiceError(failure, 'STORE_UNAVAILABLE'), failure as Error)
        await one.assertSwept()
        await one.catchUp()
        const isDamaged = before === 'damaged' && !(await isWhole(one))
        const found = isDamaged ? 'damaged' : await placeOf(one)
        if (failure === null) assert.equal(found, after, place)
        else if (!isUncertain) assert.equal(found, before, place)
        else assert.ok(found === before || found === after, `${place}: ${found}`)
      }
    })
  }
}
