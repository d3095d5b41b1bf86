// Tests of the Prefer header as clients write it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferences, preferredWait } from './prefer.ts'

test('preferences() reads names in any case and values plain or quoted, and ignores parameters', () => {
  const of = (...lines: string[]) => Object.fromEntries(preferences(lines))
  assert.deepEqual(of('respond-async, wait=20'), { 'respond-async': '', wait: '20' })
  assert.deepEqual(of('Respond-Async', 'WAIT = "7"'), { 'respond-async': '', wait: '7' })
  assert.deepEqual(of('wait=1, wait=2'), { wait: '1' })
  assert.deepEqual(of('foo; bar=1; baz="x", wait=3'), { foo: '', wait: '3' })
  assert.deepEqual(of(''), {})
  assert.deepEqual(of(', ,='), {})
})

test('preferredWait() returns a whole number of seconds up to the limit, or null', () => {
  assert.equal(preferredWait(['wait=20'], 60), 20)
  assert.equal(preferredWait(['wait=0'], 60), 0)
  assert.equal(preferredWait(['wait=61'], 60), 60)
  for (const none of ['', 'wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=x', 'respond-async'])
    assert.equal(preferredWait([none], 60), null, none)
})
