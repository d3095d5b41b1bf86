// Tests of uploads: versions, watching, cancelling, and the bounds of what is remembered.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ErrorCode, isServiceError, ServiceError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { byteTurns } from '../../io/turns/byte-turns.ts'
import { EndedUploads, newestOf } from './ended-uploads.ts'
import type { LiveUpload } from './live-upload.ts'
import { runUpload } from './run-upload.ts'
import { Uploads } from './uploads.ts'

const never = new AbortController().signal
const dir = await mkdtemp(join(tmpdir(), 'csv-upload-ended-'))
const all: EndedUploads[] = []
after(async () => {
  for (const ended of all) await ended[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

async function open(uploadsKeepMs = 60_000, name: string = randomUUID()): Promise<Uploads> {
  const error = (fields: { err?: unknown }) => assert.fail(String(fields.err))
  const ended = await EndedUploads.open(join(dir, name), { error })
  all.push(ended)
  return new Uploads({ uploadsKeepMs }, ended)
}

function begin(uploads: Uploads, owner = '', stop: (live: LiveUpload) => void = () => {}): LiveUpload {
  const id = uuidV7(Date.now())
  const live = uploads.begin({ id, owner, createdAt: Date.now(), expectedBytes: null, stop: () => stop(live) })
  return live
}

/** A query for all uploads. */
const every = { limit: 100, after: null, idempotencyKey: null }

const has = (code: ErrorCode) => (error: unknown) => isServiceError(error, code)

test('Uploads shows owners only their own uploads', async () => {
  const uploads = await open()
  const mine = begin(uploads, 'anna')
  const theirs = begin(uploads, 'bob')
  const anna = uploads.of('anna')
  assert.deepEqual(
    anna.list({ limit: 10, after: null, idempotencyKey: null }).uploads.map(({ id }) => id),
    [mine.id],
  )
  assert.throws(() => anna.get(theirs.id), has('UPLOAD_NOT_FOUND'))
  assert.throws(() => anna.watch(theirs.id, ''), has('UPLOAD_NOT_FOUND'))
  await assert.rejects(anna.remove(theirs.id), has('UPLOAD_NOT_FOUND'))
  theirs.failed(new ServiceError('EMPTY_FILE', {}), uploads.expiresAt())
  assert.throws(() => anna.get(theirs.id), has('UPLOAD_NOT_FOUND'))
})

test('status() has a higher version after every change, and only then', async () => {
  const live = begin(await open())
  const first = live.status()
  assert.equal(live.status(), first)
  live.named('a.csv')
  const second = live.status()
  assert.ok(second.version > first.version)
  live.received()
  live.received()
  const third = live.status()
  assert.ok(third.version > second.version)
  assert.deepEqual([first.fileName, second.fileName, third.phase], [null, 'a.csv', 'reading'])
})

test('changed() resolves after progress, at most ten times a second, at the end, and when aborted', async () => {
  const uploads = await open()
  const live = begin(uploads)
  using watch = uploads.of('').watch(live.id, '')
  const aborting = new AbortController()
  const aborted = watch.changed(watch.status().version, aborting.signal)
  aborting.abort()
  assert.equal((await aborted).version, live.status().version)
  const counting = setInterval(() => {
    live.receivedBytes += 1
  }, 1)
  const beganMs = performance.now()
  let { version } = watch.status()
  for (let i = 0; i < 5; i++) version = (await watch.changed(version, never)).version
  clearInterval(counting)
  assert.ok(performance.now() - beganMs > 500, 'five changes arrived faster than ten a second')
  const last = watch.changed(live.status().version, never)
  live.failed(new ServiceError('EMPTY_FILE', {}), uploads.expiresAt())
  assert.equal((await last).phase, 'failed')
  assert.equal((await watch.changed((await last).version, never)).phase, 'failed')
})

test('Uploads limits watchers, shares their places among clients, and frees them after use', async () => {
  const uploads = await open()
  const live = begin(uploads)
  const held = []
  const own = uploads.of('')
  for (;;) {
    try {
      held.push(own.watch(live.id, '10.0.0.1'))
    } catch (error) {
      assert.ok(isServiceError(error, 'TOO_MANY_WATCHERS'))
      break
    }
  }
  assert.equal(held.length, 750)
  own.watch(live.id, '10.0.0.2')[Symbol.dispose]()
  for (const watch of held) watch[Symbol.dispose]()
  own.watch(live.id, '10.0.0.1')[Symbol.dispose]()
})

test('remove() stops an upload once, waits for its end, and does not stop one that is being published', async () => {
  const uploads = await open()
  const own = uploads.of('')
  let stops = 0
  const live = begin(uploads, '', () => {
    stops += 1
  })
  let isRemoved = false
  const removing = own.remove(live.id).then(() => {
    isRemoved = true
  })
  const again = own.remove(live.id)
  assert.throws(() => live.writes(), has('UPLOAD_CANCELLED'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([isRemoved, stops], [false, 1])
  const error = live.failed(new Error('The work was aborted'), uploads.expiresAt())
  assert.ok(isServiceError(error, 'UPLOAD_CANCELLED'))
  await removing
  await again
  assert.equal(own.get(live.id).error?.status, 409)

  const writing = begin(uploads)
  writing.writes()
  await assert.rejects(own.remove(writing.id), has('UPLOAD_FINISHED'))
})

test('runUpload() reports that the upload was cancelled, whatever the work fails with', async () => {
  const uploads = await open()
  const failed: ServiceError[] = []
  const body = { waitedMs: () => 0, fail: (error: ServiceError) => void failed.push(error) }
  const running = runUpload(uploads, { owner: '', expectedBytes: 7, body }, never, async (_arrival, live, signal) => {
    void uploads.of('').remove(live.id)
    signal.throwIfAborted()
    throw new Error('unreachable')
  })
  await assert.rejects(running, has('UPLOAD_CANCELLED'))
  assert.equal(failed.length, 1)
})

test('runUpload() makes the streams of others wait until it has ended, even if it fails', async () => {
  const uploads = await open()
  const isAlone = () => {
    using _ = byteTurns.begin()
    const stream = byteTurns.stream()
    return [1e6, 1e6, 1e6].every((bytes) => stream.take(bytes) === null)
  }
  assert.equal(isAlone(), true)
  const seen: boolean[] = []
  const work = async () => {
    seen.push(isAlone())
    throw new ServiceError('BAD_MULTIPART', { problem: '' })
  }
  await assert.rejects(runUpload(uploads, { owner: '', expectedBytes: null }, never, work), has('BAD_MULTIPART'))
  assert.deepEqual([...seen, isAlone()], [false, true])
})

test('Uploads forgets expired uploads, and beyond its limits the oldest of the owner with the most', async () => {
  const uploads = await open(0)
  const brief = begin(uploads)
  brief.failed(new ServiceError('EMPTY_FILE', {}), uploads.expiresAt())
  assert.throws(() => uploads.of('').get(brief.id), has('UPLOAD_NOT_FOUND'))

  const many = await open()
  const ended = (owner: string, name: string) => {
    const live = begin(many, owner)
    live.named(name)
    live.failed(new ServiceError('EMPTY_FILE', {}), many.expiresAt())
    return live.id
  }
  const small = ended('anna', 'small.csv')
  const ids = Array.from({ length: 20 }, () => ended('bob', 'x'.repeat(1_000_000)))
  const idsOf = async (owner: string, limit: number) =>
    many
      .of(owner)
      .list({ limit, after: null, idempotencyKey: null })
      .uploads.map(({ id }) => id)
  assert.deepEqual(await idsOf('anna', 100), [small])
  const listed = new Set(await idsOf('bob', 100))
  const kept = ids.filter((id) => listed.has(id))
  assert.deepEqual(kept, ids.slice(-kept.length))
  assert.equal(kept.length, 16)
  const few = Array.from({ length: 10_010 }, () => ended('bob', 'a'))
  assert.deepEqual(await idsOf('anna', 100), [small])
  assert.equal((await idsOf('bob', 20_000)).length, 9_999)
  assert.throws(() => many.of('bob').get(few[0]!), has('UPLOAD_NOT_FOUND'))
})

test('EndedUploads keeps ended uploads when it is reopened, but no removed or expired ones', async (t) => {
  const name = randomUUID()
  const path = join(dir, name)
  const error = (fields: { err?: unknown }) => assert.fail(String(fields.err))
  const ids: string[] = []
  {
    await using ended = await EndedUploads.open(path, { error })
    const uploads = new Uploads({ uploadsKeepMs: 60_000 }, ended)
    for (const code of ['EMPTY_FILE', 'other']) {
      const live = begin(uploads, 'anna')
      live.named(`${code}.csv`)
      live.failed(new ServiceError('EMPTY_FILE', {}), uploads.expiresAt())
      await ended.write()
      ids.push(live.id)
    }
    await uploads.of('anna').remove(ids[1]!)
    // In progress: it is not remembered.
    begin(uploads, 'anna')
    assert.deepEqual(
      newestOf(ended.all(), 'anna', every).map(({ id }) => id),
      [ids[0]],
    )
  }
  await appendFile(path, '{"id":"torn')
  {
    await using ended = await EndedUploads.open(path, { error })
    const uploads = new Uploads({ uploadsKeepMs: 60_000 }, ended)
    const status = uploads.of('anna').get(ids[0]!)
    assert.deepEqual([status.phase, status.fileName, status.error?.status], ['failed', 'EMPTY_FILE.csv', 400])
    assert.throws(() => uploads.of('bob').get(ids[0]!), has('UPLOAD_NOT_FOUND'))
    assert.throws(() => uploads.of('anna').get(ids[1]!), has('UPLOAD_NOT_FOUND'))
    assert.equal(uploads.hasEnded('anna', ids[0]!), true)
    // Removed uploads do not fill the file.
    for (let i = 0; i < 40; i += 1) {
      const live = begin(uploads)
      live.named('x'.repeat(300_000))
      live.failed(new ServiceError('EMPTY_FILE', {}), uploads.expiresAt())
      await uploads.of('').remove(live.id)
    }
    assert.ok((await stat(path)).size < 5_000_000)
  }
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_001 })
  await using later = await EndedUploads.open(path, { error })
  assert.deepEqual([later.all(), (await stat(path)).size], [[], 0])
})
