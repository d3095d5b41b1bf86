// Tests of the file-system index: it is correct however the last process ended, and whatever happened to its file.
import assert from 'node:assert/strict'
import { cp, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { formatReceipt } from '../receipt-file.ts'
import type { Store } from '../store.ts'
import { publishSample as publish, sample } from '../store-samples.testing.ts'
import { type Place, place } from './fs-store.testing.ts'

const samples = [1, 2, 3].map((seed) => sample({ seed, createdAt: seed, originalBytes: 100 * seed }))
const [first, second, third] = samples.map(({ receipt }) => receipt.id)
const everything = { limit: 10, after: null, name: null, owner: '' }

/** A closed data directory with three datasets. Its index is trusted, however few datasets there are. */
async function filledPlace(t: TestContext): Promise<Place> {
  const at = await place(t, { readAllMax: 0 })
  const store = await at.open()
  for (const one of samples) await publish(store, one)
  await store.close()
  return at
}

const idsIn = async (store: Store) => (await store.list(everything)).datasets.map(({ receipt }) => receipt.id)

/** Changes an index file without the store. */
function change({ dir }: Place, sql: string): void {
  const database = new DatabaseSync(join(dir, 'index.sqlite'))
  database.exec(sql)
  database.close()
}

/** Damages the page with the ids, but not those with their number and with the state of the index. */
async function damagePage({ dir }: Place): Promise<void> {
  const path = join(dir, 'index.sqlite')
  using database = new DatabaseSync(path)
  const { page } = database
    .prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'sqlite_autoindex_datasets_1'")
    .get()!
  const { page_size: bytes } = database.prepare('PRAGMA page_size').get()!
  const file = await readFile(path)
  await writeFile(path, file.fill(0xff, (Number(page) - 1) * Number(bytes), Number(page) * Number(bytes)))
}

/** A wrong entry that only reading the receipt can correct. */
const wrong = `UPDATE datasets SET createdAt = 99, bytes = 0 WHERE id = '${first}'`

async function assertAll(at: Place): Promise<void> {
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [third, second, first])
  const bytes = samples.flatMap(({ files }) => [...files.values()]).reduce((sum, { length }) => sum + length, 0)
  assert.deepEqual(store.usage(''), { datasets: 3, bytes })
  await store.close()
}

test('createFsStore() trusts the index of a closed store, and reads no receipt', async (t) => {
  const at = await filledPlace(t)
  change(at, `UPDATE datasets SET createdAt = 99 WHERE id = '${first}'`)
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [first, third, second])
})

test('createFsStore() reads every receipt if there are few datasets, whatever the index says', async (t) => {
  const at = await place(t)
  const store = await at.open()
  for (const one of samples) await publish(store, one)
  await store.close()
  change(at, `UPDATE datasets SET createdAt = 99, bytes = 0 WHERE id = '${first}'`)
  await assertAll(at)
})

test('createFsStore() finds datasets that were added to the directory or removed from it', async (t) => {
  const at = await filledPlace(t)
  const [path, aside] = [join(at.dir, 'datasets', String(second)), join(at.dir, 'aside')]
  await rename(path, aside)
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [third, first])
  await store.close()
  await rename(aside, path)
  await assertAll(at)
})

test('createFsStore() reads the receipts of datasets whose change was not completed', async (t) => {
  const at = await filledPlace(t)
  // The state after a kill that follows moving a dataset in, or precedes moving one out.
  change(at, `DELETE FROM datasets WHERE id = '${second}'; INSERT INTO unsure VALUES ('${second}')`)
  await assertAll(at)
  // The state after a kill that follows moving a dataset out, or precedes moving one in.
  const path = join(at.dir, 'datasets', String(first))
  await rename(path, join(at.dir, 'incoming', 'gone'))
  change(at, `INSERT INTO unsure VALUES ('${first}'), ('${'0'.repeat(32)}')`)
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [third, second])
})

