// Names contract: every store must find a dataset by any name under which its file was sent. Knows no implementation.
import assert from 'node:assert/strict'
import type { Store } from './store.ts'
import { idsOf, type StoreTest } from './store-assertions.testing.ts'
import { publishSample, replaceSample, sample, sampleUpload } from './store-samples.testing.ts'

/** Declares the tests of `list()` by name. */
export function naming(storeTest: StoreTest): void {
  storeTest(
    'list() finds a dataset by any name under which its file was sent, also after the store is reopened',
    async (store, open) => {
      const [wanted, other] = [sample({ seed: 1, name: 'First.csv' }), sample({ seed: 2, name: 'other.csv' })]
      for (const one of [wanted, other]) await publishSample(store, one)
      const { id } = wanted.receipt
      const record = (number: number, fileName: string) =>
        store.record({ ...sampleUpload(wanted.receipt, number), fileName, outcome: 'duplicate' })
      for (const [index, name] of ['Zweite Ärger.CSV', 'First.csv', 'zweite ärger.csv', 'third'].entries()) {
        await record(index + 5, name)
      }
      const findsAll = async (one: Store) => {
        for (const name of ['FIRST', 'zweite Ä', 'third']) assert.deepEqual(await idsOf(one, 10, name), [id], name)
        assert.deepEqual(await idsOf(one, 10, 'other'), [other.receipt.id])
        assert.equal((await idsOf(one, 10, '')).length, 2)
        assert.equal((await one.receipt(id))?.file.name, 'First.csv')
      }
      await findsAll(store)
      await store.close()
      const again = await open()
      await findsAll(again)
      await again.remove({ id })
      assert.deepEqual(await idsOf(again, 10, 'third'), [])
      await publishSample(again, wanted)
      assert.deepEqual([await idsOf(again, 10, 'third'), await idsOf(again, 10, 'first')], [[], [id]])
    },
  )

  storeTest('list() finds a replaced dataset by its old names and the new one', async (store, open) => {
    const damaged = sample({ seed: 1, name: 'old.csv' })
    await publishSample(store, damaged)
    const { id } = damaged.receipt
    await store.record({ ...sampleUpload(damaged.receipt, 5), fileName: 'alias.csv', outcome: 'duplicate' })
    const remade = sample({ seed: 'remade', name: 'new.csv' })
    await replaceSample(store, { ...remade, receipt: { ...remade.receipt, id } }, 6)
    const findsAll = async (one: Store) => {
      for (const name of ['old', 'alias', 'new']) assert.deepEqual(await idsOf(one, 10, name), [id], name)
    }
    await findsAll(store)
    await store.close()
    await findsAll(await open())
  })

  storeTest('list() finds a dataset by twenty names at most', async (store, open) => {
    const wanted = sample({ seed: 1, name: 'name-00.csv' })
    await publishSample(store, wanted)
    for (let number = 1; number < 25; number += 1) {
      const fileName = `name-${String(number).padStart(2, '0')}.csv`
      await store.record({ ...sampleUpload(wanted.receipt, number), fileName, outcome: 'duplicate' })
    }
    const findsTwenty = async (one: Store) => {
      for (let number = 0; number < 25; number += 1) {
        const ids = await idsOf(one, 10, `name-${String(number).padStart(2, '0')}`)
        assert.equal(ids.length, number < 20 ? 1 : 0, `${number}`)
      }
    }
    await findsTwenty(store)
    await store.close()
    await findsTwenty(await open())
  })
}
