// Tests of what is live: one status for each upload, and none that runs after its end, in whatever order events come.
import assert from 'node:assert/strict'
import { test } from 'node:test'

// What the modules behind it read when they are loaded.
Object.assign(globalThis, { localStorage: { getItem: () => null }, document: { documentElement: {} } })
const { afterEvent } = await import('./live.ts')

type LiveState = ReturnType<typeof afterEvent>

const nothing: LiveState = { isLive: false, running: new Map(), ended: new Set(), gone: new Set(), changes: 0 }
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

test('a dataset is gone once it is deleted or moved to the trash, until it is put back', () => {
  const event = (id: string, change: string) => ['dataset', JSON.stringify({ id, change })] as const
  const state = after(
    event('a', 'stored'),
    event('a', 'trashed'),
    event('b', 'trashed'),
    event('b', 'restored'),
    event('c', 'deleted'),
    event('c', 'dismissed'),
  )
  assert.deepEqual([...state.gone], ['a'])
})
