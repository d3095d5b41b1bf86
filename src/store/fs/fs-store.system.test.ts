// Tests of the file-system store: the contract of all stores, and what applies to directories only.
import assert from 'node:assert/strict'
import { cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { assertAbsent, assertWhole } from '../store-assertions.testing.ts'
import { storeContract } from '../store-contract.testing.ts'
import { publishSample, readAll, sample, sampleUpload } from '../store-samples.testing.ts'
import { failsWith, filledDraft, place } from './fs-store.testing.ts'
import { createFsStore } from './fs-store.ts'

storeContract('fs-store', async (t) => (await place(t)).open)
// Its index is trusted, however few datasets there are.
storeContract('fs-store with a kept index', async (t) => (await place(t, { readAllMax: 0 })).open)

/** All paths below a directory, sorted, directories with a slash at the end. */
async function tree(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1) + (entry.isDirectory() ? '/' : ''))
    .sort()
}

test('createFsStore() lays out its directory as documented, readable by its owner only', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const { receipt, files } = sample({ seed: 1, rejectPartCount: 1 })
  await publishSample(store, { receipt, files }, 7)
  const upload = sampleUpload(receipt, 7)
  const dataset = `datasets/${receipt.id}`
  assert.deepEqual(await tree(dir), [
    'datasets/',
    `${dataset}/`,
    `${dataset}/data/`,
    `${dataset}/data/part-00000.parquet`,
    `${dataset}/original`,
    `${dataset}/receipt.json`,
    `${dataset}/rejects/`,
    `${dataset}/rejects/part-00000.parquet`,
    `${dataset}/uploads/`,
    `${dataset}/uploads/${upload.id}.json`,
    'format',
    'incoming/',
    'index.sqlite',
    'index.sqlite-wal',
    'lock',
    'lock.owner',
    'trash/',
    'uploads/',
  ])
  const { checksum, ...kept } = JSON.parse(await readFile(join(dir, dataset, 'receipt.json'), 'utf8'))
  assert.match(checksum, /^[0-9a-f]{64}$/)
  assert.deepEqual(kept, { version: 1, ...receipt })
  assert.deepEqual(JSON.parse(await readFile(join(dir, dataset, 'uploads', `${upload.id}.json`), 'utf8')), {
    version: 1,
    ...upload,
  })
  if (process.platform === 'win32') return
  for (const path of await tree(dir)) {
    assert.equal((await stat(join(dir, path))).mode & 0o777, path.endsWith('/') ? 0o700 : 0o600, path)
  }
})

test('createFsStore() follows symbolic links to its directory, new or not', async (t) => {
  const { dir } = await place(t)
  await mkdir(join(dir, 'disk'))
  await symlink('disk', join(dir, 'link'), 'junction')
  const kept = sample({ seed: 1 })
  const made = await createFsStore({ dir: join(dir, 'link', 'a', 'data') })
  await publishSample(made, kept)
  await made.close()
  await symlink(join(dir, 'disk', 'a', 'data'), join(dir, 'data'), 'junction')
  const again = await createFsStore({ dir: join(dir, 'data') })
  await assertWhole(again, kept)
  await publishSample(again, sample({ seed: 2 }))
  await again.close()
})

test('createFsStore() refuses a path where the system creates nothing', async (t) => {
  if (process.platform !== 'linux') return t.skip('this system has no /proc')
  await assert.rejects(createFsStore({ dir: '/proc/data/x' }), ({ cause }) =>
    /ENOENT.*mkdir '\/proc\/data'/.test(cause),
  )
})

test('createFsStore() refuses a path that is a file', async (t) => {
  const { dir } = await place(t)
  await writeFile(join(dir, 'file'), '')
  await assert.rejects(createFsStore({ dir: join(dir, 'file') }), failsWith('STORE_FAILED'))
})

