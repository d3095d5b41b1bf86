// Tests of the S3 index: how it reads a full listing of the bucket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidV7 } from '../../core/ids.ts'
import { S3Index } from './s3-index.ts'
import { indexKey } from './s3-keys.ts'

const hourMs = 3_600_000

/** Keys of the index, each published a millisecond after the one before. */
const keysOf = (numbers: readonly number[]) =>
  numbers.map((number) => {
    const id = number.toString(16).padStart(32, '0')
    const attempt = uuidV7(number)
    const entry = { createdAt: number, owner: '', bytes: number } as Parameters<typeof indexKey>[1]
    return indexKey({ id, attempt, since: attempt, publishedAt: number }, entry, 0, `file-${number}.csv`)
  })

test('refresh() learns a full listing page by page, and forgets what is not listed', async (t) => {
  let pages: readonly (readonly string[])[] = []
  const sizes: number[] = []
  let onPage = () => {}
  using index: S3Index = new S3Index({
    async *listPages() {
      for (const page of pages) {
        sizes.push(index.datasets.size)
        onPage()
        yield page
      }
    },
    async *list() {},
    get: async () => null,
    now: Date.now,
  })
  const all = Array.from({ length: 2_500 }, (_, number) => number)
  const inPages = (keys: readonly string[]) => [0, 1_000, 2_000].map((from) => keys.slice(from, from + 1_000))
  pages = inPages(keysOf(all))
  await index.refresh()
  assert.deepEqual(sizes, [0, 1_000, 2_000])
  assert.equal(index.datasets.size, 2_500)

  // Two are not listed any more; one of them is published anew meanwhile, and another dataset restored.
  const [first, second, third] = ['0', '1', '2'].map((number) => number.padStart(32, '0')) as [string, string, string]
  pages = inPages(keysOf(all.slice(2)))
  const later = performance.now() + hourMs
  t.mock.method(performance, 'now', () => later)
  onPage = () => {
    const entry = index.forget(first)
    if (entry !== undefined) index.add(entry)
    index.move(third, null)
  }
  await index.refresh()
  assert.deepEqual(
    [first, second, third].map((id) => index.datasets.has(id)),
    [true, false, true],
  )
  assert.equal(index.datasets.size, 2_499)
  // Nothing is left to grow with each removal.
  index.forget(first)
  assert.deepEqual([...index.datasets.unsureIds()], [])
})

const x = 'f'.repeat(32)

/** A key of dataset `x`, and the body of its receipt object, as far as it says which publish it is. */
const publishOfX = (publishedAt: number) => {
  const attempt = uuidV7(publishedAt)
  const entry = { createdAt: publishedAt, owner: '', bytes: 10 } as Parameters<typeof indexKey>[1]
  const key = indexKey({ id: x, attempt, since: attempt, publishedAt }, entry, 0, 'x.csv')
  return { key, body: Buffer.from(`${attempt}\n${JSON.stringify({ since: attempt, publishedAt })}\n`) }
}

for (const order of ['first', 'last'] as const)
  test(`refresh() keeps a publish whatever is left of an earlier one, which is listed ${order}`, async (t) => {
    const [old, current] = [publishOfX(1_000), publishOfX(900_000)]
    let receipt: Buffer | null = current.body
    let pages = [[old.key], keysOf([1, 2, 3]), [current.key]]
    if (order === 'last') pages.reverse()
    using index = new S3Index({
      async *listPages() {
        yield* pages
      },
      async *list() {},
      get: async () => receipt && { body: receipt, etag: '', modifiedAt: 0 },
      now: Date.now,
    })
    let now = performance.now()
    t.mock.method(performance, 'now', () => now)
    const refreshAll = async () => {
      now += hourMs
      await index.refresh()
    }
    await refreshAll()
    assert.equal(index.datasets.get(x)?.createdAt, 900_000)
    index.move(x, 950_000)
    const changes: string[] = []
    index.datasets.watch(({ id, change }) => id === x && changes.push(change))
    await refreshAll()
    await index.refresh()
    assert.equal(index.datasets.get(x)?.trashedAt, 950_000)
    assert.deepEqual(changes, [])

    // Removed elsewhere soon after an upload of its bytes, then published anew.
    index.datasets.uploaded(x, 901_000)
    const next = publishOfX(900_500)
    receipt = next.body
    pages = pages.map((keys) => keys.map((key) => (key === current.key ? next.key : key)))
    await index.refresh()
    assert.equal(index.datasets.get(x)?.createdAt, 900_500)
    await refreshAll()
    assert.deepEqual(changes.splice(0), ['deleted', 'stored'])

    // Removed elsewhere.
    receipt = null
    pages = pages.map((keys) => keys.filter((key) => key !== next.key))
    await refreshAll()
    assert.equal(index.datasets.get(x), undefined)
    assert.deepEqual(changes, ['deleted'])
  })

test('describe() says nothing of a dataset that is published anew while its receipt is read', async () => {
  const { key } = publishOfX(1_000)
  const facts = { rowCount: 0, rejectCount: 0, fileBytes: 10, columnNames: '', sender: '', origin: '' }
  using index: S3Index = new S3Index({
    async *listPages() {
      yield [key]
    },
    async *list() {},
    async get() {
      const entry = index.forget(x)
      if (entry !== undefined) index.add({ ...entry, createdAt: 2_000, facts })
      return null
    },
    now: Date.now,
  })
  await index.refresh()
  await index.describe()
  assert.equal(index.datasets.get(x)?.createdAt, 2_000)
})
