// Store contract: what every store must do, as tests for each implementation. Knows no implementation.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { isServiceError } from '../core/errors.ts'
import { deriving } from './derived-contract.testing.ts'
import { naming } from './names-contract.testing.ts'
import { reading } from './read-contract.testing.ts'
import { recording, replacing } from './replace-contract.testing.ts'
import type { Store } from './store.ts'
import {
  assertAbsent,
  assertFails,
  assertNotFound,
  assertWhole,
  idsOf,
  type StoreTest,
} from './store-assertions.testing.ts'
import { fill, publishSample, readAll, sample, sampleUpload } from './store-samples.testing.ts'
import { searching, trashing } from './trash-contract.testing.ts'

/** Opens the same location, initially empty, any number of times. Close the previous store before opening the next. */
export type OpenStore = () => Promise<Store>

/**
 * Declares the tests.
 *
 * @param make Called once per test for a separate location; cleans it up with `t.after`.
 */
export function storeContract(name: string, make: (t: TestContext) => Promise<OpenStore>): void {
  const storeTest: StoreTest = (title, body) => {
    test(title, async (t) => {
      const open = await make(t)
      await body(await open(), open)
    })
  }
  describe(name, () => {
    publishing(storeTest)
    reading(storeTest)
    listing(storeTest)
    naming(storeTest)
    removing(storeTest)
    keeping(storeTest)
    recording(storeTest)
    replacing(storeTest)
    deriving(storeTest)
    trashing(storeTest)
    searching(storeTest)
  })
}

function publishing(storeTest: StoreTest): void {
  storeTest('draft() creates a private directory with an empty one in it, and others on request', async (store) => {
    await using first = await store.draft()
    await using second = await store.draft()
    assert.notEqual(first.dir, second.dir)
    assert.deepEqual(await readdir(first.dir), ['data'])
    const folders = await Promise.all([first.folder('segments'), first.folder('rejects'), first.folder('segments')])
    assert.deepEqual(
      folders,
      ['segments', 'rejects', 'segments'].map((name) => join(first.dir, name)),
    )
    assert.deepEqual((await readdir(first.dir)).sort(), ['data', 'rejects', 'segments'])
    for (const directory of await readdir(first.dir)) assert.deepEqual(await readdir(join(first.dir, directory)), [])
    if (process.platform !== 'win32') assert.equal((await stat(first.dir)).mode & 0o777, 0o700)
  })

  storeTest('draft() leaves nothing if it is disposed of unpublished', async (store) => {
    const draft = await store.draft()
    await fill(draft, sample({ seed: 1 }))
    await draft[Symbol.asyncDispose]()
    await assert.rejects(stat(draft.dir), { code: 'ENOENT' })
    assert.deepEqual(await idsOf(store), [])
  })

  storeTest('publish() makes all files visible at once', async (store) => {
    const wanted = sample({ seed: 1, partCount: 3, rejectPartCount: 2 })
    await using draft = await store.draft()
    await fill(draft, wanted)
    await assertAbsent(store, wanted)
    assert.equal(await store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1)), true)
    await assertWhole(store, wanted)
    await assert.rejects(stat(draft.dir), { code: 'ENOENT' })
  })

  storeTest('publish() accepts a dataset without parts, and an empty original', async (store) => {
    await publishSample(store, sample({ seed: 1, partCount: 0, originalBytes: 1 }))
    await assertWhole(store, sample({ seed: 1, partCount: 0, originalBytes: 1 }))
    const empty = sample({ seed: 2, partCount: 0, originalBytes: 0 })
    await publishSample(store, empty)
    await assertWhole(store, empty)
  })

  storeTest('publish() keeps nothing that the receipt does not name', async (store) => {
    const wanted = sample({ seed: 1 })
    await using draft = await store.draft()
    await fill(draft, wanted)
    await writeFile(join(await draft.folder('segments'), 'segment-0'), 'a,b\n')
    await writeFile(join(draft.dir, 'data', 'part-00009.parquet'), 'not named')
    await mkdir(join(draft.dir, 'data', 'nested'))
    await store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1))
    await assertWhole(store, wanted)
    for (const file of ['segments/segment-0', 'receipt.json', 'data']) {
      await assertNotFound(store.read(wanted.receipt, file))
    }
    for (const file of ['data/part-00009.parquet', 'data/nested']) {
      await assertFails(store.read(wanted.receipt, file), 'DATASET_DAMAGED')
    }
  })

  storeTest('publish() resolves false and keeps nothing if the dataset exists', async (store) => {
    const first = sample({ seed: 1, name: 'first.csv' })
    const second = sample({ seed: 1, name: 'second.csv', createdAt: 1 })
    assert.equal(await publishSample(store, first), true)
    await using draft = await store.draft()
    await fill(draft, second)
    assert.equal(await store.publish(draft, second.receipt, sampleUpload(second.receipt, 1)), false)
    await assertWhole(store, first)
    await assert.rejects(stat(draft.dir), { code: 'ENOENT' })
    assert.deepEqual(await idsOf(store), [first.receipt.id])
  })

  storeTest('publish() of one dataset many times at once resolves true exactly once', async (store) => {
    const wanted = sample({ seed: 1 })
    const results = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const isNew = await publishSample(store, wanted)
        // A duplicate is reported as a success, so the winner must be durable and visible by then.
        await assertWhole(store, wanted)
        return isNew
      }),
    )
    assert.equal(results.filter(Boolean).length, 1)
  })

  storeTest('publish() publishes many datasets at once', async (store) => {
    const all = Array.from({ length: 30 }, (_, seed) => sample({ seed }))
    await Promise.all(all.map((wanted) => publishSample(store, wanted)))
    for (const wanted of all) await assertWhole(store, wanted)
  })

  storeTest('publish() fails if a named file is missing or has another size, and can succeed later', async (store) => {
    const wanted = sample({ seed: 1, partCount: 2, rejectPartCount: 1 })
    for (const file of wanted.files.keys()) {
      for (const change of [null, -1, 1]) {
        const files = new Map(wanted.files)
        if (change === null) files.delete(file)
        else files.set(file, Buffer.alloc(wanted.files.get(file)!.length + change))
        await using draft = await store.draft()
        await fill(draft, { ...wanted, files })
        await assertFails(store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1)), 'STORE_FAILED')
        await assertAbsent(store, wanted)
        await assert.rejects(stat(draft.dir), { code: 'ENOENT' })
      }
    }
    assert.equal(await publishSample(store, wanted), true)
    await assertWhole(store, wanted)
  })

  storeTest('publish() refuses names that lead out of the dataset', async (store) => {
    const wanted = sample({ seed: 1 })
    for (const file of ['../escaped', 'data/../../escaped', '/escaped', 'data', 'receipt.json', 'other/part']) {
      await using draft = await store.draft()
      await fill(draft, wanted)
      const parts = [{ ...wanted.receipt.parts[0]!, file }]
      await assertFails(
        store.publish(draft, { ...wanted.receipt, parts }, sampleUpload(wanted.receipt, 1)),
        'STORE_FAILED',
      )
    }
    await assertAbsent(store, wanted)
  })
}

