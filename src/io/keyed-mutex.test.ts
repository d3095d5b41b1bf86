// Tests of the keyed mutex: the order of work on one key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { KeyedMutex } from './keyed-mutex.ts'

test('KeyedMutex.take() runs work on one key in order, also after a failure, and other keys concurrently', async () => {
  const turns = new KeyedMutex()
  const log: string[] = []
  const work = (key: string, name: string, fails = false) =>
    turns.take(key, async () => {
      log.push(`${name} begins`)
      await setImmediate()
      log.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const results = await Promise.allSettled([work('a', 'a1', true), work('a', 'a2'), work('b', 'b1'), work('a', 'a3')])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(
    log.filter((line) => line.startsWith('a')),
    ['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends', 'a3 begins', 'a3 ends'],
  )
  assert.ok(log.indexOf('b1 begins') < log.indexOf('a1 ends'))
  assert.equal(await work('a', 'a4'), 'a4')
})
