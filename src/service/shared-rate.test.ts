// Tests of the rate shared by processes: together they allow about as many requests as one process would.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { MemoryObjects } from '../store/memory-objects.testing.ts'
import type { SharedObjects } from '../store/store.ts'
import { SharedRate } from './shared-rate.ts'

const windowMs = 60_000
const nothingFails = (error: unknown) => assert.fail(String(error))

function processesOn(shared: SharedObjects, count: number, max: number): readonly SharedRate[] {
  return Array.from({ length: count }, () => new SharedRate({ shared, max, windowMs, onFailed: nothingFails }))
}

/** How many of these requests to each process are allowed; the processes take turns. */
async function letIn(rates: readonly SharedRate[], requests: number, atOnce: boolean): Promise<number> {
  const taken: boolean[] = []
  for (let i = 0; i < requests; i += 1) {
    const round = rates.map((rate) => () => rate.take('anna'))
    if (atOnce) taken.push(...(await Promise.all(round.map((take) => take()))))
    else for (const take of round) taken.push(await take())
  }
  return taken.filter(Boolean).length
}

test('SharedRate.take() allows the limit over all processes, within a 32nd for each further one', async () => {
  for (const [count, max, atOnce] of [
    [1, 320, false],
    [2, 320, false],
    [3, 320, false],
    [3, 320, true],
    [3, 5, true],
    [4, 1, true],
  ] as const) {
    const shared = new MemoryObjects()
    const rates = processesOn(shared, count, max)
    const seen = await letIn(rates, max * 2, atOnce)
    const spare = (count - 1) * Math.ceil(max / 32)
    assert.ok(seen <= max + (count - 1) * Math.floor(max / 32), `${count} × ${max}: ${seen} were allowed`)
    assert.ok(seen >= max - spare, `${count} × ${max}: only ${seen} were allowed`)
    for (const rate of rates) await rate[Symbol.asyncDispose]()
    assert.deepEqual([...shared.byName.keys()], [])
  }
})

test('SharedRate.take() allows the whole limit at one process, and asks the store once per 32nd', async () => {
  const shared = new MemoryObjects()
  const [rate] = processesOn(shared, 3, 320)
  for (let i = 0; i < 10; i += 1) assert.equal(await rate!.take('anna'), true)
  assert.equal(shared.calls, 0)
  for (let i = 10; i < 320; i += 1) assert.equal(await rate!.take('anna'), true)
  // Each time with one write and one list.
  assert.equal(shared.calls, 2 * 31)
  assert.equal(await rate!.take('anna'), false)
  assert.equal(await rate!.take('bob'), true)
})

test('SharedRate.take() allows a caller again after the window, whatever other processes still claim', async (t) => {
  let nowMs = 5_000
  const clock = mock.method(performance, 'now', () => nowMs)
  t.after(() => clock.mock.restore())
  const [one, other] = processesOn(new MemoryObjects(), 2, 4)
  for (let i = 0; i < 4; i += 1) assert.equal(await one!.take('anna'), true)
  assert.equal(await other!.take('anna'), false)
  nowMs += windowMs - 1
  assert.equal(await other!.take('anna'), false)
  nowMs += 1
  assert.equal(await other!.take('anna'), true)
  assert.equal(await one!.take('anna'), true)
})

test('SharedRate.take() counts by itself while the store is unreachable, and reports that', async () => {
  const failures: unknown[] = []
  const shared = new MemoryObjects()
  shared.write = () => Promise.reject(new Error('gone'))
  const rate = new SharedRate({ shared, max: 3, windowMs, onFailed: (error) => failures.push(error) })
  const seen = [await rate.take('a'), await rate.take('a'), await rate.take('a'), await rate.take('a')]
  assert.deepEqual(seen, [true, true, true, false])
  assert.deepEqual(failures.map(String), ['Error: gone'])
})
