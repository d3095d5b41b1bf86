// Tests of the scrub of a readable directory: every damaged file is named, and nothing else.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { scrubDirectory } from '../../verify.ts'
import { publishSample, sample } from '../store-samples.testing.ts'
import { createFsStore } from './fs-store.ts'

const none = new AbortController().signal

async function keptSamples(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'scrub-'))
  t.after(() => rm(dir, { recursive: true }))
  const store = await createFsStore({ dir })
  t.after(() => store.close())
  const samples = [1, 2, 3].map((seed) => sample({ seed, partCount: 2, rejectPartCount: 1 }))
  for (const one of samples) await publishSample(store, one)
  const look = async () => {
    const progress = { datasets: 0, files: 0, bytes: 0 }
    const damages = await Array.fromAsync(scrubDirectory(dir, progress, none))
    return { progress, damages }
  }
  return { dir, store, samples, look, pathOf: (index: number) => join(dir, 'datasets', samples[index]!.receipt.id) }
}

test('scrubDirectory() finds nothing in an intact, open data directory, and changes nothing', async (t) => {
  const { dir, samples, look } = await keptSamples(t)
  const before = await readdir(dir, { recursive: true })
  const { progress, damages } = await look()
  assert.deepEqual(damages, [])
  const bytes = samples.flatMap(({ files }) => [...files.values()]).reduce((sum, { length }) => sum + length, 0)
  assert.deepEqual(progress, { datasets: 3, files: 3 * 5, bytes })
  assert.deepEqual(await readdir(dir, { recursive: true }), before)
})

test('scrubDirectory() names each file that has a flipped bit, is truncated, missing, or from another dataset', async (t) => {
  const { samples, look, pathOf } = await keptSamples(t)
  const wanted: [string, string, RegExp][] = []
  const damage = async (index: number, file: string, detail: RegExp, change: (path: string) => Promise<unknown>) => {
    await change(join(pathOf(index), file))
    wanted.push([samples[index]!.receipt.id, file, detail])
  }
  await damage(0, 'original', /^SHA-256 \w{64}, expected \w{64}$/, async (path) => {
    const { mtime } = await stat(path)
    const bytes = await readFile(path)
    bytes[50]! ^= 4
    await writeFile(path, bytes)
    assert.ok((await stat(path)).mtime >= mtime)
  })
  await damage(0, 'data/part-00001.parquet', /^60 bytes, expected 61$/, async (path) =>
    writeFile(path, (await readFile(path)).subarray(0, 60)),
  )
  await damage(0, 'rejects/part-00000.parquet', /^is missing$/, (path) => rm(path))
  await damage(1, 'data/part-00000.parquet', /^SHA-256 /, (path) =>
    rename(join(pathOf(0), 'data', 'part-00000.parquet'), path),
  )
  wanted.push([samples[0]!.receipt.id, 'data/part-00000.parquet', /^is missing$/])
  await damage(2, 'receipt.json', /does not match its checksum/, async (path) =>
    writeFile(path, (await readFile(path, 'utf8')).replace('"accepted":1', '"accepted":3')),
  )
  const { damages } = await look()
  assert.equal(damages.length, wanted.length)
  for (const [id, file, detail] of wanted) {
    assert.match(damages.find((one) => one.id === id && one.file === file)?.detail ?? 'not found', detail)
  }
})

test('scrubDirectory() skips other names, directories without receipt, and removed ones', async (t) => {
  const { dir, store, samples, pathOf } = await keptSamples(t)
  await mkdir(join(dir, 'datasets', 'f'.repeat(32)))
  await writeFile(join(dir, 'datasets', 'notes.txt'), '')
  const ids = samples.map(({ receipt }) => receipt.id).toSorted()
  const broken = samples.findIndex(({ receipt }) => receipt.id === ids[0])
  await rm(join(pathOf(broken), 'original'))
  const found = scrubDirectory(dir, { datasets: 0, files: 0, bytes: 0 }, none)
  assert.equal((await found.next()).value?.id, ids[0])
  await store.remove({ id: ids[1]! })
  assert.equal((await found.next()).done, true)
})

test('scrubDirectory() stops when aborted, and fails without a data directory', async (t) => {
  const { dir } = await keptSamples(t)
  const progress = { datasets: 0, files: 0, bytes: 0 }
  await assert.rejects(Array.fromAsync(scrubDirectory(dir, progress, AbortSignal.abort())), { name: 'AbortError' })
  await assert.rejects(Array.fromAsync(scrubDirectory(join(dir, 'elsewhere'), progress, none)), { code: 'ENOENT' })
})
