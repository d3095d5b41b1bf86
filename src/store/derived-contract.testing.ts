// Derived contract: the part of the store contract about results that can be recomputed. Knows no implementation.
import assert from 'node:assert/strict'
import { assertAbsent, assertNotFound, assertWhole, type StoreTest } from './store-assertions.testing.ts'
import { publishSample, sample } from './store-samples.testing.ts'

/** Declares the tests of `keep()` and `kept()`. */
export function deriving(storeTest: StoreTest): void {
  storeTest(
    'kept() returns the last bytes given to keep() under that name, and nothing else changes',
    async (store) => {
      const [wanted, other] = [sample({ seed: 1 }), sample({ seed: 2 })]
      for (const one of [wanted, other]) await publishSample(store, one)
      const { id } = wanted.receipt
      assert.equal(await store.kept({ id }, 'profile-1.json'), null)
      for (const text of ['first', '', 'a longer third']) {
        await store.keep({ id }, 'profile-1.json', Buffer.from(text))
        assert.equal((await store.kept({ id }, 'profile-1.json'))?.toString(), text)
      }
      assert.equal(await store.kept({ id }, 'profile-2.json'), null)
      assert.equal(await store.kept(other.receipt, 'profile-1.json'), null)
      await assertWhole(store, wanted)
      for (const file of ['profile-1.json', 'derived/profile-1.json']) await assertNotFound(store.read({ id }, file))
    },
  )

  storeTest('keep() many times at once keeps one result whole', async (store) => {
    const { receipt } = sample({ seed: 1 })
    await publishSample(store, sample({ seed: 1 }))
    const texts = Array.from({ length: 8 }, (_, number) => String(number).repeat(10_000 + number))
    await Promise.all(texts.map((text) => store.keep(receipt, 'profile', Buffer.from(text))))
    assert.ok(texts.includes(String(await store.kept(receipt, 'profile'))))
  })

  storeTest('keep() keeps results only as long as their dataset exists', async (store) => {
    const wanted = sample({ seed: 1 })
    const { id } = wanted.receipt
    await store.keep({ id }, 'profile', Buffer.from('too early'))
    await publishSample(store, wanted)
    assert.equal(await store.kept({ id }, 'profile'), null)
    await store.keep({ id }, 'profile', Buffer.from('in time'))
    await Promise.all([store.remove({ id }), store.keep({ id }, 'profile', Buffer.from('too late'))])
    assert.equal(await store.kept({ id }, 'profile'), null)
    await assertAbsent(store, wanted)
    await publishSample(store, wanted)
    assert.equal(await store.kept({ id }, 'profile'), null)
    for (const none of ['', '..', '../x', '0'.repeat(32)]) {
      await store.keep({ id: none }, 'profile', Buffer.from('x'))
      assert.equal(await store.kept({ id: none }, 'profile'), null)
    }
  })

  storeTest(
    'savedState() returns the last bytes given to saveState() under that name, and null before',
    async (store, open) => {
      assert.equal(await store.savedState('scrub.json'), null)
      for (const text of ['first', '', 'a longer third']) {
        await store.saveState('scrub.json', Buffer.from(text))
        assert.equal((await store.savedState('scrub.json'))?.toString(), text)
      }
      assert.equal(await store.savedState('other.json'), null)
      for (const name of ['', '..', '../receipt.json', 'a/b', 'A']) {
        await assert.rejects(store.saveState(name, Buffer.from('x')), name)
        await assert.rejects(store.savedState(name), name)
      }
      await store.close()
      const again = await open()
      assert.ok(['a longer third', 'null'].includes(String(await again.savedState('scrub.json'))))
    },
  )

  storeTest('keptNames() has the names of one publish, and keep() keeps nothing for another', async (store) => {
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    const first = (await store.receipt(wanted.receipt.id)) ?? assert.fail()
    for (const name of ['copies-b', 'copies-a', 'profile']) await store.keep(first, name, Buffer.from('x'))
    assert.deepEqual((await store.keptNames(first, 'copies-')).toSorted(), ['copies-a', 'copies-b'])
    await store.remove(first)
    assert.deepEqual(await store.keptNames(first, 'copies-'), [])
    await publishSample(store, wanted, 2)
    await store.keep(first, 'profile', Buffer.from('x'))
    assert.deepEqual([await store.kept(first, 'profile'), await store.keptNames(first, 'p')], [null, []])
    assert.deepEqual(await store.keptNames({ id: wanted.receipt.id }, 'p'), [])
  })

  storeTest('keep() and kept() refuse names that lead to other files', async (store) => {
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    for (const name of ['', '.', '..', '../receipt.json', 'a/b', 'A', '1', 'a\0', 'a'.repeat(65)]) {
      await assert.rejects(store.keep(wanted.receipt, name, Buffer.from('x')), name)
      await assert.rejects(store.kept(wanted.receipt, name), name)
    }
    await assertWhole(store, wanted)
  })
}
