// File-system index: it is right after every way in which the last process may have ended, and whatever was done to its file.
import assert from 'node:assert/strict'
import { cp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Store } from '../store.ts'
import { publishSample as publish, sample } from '../store-samples.testing.ts'
import { type Place, place } from './fs-store.testing.ts'

const samples = [1, 2, 3].map((seed) => sample({ seed, createdAt: seed, originalBytes: 100 * seed }))
const [first, second, third] = samples.map(({ receipt }) => receipt.id)
const everything = { limit: 10, after: null, name: null, owner: '' }

/** A data directory of three datasets that was closed; its index is trusted however few they are. */
async function filledPlace(t: TestContext): Promise<Place> {
  const at = await place(t, { readAllMax: 0 })
  const store = await at.open()
  for (const one of samples) await publish(store, one)
  await store.close()
  return at
}

const idsIn = async (store: Store) => (await store.list(everything)).receipts.map(({ id }) => id)

/** Changes the file of an index behind the back of the store. */
function change({ dir }: Place, sql: string): void {
  const database = new DatabaseSync(join(dir, 'index.sqlite'))
  database.exec(sql)
  database.close()
}

/** What only a receipt can put right. */
const wrong = `UPDATE datasets SET createdAt = 99, bytes = 0 WHERE id = '${first}'`

async function assertAll(at: Place): Promise<void> {
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [third, second, first])
  const bytes = samples.flatMap(({ files }) => [...files.values()]).reduce((sum, { length }) => sum + length, 0)
  assert.deepEqual(store.usage(''), { datasets: 3, bytes })
  await store.close()
}

test('a start trusts the index of a store that was closed, and reads no receipt', async (t) => {
  const at = await filledPlace(t)
  change(at, `UPDATE datasets SET createdAt = 99 WHERE id = '${first}'`)
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [first, third, second])
})

test('a start of few datasets reads every receipt, whatever the index says', async (t) => {
  const at = await place(t)
  const store = await at.open()
  for (const one of samples) await publish(store, one)
  await store.close()
  change(at, `UPDATE datasets SET createdAt = 99, bytes = 0 WHERE id = '${first}'`)
  await assertAll(at)
})

test('a start finds what was added to the directory, and what was taken away', async (t) => {
  const at = await filledPlace(t)
  const [path, aside] = [join(at.dir, 'datasets', String(second)), join(at.dir, 'aside')]
  await rename(path, aside)
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [third, first])
  await store.close()
  await rename(aside, path)
  await assertAll(at)
})

test('a start asks the receipts of datasets whose change did not come to an end', async (t) => {
  const at = await filledPlace(t)
  // As a process leaves it that was killed after it had moved a dataset in, or before it moved one out.
  change(at, `DELETE FROM datasets WHERE id = '${second}'; INSERT INTO unsure VALUES ('${second}')`)
  await assertAll(at)
  // After it had moved one out, and before it moved one in.
  const path = join(at.dir, 'datasets', String(first))
  await rename(path, join(at.dir, 'incoming', 'gone'))
  change(at, `INSERT INTO unsure VALUES ('${first}'), ('${'0'.repeat(32)}')`)
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [third, second])
})

const damages: readonly [string, (at: Place) => Promise<void> | void][] = [
  ['is missing', ({ dir }) => rm(join(dir, 'index.sqlite'))],
  ['is empty', ({ dir }) => truncate(join(dir, 'index.sqlite'))],
  ['is no database', ({ dir }) => writeFile(join(dir, 'index.sqlite'), 'x'.repeat(10_000))],
  ['is cut', ({ dir }) => truncate(join(dir, 'index.sqlite'), 6_000)],
  ['is of another version', (at) => change(at, `${wrong}; UPDATE meta SET value = '0' WHERE key = 'version'`)],
  [
    'was open when the system ended',
    (at) => change(at, `${wrong}; UPDATE meta SET value = 'open another 1-2' WHERE key = 'state'`),
  ],
]
for (const [how, damage] of damages) {
  test(`a start makes the index anew that ${how}`, async (t) => {
    const at = await filledPlace(t)
    await damage(at)
    await assertAll(at)
    await assertAll(at)
  })
}

test('a start makes the index anew of a directory that was copied while it was in use', async (t) => {
  const at = await filledPlace(t)
  const copy = await place(t, { readAllMax: 0 })
  await cp(at.dir, copy.dir, { recursive: true })
  change(copy, wrong)
  await assertAll(copy)
})

test('a start goes on with an index whose process was killed, and compares it with the directory', async (t) => {
  const at = await filledPlace(t)
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim()
  if (boot === '') return t.skip('this system does not say when it was started')
  const asOpen = `UPDATE meta SET value = 'open ${boot} ' || substr(value, 8, instr(substr(value, 8), ' ') - 1) WHERE key = 'state'`
  change(
    at,
    `${asOpen}; UPDATE datasets SET createdAt = 99 WHERE id = '${first}'; DELETE FROM datasets WHERE id = '${second}'`,
  )
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [first, third, second])
})
