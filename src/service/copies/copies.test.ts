// Tests of copies with a fake database: retries, outcomes, restarts, bounds.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test/support/until.ts'
import type { CopyStatus, CopyTarget } from '../../core/copies/copy-status.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { type CopyOrder, SinkError } from '../../sink/sink.ts'
import { Copies, type CopiesOptions, type CopyOutcome, keptCopies, recordCopy } from './copies.ts'

const target: CopyTarget = { name: 'pg', url: '', schema: 'public', table: null, mode: 'append', key: [] }

function receiptOf(id: string): Receipt {
  const columns = [{ name: 'id', type: 'integer', nulls: 0, why: '' }]
  return { id, owner: '', file: { name: `${id}.csv` }, columns, records: { accepted: 3 } } as unknown as Receipt
}

/** What a store keeps of datasets. */
function keepingIn(kept: Map<string, Uint8Array>): Pick<CopiesOptions['store'], 'keep' | 'kept' | 'keptNames'> {
  return {
    keep: async ({ id }, name, bytes) => void kept.set(`${id}/${name}`, bytes),
    kept: async ({ id }, name) => Buffer.from(kept.get(`${id}/${name}`) ?? assert.fail()),
    keptNames: async ({ id }, prefix) =>
      [...kept.keys()].filter((key) => key.startsWith(`${id}/${prefix}`)).map((key) => key.slice(id.length + 1)),
  }
}

/** A journal, datasets, and a fake database that runs `meet` for each copy. */
async function place(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'copies-'))
  const opened = new AsyncDisposableStack()
  // In this order: a copy that has ended still deletes its request.
  t.after(async () => {
    await opened.disposeAsync()
    await rm(dir, { recursive: true, force: true })
  })
  const datasets = new Set(['a', 'b', 'c'])
  const kept = new Map<string, Uint8Array>()
  const orders: CopyOrder[] = []
  const outcomes: CopyOutcome[] = []
  const journalPath = join(dir, 'copies')
  const uploadsPath = join(dir, 'uploads-to-copy')
  const open = async (meet: (order: CopyOrder, signal: AbortSignal) => Promise<void>, given: object = {}) => {
    const options: CopiesOptions = {
      store: {
        receipt: async (id) => (datasets.has(id) ? receiptOf(id) : null),
        isGone: async (id) => !datasets.has(id),
        ...keepingIn(kept),
      },
      sourceOf: () => () => assert.fail(),
      targets: [target],
      sinkOf: async () => ({
        copy: async (order, _open, signal) => {
          orders.push(order)
          await meet(order, signal)
        },
      }),
      uploadsTo: '',
      journalPath,
      uploadsPath,
      logger: { warn: () => {}, error: (fields) => assert.fail(String(Object.values(fields)[0])) },
      onEnded: (outcome) => outcomes.push(outcome),
      retryMs: [1, 1],
      ...given,
    }
    return opened.use(await Copies.open(options))
  }
  return { open, datasets, kept, orders, outcomes, journalPath, uploadsPath }
}

async function ended(outcomes: readonly CopyOutcome[], count: number): Promise<void> {
  await until(`${count} copies have ended`, () => outcomes.length >= count || outcomes.length)
}

test('Copies retries after transient problems, and reports the problem of the last try', async (t) => {
  const { open, orders, outcomes } = await place(t)
  const copies = await open(async () => {
    if (orders.length < 3) throw new SinkError('away', true)
  })
  const begun = await copies.begin(receiptOf('a'), { to: 'pg' })
  assert.deepEqual([begun.to, begun.table, begun.mode], ['pg', 'a', 'append'])
  await ended(outcomes, 1)
  const [status] = (await copies.list(receiptOf('a'))).copies
  assert.deepEqual([status?.state, status?.tries, status?.records, status?.problem], ['done', 3, 3, null])
  assert.deepEqual(outcomes, ['done'])
})

test('Copies gives up after the last try, a lasting problem, or a deleted dataset', async (t) => {
  const { open, orders, outcomes, datasets } = await place(t)
  const copies = await open(async ({ datasetId }) => {
    if (datasetId === 'a') throw new SinkError('away', true)
    if (datasetId === 'b') throw new SinkError('no such column', false)
    datasets.delete('c')
    throw new ServiceError('DATASET_NOT_FOUND', { id: 'c' })
  })
  for (const [i, id] of ['b', 'c', 'a'].entries()) {
    await copies.begin(receiptOf(id), { to: 'pg' })
    await ended(outcomes, i + 1)
  }
  assert.deepEqual(outcomes, ['failed', 'dropped', 'failed'])
  assert.equal(orders.length, 1 + 1 + 3)
  const statusOf = async (id: string) => (await copies.list(receiptOf(id))).copies[0]
  assert.deepEqual([(await statusOf('a'))?.problem, (await statusOf('b'))?.problem], ['away', 'no such column'])
})