test('createFsStore() sweeps 1,000 leftovers, keeps datasets, and logs the counts', async (t) => {
  const { dir, open, lines } = await place(t)
  const store = await open()
  const kept = sample({ seed: 'kept' })
  await publishSample(store, kept)
  await store.close()
  for (let number = 0; number < 1000; number += 1) {
    // One of three kinds: a draft, a record not yet moved, a dataset without its receipt.
    const { receipt } = sample({ seed: number })
    const path = join(dir, number % 3 === 2 ? 'datasets' : 'incoming', receipt.id)
    if (number % 3 === 1) await writeFile(path, 'half a rec')
    else await mkdir(join(path, 'data'), { recursive: true })
    if (number % 3 === 0) await writeFile(join(path, 'data', 'part-00000.parquet'), 'half')
  }
  await symlink(dir, join(dir, 'incoming', 'link'))
  const again = await open()
  assert.deepEqual(await readdir(join(dir, 'incoming')), [])
  assert.deepEqual(await readdir(join(dir, 'datasets')), [kept.receipt.id])
  assert.equal(lines.at(-1), 'opened data directory {"datasets":1,"damaged":0,"removed":1001}')
  await assertWhole(again, kept)
})

test('publish() succeeds even if a directory without a receipt is in its place', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  await mkdir(join(dir, 'datasets', wanted.receipt.id, 'data'), { recursive: true })
  await writeFile(join(dir, 'datasets', wanted.receipt.id, 'leftover'), 'x')
  await assertAbsent(store, wanted)
  assert.equal(await publishSample(store, wanted), true)
  await assertWhole(store, wanted)
  assert.equal(
    (await tree(dir)).some((path) => path.includes('leftover')),
    false,
  )
})

test('a dataset with an unreadable receipt is hidden, and moved away by the next publish', async (t) => {
  const { dir, open, lines } = await place(t)
  const wanted = sample({ seed: 1 })
  const { id } = wanted.receipt
  const store = await open()
  await publishSample(store, wanted)
  await store.close()
  const receiptPath = join(dir, 'datasets', id, 'receipt.json')
  const damaged = (await readFile(receiptPath, 'utf8')).replace('"version":1', '"version":2')
  await writeFile(receiptPath, damaged)

  const again = await open()
  await assertAbsent(again, wanted)
  assert.match(lines.join('\n'), new RegExp(`cannot read receipt.*${id}`))
  assert.equal(await readFile(receiptPath, 'utf8'), damaged)
  assert.equal(await publishSample(again, wanted), true)
  await assertWhole(again, wanted)
  const [aside] = await readdir(join(dir, 'damaged'))
  assert.equal(await readFile(join(dir, 'damaged', aside!, 'receipt.json'), 'utf8'), damaged)
})

test('receipt() reports a receipt damaged while the store is open as an error, not as a missing dataset', async (t) => {
  const { dir, open, lines } = await place(t)
  const store = await open()
  const [bad, good] = [sample({ seed: 1 }), sample({ seed: 2 })]
  await publishSample(store, bad)
  await publishSample(store, good)
  await writeFile(join(dir, 'datasets', bad.receipt.id, 'receipt.json'), '{')
  await assert.rejects(store.receipt(bad.receipt.id), failsWith('DATASET_DAMAGED'))
  const page = await store.list({ limit: 10, after: null, name: null, owner: '' })
  assert.deepEqual(
    page.datasets.map(({ receipt }) => receipt),
    [good.receipt],
  )
  assert.match(
    lines.at(-1) ?? '',
    new RegExp(`^cannot read receipt: dataset is left out of the list .*${bad.receipt.id}`),
  )
  await rm(join(dir, 'datasets', bad.receipt.id, 'receipt.json'))
  await assert.rejects(store.receipt(bad.receipt.id), failsWith('DATASET_DAMAGED'))
  assert.equal(await store.ownerOf(bad.receipt.id), '')
  assert.equal(await store.remove(bad.receipt), true)
  assert.equal(await store.ownerOf(bad.receipt.id), null)
})

test('publish() refuses a link in place of a file', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const outside = join(dir, 'outside')
  await rename((await filledDraft(store, wanted)).dir, outside)
  await using draft = await store.draft()
  await symlink(join(outside, 'original'), join(draft.dir, 'original'))
  await writeFile(join(draft.dir, 'data', 'part-00000.parquet'), wanted.files.get('data/part-00000.parquet')!)
  await assert.rejects(store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1)), failsWith('STORE_FAILED'))
  await assertAbsent(store, wanted)
  assert.deepEqual(await readFile(join(outside, 'original')), wanted.files.get('original'))
})

