// Tests of spools: bytes are durable up to the last commit, with damage at rest, and with syncs that fail.
import assert from 'node:assert/strict'
import { readdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { failsWith, place } from '../fs/fs-store.testing.ts'
import type { Spool, SpoolFacts } from './spool.ts'

const createdAt = Date.UTC(2026, 10, 22)

function spoolFacts(number = 0): SpoolFacts {
  const random = new Uint8Array(10).fill(number)
  return {
    id: uuidV7(createdAt + number, random),
    owner: 'anna',
    createdAt: createdAt + number,
    details: { name: 'ä.csv' },
  }
}

/** The durable bytes of a spool. */
async function bytesOf(spool: Spool): Promise<string> {
  return (await readFile(spool.path)).subarray(0, spool.state.bytes).toString()
}

/** Appends a text and makes it durable. */
async function append(spool: Spool, text: string, change = {}): Promise<void> {
  await using writer = await spool.open()
  await writer.write([Buffer.from(text)])
  await writer.commit(change)
}

const { id } = spoolFacts()

test('spools.create() creates an empty upload, which a store opened later finds', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const made = [await store.spools.create(spoolFacts(1), 10), await store.spools.create(spoolFacts(0), null)]
  for (const spool of made) assert.deepEqual([spool.state.bytes, spool.state.isComplete], [0, false])
  await store.close()
  const again = await open()
  assert.deepEqual(
    again.spools.found.map(({ facts, state }) => [facts, state.expectedBytes]),
    [
      [spoolFacts(0), null],
      [spoolFacts(1), 10],
    ],
  )
})

test('open() continues after the last commit, in this store and the next', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const spool = await store.spools.create(spoolFacts(), null)
  await append(spool, 'a,b\n')
  await append(spool, '1,2\n', { expectedBytes: 12 })
  assert.equal(await bytesOf(spool), 'a,b\n1,2\n')
  await store.close()
  const again = await open()
  const [found] = again.spools.found
  assert.ok(found)
  assert.equal(found.state.expectedBytes, 12)
  await append(found, '3,4\n', { isComplete: true })
  assert.equal(await bytesOf(found), 'a,b\n1,2\n3,4\n')
  assert.deepEqual([found.state.bytes, found.state.isComplete], [12, true])
})

test('open() drops bytes that were written but not committed', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const spool = await store.spools.create(spoolFacts(), null)
  await append(spool, 'kept ')
  for (const isDropped of [true, false]) {
    await using writer = await spool.open()
    assert.equal(writer.bytes, 5)
    await writer.write([Buffer.from(isDropped ? 'dropped' : 'added')])
    await writer.flush()
    if (!isDropped) await writer.commit()
  }
  assert.equal(await bytesOf(spool), 'kept added')
  await store.close()
  const [found] = (await open()).spools.found
  assert.ok(found)
  assert.equal(await bytesOf(found), 'kept added')
})

test('commit() of fewer bytes drops those after them, in this store and the next', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const spool = await store.spools.create(spoolFacts(), null)
  await append(spool, 'kept ')
  const { state } = spool
  await append(spool, 'dropped', { expectedBytes: 12 })
  await append(spool, 'dropped, too', state)
  assert.deepEqual([spool.state.bytes, spool.state.expectedBytes], [5, null])
  await store.close()
  const [found] = (await open()).spools.found
  await append(found!, 'added')
  assert.equal(await bytesOf(found!), 'kept added')
})

test('flush() makes bytes readable before commit() makes them durable', async (t) => {
  const store = await (await place(t)).open()
  const spool = await store.spools.create(spoolFacts(), null)
  await using writer = await spool.open()
  await writer.write([Buffer.from('soon')])
  await writer.flush()
  assert.equal(await readFile(spool.path, 'utf8'), 'soon')
  assert.equal(spool.state.bytes, 0)
})

test('write(), flush() and commit() are carried out in order if they overlap', async (t) => {
  const store = await (await place(t)).open()
  const spool = await store.spools.create(spoolFacts(), null)
  await using writer = await spool.open()
  const pieces = Array.from({ length: 40 }, (_, i) => `${i},`.repeat(i * 700))
  await Promise.all(
    pieces.flatMap((piece, i) => {
      const written = writer.write([Buffer.from(piece)])
      return i % 5 === 0 ? [written, writer.flush()] : i % 7 === 0 ? [written, writer.commit()] : [written]
    }),
  )
  await writer.commit()
  assert.equal(await bytesOf(spool), pieces.join(''))
})

test('open() allows one writer at a time', async (t) => {
  const store = await (await place(t)).open()
  const spool = await store.spools.create(spoolFacts(), null)
  const writer = await spool.open()
  await assert.rejects(spool.open(), /one writer/)
  await writer[Symbol.asyncDispose]()
  await (await spool.open())[Symbol.asyncDispose]()
})

test('remove() removes a spool completely, and leaves the others', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const spool = await store.spools.create(spoolFacts(0), null)
  const other = await store.spools.create(spoolFacts(1), null)
  await append(spool, 'x')
  await append(other, 'y')
  await spool.remove()
  await assert.rejects(readFile(spool.path), { code: 'ENOENT' })
  await store.close()
  const found = (await open()).spools.found
  assert.deepEqual(
    found.map(({ facts }) => facts.id),
    [other.facts.id],
  )
})

test('create() refuses ids that lead to other paths', async (t) => {
  const store = await (await place(t)).open()
  for (const id of ['', '..', '../x', 'A', spoolFacts().id.toUpperCase()]) {
    await assert.rejects(store.spools.create({ ...spoolFacts(), id }, null), /no id of an upload/)
  }
})