test('Copies copies what has taken the place of a dataset that it was reading', async (t) => {
  const { open, orders, outcomes } = await place(t)
  const copies = await open(async () => {
    if (orders.length === 1) throw new ServiceError('DATASET_NOT_FOUND', { id: 'a' })
  })
  await copies.begin(receiptOf('a'), { to: 'pg' })
  await ended(outcomes, 1)
  assert.deepEqual(outcomes, ['done'])
})

test('Copies continues unfinished copies after a restart, and no others', async (t) => {
  const { open, orders, outcomes, journalPath } = await place(t)
  const hanging = async ({ datasetId }: CopyOrder, signal: AbortSignal) => {
    if (datasetId !== 'a') await sleep(60_000, undefined, { signal })
  }
  const first = await open(hanging)
  for (const id of ['a', 'b', 'c']) await first.begin(receiptOf(id), { to: 'pg' })
  await ended(outcomes, 1)
  await until('three copies have begun', () => orders.length >= 3)
  await first[Symbol.asyncDispose]()
  const again = await open(async () => {})
  await ended(outcomes, 3)
  assert.deepEqual(
    orders
      .slice(3)
      .map(({ datasetId }) => datasetId)
      .toSorted(),
    ['b', 'c'],
  )
  await again[Symbol.asyncDispose]()
  await open(() => assert.fail('nothing is left'))
  assert.equal((await readFile(journalPath, 'utf8')).trim(), '')
})

test('Copies starts a copy in progress only once, runs two at once, and queues no more than pendingMax', async (t) => {
  const { open, orders, outcomes } = await place(t)
  const { promise: gate, resolve: release } = Promise.withResolvers<void>()
  const copies = await open(() => gate, { pendingMax: 5 })
  for (const table of ['one', 'two', 'two', 'three', 'one']) await copies.begin(receiptOf('a'), { to: 'pg', table })
  assert.equal(orders.length, 2)
  assert.deepEqual((await copies.list(receiptOf('a'))).copies.map(({ state }) => state).toSorted(), [
    'copying',
    'copying',
    'waiting',
  ])
  for (const table of ['one', 'two']) await copies.begin(receiptOf('b'), { to: 'pg', table })
  await assert.rejects(copies.begin(receiptOf('c'), { to: 'pg' }), (error) => isServiceError(error, 'TOO_MANY_COPIES'))
  release()
  await ended(outcomes, 5)
  assert.equal(orders.length, 5)
})

test('Copies starts no copy whose request has failed, neither now nor after a restart', async (t) => {
  const { open, kept, orders, outcomes, journalPath } = await place(t)
  const [gate, keeping, failing] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const store: CopiesOptions['store'] = {
    ...keepingIn(kept),
    receipt: async (id) => receiptOf(id),
    isGone: async () => false,
    keep: async ({ id }, name, bytes) => {
      if (id === 'b') {
        keeping!.resolve()
        await failing!.promise
      }
      kept.set(`${id}/${name}`, bytes)
    },
  }
  const copies = await open(() => gate!.promise, { store })
  await copies.begin(receiptOf('a'), { to: 'pg' })
  const begun = copies.begin(receiptOf('b'), { to: 'pg' })
  await keeping!.promise
  // Another request for it is not answered before it is durable, either.
  const again = copies.begin(receiptOf('b'), { to: 'pg' })
  // The end of a copy starts those that wait.
  gate!.resolve()
  await ended(outcomes, 1)
  failing!.reject(new ServiceError('DISK_FULL', {}))
  for (const one of [begun, again]) await assert.rejects(one, (error) => isServiceError(error, 'DISK_FULL'))
  assert.deepEqual(
    orders.map(({ datasetId }) => datasetId),
    ['a'],
  )
  await copies[Symbol.asyncDispose]()
  await open(() => assert.fail('nothing is left'))
  assert.equal((await readFile(journalPath, 'utf8')).trim(), '')
})

