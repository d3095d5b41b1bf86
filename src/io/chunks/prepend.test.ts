// Tests of prepend(): the order of items, and the release of both sources.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepend } from './prepend.ts'

function streams(log: string[]) {
  function* first() {
    try {
      yield 1
      yield 2
    } finally {
      log.push('first')
    }
  }
  async function* rest() {
    try {
      yield 3
      yield 4
    } finally {
      log.push('rest')
    }
  }
  return { first: first(), rest: rest() }
}

test('prepend() yields the first items and then the rest', async () => {
  const log: string[] = []
  const { first, rest } = streams(log)
  assert.deepEqual(await Array.fromAsync(prepend(first, rest)), [1, 2, 3, 4])
  assert.deepEqual(log, ['first', 'rest'])
})

test('prepend() releases both sources when its reader stops, wherever that is', async () => {
  for (const stop of [1, 2, 3, 4]) {
    const log: string[] = []
    const { first, rest } = streams(log)
    // A generator that has not begun has nothing to release.
    assert.equal((await rest.next()).value, 3)
    for await (const item of prepend(first, rest)) if (item === stop) break
    assert.deepEqual(log, ['first', 'rest'], `stopped at ${stop}`)
  }
})

test('prepend() releases the rest if the first items fail, and yields nothing more', async () => {
  const log: string[] = []
  const { rest } = streams(log)
  await rest.next()
  function* failing() {
    yield 1
    throw new Error('a disk fault')
  }
  const all = prepend(failing(), rest)
  assert.deepEqual(await all.next(), { done: false, value: 1 })
  await assert.rejects(all.next(), /a disk fault/)
  assert.deepEqual(log, ['rest'])
  assert.equal((await all.next()).done, true)
})
