// Tests of Semaphore: how many run, in which order, and what follows a failure.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Semaphore } from './semaphore.ts'

test('Semaphore runs as many at once as allowed, the others in order of arrival, also after failures', async () => {
  const few = new Semaphore(2)
  const begun: number[] = []
  const ends: PromiseWithResolvers<void>[] = []
  const runs = [0, 1, 2, 3].map((n) => {
    const end = Promise.withResolvers<void>()
    ends.push(end)
    return few.run(async () => {
      begun.push(n)
      await end.promise
      return n
    })
  })
  assert.deepEqual(begun, [0, 1])
  ends[1]?.reject(new Error('a failure'))
  await assert.rejects(async () => runs[1], /a failure/)
  assert.deepEqual(begun, [0, 1, 2])
  ends[0]?.resolve()
  assert.equal(await runs[0], 0)
  assert.deepEqual(begun, [0, 1, 2, 3])
  ends[2]?.resolve()
  ends[3]?.resolve()
  assert.deepEqual(await Promise.all([runs[2], runs[3]]), [2, 3])
  assert.equal(await few.run(async () => 'free again'), 'free again')
})
