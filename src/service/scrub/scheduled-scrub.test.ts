// Tests of the scheduled scrub: what it finds, when it begins, and where it continues after a restart.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ServiceError } from '../../core/errors.ts'
import { createFsStore } from '../../store/fs/fs-store.ts'
import { publishSample, sample } from '../../store/store-samples.testing.ts'
import { startScrub } from './scheduled-scrub.ts'

const hourMs = 3_600_000

async function opened(t: TestContext, datasets: number) {
  const dir = await mkdtemp(join(tmpdir(), 'scheduled-scrub-'))
  const store = await createFsStore({ dir })
  t.after(async () => {
    await store.close()
    await rm(dir, { recursive: true })
  })
  const samples = Array.from({ length: datasets }, (_, seed) => sample({ seed, originalBytes: 100_000, partCount: 2 }))
  for (const one of samples) await publishSample(store, one)
  const receipts = samples.map(({ receipt }) => receipt).sort((a, b) => (a.id < b.id ? -1 : 1))
  const filesBytes = samples.flatMap(({ files }) => [...files.values()]).reduce((sum, { length }) => sum + length, 0)
  return { store, receipts, filesBytes, pathOf: (id: string, file: string) => join(dir, 'datasets', id, file) }
}

/** What a scrub reports, and when it waits. */
function watched() {
  const events = new EventEmitter()
  const seen = { read: 0, damaged: 0, finished: 0, warned: 0, lines: [] as object[] }
  const meter = {
    read: (bytes: number) => {
      seen.read += bytes
    },
    damaged: () => {
      seen.damaged += 1
    },
    finished: () => {
      seen.finished += 1
    },
  }
  const logger = {
    info: () => void events.emit('finished'),
    warn: () => {
      seen.warned += 1
    },
    error: (fields: object) => void seen.lines.push(fields),
  }
  let nowMs = 0
  const clock = {
    now: () => nowMs,
    sleep: (ms: number, signal: AbortSignal) => {
      nowMs += ms
      events.emit('sleep', ms)
      // A wait of a minute is the one between two checks: the test decides when it ends.
      const waits = ms < 60_000 ? [] : [once(events, 'look', { signal })]
      return Promise.all([new Promise((resolve) => setImmediate(resolve)), ...waits])
    },
  }
  const look = () => void events.emit('look')
  return { events, seen, options: { meter, logger, clock, bytesPerSecondMax: 1_000_000_000 }, look }
}

test('startScrub() reports each damaged file, and continues', async (t) => {
  const { store, receipts, pathOf } = await opened(t, 4)
  const [first, second, third, fourth] = receipts.map(({ id }) => id) as [string, string, string, string]
  const bytes = readFileSync(pathOf(first, 'original'))
  bytes[7]! ^= 1
  writeFileSync(pathOf(first, 'original'), bytes)
  await rm(pathOf(second, 'data/part-00001.parquet'))
  appendFileSync(pathOf(third, 'checksums'), 'x')
  writeFileSync(pathOf(fourth, 'receipt.json'), '{}')
  const { events, seen, options } = watched()
  const finished = once(events, 'finished')
  await using _scrub = startScrub({ store, everyMs: hourMs, ...options })
  await finished
  assert.deepEqual(
    seen.lines.map((line) => ({ ...line, detail: 'SHA' })),
    [
      { datasetId: first, file: 'original', detail: 'SHA' },
      { datasetId: second, file: 'data/part-00001.parquet', detail: 'SHA' },
      { datasetId: third, file: 'checksums', detail: 'SHA' },
      { datasetId: fourth, file: 'receipt.json', detail: 'SHA' },
    ],
  )
  assert.equal(seen.damaged, 4)
})

test('startScrub() waits for its scheduled time, which a restart does not change', async (t) => {
  const { store, filesBytes } = await opened(t, 2)
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  for (const [atMs, scrubs] of [
    [1_000_000, 1],
    [1_000_000 + hourMs - 1, 0],
    [1_000_000 + hourMs, 1],
    [1_000_000 + hourMs + 1, 0],
  ] as const) {
    t.mock.timers.setTime(atMs)
    const { events, seen, options, look } = watched()
    const sleeping = once(events, 'sleep')
    await using _scrub = startScrub({ store, everyMs: hourMs, ...options })
    await sleeping
    assert.deepEqual([seen.finished, seen.damaged, seen.warned], [scrubs, 0, 0], `at ${atMs}`)
    assert.equal(seen.read, scrubs * filesBytes)
    const again = once(events, 'sleep')
    look()
    await again
    assert.equal(seen.finished, scrubs)
  }
})

test('startScrub() keeps to its rate, and continues after a restart where it was', async (t) => {
  const { store, filesBytes } = await opened(t, 6)
  const slow = watched()
  let sleptMs = 0
  let sleeps = 0
  const stopped = Promise.withResolvers<void>()
  slow.events.on('sleep', (ms: number) => {
    sleptMs += ms
    sleeps += 1
    if (sleeps === 8) stopped.resolve()
  })
  {
    // Each block of an original takes more than ten seconds, after which progress is kept.
    await using _scrub = startScrub({ store, everyMs: hourMs, ...slow.options, bytesPerSecondMax: 2_000 })
    await stopped.promise
  }
  assert.ok(Math.abs(sleptMs / 1_000 - slow.seen.read / 2_000) < 1, `${sleptMs} ms for ${slow.seen.read} bytes`)
  assert.equal(slow.seen.finished, 0)
  const rest = watched()
  const finished = once(rest.events, 'finished')
  await using _scrub = startScrub({ store, everyMs: hourMs, ...rest.options })
  await finished
  assert.ok(rest.seen.read < filesBytes, 'it started over')
  assert.ok(rest.seen.read + slow.seen.read >= filesBytes, 'it skipped something')
})

test('startScrub() does not count unavailable storage as damage, and continues when it is back', async (t) => {
  const { store, filesBytes } = await opened(t, 3)
  const away = () => Promise.reject(new ServiceError('STORE_UNAVAILABLE', { problem: 'on purpose' }))
  const mocked = t.mock.method(store, 'read', away)
  const { events, seen, options, look } = watched()
  const sleeping = once(events, 'sleep')
  await using _scrub = startScrub({ store, everyMs: hourMs, ...options })
  await sleeping
  assert.deepEqual([seen.warned, seen.damaged, seen.finished], [1, 0, 0])
  mocked.mock.restore()
  const finished = once(events, 'finished')
  look()
  await finished
  assert.deepEqual([seen.damaged, seen.finished, seen.read], [0, 1, filesBytes])
})

test('startScrub() never begins if it is turned off', async (t) => {
  const { store } = await opened(t, 1)
  const { seen, options } = watched()
  await using _scrub = startScrub({ store, everyMs: Number.POSITIVE_INFINITY, ...options })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(seen.read, 0)
  assert.equal(await store.savedState('scrub.json'), null)
})

test('startScrub() asks for one dataset after another, however many there are', async () => {
  const { events, seen, options } = watched()
  let listed = 0
  const store = {
    *idsAfter() {
      while (listed < 5_000) yield String(++listed).padStart(32, '0')
    },
    receipt: async (id: string) => {
      if (Number(id) === 3) throw new ServiceError('STORE_UNAVAILABLE', { problem: 'it is gone' })
      return null
    },
    read: async () => assert.fail('no dataset has a file'),
    saveState: async () => {},
    savedState: async () => null,
  }
  const interrupted = once(events, 'sleep')
  await using _scrub = startScrub({ store, everyMs: hourMs, ...options })
  await interrupted
  assert.deepEqual([listed, seen.warned], [3, 1])
})
