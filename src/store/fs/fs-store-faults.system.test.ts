// Tests of faults of the file-system store: failing syncs, a directory that disappears, records that cannot be stored.
import assert from 'node:assert/strict'
import { cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { assertAbsent, assertWhole, idsOf } from '../store-assertions.testing.ts'
import { publishSample, sample, sampleUpload } from '../store-samples.testing.ts'
import { failsWith, filledDraft, place } from './fs-store.testing.ts'

test('publish() of a small dataset syncs 9 times, record() and remove() twice each', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const draft = await filledDraft(store, wanted)
  const syncs = await onSync(t, () => {})
  // Original, part, receipt, record, the dataset directory and its two subdirectories; then the directories of the move.
  await store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1))
  assert.equal(syncs.count(), 9)
  await store.record(sampleUpload(wanted.receipt, 2))
  assert.equal(syncs.count(), 11)
  await store.remove(wanted.receipt)
  assert.equal(syncs.count(), 13)
})

test('publish() shows nothing before its last sync', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1, rejectPartCount: 1 })
  const draft = await filledDraft(store, wanted)
  const syncs = await onSync(t, () => assertAbsent(store, wanted))
  await store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1))
  assert.equal(syncs.count(), 11)
  await assertWhole(store, wanted)
})

/** Syncs before the move when publishing one part and one reject part, including the upload record. */
const syncsAside = 9

for (const [systemCode, code] of [
  ['EIO', 'STORE_UNAVAILABLE'],
  ['EMFILE', 'TOO_MANY_OPEN_FILES'],
  ['EINVAL', 'STORE_FAILED'],
  ['ENOSPC', 'DISK_FULL'],
  ['EDQUOT', 'DISK_FULL'],
] as const) {
  test(`publish() and record() fail with ${code} and show nothing partial after ${systemCode} at a sync`, async (t) => {
    const wanted = sample({ seed: 1, rejectPartCount: 1 })
    let failAt = 0
    for (let isRecorded = false; !isRecorded; ) {
      failAt += 1
      assert.ok(failAt < 100, 'it never succeeds')
      const { dir, open } = await place(t)
      const store = await open()
      const draft = await filledDraft(store, wanted)
      const syncs = await failSync(t, failAt, systemCode)
      let isPublished = false
      try {
        isPublished = await store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1))
        await store.record(sampleUpload(wanted.receipt, 2))
        isRecorded = true
      } catch (error) {
        // Whatever the reason, it is unknown what a shared directory has lost.
        const isShared = failAt > syncsAside && failAt <= syncsAside + 2
        assert.ok(failsWith(isShared ? 'STORE_UNAVAILABLE' : code)(error), `sync ${failAt}: ${error}`)
      }
      syncs.restore()
      await assert.rejects(stat(draft.dir), { code: 'ENOENT' })
      assert.deepEqual(await readdir(join(dir, 'incoming')), [])
      await (isPublished ? assertWhole : assertAbsent)(store, wanted)
      await store.close()
      const again = await open()
      await (isPublished ? assertWhole : assertAbsent)(again, wanted)
      assert.equal(await publishSample(again, wanted), !isPublished)
      await again.close()
    }
    assert.equal(failAt, 14, 'one more than the eleven syncs of publish() and the two of record()')
  })
}

test('createFsStore() acknowledges nothing after a failed sync of a shared directory', async (t) => {
  const { open } = await place(t)
  const store = await open()
  const kept = sample({ seed: 'kept' })
  await publishSample(store, kept)
  const draft = await filledDraft(store, sample({ seed: 1 }))
  const syncs = await failSync(t, 8)
  const { receipt } = sample({ seed: 1 })
  const unsure = (error: unknown) => isServiceError(error, 'STORE_UNAVAILABLE') && /is restarted/.test(error.message)
  await assert.rejects(store.publish(draft, receipt, sampleUpload(receipt, 1)), unsure)
  syncs.restore()
  await assert.rejects(publishSample(store, sample({ seed: 2 })), unsure)
  await assert.rejects(store.check(), unsure)
  await assertWhole(store, kept)
  await store.close()
  const again = await open()
  await again.check()
  assert.equal(await publishSample(again, sample({ seed: 2 })), true)
  await assertAbsent(again, sample({ seed: 1 }))
})

