// Tests of the trash: what a notice offers to put back, whatever is moved or put back meanwhile.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'

// What the modules behind it read when they are loaded, and where a key is kept.
Object.assign(globalThis, { sessionStorage: { getItem: () => null } })
const { forgetTrashed, putBack, trashDatasets, trashed } = await import('./trash.ts')

const dataset = (id: string) => ({ id, file: { name: `${id}.csv`, bytes: 1, sha256: '', contentType: null } })
const named = () => trashed.current().datasets.map(({ id }) => id)

/** Answers each request of a test by its address. */
const answerWith = (t: TestContext, answer: (path: string) => Response | Promise<Response>) =>
  t.mock.method(globalThis, 'fetch', async (path: string) => answer(path))

/** Begins with an empty notice, and requests that succeed. */
function start(t: TestContext): void {
  forgetTrashed()
  answerWith(t, () => Response.json({}))
}

test('datasets that are moved one after another are put back together', async (t) => {
  start(t)
  await trashDatasets([dataset('a')])
  await trashDatasets([dataset('b'), dataset('c')])
  assert.deepEqual(named(), ['a', 'b', 'c'])
  await putBack()
  assert.deepEqual(named(), [])
})

test('what is moved while others are put back stays in the notice', async (t) => {
  start(t)
  await trashDatasets([dataset('a')])
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  answerWith(t, async (path) => {
    if (path.endsWith('/restore')) await held
    return Response.json({})
  })
  const restored = putBack()
  await trashDatasets([dataset('b')])
  release()
  await restored
  assert.deepEqual(named(), ['b'])
})

test('what is moved again while others are put back stays in the notice, once', async (t) => {
  start(t)
  const [a, b] = [dataset('a'), dataset('b')]
  await trashDatasets([a, b])
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  answerWith(t, async (path) => {
    if (path.endsWith('/b/restore')) {
      reach()
      await held
    }
    return Response.json({})
  })
  const restored = putBack()
  await reached
  await trashDatasets([a])
  assert.deepEqual(named(), ['b', 'a'])
  release()
  await restored
  assert.deepEqual(named(), ['a'])
})

test('what cannot be put back stays, with the reason, and what is gone for good does not', async (t) => {
  start(t)
  await trashDatasets([dataset('a'), dataset('b'), dataset('c')])
  const statuses = new Map([
    ['/qas/trash/a/restore', 404],
    ['/qas/trash/b/restore', 507],
  ])
  answerWith(t, (path) => Response.json({ message: path }, { status: statuses.get(path) ?? 200 }))
  await putBack()
  assert.deepEqual(named(), ['b'])
  assert.match(String(trashed.current().failure), /507|restore/)
})
