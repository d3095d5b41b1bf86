// Replace contract: what every store must do for a dataset that is sent again, whole or damaged. Knows no implementation.
import assert from 'node:assert/strict'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Receipt } from '../core/receipt.ts'
import { assertAbsent, assertNotFound, assertWhole, idsOf, type StoreTest } from './store-assertions.testing.ts'
import { fill, publishSample, replaceSample, type Sample, sample, sampleUpload } from './store-samples.testing.ts'

/** A dataset with the same id, but other parts and a later creation time. */
function remade(seed: number): Sample {
  const { id } = sample({ seed }).receipt
  const other = sample({ seed: `${seed} again`, partCount: 2, rejectPartCount: 1 })
  return { ...other, receipt: { ...other.receipt, id } }
}

export function replacing(storeTest: StoreTest): void {
  storeTest('replace() durably replaces a damaged dataset with an intact one', async (store, open) => {
    const damaged = sample({ seed: 1, partCount: 3 })
    await publishSample(store, damaged)
    await store.withLocal(damaged.receipt, ['original', 'data/part-00000.parquet'], async ([original, part]) => {
      await writeFile(original!, 'x')
      await rm(part!)
    })
    const wanted = remade(1)
    assert.deepEqual(await replaceSample(store, wanted, 2), wanted.receipt)
    await assertWhole(store, wanted)
    assert.deepEqual(await idsOf(store), [wanted.receipt.id])
    const bytes = [wanted.receipt.file, ...wanted.receipt.parts, ...wanted.receipt.rejects.parts]
    const usage = { datasets: 1, bytes: bytes.reduce((sum, one) => sum + one.bytes, 0) }
    assert.deepEqual(store.usage(wanted.receipt.owner), usage)
    await store.close()
    const again = await open()
    await assertWhole(again, wanted)
    assert.deepEqual(again.usage(wanted.receipt.owner), usage)
    assert.equal(await again.remove(wanted.receipt), true)
    await assertAbsent(again, wanted)
  })

  storeTest('replace() keeps the creation time of the dataset', async (store) => {
    const damaged = sample({ seed: 1, createdAt: 5 })
    await publishSample(store, damaged)
    const wanted = remade(1)
    const late = { ...wanted, receipt: { ...wanted.receipt, createdAt: 9 } }
    const early = { ...wanted, receipt: { ...wanted.receipt, createdAt: 5 } }
    assert.deepEqual(await replaceSample(store, late, 2), early.receipt)
    await assertWhole(store, early)
  })

  storeTest('replace() makes a new dataset of one that was removed meanwhile', async (store) => {
    const wanted = sample({ seed: 1 })
    await using draft = await store.draft()
    await fill(draft, wanted)
    const upload = { ...sampleUpload(wanted.receipt, 1), outcome: 'repaired' } as const
    const stored = await store.replace(draft, wanted.receipt, upload, wanted.receipt)
    assert.deepEqual(stored, { receipt: wanted.receipt, upload: { ...upload, outcome: 'new' } })
    await assertWhole(store, wanted)
  })

  storeTest('replace() and remove() change only the publish that was read', async (store) => {
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    const first = (await store.receipt(wanted.receipt.id)) ?? assert.fail()
    await replaceSample(store, wanted, 2, first)
    const second = (await store.receipt(wanted.receipt.id)) ?? assert.fail()
    assert.equal(await replaceSample(store, remade(1), 3, first), null)
    assert.deepEqual([await store.remove(first), await store.renew(first)], [false, false])
    await assertNotFound(store.read(first, 'original'))
    await assertNotFound(store.open(first, 'original'))
    await assertNotFound(store.stamp(first, 'original'))
    await assertNotFound(store.withLocal(first, ['original'], () => assert.fail('was used')))
    await assertWhole(store, wanted)
    assert.equal(await store.renew(second), true)
    assert.equal(await store.remove(second), true)
    await publishSample(store, wanted, 4)
    assert.equal(await store.remove(second), false)
    await assertWhole(store, wanted)
  })

  storeTest('remove() of what is older than a time counts from the last upload of the bytes', async (store, open) => {
    const wanted = sample({ seed: 1, createdAt: 1_000 })
    const { receipt } = wanted
    const [before, after] = [Date.now() - 60_000, Date.now() + 60_000]
    await publishSample(store, wanted)
    await store.record({ ...sampleUpload(receipt, 2), receivedAt: Date.now() })
    assert.deepEqual([[...store.olderThan(before)], [...store.olderThan(after)]], [[], [receipt.id]])
    assert.equal(await store.remove(receipt, before), false)
    await store.close()
    const again = await open()
    assert.equal(await again.remove(receipt, before), false)
    assert.deepEqual([...again.olderThan(before)], [])
    assert.equal(await again.renew(receipt), true)
    assert.equal(await again.remove(receipt, before), false)
    assert.equal(await again.remove(receipt, after), true)
    await assertAbsent(again, wanted)
  })

  storeTest('replace() leaves the damaged dataset unchanged if the draft does not match its receipt', async (store) => {
    const damaged = sample({ seed: 1 })
    await publishSample(store, damaged)
    const wanted = remade(1)
    const draft = await store.draft()
    await fill(draft, wanted)
    await writeFile(join(draft.dir, 'original'), 'x')
    await assert.rejects(store.replace(draft, wanted.receipt, sampleUpload(wanted.receipt, 2), wanted.receipt))
    await assertWhole(store, damaged)
  })

  storeTest('replace() waits for local paths in use', async (store) => {
    const damaged = sample({ seed: 1 })
    const wanted = remade(1)
    await publishSample(store, damaged)
    let replaced: Promise<Receipt | null> | undefined
    await store.withLocal(damaged.receipt, ['original', 'data/part-00000.parquet'], async (paths) => {
      // Not their sizes: what replaces them may have the same.
      const inodes = () => Promise.all(paths.map(async (path) => (await stat(path, { bigint: true })).ino))
      const before = await inodes()
      replaced = replaceSample(store, wanted, 2)
      // Each of these takes about as many calls as the replacement.
      for (let seed = 2; seed < 7; seed++) await publishSample(store, sample({ seed }))
      assert.deepEqual(await inodes(), before)
    })
    assert.deepEqual(await replaced, wanted.receipt)
    await assertWhole(store, wanted)
  })

  storeTest(
    'replace(), publish(), record() and remove() of one dataset at once leave it whole or absent',
    async (store) => {
      const wanted = sample({ seed: 1 })
      const works = Array.from({ length: 24 }, (_, number) => {
        if (number % 4 === 0) return publishSample(store, wanted, number)
        if (number % 4 === 1) return replaceSample(store, wanted, number)
        if (number % 4 === 2) return store.record(sampleUpload(wanted.receipt, number))
        return store.remove(wanted.receipt)
      })
      await Promise.all(works)
      const isThere = (await store.receipt(wanted.receipt.id)) !== null
      await (isThere ? assertWhole : assertAbsent)(store, wanted)
    },
  )
}

export function recording(storeTest: StoreTest): void {
  storeTest('record() keeps uploads of a dataset, also many at once and the same one twice', async (store) => {
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    const uploads = Array.from({ length: 20 }, (_, number) => sampleUpload(wanted.receipt, number))
    await Promise.all([...uploads, uploads[0]!].map((upload) => store.record(upload)))
    await assertWhole(store, wanted)
  })

  storeTest('record() keeps nothing for a removed dataset', async (store) => {
    const { receipt } = sample({ seed: 1 })
    await store.record(sampleUpload(receipt, 1))
    await assertAbsent(store, sample({ seed: 1 }))
  })

  storeTest('record() rejects an invalid id', async (store) => {
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    for (const id of ['', '../x', 'a/b', '0'.repeat(36)]) {
      await assert.rejects(store.record({ ...sampleUpload(wanted.receipt, 1), id }))
    }
  })
}
