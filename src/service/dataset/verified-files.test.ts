// Tests of checked files: what is stored comes out as it was kept or not at all, and is read for that once a change.
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { createFsStore } from '../../store/fs/fs-store.ts'
import { publishSample, readAll, sample } from '../../store/store-samples.testing.ts'
import { originalOf, VerifiedFiles } from './verified-files.ts'

/** Checked files over a store with one dataset of that many bytes. */
async function opened(t: TestContext, originalBytes: number) {
  const dir = await mkdtemp(join(tmpdir(), 'checked-files-'))
  const store = await createFsStore({ dir })
  t.after(async () => {
    await store.close()
    await rm(dir, { recursive: true })
  })
  const wanted = sample({ seed: 1, originalBytes, partCount: 2 })
  await publishSample(store, wanted)
  const { id } = wanted.receipt
  const path = join(dir, 'datasets', id, 'original')
  const known = originalOf(wanted.receipt)
  return {
    store,
    id,
    path,
    known,
    receipt: wanted.receipt,
    bytes: wanted.files.get('original')!,
    incoming: join(dir, 'incoming'),
  }
}

const isDamaged = (error: unknown) => isServiceError(error, 'DATASET_DAMAGED')

test('read() gives the bytes, and of damaged ones never the last', async (t) => {
  for (const originalBytes of [1, 262_144, 262_145, 600_000]) {
    const { store, id, path, known, bytes } = await opened(t, originalBytes)
    const files = new VerifiedFiles(store)
    assert.ok((await readAll(await files.read(id, known))).equals(bytes))
    for (const at of [0, originalBytes - 1]) {
      const other = Buffer.from(bytes)
      other[at]! ^= 1
      writeFileSync(path, other)
      let seen = 0
      const stream = await files.read(id, known)
      const reading = (async () => {
        for await (const chunk of stream) seen += chunk.length
      })()
      await assert.rejects(reading, isDamaged)
      assert.ok(seen < originalBytes)
    }
  }
})

test('withLocal() and readRange() refuse a damaged file, also one that was right before', async (t) => {
  const { store, id, path, known, bytes } = await opened(t, 1_000)
  const files = new VerifiedFiles(store)
  const range = { start: 5, end: 10 }
  assert.ok((await readAll(await files.readRange(id, known, range))).equals(bytes.subarray(5, 10)))
  appendFileSync(path, 'x')
  await assert.rejects(files.readRange(id, known, range), isDamaged)
  await assert.rejects(
    files.withLocal(id, [known], () => assert.fail('was used')),
    isDamaged,
  )
  writeFileSync(path, bytes)
  assert.equal(await files.withLocal(id, [known], async ([local]) => readFileSync(local!).equals(bytes)), true)
})

test('share() gives files that outlive their dataset, and nothing of them stays', async (t) => {
  const { store, id, known, receipt, bytes, incoming } = await opened(t, 1_000)
  const files = new VerifiedFiles(store)
  const shared = await files.share(id, [known, ...receipt.parts])
  assert.equal(await store.remove(id), true)
  assert.ok(readFileSync(await shared.path(known)).equals(bytes))
  for (const part of receipt.parts) assert.equal(readFileSync(await shared.path(part)).length, part.bytes)
  await shared[Symbol.asyncDispose]()
  assert.ok(!existsSync(shared.dir) && shared.dir.startsWith(incoming))
  await assert.rejects(files.share(id, [known]), (error) => isServiceError(error, 'DATASET_NOT_FOUND'))
})

test('a missing file is damage, a missing dataset is none', async (t) => {
  const { store, id, path, known } = await opened(t, 1_000)
  const files = new VerifiedFiles(store)
  await rm(path)
  await assert.rejects(files.read(id, known), isDamaged)
  await assert.rejects(files.share(id, [known]), isDamaged)
  await assert.rejects(
    files.withLocal(id, [known], async () => {}),
    isDamaged,
  )
  await store.remove(id)
  await assert.rejects(files.read(id, known), (error) => isServiceError(error, 'DATASET_NOT_FOUND'))
})

test('shareToRead() gives the files where they are when nothing can be written, and checks them all the same', async (t) => {
  const { store, id, path, known, receipt, incoming } = await opened(t, 1_000)
  const files = new VerifiedFiles(store)
  {
    await using shared = await files.shareToRead(id, [known, ...receipt.parts])
    assert.ok((await shared.path(known)).startsWith(incoming))
  }
  // What a storage answers that is read-only, for one.
  t.mock.method(store, 'draft', () => Promise.reject(new ServiceError('STORE_UNAVAILABLE', { problem: 'on purpose' })))
  await using inPlace = await files.shareToRead(id, [known, ...receipt.parts])
  assert.equal(await inPlace.path(known), path)
  appendFileSync(path, 'x')
  await assert.rejects(inPlace.path(known), isDamaged)
  await assert.rejects(files.share(id, [known]), (error) => isServiceError(error, 'STORE_UNAVAILABLE'))
})

test('damagedFiles() names what is missing or of another size, and what was changed only where bytes are read', async (t) => {
  const { store, id, path, known, receipt, bytes } = await opened(t, 1_000)
  const files = new VerifiedFiles(store)
  const names = async (depth: 'sizes' | 'bytes') => (await files.damagedFiles(receipt, depth)).map(({ file }) => file)
  assert.deepEqual([await names('sizes'), await names('bytes')], [[], []])
  const other = Buffer.from(bytes)
  other[500]! ^= 1
  writeFileSync(path, other)
  assert.deepEqual([await names('sizes'), await names('bytes')], [[], [known.file]])
  appendFileSync(path, 'x')
  assert.deepEqual([await names('sizes'), await names('bytes')], [[known.file], [known.file]])
  await rm(path)
  assert.deepEqual([await names('sizes'), await names('bytes')], [[known.file], [known.file]])
  await store.remove(id)
  await assert.rejects(names('sizes'), (error) => isServiceError(error, 'DATASET_NOT_FOUND'))
})
