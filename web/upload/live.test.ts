// Tests of what is live: one status for each upload, and none that runs after its end, in whatever order events come.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'

// What the modules behind it read when they are loaded, and where a key is kept.
const storage = { getItem: () => null }
Object.assign(globalThis, { localStorage: storage, sessionStorage: storage, document: { documentElement: {} } })
const { afterEvent, isGone, lookAtShown, noteChange, showDataset } = await import('./live.ts')

type LiveState = ReturnType<typeof afterEvent>

const nothing: LiveState = { isLive: false, running: new Map(), ended: new Set(), changes: 0 }
const status = (id: string, version: number, phase = 'receiving') => JSON.stringify({ id, version, phase })
const after = (...events: readonly (readonly [event: string, data: string])[]) =>
  events.reduce<LiveState>((state, [event, data]) => afterEvent(state, event, data), nothing)
const running = ({ running: known }: LiveState) => [...known.values()].map(({ id, version }) => [id, version])

test('an upload has the latest of its statuses, whatever their order', () => {
  const state = after(['upload', status('a', 2)], ['upload', status('b', 1)], ['upload', status('a', 1)])
  assert.deepEqual(running(state), [
    ['a', 2],
    ['b', 1],
  ])
})

test('an upload that has ended is not shown again by a late event, and its end is a change', () => {
  const state = after(
    ['upload', status('a', 3, 'done')],
    ['upload', status('a', 2)],
    ['upload', status('a', 4, 'failed')],
  )
  assert.deepEqual(running(state), [])
  assert.equal(state.changes, 1)
})

test('a reset forgets the uploads that the service does not name again', () => {
  const state = after(['upload', status('a', 1)], ['reset', '{}'], ['upload', status('b', 1)])
  assert.deepEqual(running(state), [['b', 1]])
  assert.ok(state.isLive)
})

test('a change of a dataset is counted, and an unknown event is not', () => {
  assert.equal(after(['dataset', '{}'], ['dataset', '{}'], ['other', '{}']).changes, 2)
})

const note = (id: string, change: string) => noteChange(JSON.stringify({ id, change }))
/** Shows datasets until the end of a test. */
const show = (t: TestContext, ...ids: readonly string[]) => {
  for (const id of ids) t.after(showDataset(id))
}
const areGone = (...ids: readonly string[]) => ids.filter(isGone)

test('a shown dataset is gone once it is deleted or moved to the trash, until it is put back', (t) => {
  show(t, 'a', 'b', 'c', 'd')
  note('a', 'stored')
  note('a', 'trashed')
  note('b', 'trashed')
  note('b', 'restored')
  note('c', 'deleted')
  note('d', 'dismissed')
  assert.deepEqual(areGone('a', 'b', 'c', 'd'), ['a', 'c'])
})

test('nothing is kept of the deletion of datasets that are not shown, or not any more', (t) => {
  const deleted = (id: string) => ['dataset', JSON.stringify({ id, change: 'deleted' })] as const
  assert.deepEqual(after(deleted('a'), deleted('b')), { ...nothing, changes: 2 })
  note('a', 'deleted')
  const [hideOne, hideOther] = [showDataset('a'), showDataset('a')]
  assert.deepEqual(areGone('a'), [])
  hideOne()
  note('a', 'deleted')
  assert.deepEqual(areGone('a'), ['a'])
  hideOther()
  assert.deepEqual(areGone('a'), [])
  show(t, 'a')
  assert.deepEqual(areGone('a'), [])
})

test('after a reset, the service is asked what is gone, unless an event tells it meanwhile', async (t) => {
  show(t, 'restored', 'trashed', 'told')
  note('restored', 'trashed')
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    const id = new URL(path, 'http://localhost').searchParams.get('id') ?? ''
    if (id === 'told') note(id, 'trashed')
    return Response.json({ datasets: [], total: id === 'trashed' ? 0 : 1, after: null })
  })
  await lookAtShown(t.signal)
  assert.deepEqual(areGone('restored', 'trashed', 'told'), ['trashed', 'told'])
})

test('a reset stops the questions of the one before', async (t) => {
  show(t, 'a', 'b')
  const asked: string[] = []
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    asked.push(path)
    return Response.json({ datasets: [], total: 1, after: null })
  })
  await Promise.all([lookAtShown(t.signal), lookAtShown(t.signal)])
  assert.equal(asked.length, 3)
})
