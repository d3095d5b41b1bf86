// Tests of the dataset index: order, cursor and filter of the list.
import assert from 'node:assert/strict'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { DatasetIndex, type Entry } from './dataset-index.ts'

const entry = (number: number, createdAt = number): Entry => ({
  id: number.toString(16).padStart(32, '0'),
  createdAt,
  lastUploadAt: createdAt,
  names: [`file-${number}.csv`],
  owner: '',
  bytes: number,
  trashedAt: null,
  isDismissed: false,
  facts: null,
})
const everything = { limit: 1000, after: null, name: null, owner: '' }

test('page() finds datasets by the beginning of their id', () => {
  const index = DatasetIndex.create(['aa1', 'aa2', 'b'].map((id, at) => ({ ...entry(at), id: id.padEnd(32, '0') })))
  const found = (idPrefix: string) => index.page({ ...everything, idPrefix }).ids.map((id) => id.replace(/0+$/, ''))
  assert.deepEqual(found('aa'), ['aa2', 'aa1'])
  assert.deepEqual(found('aa1'), ['aa1'])
  assert.deepEqual(found('c'), [])
})

test('page() finds a dataset by each of its names, up to twenty', () => {
  const index = DatasetIndex.create([entry(1), entry(2)])
  const { id } = entry(1)
  const found = (name: string) => index.page({ ...everything, name }).ids
  for (let number = 0; number < 30; number += 1) index.addName(id, `Alias-${number}.CSV`)
  assert.deepEqual(found('alias-0.csv'), [id])
  assert.deepEqual(found('ALIAS-18'), [id])
  assert.deepEqual(found('alias-19'), [])
  assert.equal(found('file-').length, 2)
  index.addName(entry(2).id, 'x'.repeat(1_025))
  assert.deepEqual(found('xx'), [])
  index.addName(entry(3).id, 'nobody.csv')
  assert.deepEqual(found('nobody'), [])
  assert.deepEqual(
    [index.isNewName(entry(2).id, 'FILE-2.csv'), index.isNewName(entry(2).id, 'file-3.csv')],
    [false, true],
  )
})

test('page() has after: null exactly if nothing follows', () => {
  const index = DatasetIndex.create([1, 2, 3].map((number) => entry(number)))
  assert.equal(index.page({ ...everything, limit: 3 }).after, null)
  assert.notEqual(index.page({ ...everything, limit: 2 }).after, null)
  assert.equal(index.page({ ...everything, limit: 1, name: 'file-3' }).after, null)
  assert.deepEqual(DatasetIndex.create().page(everything), { ids: [], after: null, total: 0 })
})

test('page() reads only the rows of the page, in the order of an index, at any position', (t) => {
  const index = DatasetIndex.create(Array.from({ length: 1_000 }, (_, number) => entry(number)))
  const { prepare } = DatabaseSync.prototype
  const plans = new Set<string>()
  t.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, sql: string) {
    for (const { detail } of prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all()) plans.add(String(detail))
    return prepare.call(this, sql)
  })
  const seen: string[] = []
  let after: string | null = null
  do {
    const page = index.page({ limit: 100, after, name: null, owner: '' })
    seen.push(...page.ids)
    after = page.after
  } while (after !== null)
  assert.equal(new Set(seen).size, 1_000)
  // A scan of the table, or a sort, would be another line.
  const search = 'SEARCH datasets USING COVERING INDEX byOwner'
  const ofPages = [...plans].filter((plan) => !plan.includes('usage'))
  assert.deepEqual(ofPages, [
    `${search} (owner=? AND trashedAt=?)`,
    `${search} (owner=? AND trashedAt=? AND createdAt<?)`,
  ])
})

test('olderThan() counts from the last upload, and uploaded() never makes a dataset older', () => {
  const index = DatasetIndex.create([entry(1, 1_000), entry(2, 2_000)])
  const ids = [entry(1).id, entry(2).id]
  index.uploaded(ids[0]!, 3_000)
  index.uploaded(ids[0]!, 500)
  assert.deepEqual([...index.olderThan(3_000)], [ids[1]])
  assert.deepEqual([...index.olderThan(3_001)], [ids[1], ids[0]])
  assert.deepEqual(index.page(everything).ids, [ids[1], ids[0]])
})

