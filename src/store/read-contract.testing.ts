// Read contract: the part of the store contract about reading the files of a dataset. Knows no implementation.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { assertNotFound, assertWhole, type StoreTest } from './store-assertions.testing.ts'
import { publishSample, readAll, replaceSample, sample } from './store-samples.testing.ts'

/** Declares the tests of `receipt()`, `read()`, `open()`, `stamp()` and `withLocal()`. */
export function reading(storeTest: StoreTest): void {
  storeTest('receipt(), read(), withLocal() and remove() find nothing under any other text', async (store) => {
    const wanted = sample({ seed: 1 })
    const { id } = wanted.receipt
    await publishSample(store, wanted)
    const texts = ['', '.', '..', `../datasets/${id}`, `${id}/`, `./${id}`, ` ${id}`, `${id}\n`, `${id}\0`, '__proto__']
    texts.push(
      id.toUpperCase(),
      id.slice(1),
      `${id}0`,
      'constructor',
      '%2e%2e',
      'C:\\',
      '0'.repeat(32),
      'x'.repeat(10_000),
    )
    for (const text of texts) {
      assert.equal(await store.receipt(text), null, text)
      assert.equal(await store.ownerOf(text), null, text)
      await assertNotFound(store.read({ id: text }, 'original'))
      await assertNotFound(store.open({ id: text }, 'original'))
      await assertNotFound(store.stamp({ id: text }, 'original'))
      await assertNotFound(store.withLocal({ id: text }, ['original'], () => assert.fail('was used')))
      assert.equal(await store.isGone(text), true)
      assert.equal(await store.remove({ id: text }), false, text)
    }
    await assertWhole(store, wanted)
  })

  storeTest('read() and withLocal() find nothing under any other file name', async (store) => {
    const { receipt } = sample({ seed: 1 })
    await publishSample(store, sample({ seed: 1 }))
    await publishSample(store, sample({ seed: 2 }))
    const other = sample({ seed: 2 }).receipt.id
    const names = ['', '.', 'data', 'data/', 'data/..', 'data/../original', `../${other}/original`, '/etc/passwd']
    for (const name of [...names, 'receipt.json', 'Original', 'original\0', 'original/', 'data\\part-00000.parquet']) {
      await assertNotFound(store.read(receipt, name))
      await assertNotFound(store.withLocal(receipt, ['original', name], () => assert.fail('was used')))
    }
  })

  storeTest('read() yields exactly the bytes of the range', async (store) => {
    const wanted = sample({ seed: 1, originalBytes: 600_000 })
    const { id } = wanted.receipt
    const original = wanted.files.get('original')!
    await publishSample(store, wanted)
    const edges = [0, 1, 262_143, 262_144, 262_145, 599_999, 600_000]
    for (const start of edges) {
      for (const end of edges.filter((edge) => edge >= start)) {
        const bytes = await readAll(await store.read({ id }, 'original', { start, end }))
        assert.ok(bytes.equals(original.subarray(start, end)), `${start} to ${end}`)
      }
    }
  })

  storeTest('open() reads at any position, and fewer bytes only at the end', async (store) => {
    const wanted = sample({ seed: 1, originalBytes: 300_000 })
    const { id } = wanted.receipt
    const original = wanted.files.get('original')!
    await publishSample(store, wanted)
    await using stored = await store.open({ id }, 'original')
    for (const [position, length] of [
      [0, 10],
      [299_990, 10],
      [70_000, 200_000],
      [5, 1],
      [299_999, 10],
      [300_000, 5],
    ] as const) {
      const bytes = await stored.read(position, length)
      assert.ok(original.subarray(position, position + length).equals(bytes), `${length} bytes at ${position}`)
    }
    assert.equal(await store.remove({ id }), true)
    await assertNotFound(store.open({ id }, 'original'))
  })

  storeTest('stamp() reports the size of a file, and whether it has been written to', async (store) => {
    const wanted = sample({ seed: 1, originalBytes: 500 })
    const { id } = wanted.receipt
    await publishSample(store, wanted)
    const stamp = await store.stamp({ id }, 'original')
    assert.equal(stamp?.bytes, 500)
    assert.deepEqual(await store.stamp({ id }, 'original'), stamp)
    assert.equal(await store.stamp({ id }, 'data/part-00009.parquet'), null)
    const { receipt, files } = sample({ seed: 'remade', originalBytes: 500 })
    await replaceSample(store, { receipt: { ...receipt, id }, files }, 2)
    assert.notEqual((await store.stamp({ id }, 'original'))?.version, stamp?.version)
    await store.remove({ id })
    await assertNotFound(store.stamp({ id }, 'original'))
  })

  storeTest(
    'withLocal() passes readable paths in the given order, and returns or rethrows what use() does',
    async (store) => {
      const wanted = sample({ seed: 1, partCount: 2 })
      const { id } = wanted.receipt
      await publishSample(store, wanted)
      const files = ['data/part-00001.parquet', 'original', 'data/part-00000.parquet']
      const read = await store.withLocal({ id }, files, (paths) => Promise.all(paths.map((path) => readFile(path))))
      assert.deepEqual(
        read,
        files.map((file) => wanted.files.get(file)),
      )
      const error = new Error('failure of the caller')
      await assert.rejects(
        store.withLocal({ id }, files, () => Promise.reject(error)),
        (seen) => seen === error,
      )
    },
  )
}