test('remove() that cannot move the dataset fails and leaves it whole', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  await publishSample(store, wanted)
  await rm(join(dir, 'incoming'), { recursive: true })
  await assert.rejects(store.remove(wanted.receipt), failsWith('STORE_UNAVAILABLE'))
  await assertWhole(store, wanted)
  await assert.rejects(store.draft(), failsWith('STORE_UNAVAILABLE'))
  await assert.rejects(store.check(), failsWith('STORE_UNAVAILABLE'))
  await assert.rejects(store.record(sampleUpload(wanted.receipt, 1)), failsWith('STORE_UNAVAILABLE'))
})

test('publish() and replace() store nothing if the record of the upload cannot be written', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const upload = { ...sampleUpload(wanted.receipt, 1), id: 'none' }
  await assert.rejects(
    store.publish(await filledDraft(store, wanted), wanted.receipt, upload),
    failsWith('STORE_FAILED'),
  )
  await assertAbsent(store, wanted)
  await publishSample(store, wanted)
  const other = sample({ seed: 2 })
  const receipt = { ...other.receipt, id: wanted.receipt.id }
  await assert.rejects(
    store.replace(await filledDraft(store, other), receipt, upload, receipt),
    failsWith('STORE_FAILED'),
  )
  assert.deepEqual(await readdir(join(dir, 'incoming')), [])
  await store.close()
  await assertWhole(await open(), wanted)
})

test('replace() leaves the damaged dataset or the new one, whole, if any one sync fails', async (t) => {
  const damaged = sample({ seed: 1 })
  const other = sample({ seed: 2, rejectPartCount: 1 })
  const wanted = { ...other, receipt: { ...other.receipt, id: damaged.receipt.id } }
  let failAt = 0
  for (let isReplaced = false; !isReplaced; ) {
    failAt += 1
    assert.ok(failAt < 100, 'it never succeeds')
    const { dir, open } = await place(t)
    const store = await open()
    await publishSample(store, damaged)
    const draft = await filledDraft(store, wanted)
    const syncs = await failSync(t, failAt)
    const stored = await store
      .replace(draft, wanted.receipt, sampleUpload(wanted.receipt, 1), wanted.receipt)
      .catch((error) => {
        assert.ok(failsWith('STORE_UNAVAILABLE')(error), `sync ${failAt}: ${error}`)
        return null
      })
    isReplaced = stored !== null
    syncs.restore()
    await store.close()
    const again = await open()
    const now = await again.receipt(wanted.receipt.id)
    await assertWhole(again, now?.parts[0]?.sha256 === wanted.receipt.parts[0]?.sha256 ? wanted : damaged)
    if (isReplaced) await assertWhole(again, wanted)
    assert.deepEqual(await readdir(join(dir, 'incoming')), [])
    await again.close()
  }
  assert.ok(failAt > 12, `${failAt}`)
})

test('publish() that cannot be undone does not claim that nothing was stored', async (t) => {
  const { dir, open, lines } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const draft = await filledDraft(store, wanted)
  const away = join(dir, 'incoming-away')
  await onSync(t, async (count) => {
    if (count !== 8) return
    await rename(join(dir, 'incoming'), away)
    throw Object.assign(new Error('ENOSPC on purpose'), { code: 'ENOSPC' })
  })
  await assert.rejects(
    store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1)),
    (error) => !isServiceError(error, 'DISK_FULL'),
  )
  assert.match(lines.join('\n'), /cannot undo publish/)
  await rename(away, join(dir, 'incoming'))
})

test('a store whose directory is gone fails, says so, and recovers when it is back', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  await publishSample(store, wanted)
  const draft = await filledDraft(store, sample({ seed: 2 }))
  await rename(dir, `${dir}-away`)
  const gone = (error: unknown) => isServiceError(error, 'STORE_UNAVAILABLE') && /is gone/.test(error.message)
  const { receipt } = sample({ seed: 2 })
  await assert.rejects(store.receipt(wanted.receipt.id), gone)
  await assert.rejects(store.list({ limit: 1, after: null, name: null, owner: '' }), gone)
  await assert.rejects(store.draft(), gone)
  await assert.rejects(store.check(), gone)
  await assert.rejects(store.remove(wanted.receipt), gone)
  await assert.rejects(store.publish(draft, receipt, sampleUpload(receipt, 1)), gone)
  await rename(`${dir}-away`, dir)
  await store.check()
  await assertWhole(store, wanted)
  assert.equal(await publishSample(store, sample({ seed: 2 })), true)
})

