// Tests of the fair queue: the order in which the jobs of several clients are served.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { FairQueue } from './fair-queue.ts'

const drain = (queue: FairQueue<string>): string[] => {
  const order: string[] = []
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) order.push(job)
  return order
}

test('FairQueue serves the jobs of one client in order of arrival, whatever they cost', () => {
  const queue = new FairQueue<string>()
  for (const [job, cost] of [
    ['a', 5],
    ['b', 1],
    ['c', 0],
    ['d', 9],
  ] as const)
    queue.push('one', cost, job)
  assert.equal(queue.length, 4)
  assert.deepEqual(drain(queue), ['a', 'b', 'c', 'd'])
  assert.equal(queue.length, 0)
})

test('FairQueue serves the first job of a new client before waiting jobs of one already served', () => {
  const queue = new FairQueue<string>()
  for (const job of ['a', 'b', 'c', 'd']) queue.push('large', 16, job)
  assert.equal(queue.shift(), 'a')
  queue.push('small', 1, 'small')
  assert.deepEqual(drain(queue), ['small', 'b', 'c', 'd'])
})

test('FairQueue serves the smallest job first among clients that have received the same amount', () => {
  const queue = new FairQueue<string>()
  queue.push('large', 16, 'a')
  queue.push('middle', 4, 'b')
  queue.push('small', 1, 'c')
  assert.deepEqual(drain(queue), ['c', 'b', 'a'])
})

test('FairQueue starves no client, however many small clients arrive', () => {
  const queue = new FairQueue<string>()
  queue.push('large', 16, 'large')
  queue.push('large', 16, 'second')
  let served = 0
  for (let i = 0; i < 100 && served < 2; i++) {
    queue.push(`small ${i}`, 1, 'small')
    const job = queue.shift()
    queue.push(`small too ${i}`, 1, 'small')
    if (job !== 'small') served += 1
    const other = queue.shift()
    if (other !== 'small') served += 1
  }
  assert.equal(served, 2)
})

test('FairQueue.remove() removes and returns unwanted jobs', () => {
  const queue = new FairQueue<string>()
  for (const job of ['a', 'b', 'c']) queue.push('one', 1, job)
  assert.deepEqual(
    queue.remove((job) => job !== 'b'),
    ['a', 'c'],
  )
  assert.deepEqual(drain(queue), ['b'])
})

test('FairQueue.remove() gives back what the removed jobs would have cost their clients', () => {
  const queue = new FairQueue<string>()
  for (let i = 0; i < 100; i++) queue.push('one', 16, `unwanted ${i}`)
  queue.push('one', 1, 'kept')
  queue.remove((job) => job.startsWith('unwanted'))
  queue.push('one', 1, 'new')
  for (let i = 0; i < 3; i++) queue.push('other', 16, `other ${i}`)
  assert.deepEqual(drain(queue), ['kept', 'new', 'other 0', 'other 1', 'other 2'])
})

test('FairQueue gives busy clients equal amounts, within one job (seeded)', () => {
  const seed = 7
  const random = randomFrom(seed)
  const queue = new FairQueue<{ client: string; cost: number }>()
  const clients = ['a', 'b', 'c']
  const given = new Map(clients.map((client) => [client, 0]))
  const add = (client: string) => {
    const cost = 1 + random(20)
    queue.push(client, cost, { client, cost })
  }
  for (const client of clients) for (let i = 0; i < 3; i++) add(client)
  for (let i = 0; i < 5_000; i++) {
    const job = queue.shift()
    assert.ok(job !== undefined)
    given.set(job.client, (given.get(job.client) ?? 0) + job.cost)
    add(job.client)
    const amounts = [...given.values()]
    assert.ok(Math.max(...amounts) - Math.min(...amounts) <= 40, `seed ${seed}: ${amounts}`)
  }
})