const damages: readonly [string, (at: Place) => Promise<void> | void][] = [
  ['is missing', ({ dir }) => rm(join(dir, 'index.sqlite'))],
  ['is empty', ({ dir }) => truncate(join(dir, 'index.sqlite'))],
  ['is not a database', ({ dir }) => writeFile(join(dir, 'index.sqlite'), 'x'.repeat(10_000))],
  ['is truncated', ({ dir }) => truncate(join(dir, 'index.sqlite'), 6_000)],
  ['has a damaged page', damagePage],
  ['is of another version', (at) => change(at, `${wrong}; UPDATE meta SET value = '0' WHERE key = 'version'`)],
  [
    'was open when the system ended',
    (at) => change(at, `${wrong}; UPDATE meta SET value = 'open another 1-2' WHERE key = 'state'`),
  ],
]
for (const [how, damage] of damages) {
  test(`createFsStore() rebuilds an index that ${how}`, async (t) => {
    const at = await filledPlace(t)
    await damage(at)
    await assertAll(at)
    await assertAll(at)
  })
}

test('createFsStore() rebuilds the index of a directory that was copied while in use', async (t) => {
  const at = await filledPlace(t)
  const copy = await place(t, { readAllMax: 0 })
  await cp(at.dir, copy.dir, { recursive: true })
  change(copy, wrong)
  await assertAll(copy)
})

test('createFsStore() keeps the index of a killed process, and compares it with the directory', async (t) => {
  const at = await filledPlace(t)
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim()
  if (boot === '') return t.skip('this system does not report its boot')
  const asOpen = `UPDATE meta SET value = 'open ${boot} ' || substr(value, 8, instr(substr(value, 8), ' ') - 1) WHERE key = 'state'`
  change(
    at,
    `${asOpen}; UPDATE datasets SET createdAt = 99 WHERE id = '${first}'; DELETE FROM datasets WHERE id = '${second}'`,
  )
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [first, third, second])
})

test('createFsStore() finds each of thousands of datasets, in a new index, a copied one and one of a closed store', async (t) => {
  const at = await place(t)
  await (await at.open()).close()
  const count = 2_600
  for (let seed = 0; seed < count; seed++) {
    const { receipt } = sample({ seed, createdAt: seed })
    const dir = join(at.dir, 'datasets', receipt.id)
    await mkdir(join(dir, 'uploads'), { recursive: true })
    await writeFile(join(dir, 'receipt.json'), formatReceipt(receipt))
  }
  const sizes: number[] = []
  const open = async () => {
    const store = await at.open()
    sizes.push(store.usage('').datasets)
    await store.close()
  }
  await open()
  await rm(join(at.dir, 'index.sqlite'))
  await open()
  assert.deepEqual(sizes, [count, count])
  const trusting = await place(t, { readAllMax: 0 })
  await cp(at.dir, trusting.dir, { recursive: true })
  for (let i = 0; i < 2; i++) {
    const store = await trusting.open()
    assert.equal(store.usage('').datasets, count)
    await store.close()
  }
  assert.deepEqual(
    trusting.lines.filter((line) => line.includes('built again')),
    [],
  )
})

test('createFsStore() builds a trusted index again that lacks a dataset of the directory, and says so', async (t) => {
  const at = await filledPlace(t)
  // As a fault of ours would leave it: nothing marks the dataset as unsure, and the directory is unchanged.
  change(at, `DELETE FROM datasets WHERE id = '${second}'`)
  await assertAll(at)
  const [line, ...others] = at.lines.filter((one) => one.includes('built again'))
  assert.deepEqual(others, [])
  assert.match(line ?? '', /"inDirectory":3,"inIndex":2,"damaged":0/)
})

test('createFsStore() opens beside a dataset that is a link to a disk that is away, and finds it again', async (t) => {
  const at = await filledPlace(t)
  const [path, elsewhere] = [join(at.dir, 'datasets', String(second)), join(at.dir, 'elsewhere')]
  await rename(path, elsewhere)
  await symlink(elsewhere, path)
  await rename(elsewhere, join(at.dir, 'away'))
  await rm(join(at.dir, 'index.sqlite'))
  const store = await at.open()
  assert.deepEqual(await idsIn(store), [third, first])
  await store.close()
  assert.match(at.lines.join(), /cannot read receipt/)
  await rename(join(at.dir, 'away'), elsewhere)
  await assertAll(at)
})