function listing(storeTest: StoreTest): void {
  storeTest('list() pages newest first, each dataset once, while others come and go', async (store) => {
    // Two per millisecond, so that the order by id matters too.
    const all = Array.from({ length: 12 }, (_, seed) => sample({ seed, createdAt: 1000 + Math.floor(seed / 2) }))
    const order = all
      .map(({ receipt }) => receipt)
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id)
    for (const wanted of all) await publishSample(store, wanted)
    for (const limit of [1, 2, 5, 11, 12, 13, 1000]) assert.deepEqual(await idsOf(store, limit), order, `${limit}`)

    const first = await store.list({ limit: 5, after: null, name: null, owner: '' })
    assert.deepEqual(first.datasets[0]?.receipt, all.find(({ receipt }) => receipt.id === order[0])?.receipt)
    // The dataset of the cursor and an earlier one are removed; one is added before and one after it.
    await store.remove({ id: order[4]! })
    await store.remove({ id: order[0]! })
    await publishSample(store, sample({ seed: 'newer', createdAt: 5000 }))
    const older = sample({ seed: 'older', createdAt: 1 })
    await publishSample(store, older)
    const rest = await store.list({ limit: 1000, after: first.after, name: null, owner: '' })
    assert.deepEqual(
      rest.datasets.map(({ receipt }) => receipt.id),
      [...order.slice(5), older.receipt.id],
    )
    assert.equal(rest.after, null)
  })

  storeTest('list() filters by a part of the file name, ignoring case', async (store) => {
    const names = ['Sales 2024.csv', 'sales-2025.CSV', 'Ärger.csv', 'other.tsv']
    for (const [index, name] of names.entries())
      await publishSample(store, sample({ seed: name, name, createdAt: -index + 9 }))
    const namesOf = async (name: string) =>
      (await store.list({ limit: 10, after: null, name, owner: '' })).datasets.map(({ receipt }) => receipt.file.name)
    assert.deepEqual(await namesOf('SALES'), names.slice(0, 2))
    assert.deepEqual(await namesOf('.csv'), names.slice(0, 3))
    for (const form of ['NFC', 'NFD']) assert.deepEqual(await namesOf('ärger'.normalize(form)), ['Ärger.csv'])
    assert.deepEqual(await namesOf('.*'), [])
    const page = await store.list({ limit: 2, after: null, name: 'csv', owner: '' })
    assert.deepEqual(
      (await store.list({ limit: 2, after: page.after, name: 'csv', owner: '' })).datasets[0]?.receipt.file.name,
      'Ärger.csv',
    )
  })

  storeTest('list() refuses an invalid cursor', async (store) => {
    for (const after of ['', 'x', '0', '../..', 'MTAwMA', 'A'.repeat(5000)]) {
      await assertFails(store.list({ limit: 1, after, name: null, owner: '' }), 'BAD_PARAMETER')
    }
  })
}