test('read() and open() refuse a link in place of a file', async (t) => {
  if (process.platform === 'win32') return t.skip('this system opens links like files')
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const { id } = wanted.receipt
  await publishSample(store, wanted)
  const [original, outside] = [join(dir, 'datasets', id, 'original'), join(dir, 'outside')]
  await rename(original, outside)
  await symlink(outside, original)
  await assert.rejects(store.read(wanted.receipt, 'original'), failsWith('STORE_FAILED'))
  await assert.rejects(store.open(wanted.receipt, 'original'), failsWith('STORE_FAILED'))
})

test('read() and withLocal() leave no descriptor open', { skip: process.platform !== 'linux' }, async (t) => {
  const { open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1, partCount: 5, originalBytes: 600_000 })
  const countOpen = async () => (await readdir('/proc/self/fd')).length
  const before = await countOpen()
  await publishSample(store, wanted)
  await assertWhole(store, wanted)
  await assertWhole(store, wanted)
  const cut = await store.read(wanted.receipt, 'original')
  await cut[Symbol.asyncIterator]().next()
  await cut[Symbol.asyncDispose]()
  const unread = await store.read(wanted.receipt, 'original')
  await unread[Symbol.asyncDispose]()
  await readAll(await store.read(wanted.receipt, 'original', { start: 3, end: 3 }))
  assert.equal(await countOpen(), before)
})

test('kept() returns nothing for a file that was torn, damaged or emptied, and keep() replaces it', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const { receipt } = sample({ seed: 1 })
  await publishSample(store, sample({ seed: 1 }))
  await store.keep(receipt, 'profile', Buffer.from('kept'))
  const path = join(dir, 'datasets', receipt.id, 'derived', 'profile')
  const bytes = await readFile(path)
  for (const wrong of [Buffer.alloc(0), bytes.subarray(0, -1), bytes.subarray(4), Buffer.alloc(bytes.length)]) {
    await writeFile(path, wrong)
    assert.equal(await store.kept(receipt, 'profile'), null)
    await store.keep(receipt, 'profile', Buffer.from('kept'))
    assert.equal(String(await store.kept(receipt, 'profile')), 'kept')
  }
  assert.deepEqual(await readdir(join(dir, 'incoming')), [])
})

test('kept() returns derived results after the store is reopened', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const { receipt } = sample({ seed: 1 })
  await publishSample(store, sample({ seed: 1 }))
  await store.keep(receipt, 'profile', Buffer.from('kept'))
  await store.close()
  assert.equal(String(await (await open()).kept(receipt, 'profile')), 'kept')
})

test('record() keeps the first upload of a dataset and the last 999, and they are deleted with it', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const { id } = wanted.receipt
  await publishSample(store, wanted, 0)
  const records = join(dir, 'datasets', id, 'uploads')
  const nameOf = (number: number) => `${sampleUpload(wanted.receipt, number).id}.json`
  for (let number = 1; number < 999; number += 1) await writeFile(join(records, nameOf(number)), '{}')
  for (let number = 999; number < 1_002; number += 1) await store.record(sampleUpload(wanted.receipt, number))
  const names = (await readdir(records)).toSorted()
  assert.deepEqual([names.length, names[0], names[1], names.at(-1)], [1_000, nameOf(0), nameOf(3), nameOf(1_001)])
  await store.remove({ id })
  assert.deepEqual(
    (await tree(dir)).filter((path) => path.endsWith('.json')),
    [],
  )
})

test('replace() keeps the upload records of the damaged dataset, without its files or receipt', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const { id } = wanted.receipt
  await publishSample(store, wanted, 0)
  await store.record(sampleUpload(wanted.receipt, 1))
  for (const name of ['original', 'data', 'receipt.json']) {
    await rm(join(dir, 'datasets', id, name), { recursive: true })
  }
  await store.replace(await filledDraft(store, wanted), wanted.receipt, sampleUpload(wanted.receipt, 2), wanted.receipt)
  await assertWhole(store, wanted)
  // The first record is marked, because the receipt may have had another name.
  const names = ['-name', '', ''].map((mark, number) => `${sampleUpload(wanted.receipt, number).id}${mark}.json`)
  assert.deepEqual((await readdir(join(dir, 'datasets', id, 'uploads'))).toSorted(), names)
  assert.deepEqual(await readdir(join(dir, 'incoming')), [])
  assert.deepEqual(await readdir(join(dir, 'replacing')), [])
})

