// Tests of verified files: stored bytes are served unchanged or not at all, however a file was damaged.
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { originalOf } from '../../core/stored-files.ts'
import { createFsStore } from '../../store/fs/fs-store.ts'
import { publishSample, readAll, type SampleWish, sample } from '../../store/store-samples.testing.ts'
import { VerifiedFiles } from './verified-files.ts'

/** A store with one dataset, whose original has that many bytes. */
async function opened(t: TestContext, originalBytes: number, wish: Partial<SampleWish> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'verified-files-'))
  const store = await createFsStore({ dir })
  t.after(async () => {
    await store.close()
    await rm(dir, { recursive: true })
  })
  const { receipt, files } = sample({ seed: 1, originalBytes, partCount: 2, ...wish })
  await publishSample(store, { receipt, files })
  // Times that can be restored exactly.
  for (const file of files.keys()) utimesSync(join(dir, 'datasets', receipt.id, file), 1_000, 1_000)
  return {
    store,
    id: receipt.id,
    pathOf: (file: string) => join(dir, 'datasets', receipt.id, file),
    original: originalOf(receipt),
    receipt,
    bytes: files.get('original')!,
    incoming: join(dir, 'incoming'),
  }
}

const isDamaged = (error: unknown) => isServiceError(error, 'DATASET_DAMAGED')

/** Flips a bit as a disk does: neither size nor time of the file changes. */
function rot(path: string, at: number): void {
  const { atime, mtime } = statSync(path)
  const bytes = readFileSync(path)
  bytes[at]! ^= 1
  writeFileSync(path, bytes)
  utimesSync(path, atime, mtime)
}

test('read() yields the bytes, but none from a damaged block on', async (t) => {
  for (const originalBytes of [1, 65_535, 65_536, 65_537, 131_072, 600_000]) {
    const { store, pathOf, original, receipt, bytes } = await opened(t, originalBytes)
    const files = new VerifiedFiles(store)
    assert.ok((await readAll(await files.read(receipt, original))).equals(bytes))
    for (const at of [0, originalBytes >> 1, originalBytes - 1]) {
      rot(pathOf('original'), at)
      let seen = 0
      const stream = await files.read(receipt, original)
      const reading = (async () => {
        for await (const chunk of stream) seen += chunk.length
      })()
      await assert.rejects(reading, isDamaged, `${at} of ${originalBytes}`)
      assert.ok(seen <= at - (at % 65_536), `${seen} bytes left, byte ${at} is wrong`)
      rot(pathOf('original'), at)
    }
  }
})

test('readRange() yields any range of an intact file, and none that touches a damaged block', async (t) => {
  const { store, pathOf, original, receipt, bytes } = await opened(t, 200_000)
  const files = new VerifiedFiles(store)
  const read = async (start: number, end: number) => readAll(await files.readRange(receipt, original, { start, end }))
  const edges = [0, 1, 65_535, 65_536, 65_537, 131_072, 199_999, 200_000]
  for (const start of edges) {
    for (const end of edges.filter((edge) => edge > start)) {
      assert.ok((await read(start, end)).equals(bytes.subarray(start, end)), `${start} to ${end}`)
    }
  }
  rot(pathOf('original'), 70_000)
  for (const start of edges) {
    for (const end of edges.filter((edge) => edge > start)) {
      const isTouched = start < 131_072 && end > 65_536
      if (isTouched) await assert.rejects(read(start, end), isDamaged, `${start} to ${end}`)
      else assert.ok((await read(start, end)).equals(bytes.subarray(start, end)), `${start} to ${end}`)
    }
  }
})

test('withLocal(), share() and withReads() refuse a file that was damaged since their last call', async (t) => {
  const { store, pathOf, original, receipt, bytes } = await opened(t, 200_000, { partBytes: 300_000 })
  const files = new VerifiedFiles(store)
  const all = [original, ...receipt.parts]
  await using shared = await files.share(receipt, all)
  for (const file of all) {
    const use = () => files.withLocal(receipt, [file], async ([path]) => readFileSync(path!).length)
    const readOne = () => files.withReads(receipt, file, (read) => read(100_000, 1))
    assert.equal(await use(), file.bytes)
    assert.equal(readFileSync(await shared.path(file)).length, file.bytes)
    assert.equal((await readOne()).length, 1)
    rot(pathOf(file.file), 100_001)
    await assert.rejects(use(), isDamaged)
    await assert.rejects(shared.path(file), isDamaged)
    await assert.rejects(readOne(), isDamaged)
    await using reads = await shared.open(file)
    await assert.rejects(reads.read(70_000, 5), isDamaged)
    assert.equal((await reads.read(60_000, 5)).length, 5)
    rot(pathOf(file.file), 100_001)
  }
  const middle = await files.withReads(receipt, original, async (read) => Buffer.from(await read(65_000, 70_000)))
  assert.ok(middle.equals(bytes.subarray(65_000, 135_000)))
  const end = await files.withReads(receipt, original, async (read) => Buffer.from(await read(199_990, 100)))
  assert.ok(end.equals(bytes.subarray(199_990)))
})

