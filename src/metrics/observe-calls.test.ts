// Tests of observed calls: they are reported and unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { observed } from './metrics.ts'

class Counter {
  #count = 0

  add(): number {
    this.#count += 1
    return this.#count
  }

  async addLater(by: number): Promise<number> {
    this.#count += by
    if (by < 0) throw new Error('no')
    return this.#count
  }
}

test('observed() reports asynchronous calls while they are in progress, unchanged', async () => {
  const calls: string[] = []
  const counter = observed(new Counter(), (name, result) => {
    calls.push(name)
    result.then(
      (value) => calls.push(`${name} gave ${value}`),
      () => calls.push(`${name} failed`),
    )
  })
  assert.equal(counter.add(), 1)
  const later = counter.addLater(2)
  assert.deepEqual(calls, ['addLater'])
  assert.equal(await later, 3)
  await assert.rejects(counter.addLater(-1), /no/)
  assert.deepEqual(calls, ['addLater', 'addLater gave 3', 'addLater', 'addLater failed'])
})