test('Copies lists a table once, with the status that was written last by any replica', async (t) => {
  const { open, kept, outcomes } = await place(t)
  const { promise: gate, resolve: release } = Promise.withResolvers<void>()
  const copies = await open(() => gate)
  const begun = await copies.begin(receiptOf('a'), { to: 'pg' })
  const byOther = { ...begun, state: 'done', records: 3, updatedAt: Date.now() + 1_000 }
  const [name] = kept.keys()
  kept.set(name!, Buffer.from(JSON.stringify(byOther)))
  assert.deepEqual((await copies.list(receiptOf('a'))).copies, [byOther])
  kept.set(name!, Buffer.from(JSON.stringify({ ...byOther, updatedAt: begun.createdAt - 1 })))
  assert.deepEqual(
    (await copies.list(receiptOf('a'))).copies.map(({ state }) => state),
    ['copying'],
  )
  release()
  await ended(outcomes, 1)
})

test('keepCopy() keeps the status of each table, whichever process copies into which at the same time', async () => {
  const kept = new Map<string, Uint8Array>()
  const [one, other] = [keepingIn(kept), keepingIn(kept)]
  const statusOf = (table: string, updatedAt: number): CopyStatus => {
    const request = { to: 'pg', table, mode: 'append', key: [] } as const
    return { ...request, state: 'done', tries: 1, records: 1, problem: null, createdAt: 1, updatedAt }
  }
  const of = { id: 'a' }
  await Promise.all([recordCopy(one, of, statusOf('one', 1)), recordCopy(other, of, statusOf('other', 2))])
  await recordCopy(other, of, statusOf('one', 3))
  const listed = async () => (await keptCopies(one, of, [target])).map(({ table, updatedAt }) => [table, updatedAt])
  assert.deepEqual(await listed(), [
    ['one', 3],
    ['other', 2],
  ])
  for (let i = 2; i < 102; i += 1) await recordCopy(one, of, statusOf(`t${i}`, i))
  assert.equal((await listed()).length, 100)
})

/** Uploads a dataset: it is there once this resolves. */
const uploading = async (copies: Copies, datasets: Set<string>, id: string) => {
  using _ = await copies.request(receiptOf(id))
  datasets.add(id)
}

test('Copies.request() copies uploads if that is configured, and drops one that failed', async (t) => {
  const { open, datasets, orders, outcomes, uploadsPath } = await place(t)
  const without = await open(async () => {})
  await uploading(without, datasets, 'a')
  await without[Symbol.asyncDispose]()
  const copies = await open(async () => {}, { uploadsTo: 'pg' })
  const failed = await copies.request(receiptOf('gone'))
  failed[Symbol.dispose]()
  await ended(outcomes, 1)
  await uploading(copies, datasets, 'b')
  await ended(outcomes, 2)
  assert.deepEqual(
    orders.map(({ datasetId, table, isSharedTable }) => [datasetId, table, isSharedTable]),
    [['b', 'b', false]],
  )
  assert.deepEqual(outcomes, ['dropped', 'done'])
  await copies[Symbol.asyncDispose]()
  assert.deepEqual(await readdir(uploadsPath), [])
})

test('Copies.removed() keeps the request of an upload that is published while the deletion looks', async (t) => {
  const { open, datasets, uploadsPath } = await place(t)
  const looking = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const store = {
    // What the store knew when it was asked.
    isGone: async (id: string) => {
      const isGone = !datasets.has(id)
      looking.resolve()
      await gate.promise
      return isGone
    },
    receipt: async (id: string) => (datasets.has(id) ? receiptOf(id) : null),
    keep: async () => {},
    kept: async () => null,
  }
  const away = () => Promise.reject(new SinkError('away', true))
  const copies = await open(away, { store, uploadsTo: 'pg', retryMs: [3_600_000] })
  datasets.delete('a')
  const request = await copies.request(receiptOf('a'))
  const removing = copies.removed('a')
  await looking.promise
  datasets.add('a')
  request[Symbol.dispose]()
  gate.resolve()
  await removing
  assert.deepEqual(await readdir(uploadsPath), ['a.pg'])
})

test('Copies keeps the request of an upload whose dataset cannot be found, until it is certainly gone', async (t) => {
  const { open, kept, datasets, orders, outcomes, uploadsPath } = await place(t)
  const gone = new Set<string>()
  const store = {
    ...keepingIn(kept),
    receipt: async (id: string) => (datasets.has(id) ? receiptOf(id) : null),
    isGone: async (id: string) => gone.has(id) || Promise.reject(new ServiceError('STORE_FAILED', {})),
  }
  const copies = await open(async () => {}, { store, uploadsTo: 'pg' })
  for (const id of ['hidden', 'other']) (await copies.request(receiptOf(id)))[Symbol.dispose]()
  await copies.removed('hidden')
  const tries = async () => (await copies.list(receiptOf('hidden'))).copies[0]?.tries ?? 0
  await until('it is tried five times', async () => (await tries()) >= 5 || tries())
  assert.deepEqual([outcomes, (await readdir(uploadsPath)).length], [[], 2])
  datasets.add('hidden')
  gone.add('other')
  await ended(outcomes, 2)
  assert.deepEqual([outcomes.toSorted(), orders.map(({ datasetId }) => datasetId)], [['done', 'dropped'], ['hidden']])
})

