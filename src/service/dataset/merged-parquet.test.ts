// Tests of merged Parquet: created once, kept within its bound, recreated when lost, and never wrong.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { createFsStore } from '../../store/fs/fs-store.ts'
import { publishSample, readAll, type Sample, sample } from '../../store/store-samples.testing.ts'
import { MergedParquet } from './merged-parquet.ts'
import { VerifiedFiles } from './verified-files.ts'

const signal = new AbortController().signal
const partBytes = 50_000

/** A store with some datasets of two parts each, and a merger that only joins files. */
async function opened(t: TestContext, count: number, bytesMax: number) {
  const root = await mkdtemp(join(tmpdir(), 'merged-parquet-'))
  const store = await createFsStore({ dir: root })
  t.after(async () => {
    await store.close()
    await rm(root, { recursive: true })
  })
  const samples = Array.from({ length: count }, (_, seed) => sample({ seed, partCount: 2, partBytes }))
  for (const one of samples) await publishSample(store, one)
  const dir = join(root, 'merged')
  const seen = { merges: 0, meanwhile: async () => {} }
  const merge = async (parts: readonly { readonly path: string }[], toPath: string) => {
    seen.merges += 1
    await writeFile(toPath, Buffer.concat(parts.map(({ path }) => readFileSync(path))))
    await seen.meanwhile()
  }
  const options = { dir, bytesMax, store, files: new VerifiedFiles(store), reader: { merge } }
  const pathOf = ({ id }: Receipt) => join(dir, `${id}.parquet`)
  return { store, samples, options, seen, pathOf, dir }
}

function mergedBytes({ receipt, files }: Sample): Buffer {
  return Buffer.concat(receipt.parts.map(({ file }) => files.get(file)!))
}

async function readRange(merged: MergedParquet, receipt: Receipt, start: number, end: number): Promise<Buffer> {
  const file = (await merged.file(receipt, signal)) ?? assert.fail('there is no merged file')
  return readAll(await file.open({ start, end }, signal))
}

test('file() merges once for concurrent callers, and returns the bytes of any range', async (t) => {
  const { samples, options, seen } = await opened(t, 1, 1_000_000)
  const merged = await MergedParquet.open(options)
  const [wanted] = samples as [Sample]
  const bytes = mergedBytes(wanted)
  const files = await Promise.all(Array.from({ length: 5 }, () => merged.file(wanted.receipt, signal)))
  for (const file of files) assert.equal(file?.bytes, bytes.length)
  const edges = [0, 1, 65_535, 65_536, 65_537, bytes.length - 1, bytes.length]
  for (const start of edges) {
    for (const end of edges.filter((edge) => edge > start)) {
      const seenBytes = await readRange(merged, wanted.receipt, start, end)
      assert.ok(seenBytes.equals(bytes.subarray(start, end)), `${start} to ${end}`)
    }
  }
  assert.equal(seen.merges, 1)
})

test('file() survives a restart, and is recreated if it was removed, truncated, or lost its checksums', async (t) => {
  const { store, samples, options, seen, pathOf, dir } = await opened(t, 1, 1_000_000)
  const [{ receipt }] = samples as [Sample]
  const first = await (await MergedParquet.open(options)).file(receipt, signal)
  const changes: (() => unknown)[] = [
    () => {},
    () => rm(pathOf(receipt)),
    () => truncateSync(pathOf(receipt), 70_000),
    () => store.keep(receipt, 'merged-1.json', Buffer.from(JSON.stringify({ bytes: 1, sha256: '', checksums: '' }))),
  ]
  for (const [index, change] of changes.entries()) {
    await change()
    await writeFile(join(dir, `${'0'.repeat(32)}.parquet`), 'of a dataset that does not exist')
    const merged = await MergedParquet.open(options)
    const again = await merged.file(receipt, signal)
    assert.equal(again?.sha256, first?.sha256)
    assert.equal((await readRange(merged, receipt, 0, again!.bytes)).length, again!.bytes)
    assert.deepEqual(await readdir(dir), [`${receipt.id}.parquet`])
    assert.equal(seen.merges, index + 1)
  }
})

test('file() never returns a wrong byte of a damaged merged file, and recreates it', async (t) => {
  const { samples, options, seen, pathOf } = await opened(t, 1, 1_000_000)
  const merged = await MergedParquet.open(options)
  const [wanted] = samples as [Sample]
  await merged.file(wanted.receipt, signal)
  const path = pathOf(wanted.receipt)
  const { atime, mtime } = statSync(path)
  const bytes = readFileSync(path)
  bytes[80_000]! ^= 1
  writeFileSync(path, bytes)
  utimesSync(path, atime, mtime)
  assert.equal((await readRange(merged, wanted.receipt, 0, 65_536)).length, 65_536)
  await assert.rejects(readRange(merged, wanted.receipt, 79_000, 79_001), (error) =>
    isServiceError(error, 'DATASET_DAMAGED'),
  )
  assert.equal(seen.merges, 1)
  const right = mergedBytes(wanted)
  assert.ok((await readRange(merged, wanted.receipt, 79_000, 80_001)).equals(right.subarray(79_000, 80_001)))
  assert.equal(seen.merges, 2)
})

test('MergedParquet keeps no more than its bound, and drops the least recently used file', async (t) => {
  const { samples, options, pathOf } = await opened(t, 3, 250_000)
  const merged = await MergedParquet.open(options)
  const [first, second, third] = samples.map(({ receipt }) => receipt) as [Receipt, Receipt, Receipt]
  const kept = () => [first, second, third].map((receipt) => existsSync(pathOf(receipt)))
  await merged.file(first, signal)
  await merged.file(second, signal)
  // Used again, so that the second is the oldest.
  const held = (await merged.file(first, signal))!
  await merged.file(third, signal)
  assert.deepEqual(kept(), [true, false, true])
  await merged.file(second, signal)
  assert.deepEqual(kept(), [false, true, true])
  // A file that was dropped after it was requested is recreated.
  assert.equal((await readAll(await held.open({ start: 0, end: 10 }, signal))).length, 10)
  assert.deepEqual(kept(), [true, true, false])
  await MergedParquet.open({ ...options, bytesMax: 120_000 })
  assert.equal(kept().filter(Boolean).length, 1)
  assert.equal(await (await MergedParquet.open({ ...options, bytesMax: 99_999 })).file(first, signal), null)
  assert.deepEqual(kept(), [false, false, false])
})

test('drop() removes the merged file of a dataset, even while that is being created', async (t) => {
  const { store, samples, options, seen, dir } = await opened(t, 2, 1_000_000)
  const merged = await MergedParquet.open(options)
  const [first, second] = samples.map(({ receipt }) => receipt) as [Receipt, Receipt]
  await merged.file(first, signal)
  await store.remove(first)
  await merged.drop(first.id)
  assert.deepEqual(await readdir(dir), [])
  let removed = Promise.resolve(false)
  seen.meanwhile = async () => {
    // The dataset disappears at once; its removal waits for the parts that are being merged.
    removed = store.remove(second)
  }
  await merged.file(second, signal)
  await removed
  assert.deepEqual(await readdir(dir), [])
})

test('MergedParquet keeps no more than its bound if several files are created at once', async (t) => {
  const { samples, options, dir } = await opened(t, 3, 250_000)
  const merged = await MergedParquet.open(options)
  await Promise.all(samples.map(({ receipt }) => merged.file(receipt, signal)))
  const names = await readdir(dir)
  const bytes = names.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  assert.ok(bytes <= options.bytesMax && names.length === 2, `${bytes} bytes in ${names.length} files`)
})