test('a store whose directory was replaced writes nothing to the replacement', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const draft = await filledDraft(store, wanted)
  await rename(dir, `${dir}-away`)
  // As similar as possible: a copy, or a directory created by another process.
  for (const name of ['datasets', 'incoming']) await mkdir(join(dir, name), { recursive: true })
  const other = (error: unknown) =>
    isServiceError(error, 'STORE_UNAVAILABLE') && /another directory/.test(error.message)
  await assert.rejects(store.draft(), other)
  await assert.rejects(store.check(), other)
  await assert.rejects(store.record(sampleUpload(wanted.receipt, 1)), other)
  await cp(`${dir}-away/incoming`, join(dir, 'incoming'), { recursive: true })
  await assert.rejects(store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, 1)), other)
  assert.deepEqual(await readdir(join(dir, 'datasets')), [])
  await rm(dir, { recursive: true })
  await rename(`${dir}-away`, dir)
  assert.equal(await publishSample(store, wanted), true)
})

test('a store whose lock file was removed or replaced stops writing, but still reads', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const [wanted, another] = [sample({ seed: 1 }), sample({ seed: 2 })]
  await publishSample(store, wanted)
  const draft = await filledDraft(store, another)
  await rename(join(dir, 'lock'), join(dir, 'lock-away'))
  const refuses = async (text: RegExp) => {
    const says = (error: unknown) => isServiceError(error, 'STORE_UNAVAILABLE') && text.test(error.message)
    await assert.rejects(store.check(), says)
    await assert.rejects(store.draft(), says)
    await assert.rejects(store.record(sampleUpload(wanted.receipt, 1)), says)
    await assert.rejects(store.remove(wanted.receipt), says)
    await assert.rejects(store.keep(wanted.receipt, 'profile', Buffer.from('x')), says)
    await assertWhole(store, wanted)
    assert.deepEqual(await idsOf(store), [wanted.receipt.id])
  }
  await refuses(/lock file has been removed.*restart/)
  await writeFile(join(dir, 'lock'), '')
  await refuses(/lock file has been replaced.*restart/)
  await assert.rejects(store.publish(draft, another.receipt, sampleUpload(another.receipt, 1)), (error) =>
    isServiceError(error, 'STORE_UNAVAILABLE'),
  )
  await rename(join(dir, 'lock-away'), join(dir, 'lock'))
  await store.check()
  assert.equal(await publishSample(store, another), true)
})

/** Makes the sync with that number, from 1, counted from now on, fail. */
async function failSync(t: TestContext, failAt: number, systemCode = 'EIO') {
  return onSync(t, (count) => {
    if (count === failAt) throw Object.assign(new Error(`${systemCode} on purpose`), { code: systemCode })
  })
}

/** From now on, calls `before` with the running count before each sync of a file or directory. */
async function onSync(t: TestContext, before: (count: number) => void | Promise<void>) {
  const { sync } = OpenFile.prototype
  let count = 0
  const mocked = t.mock.method(OpenFile.prototype, 'sync', async function (this: OpenFile) {
    count += 1
    await before(count)
    await Reflect.apply(sync, this, [])
  })
  return { count: () => count, restore: () => mocked.mock.restore() }
}

test('isGone() waits for a removal in progress, and is false if it failed or the receipt cannot be read', async (t) => {
  const { dir, open } = await place(t)
  const store = await open()
  const wanted = sample({ seed: 1 })
  const { id } = wanted.receipt
  assert.deepEqual([await store.isGone(id), await store.isGone('nothing')], [true, true])
  await publishSample(store, wanted)
  const [gate, used] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const using = store.withLocal({ id }, ['original'], async () => {
    used.resolve()
    await gate.promise
  })
  await used.promise
  const removing = store.remove({ id })
  assert.equal(await store.receipt(id), null)
  const asked = store.isGone(id)
  // The removal fails: the dataset is not in its place when it is to be moved away.
  await rename(join(dir, 'datasets', id), join(dir, 'elsewhere'))
  gate.resolve()
  await using
  await assert.rejects(removing, failsWith('STORE_FAILED'))
  assert.equal(await asked, false)
  await rename(join(dir, 'elsewhere'), join(dir, 'datasets', id))
  await store.close()
  // What a start cannot read is a directory here; the dataset is not shown.
  const receiptPath = join(dir, 'datasets', id, 'receipt.json')
  await rename(receiptPath, join(dir, 'receipt.json'))
  await mkdir(receiptPath)
  const again = await open()
  assert.deepEqual([await again.receipt(id), await again.isGone(id)], [null, false])
  await again.close()
  await rm(receiptPath, { recursive: true })
  await rename(join(dir, 'receipt.json'), receiptPath)
  const last = await open()
  assert.equal(await last.isGone(id), false)
  await last.remove({ id })
  assert.equal(await last.isGone(id), true)
})
