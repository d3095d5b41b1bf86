// Trash contract: what every store must do for datasets in the trash, and for lists. Knows no implementation.
import assert from 'node:assert/strict'
import type { DatasetChange, ListQuery, Store, TrashedDataset } from './store.ts'
import { assertAbsent, assertFails, assertWhole, idsOf, type StoreTest } from './store-assertions.testing.ts'
import { fill, publishSample, replaceSample, type Sample, sample, sampleUpload } from './store-samples.testing.ts'

const everything: ListQuery = { limit: 100, after: null, name: null, owner: '' }

async function trashedIds(store: Store): Promise<readonly string[]> {
  const { datasets, total } = await store.list({ ...everything, isTrash: true })
  assert.equal(total, datasets.length)
  for (const { receipt, trashedAt } of datasets) {
    const { owner } = receipt
    assert.deepEqual(await store.trashed(receipt.id), { id: receipt.id, owner, trashedAt })
  }
  return datasets.map(({ receipt }) => receipt.id)
}

async function inTrash(store: Store, { receipt }: Sample): Promise<TrashedDataset> {
  return (await store.trashed(receipt.id)) ?? assert.fail('it is not in the trash')
}

export function trashing(storeTest: StoreTest): void {
  storeTest(
    'trash() hides a dataset from everyone and keeps counting it; restore() brings it back',
    async (store, open) => {
      const wanted = sample({ seed: 1, partCount: 2 })
      const { id, owner } = wanted.receipt
      await publishSample(store, wanted)
      await publishSample(store, sample({ seed: 2 }))
      const usage = store.usage(owner)
      const publish = await store.published(id)
      assert.equal(await store.trash(wanted.receipt), true)
      await assertAbsent(store, wanted)
      const assertTrashed = async (one: Store) => {
        assert.equal(await one.receipt(id), null)
        assert.equal(await one.published(id), null)
        assert.equal(await one.isGone(id), false)
        assert.deepEqual([await idsOf(one), await trashedIds(one)], [[sample({ seed: 2 }).receipt.id], [id]])
        assert.deepEqual([one.isCounted(id), one.usage(owner), one.usage(owner, true).datasets], [true, usage, 1])
        assert.deepEqual(
          [await one.trash({ id }), await one.remove({ id }), await one.renew({ id })],
          [false, false, false],
        )
        assert.deepEqual([...one.olderThan(Number.POSITIVE_INFINITY)].includes(id), false)
      }
      await assertTrashed(store)
      await store.record(sampleUpload(wanted.receipt, 7))
      await store.close()
      const again = await open()
      await assertTrashed(again)
      assert.equal(await again.restore(await inTrash(again, wanted)), true)
      await assertWhole(again, wanted)
      assert.deepEqual(
        [await again.trashed(id), again.usage(owner), again.usage(owner, true).datasets],
        [null, usage, 0],
      )
      assert.equal((await idsOf(again)).length, 2)
      await again.close()
      const last = await open()
      await assertWhole(last, wanted)
      assert.deepEqual(await trashedIds(last), [])
      assert.ok(publish)
    },
  )

  storeTest(
    'restore() and erase() act on one stay in the trash, and what has been read stays the same publish',
    async (store) => {
      const wanted = sample({ seed: 1 })
      const { id } = wanted.receipt
      await publishSample(store, wanted)
      const read = (await store.receipt(id)) ?? assert.fail()
      await store.trash(read)
      const first = await inTrash(store, wanted)
      assert.equal(await store.restore(first), true)
      assert.deepEqual(await store.published(id), { id, publish: read.publish })
      assert.equal(await store.stamp(read, 'original').then(Boolean), true)
      for (let now = Date.now(); Date.now() <= now; );
      assert.equal(await store.trash(read), true)
      assert.deepEqual([await store.erase(first), await store.restore(first)], [false, false])
      assert.equal(await store.erase(await inTrash(store, wanted)), true)
      await assertAbsent(store, wanted)
      assert.deepEqual([await store.trashed(id), await store.isGone(id), store.isCounted(id)], [null, true, false])
      assert.deepEqual([store.usage('').datasets, await trashedIds(store)], [0, []])
      await publishSample(store, wanted, 2)
      assert.equal(await store.trash(read), false)
      await assertWhole(store, wanted)
    },
  )

  storeTest('publish() and replace() publish anew what is in the trash, and take it out', async (store, open) => {
    const wanted = sample({ seed: 1 })
    const { id } = wanted.receipt
    for (const how of ['publish', 'replace'] as const) {
      const createdAt = wanted.receipt.createdAt + how.length
      const again = { ...wanted, receipt: { ...wanted.receipt, createdAt } }
      await publishSample(store, wanted)
      const read = (await store.receipt(id)) ?? assert.fail()
      await store.trash(read)
      if (how === 'publish') await publishSample(store, again, 2)
      else await replaceSample(store, again, 2, read)
      await assertWhole(store, again)
      assert.notEqual((await store.published(id))?.publish, read.publish)
      assert.deepEqual([await trashedIds(store), await idsOf(store), store.usage('').datasets], [[], [id], 1])
      assert.equal(await store.remove({ id }), true)
      await assertAbsent(store, wanted)
      assert.deepEqual([await store.trashed(id), await store.isGone(id)], [null, true])
    }
    await store.close()
    const last = await open()
    assert.deepEqual([await trashedIds(last), await idsOf(last)], [[], []])
  })

  storeTest('expiredTrash() has what was put in the trash, or last uploaded, before a time', async (store) => {
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    await publishSample(store, sample({ seed: 2 }))
    await store.trash(wanted.receipt)
    const of = await inTrash(store, wanted)
    const later = Date.now() + 3_600_000
    const ids = (trashed: number, uploaded: number) =>
      Array.from(store.expiredTrash(trashed, uploaded)).map(({ id, trashedAt }) => [id, trashedAt])
    assert.deepEqual(ids(0, 0), [])
    assert.deepEqual(ids(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY), [])
    assert.deepEqual(ids(later, 0), [[of.id, of.trashedAt]])
    assert.deepEqual(ids(0, later), [[of.id, of.trashedAt]])
  })
}

