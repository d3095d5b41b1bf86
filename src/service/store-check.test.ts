// Tests of the store check: its result, and what a store that does not respond leads to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError, ServiceError } from '../core/errors.ts'
import { StoreCheck } from './create-service.ts'

/** A store that answers a check when the test does. */
function manualStore() {
  const checks: PromiseWithResolvers<void>[] = []
  const check = () => {
    const one = Promise.withResolvers<void>()
    checks.push(one)
    return one.promise
  }
  return { store: { check }, checks }
}

test('StoreCheck has the result of the store, and starts a new check for the next caller', async () => {
  const { store, checks } = manualStore()
  const storeCheck = new StoreCheck(store)
  const first = Promise.all([storeCheck.run(), storeCheck.run()])
  assert.equal(checks.length, 1)
  checks[0]?.resolve()
  await first
  const second = storeCheck.run()
  assert.equal(checks.length, 2)
  checks[1]?.reject(new ServiceError('DISK_FULL', {}))
  await assert.rejects(second, (error) => isServiceError(error, 'DISK_FULL'))
})

test('StoreCheck rejects while the store does not respond, with one check at a time', async () => {
  const { store, checks } = manualStore()
  const storeCheck = new StoreCheck(store, 20)
  const isLate = (error: unknown) =>
    isServiceError(error, 'STORE_UNAVAILABLE') && /has not responded for 0\.02 seconds/.test(error.message)
  await assert.rejects(storeCheck.run(), isLate)
  await assert.rejects(storeCheck.run(), isLate)
  assert.equal(checks.length, 1)
  checks[0]?.resolve()
  await checks[0]?.promise
  const next = storeCheck.run()
  assert.equal(checks.length, 2)
  checks[1]?.resolve()
  await next
})