test('create() reports failures of the storage', async (t) => {
  const store = await (await place(t)).open()
  await store.spools.create(spoolFacts(), null)
  await assert.rejects(store.spools.create(spoolFacts(), null), (error) => isServiceError(error, 'STORE_FAILED'))
})

for (const torn of [0, 1]) {
  test(`a spool with a torn state falls back to the previous one: slot ${torn}`, async (t) => {
    const { dir, open: openStore } = await place(t)
    const store = await openStore()
    const spool = await store.spools.create(spoolFacts(), null)
    await append(spool, 'one ')
    await append(spool, 'two ')
    // Of three states, the third is in slot 0 and the second in slot 1.
    await store.close()
    const path = join(dir, 'uploads', id, 'state')
    const slots = await readFile(path)
    slots.fill(0, torn * 512 + 100, torn * 512 + 200)
    await writeFile(path, slots)
    const [found] = (await openStore()).spools.found
    assert.ok(found)
    assert.equal(await bytesOf(found), torn === 0 ? 'one ' : 'one two ')
    await append(found, 'three')
    assert.equal(await bytesOf(found), torn === 0 ? 'one three' : 'one two three')
  })
}

test('createFsStore() removes and logs unfinished uploads that cannot be read', async (t) => {
  const { dir, open: openStore, lines } = await place(t)
  const damages: ((path: string) => Promise<void>)[] = [
    async (path) => await truncate(join(path, 'bytes'), 3),
    async (path) => await writeFile(join(path, 'state'), ''),
    async (path) => await writeFile(join(path, 'facts'), '{}'),
  ]
  for (const damage of damages) {
    const store = await openStore()
    const spool = await store.spools.create(spoolFacts(), null)
    await append(spool, 'four')
    await append(spool, 'five')
    await store.close()
    await damage(join(dir, 'uploads', id))
    const again = await openStore()
    assert.deepEqual(again.spools.found, [])
    assert.deepEqual(await readdir(join(dir, 'uploads')), [])
    assert.match(lines.at(-1) ?? '', /cannot read unfinished upload/)
    await again.close()
  }
})

test('createFsStore() keeps unfinished uploads that it cannot read now', async (t) => {
  const { dir, open: openStore, lines } = await place(t)
  const store = await openStore()
  await append(await store.spools.create(spoolFacts(), null), 'four')
  await store.close()
  const path = join(dir, 'uploads', id, 'facts')
  await rename(path, `${path}-aside`)
  // Reading it fails for everyone, even an administrator.
  await symlink(path, path)
  const blind = await openStore()
  assert.deepEqual(blind.spools.found, [])
  assert.match(lines.at(-1) ?? '', /cannot read unfinished upload: it is skipped/)
  await blind.close()
  await rename(`${path}-aside`, path)
  const [found] = (await openStore()).spools.found
  assert.ok(found)
  assert.equal(await bytesOf(found), 'four')
})

test('commit() syncs twice, and after a failed sync acknowledges no bytes, then or later', async (t) => {
  for (const failAt of [1, 2]) {
    const { open: openStore } = await place(t)
    const store = await openStore()
    const spool = await store.spools.create(spoolFacts(), null)
    await append(spool, 'kept')
    const syncs = await failDataSync(t, failAt)
    await assert.rejects(append(spool, ' lost'), failsWith('STORE_UNAVAILABLE'))
    syncs.restore()
    await assert.rejects(append(spool, ' more'), failsWith('STORE_UNAVAILABLE'))
    assert.equal(await bytesOf(spool), 'kept')
    await store.close()
    const [found] = (await openStore()).spools.found
    assert.ok(found)
    // The state may have been written nevertheless; then its bytes were written as well.
    assert.ok(['kept', 'kept lost'].includes(await bytesOf(found)))
  }
})

test('commit() on a full disk loses no acknowledged byte, and succeeds once there is room', async (t) => {
  for (const failAt of [1, 2]) {
    const { open: openStore } = await place(t)
    const store = await openStore()
    const spool = await store.spools.create(spoolFacts(), null)
    await append(spool, 'kept')
    const syncs = await failDataSync(t, failAt, 'ENOSPC')
    await assert.rejects(append(spool, ' lost'), failsWith('DISK_FULL'))
    syncs.restore()
    await append(spool, ' more')
    assert.equal(await bytesOf(spool), 'kept more')
    await store.close()
    const [found] = (await openStore()).spools.found
    assert.ok(found)
    assert.equal(await bytesOf(found), 'kept more')
  }
})

test('a state that was written but not committed does not count at the next start without its bytes', async (t) => {
  const { open: openStore } = await place(t)
  const store = await openStore()
  const spool = await store.spools.create(spoolFacts(), null)
  await append(spool, 'kept')
  const syncs = await failDataSync(t, 2, 'ENOSPC')
  await assert.rejects(append(spool, ' lost'), failsWith('DISK_FULL'))
  syncs.restore()
  // The next writer cuts off the bytes; then the process ends.
  await (await spool.open())[Symbol.asyncDispose]()
  await store.close()
  const [found] = (await openStore()).spools.found
  assert.ok(found)
  assert.equal(await bytesOf(found), 'kept')
  await append(found, ' more')
  assert.equal(await bytesOf(found), 'kept more')
})

/** Makes the n-th datasync of any file fail. */
async function failDataSync(t: TestContext, failAt: number, code = 'EIO'): Promise<{ restore(): void }> {
  let count = 0
  const real = OpenFile.prototype.datasync
  const mocked = t.mock.method(OpenFile.prototype, 'datasync', async function (this: OpenFile) {
    count += 1
    if (count === failAt) throw Object.assign(new Error(code), { code })
    return real.call(this)
  })
  return { restore: () => mocked.mock.restore() }
}