test('replace() moves no files whose use begins while it waits for another one', async (t) => {
  const store = await (await place(t)).open()
  const wanted = sample({ seed: 1 })
  await publishSample(store, wanted, 0)
  let isReplaced = false
  /** Each use begins in the middle of the one before, so that there is always one. */
  const use = async (): Promise<void> => {
    let next: Promise<void> | undefined
    await store.withLocal({ id: wanted.receipt.id }, ['original'], async ([path]) => {
      const before = await stat(path!)
      for (let turn = 0; turn < 20; turn += 1) {
        await setImmediate()
        if (turn === 10 && !isReplaced) next = use()
        assert.equal((await stat(path!)).ino, before.ino)
      }
    })
    await next
  }
  const replacing = async () => {
    await store.replace(
      await filledDraft(store, wanted),
      wanted.receipt,
      sampleUpload(wanted.receipt, 1),
      wanted.receipt,
    )
    isReplaced = true
  }
  await Promise.all([use(), replacing()])
})

for (const [when, isStillThere] of [
  ['before the damaged dataset has moved away', true],
  ['after the damaged dataset has moved away', false],
] as const) {
  test(`a replacement that a crash interrupted ${when} is completed at the next start`, async (t) => {
    const { dir, open } = await place(t)
    const wanted = sample({ seed: 1, rejectPartCount: 1 })
    const { id } = wanted.receipt
    const store = await open()
    await publishSample(store, wanted)
    await store.close()
    await mkdir(join(dir, 'replacing'))
    await cp(join(dir, 'datasets', id), join(dir, 'replacing', id), { recursive: true })
    await writeFile(join(dir, 'datasets', id, 'original'), 'damaged')
    if (!isStillThere) await rename(join(dir, 'datasets', id), join(dir, 'incoming', 'aside'))
    await assertWhole(await open(), wanted)
    assert.deepEqual(await readdir(join(dir, 'incoming')), [])
    assert.deepEqual(await readdir(join(dir, 'replacing')), [])
  })
}

test('a replacement whose receipt cannot be read replaces nothing', async (t) => {
  const { dir, open } = await place(t)
  const wanted = sample({ seed: 1 })
  const { id } = wanted.receipt
  const store = await open()
  await publishSample(store, wanted)
  await store.close()
  await mkdir(join(dir, 'replacing', id), { recursive: true })
  await writeFile(join(dir, 'replacing', id, 'receipt.json'), '{')
  await assertWhole(await open(), wanted)
  assert.deepEqual(await readdir(join(dir, 'replacing')), [])
})

test('a start after a crash between a publish and the end of the older one in the trash has the new one alone', async (t) => {
  const { dir, open } = await place(t)
  const wanted = sample({ seed: 1 })
  const { id } = wanted.receipt
  for (const isWhole of [true, false]) {
    const store = await open()
    await publishSample(store, wanted)
    await store.trash({ id })
    const [name = ''] = await readdir(join(dir, 'trash'))
    await cp(join(dir, 'trash', name), join(dir, 'datasets', id), { recursive: true })
    // An older stay, and a directory that is no whole dataset.
    await cp(join(dir, 'trash', name), join(dir, 'trash', `${id}-1`), { recursive: true })
    if (!isWhole) await rm(join(dir, 'datasets', id, 'receipt.json'))
    await store.close()
    const again = await open()
    assert.deepEqual(await readdir(join(dir, 'trash')), isWhole ? [] : [name])
    assert.equal(again.usage('').datasets, 1)
    if (!isWhole) assert.equal(await again.restore((await again.trashed(id)) ?? assert.fail()), true)
    await assertWhole(again, wanted)
    await again.remove({ id })
    await again.close()
  }
})