test('Copies.request() makes a copy durable before the dataset is', async (t) => {
  const { open, datasets, orders, outcomes, uploadsPath } = await place(t)
  const copies = await open(async () => {}, { uploadsTo: 'pg' })
  const request = await copies.request(receiptOf('a'))
  assert.deepEqual(await readdir(uploadsPath), ['a.pg'])
  // A process that dies here leaves the dataset, and the request.
  const next = await open(async () => {}, { uploadsTo: '' })
  await ended(outcomes, 1)
  await next[Symbol.asyncDispose]()
  request[Symbol.dispose]()
  await ended(outcomes, 2)
  assert.deepEqual([orders.length, datasets.has('a')], [2, true])
})

test('Copies copies every upload after a database was away, with a bounded number in memory', async (t) => {
  const { open, datasets, orders, outcomes, uploadsPath } = await place(t)
  let isAway = true
  const meet = async () => {
    if (isAway) throw new SinkError('away', true)
  }
  // More tries than fit into the test: after them, others would have their turn in memory.
  const copies = await open(meet, { uploadsTo: 'pg', pendingMax: 8, retryMs: Array(100_000).fill(5) })
  const ids = Array.from({ length: 40 }, (_, i) => `d${i}`)
  for (const id of [...ids, ...ids]) await uploading(copies, datasets, id)
  await until('fifty copies have begun', () => orders.length >= 50 || orders.length)
  assert.deepEqual([outcomes, (await readdir(uploadsPath)).length], [[], 40])
  assert.ok(new Set(orders.map(({ datasetId }) => datasetId)).size <= 4, 'half of pendingMax in memory')
  // One that waits on disk is shown, clients still have room, and what is deleted is forgotten.
  const [waiting] = (await copies.list(receiptOf('d39'))).copies
  assert.deepEqual([waiting?.state, waiting?.to, waiting?.table, waiting?.tries], ['waiting', 'pg', 'd39', 0])
  for (const table of ['one', 'two', 'three', 'four']) await copies.begin(receiptOf('a'), { to: 'pg', table })
  datasets.delete('d38')
  await copies.removed('d38')
  await copies.removed('d37')
  assert.equal((await readdir(uploadsPath)).length, 39)
  isAway = false
  await ended(outcomes, 39)
  await until('no request is left', async () => (await readdir(uploadsPath)).length === 0)
  const copied = new Set(orders.map(({ datasetId }) => datasetId))
  assert.deepEqual(
    ids.filter((id) => !copied.has(id)),
    ['d38'],
  )
})

test('Copies copies the uploads on disk although those in memory fail for ever', async (t) => {
  const { open, datasets, orders, outcomes } = await place(t)
  const ids = Array.from({ length: 12 }, (_, i) => `d${i}`)
  const failing = new Set(ids.slice(0, 5))
  const meet = async ({ datasetId }: CopyOrder) => {
    if (failing.has(datasetId)) throw new SinkError('away', true)
  }
  const copies = await open(meet, { uploadsTo: 'pg', pendingMax: 8 })
  for (const id of ids) await uploading(copies, datasets, id)
  await ended(outcomes, 7)
  const tried = orders.length
  while (new Set(orders.slice(tried).map(({ datasetId }) => datasetId)).size < failing.size) await sleep(1)
  failing.clear()
  await ended(outcomes, 12)
})

test('Copies copies an upload again that arrives while its copy ends', async (t) => {
  const { open, datasets, orders, outcomes, uploadsPath } = await place(t)
  const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const meet = async () => {
    begun.resolve()
    await gate.promise
    if (orders.length === 2) assert.deepEqual(await readdir(uploadsPath), ['a.pg'])
  }
  const copies = await open(meet, { uploadsTo: 'pg' })
  await uploading(copies, datasets, 'a')
  await begun.promise
  await uploading(copies, datasets, 'a')
  gate.resolve()
  await ended(outcomes, 2)
  await until('no request is left', async () => (await readdir(uploadsPath)).length === 0)
  assert.deepEqual([orders.length, outcomes], [2, ['done', 'done']])
})
