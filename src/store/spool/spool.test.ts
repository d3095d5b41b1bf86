// Tests of spools: damage at rest, and syncs that fail.
import assert from 'node:assert/strict'
import { readdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OpenFile } from '../../io/files/open-file.ts'
import { failsWith, place } from '../fs/fs-store.testing.ts'
import { append, bytesOf, spoolFacts } from './spool-contract.testing.ts'

const { id } = spoolFacts()

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
    await append(await store.spools.create(spoolFacts(), null), 'four')
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
