// Tests of single flight: work runs once for all waiting callers, and again for later ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SingleFlight } from './single-flight.ts'

/** Work that ends on request, with a record of its outcome. */
function controlled() {
  const ends: PromiseWithResolvers<string>[] = []
  const aborts: unknown[] = []
  const work = (signal: AbortSignal) => {
    const end = Promise.withResolvers<string>()
    ends.push(end)
    signal.addEventListener('abort', () => {
      aborts.push(ends.indexOf(end))
      end.reject(signal.reason)
    })
    return end.promise
  }
  return { work, ends, aborts }
}

const never = new AbortController().signal

test('SingleFlight.run() does work once for all callers before it ends, and again for later ones', async () => {
  const shared = new SingleFlight<string>()
  const { work, ends, aborts } = controlled()
  const all = [shared.run('a', work, never), shared.run('a', work, never), shared.run('b', work, never)]
  assert.equal(ends.length, 2)
  ends[0]!.resolve('first')
  ends[1]!.resolve('other')
  assert.deepEqual(await Promise.all(all), ['first', 'first', 'other'])
  const again = shared.run('a', work, never)
  assert.equal(ends.length, 3)
  ends[2]!.resolve('second')
  assert.equal(await again, 'second')
  assert.deepEqual(aborts, [0, 1, 2])
})

test('SingleFlight.run() continues while one caller waits, and is aborted when the last has gone', async () => {
  const shared = new SingleFlight<string>()
  const { work, ends, aborts } = controlled()
  const [first, second] = [new AbortController(), new AbortController()]
  const all = [shared.run('a', work, first.signal), shared.run('a', work, second.signal)]
  first.abort(new Error('first has gone'))
  await assert.rejects(all[0]!, /first has gone/)
  assert.deepEqual(aborts, [])
  second.abort(new Error('second has gone'))
  await assert.rejects(all[1]!, /second has gone/)
  assert.deepEqual(aborts, [0])
  const anew = shared.run('a', work, never)
  assert.equal(ends.length, 2)
  ends[1]!.resolve('anew')
  assert.equal(await anew, 'anew')
})

test('SingleFlight.run() passes a failure on to all callers, and does not cache it', async () => {
  const shared = new SingleFlight<string>()
  const { work, ends } = controlled()
  const all = [shared.run('a', work, never), shared.run('a', work, never)]
  ends[0]!.reject(new Error('no luck'))
  for (const one of all) await assert.rejects(one, /no luck/)
  const again = shared.run('a', work, never)
  ends[1]!.resolve('luck')
  assert.equal(await again, 'luck')
  await assert.rejects(shared.run('a', work, AbortSignal.abort(new Error('gone before'))), /gone before/)
  assert.equal(ends.length, 2)
})