/** A dataset of a file with these facts. */
function listed(
  seed: string,
  given: { rows?: number; rejects?: number; columns?: readonly string[]; at: number; sender?: string; of?: string },
) {
  const { files, receipt } = sample({ seed, name: `${seed}.csv`, createdAt: given.at })
  const columns = (given.columns ?? []).map((name) => ({ name, type: 'text', nulls: 0, why: '' }))
  const records = { ...receipt.records, accepted: given.rows ?? 0 }
  const rejects = { ...receipt.rejects, count: given.rejects ?? 0 }
  const file = { ...receipt.file, ...(given.of && { sha256: given.of }) }
  const of = { ...receipt, columns, records, rejects, file, ...(given.sender && { sender: given.sender }) }
  return { files, receipt: of }
}

export function searching(storeTest: StoreTest): void {
  const same = '5'.repeat(64)
  const all = [
    listed('Äpfel', { at: 1, rows: 30, rejects: 1, columns: ['id', 'Größe'], sender: 'ann', of: same }),
    listed('pears', { at: 2, rows: 10, columns: ['id', 'size'], sender: 'bob' }),
    listed('plums', { at: 3, rows: 20, rejects: 7, columns: ['a\nb'], sender: 'ann', of: same }),
    listed('quinces', { at: 4, rows: 20, columns: Array.from({ length: 900 }, (_, i) => `column ${i}`) }),
  ]
  const nameOf = (id: string) => all.find(({ receipt }) => receipt.id === id)?.receipt.file.name.replace('.csv', '')
  const names = async (store: Store, query: Partial<ListQuery>) => {
    const { datasets, total } = await store.list({ ...everything, ...query })
    assert.equal(total, datasets.length)
    return datasets.map(({ receipt }) => nameOf(receipt.id))
  }

  storeTest('list() finds, filters and sorts, also after a restart', async (store, open) => {
    for (const one of all) await publishSample(store, one)
    await store.dismiss(all[0]!.receipt, true)
    await store.dismiss(all[2]!.receipt, true)
    await store.dismiss(all[2]!.receipt, false)
    const assertLists = async (one: Store) => {
      for (const [query, wanted] of [
        [{ search: 'GRÖSSE'.toLowerCase().replace('ss', 'ß') }, 'Äpfel'],
        [{ search: 'äP' }, 'Äpfel'],
        [{ search: 'siZe' }, 'pears'],
        [{ search: 'column 899' }, 'quinces'],
        [{ search: 'a b' }, 'plums'],
        [{ search: '\n' }, 'quinces plums'],
        [{ name: 'size' }, ''],
        [{ sender: 'ann' }, 'plums Äpfel'],
        [{ createdSince: 3 }, 'quinces plums'],
        [{ hasOpenRejects: true }, 'plums'],
        [{ origin: same }, 'plums Äpfel'],
        [{ isLatestVersion: true }, 'quinces plums pears'],
        [{ isLatestVersion: true, search: 'p' }, 'plums pears'],
        [{ order: { by: 'name', isDescending: false } }, 'pears plums quinces Äpfel'],
        [{ order: { by: 'rows', isDescending: false } }, 'pears plums quinces Äpfel'],
        [{ order: { by: 'rejects', isDescending: true } }, 'plums Äpfel'],
      ] as const) {
        const found = (await names(one, query)).join(' ')
        // Those that are equal are in the order of their ids.
        const isRight = found.startsWith(wanted) || found === wanted.replace('plums quinces', 'quinces plums')
        assert.ok(isRight && (wanted !== '' || found === ''), `${JSON.stringify(query)}: ${found}, expected ${wanted}`)
      }
      const { datasets } = await one.list(everything)
      const versions = datasets.map(({ receipt, versions, isDismissed }) => [nameOf(receipt.id), versions, isDismissed])
      assert.deepEqual(versions, [
        ['quinces', 1, false],
        ['plums', 2, false],
        ['pears', 1, false],
        ['Äpfel', 2, true],
      ])
    }
    await assertLists(store)
    await store.close()
    await assertLists(await open())
  })

  storeTest(
    'list() pages in every order while datasets come and go, and refuses the cursor of another',
    async (store) => {
      const many = Array.from({ length: 12 }, (_, i) =>
        listed(`many ${i % 5} ${i}`, { at: i, rows: i % 3, rejects: i % 2 }),
      )
      for (const by of ['createdAt', 'name', 'rows', 'rejects', 'bytes'] as const) {
        for (const isDescending of [true, false]) {
          for (const one of many) await publishSample(store, one)
          const order = { by, isDescending }
          const wanted = (await store.list({ ...everything, order })).datasets.map(({ receipt }) => receipt.id)
          const seen: string[] = []
          for (let after: string | null = null, at = 0; ; at += 1) {
            const page = await store.list({ ...everything, limit: 5, order, after })
            seen.push(...page.datasets.map(({ receipt }) => receipt.id))
            after = page.after
            if (after === null) break
            await assertFails(
              store.list({ ...everything, order: { by, isDescending: !isDescending }, after }),
              'BAD_PARAMETER',
            )
            // The dataset of the cursor is removed.
            if (at === 0) await store.remove({ id: seen.at(-1)! })
          }
          assert.deepEqual(seen, wanted, `${by} ${isDescending}`)
        }
      }
    },
  )

  storeTest('watch() names each change of a dataset', async (store) => {
    const seen: string[] = []
    using _ = store.watch(({ change }: DatasetChange) => void (seen.at(-1) !== change && seen.push(change)))
    const wanted = sample({ seed: 1 })
    await publishSample(store, wanted)
    await store.dismiss(wanted.receipt, true)
    await store.trash(wanted.receipt)
    await store.restore(await inTrash(store, wanted))
    await store.remove(wanted.receipt)
    assert.deepEqual(seen, ['stored', 'dismissed', 'trashed', 'restored', 'deleted'])
    await using draft = await store.draft()
    await fill(draft, wanted)
  })
}