test('withLocal() trusts more than 64 MB of files for a minute, unless they are written to', async (t) => {
  const { store, pathOf, receipt } = await opened(t, 1_000, { partCount: 1, partBytes: 67_108_865 })
  const path = pathOf(receipt.parts[0]!.file)
  let now = 0
  const files = new VerifiedFiles(store, () => now)
  const use = () => files.withLocal(receipt, receipt.parts, async () => 'used')
  assert.equal(await use(), 'used')
  rot(path, 9_999)
  now = 60_000
  assert.equal(await use(), 'used')
  now = 60_001
  await assert.rejects(use(), isDamaged)
  rot(path, 9_999)
  assert.equal(await use(), 'used')
  utimesSync(path, 2_000, 2_000)
  rot(path, 9_999)
  await assert.rejects(use(), isDamaged)
})

test('read() reports damaged checksums as damage, and does not trust them', async (t) => {
  const { store, pathOf, original, receipt, bytes } = await opened(t, 200_000)
  rot(pathOf('checksums'), 3)
  await assert.rejects(new VerifiedFiles(store).read(receipt, original), isDamaged)
  await assert.rejects(new VerifiedFiles(store).readRange(receipt, original, { start: 0, end: 1 }), isDamaged)
  rot(pathOf('checksums'), 3)
  assert.ok((await readAll(await new VerifiedFiles(store).read(receipt, original))).equals(bytes))
  await rm(pathOf('checksums'))
  await assert.rejects(new VerifiedFiles(store).read(receipt, original), isDamaged)
})

test('withLocal() and read() refuse a file that is truncated or has extra bytes', async (t) => {
  const { store, pathOf, original, receipt, bytes } = await opened(t, 131_072)
  const files = new VerifiedFiles(store)
  const use = () => files.withLocal(receipt, [original], () => assert.fail('was used'))
  appendFileSync(pathOf('original'), 'x')
  await assert.rejects(use(), isDamaged)
  // Also at the end of a block, where no block is wrong.
  for (const length of [131_071, 65_536, 0]) {
    writeFileSync(pathOf('original'), bytes.subarray(0, length))
    await assert.rejects(use(), isDamaged)
    await assert.rejects(readAll(await files.read(receipt, original)), isDamaged, `${length}`)
    const range = files.readRange(receipt, original, { start: 0, end: 131_072 })
    await assert.rejects(range.then(readAll), isDamaged, `range of ${length}`)
  }
  writeFileSync(pathOf('original'), bytes)
  assert.equal(await files.withLocal(receipt, [original], async ([local]) => readFileSync(local!).equals(bytes)), true)
})

test('share() provides files that outlive their dataset, and leaves nothing behind', async (t) => {
  const { store, id, original, receipt, bytes, incoming } = await opened(t, 100_000)
  const files = new VerifiedFiles(store)
  const shared = await files.share(receipt, [original, ...receipt.parts])
  assert.equal(await store.remove({ id }), true)
  assert.ok(readFileSync(await shared.path(original)).equals(bytes))
  for (const part of receipt.parts) assert.equal(readFileSync(await shared.path(part)).length, part.bytes)
  await shared[Symbol.asyncDispose]()
  assert.ok(!existsSync(shared.dir) && shared.dir.startsWith(incoming))
  await assert.rejects(files.share(receipt, [original]), (error) => isServiceError(error, 'DATASET_NOT_FOUND'))
})

test('read() and share() report a missing file as damage, and a missing dataset as not found', async (t) => {
  const { store, id, pathOf, original, receipt } = await opened(t, 1_000)
  const files = new VerifiedFiles(store)
  await rm(pathOf('original'))
  await assert.rejects(files.read(receipt, original), isDamaged)
  await assert.rejects(files.share(receipt, [original]), isDamaged)
  await assert.rejects(
    files.withLocal(receipt, [original], async () => {}),
    isDamaged,
  )
  await store.remove({ id })
  await assert.rejects(files.read(receipt, original), (error) => isServiceError(error, 'DATASET_NOT_FOUND'))
})

test('shareToRead() provides the files in place if nothing can be written, and still verifies them', async (t) => {
  const { store, pathOf, original, receipt, incoming } = await opened(t, 1_000)
  const files = new VerifiedFiles(store)
  {
    await using shared = await files.shareToRead(receipt, [original, ...receipt.parts])
    assert.ok((await shared.path(original)).startsWith(incoming))
  }
  // Read-only storage responds like this, for example.
  t.mock.method(store, 'draft', () => Promise.reject(new ServiceError('STORE_UNAVAILABLE', { problem: 'on purpose' })))
  await using inPlace = await files.shareToRead(receipt, [original, ...receipt.parts])
  assert.equal(await inPlace.path(original), pathOf('original'))
  appendFileSync(pathOf('original'), 'x')
  await assert.rejects(inPlace.path(original), isDamaged)
  await assert.rejects(files.share(receipt, [original]), (error) => isServiceError(error, 'STORE_UNAVAILABLE'))
})

test('isIntact() is false for a file that is missing, cut, or changed', async (t) => {
  const { store, id, pathOf, original, receipt } = await opened(t, 200_000)
  const files = new VerifiedFiles(store)
  const bytes = readFileSync(pathOf('original'))
  assert.equal(await files.isIntact(receipt, original), true)
  rot(pathOf('original'), 5)
  assert.equal(await files.isIntact(receipt, original), false)
  writeFileSync(pathOf('original'), bytes.subarray(1))
  assert.equal(await files.isIntact(receipt, original), false)
  await rm(pathOf('original'))
  assert.equal(await files.isIntact(receipt, original), false)
  await store.remove({ id })
  await assert.rejects(files.isIntact(receipt, original), (error) => isServiceError(error, 'DATASET_NOT_FOUND'))
})
