// Tests of unlessAborted(): the result or the abort wins, and no listener is left.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { unlessAborted } from './unless-aborted.ts'

test('unlessAborted() resolves with the result, or rejects with the reason, and leaves no listener', async () => {
  const controller = new AbortController()
  const { signal } = controller
  assert.equal(await unlessAborted(Promise.resolve(7), signal), 7)
  await assert.rejects(unlessAborted(Promise.reject(new Error('lost')), signal), /lost/)
  const waiting = unlessAborted(new Promise(() => {}), signal)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  controller.abort(new Error('the client has gone'))
  await assert.rejects(waiting, /the client has gone/)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  await assert.rejects(unlessAborted(Promise.resolve(7), signal), /the client has gone/)
})