function removing(storeTest: StoreTest): void {
  storeTest(
    'receipt() and read() return a dataset or report it as missing while it is removed and published',
    async (store) => {
      const wanted = sample({ seed: 1 })
      const { id } = wanted.receipt
      const original = wanted.files.get('original')
      let isOver = false
      const look = async () => {
        while (!isOver) {
          // A missing dataset is reported immediately, without waiting for those being published.
          await new Promise((resolve) => setImmediate(resolve))
          const receipt = await store.receipt(id)
          if (receipt !== null) assert.deepEqual(receipt, wanted.receipt)
          const bytes = await store.read({ id }, 'original').then(readAll, (error) => {
            assert.ok(isServiceError(error, 'DATASET_NOT_FOUND'), String(error))
            return null
          })
          if (bytes !== null) assert.deepEqual(bytes, original)
        }
      }
      const looking = Promise.all([look(), look(), look(), look()])
      for (let round = 0; round < 10; round++) {
        await publishSample(store, wanted)
        await store.remove({ id })
      }
      isOver = true
      await looking
    },
  )

  storeTest('remove() removes one dataset, which can be published again', async (store) => {
    const [wanted, other] = [sample({ seed: 1 }), sample({ seed: 2 })]
    await publishSample(store, wanted)
    await publishSample(store, other)
    assert.equal(await store.remove(wanted.receipt), true)
    await assertAbsent(store, wanted)
    await assertWhole(store, other)
    assert.equal(await store.remove(wanted.receipt), false)
    assert.equal(await publishSample(store, wanted), true)
    await assertWhole(store, wanted)
  })

  storeTest('remove() many times at once resolves true exactly once', async (store) => {
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    const results = await Promise.all(Array.from({ length: 8 }, () => store.remove(wanted.receipt)))
    assert.equal(results.filter(Boolean).length, 1)
  })

  storeTest('remove() lets streams in flight finish', async (store) => {
    const wanted = sample({ seed: 1, originalBytes: 3_000_000 })
    await publishSample(store, wanted)
    const stream = await store.read(wanted.receipt, 'original')
    const chunks = stream[Symbol.asyncIterator]()
    const first: Uint8Array = (await chunks.next()).value
    assert.equal(await store.remove(wanted.receipt), true)
    const rest = await readAll(stream)
    assert.ok(Buffer.concat([first, rest]).equals(wanted.files.get('original')!))
  })

  storeTest('remove() takes effect immediately, but keeps local paths until their use has ended', async (store) => {
    const wanted = sample({ seed: 1 })
    const { id } = wanted.receipt
    await publishSample(store, wanted)
    let removed: Promise<boolean> | undefined
    const bytes = await store.withLocal({ id }, ['original'], async ([path]) => {
      removed = store.remove({ id })
      // In a bucket, it takes effect after some requests. If it waited for this use to end, neither would ever end.
      while ((await store.receipt(id)) !== null) await store.check()
      await assertAbsent(store, wanted)
      return readFile(path!)
    })
    assert.ok(bytes.equals(wanted.files.get('original')!))
    assert.equal(await removed, true)
  })
}

function keeping(storeTest: StoreTest): void {
  storeTest('a reopened store has published datasets and no removed ones', async (store, open) => {
    const [kept, gone] = [sample({ seed: 1, partCount: 2, rejectPartCount: 1 }), sample({ seed: 2 })]
    await publishSample(store, kept)
    await publishSample(store, gone)
    await store.remove(gone.receipt)
    const draft = await store.draft()
    await fill(draft, gone)
    await store.close()
    const again = await open()
    await assertWhole(again, kept)
    await assertAbsent(again, gone)
    assert.deepEqual(await idsOf(again), [kept.receipt.id])
    assert.equal(await publishSample(again, kept), false)
  })

  storeTest('check() passes and freeBytes() is positive on a healthy store', async (store) => {
    await store.check()
    assert.ok((await store.freeBytes()) > 0)
  })
}