test('olderThan() returns the oldest first, and all datasets if the time is not bounded', () => {
  const index = DatasetIndex.create([1, 2, 3].map((number) => ({ ...entry(number), lastUploadAt: number * 1_000 })))
  const ids = [1, 2, 3].map((number) => entry(number).id)
  assert.deepEqual([...index.olderThan(Number.POSITIVE_INFINITY)], ids)
  assert.deepEqual([...index.olderThan(3_000)], ids.slice(0, 2))
  assert.deepEqual([...index.olderThan(1_000)], [])
})

test('olderThan() and expiredTrash() read in pages, and return each dataset once, deleted meanwhile or not', (t) => {
  const all = Array.from({ length: 2_500 }, (_, i) => entry(i + 1, Math.floor(i / 1_500)))
  const trashed = all.map(({ id, ...rest }) => ({ ...rest, id: `t${id.slice(1)}`, trashedAt: rest.createdAt }))
  const index = DatasetIndex.create([...all, ...trashed])
  const readAll = t.mock.method(StatementSync.prototype, 'all')
  const seen: string[] = []
  for (const id of index.olderThan(9)) if (seen.push(id) % 2 === 0) index.delete(id)
  for (const { id } of index.expiredTrash(9, 0)) if (seen.push(id) % 2 === 0) index.delete(id)
  assert.deepEqual(
    seen,
    [...all, ...trashed].map(({ id }) => id),
  )
  const lengths = readAll.mock.calls.map(({ result }) => result?.length)
  assert.deepEqual(lengths, [1_000, 1_000, 500, 0, 1_000, 1_000, 500, 0])
})

test('ids(), undescribed() and unsureIds() read in pages', (t) => {
  const all = Array.from({ length: 2_500 }, (_, i) => entry(i + 1))
  const index = DatasetIndex.create(all.toReversed())
  const ids = all.map(({ id }) => id)
  index.markAllUnsure()
  index.describe(ids[0]!, { rowCount: 1, rejectCount: 0, fileBytes: 1, columnNames: '', sender: '', origin: 'x' })
  const readAll = t.mock.method(StatementSync.prototype, 'all')
  assert.deepEqual([...index.ids()], ids)
  assert.deepEqual([...index.ids(ids[1_499])], ids.slice(1_500))
  assert.deepEqual(
    [...index.undescribed()].map(({ id }) => id),
    ids.toReversed().slice(0, -1),
  )
  const left: string[] = []
  for (const id of index.unsureIds()) {
    left.push(id)
    index.markSure(id)
  }
  assert.deepEqual(left, ids)
  const lengths = readAll.mock.calls.map(({ result }) => result?.length)
  assert.deepEqual(lengths, [
    ...[1_000, 1_000, 500, 0],
    ...[1_000, 0],
    ...[1_000, 1_000, 499, 0],
    ...[1_000, 1_000, 500, 0],
  ])
})

test('page() prepares a statement once, and forgets all when there are many', (t) => {
  const index = DatasetIndex.create([entry(1)])
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare')
  const list = (number: number) => {
    const is = (bit: number) => Boolean(number & bit)
    const filters = { hasOpenRejects: is(1), isLatestVersion: is(2), isTrash: is(4), name: is(8) ? 'x' : null }
    const others = { ...(is(16) && { sender: 'x' }), ...(is(32) && { origin: 'x' }), ...(is(64) && { search: 'x' }) }
    index.page({ ...everything, ...filters, ...others })
    return prepare.mock.callCount()
  }
  const once = list(127)
  assert.equal(list(127), once)
  for (let number = 0; number < 127; number += 1) list(number)
  const many = prepare.mock.callCount()
  assert.ok(many > 200)
  assert.ok(list(1) > many)
})
