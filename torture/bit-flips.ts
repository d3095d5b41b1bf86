// Bit flips: flips one bit of one stored file at a time, and checks that no damaged data is ever served as intact.
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, readSync, statSync, utimesSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isServiceError } from '../src/core/errors.ts'
import type { Receipt } from '../src/core/receipt.ts'
import { originalOf, type StoredFile, storedFiles } from '../src/core/stored-files.ts'
import { VerifiedFiles } from '../src/service/dataset/verified-files.ts'
import { createFsStore } from '../src/store/fs/fs-store.ts'
import type { Store } from '../src/store/store.ts'
import { Client } from '../test/support/client.ts'
import { RunningService, scratchDir } from '../test/support/running-service.ts'
import { randomFrom } from '../test/system/crash/random.ts'
import type { Run } from './modules.ts'

const profile = 'profile-2.json'
const files = [
  'original',
  'data/part-00000.parquet',
  'rejects/part-00000.parquet',
  'checksums',
  'receipt.json',
  `derived/${profile}`,
]

/** The routes requested from a running service after a flip: all that read stored files. */
const routes = [
  '',
  '/rows',
  '/rejects',
  '/rejects.csv',
  '/original',
  '/data.csv',
  '/data.parquet',
  '/data.ndjson',
  '/parts/0.parquet',
  '/profile',
]

export const run: Run = async (scale, seed) => {
  const flips = Number(process.env.FLIPS ?? (scale === 'long' ? 10_000 : 500))
  const served = scale === 'long' ? 250 : 20
  const random = randomFrom(seed)
  await using scratch = await scratchDir()
  const dataDir = join(scratch.path, 'data')
  const { id, overHttp } = await flipWhileServed(dataDir, served, random)
  const inProcess = await flipInProcess(dataDir, id, flips, random)
  return {
    'bits flipped': flips,
    ...Object.fromEntries(files.map((file) => [`of ${file}`, inProcess.get(file) ?? 0])),
    'found before wrong bytes were sent': flips,
    'bits flipped under a running service, every route requested': served,
    'responses: correct': overHttp.right,
    'responses: refused or cut': overHttp.refused,
    'responses: complete but wrong': 0,
  }
}

/** Reads each file through the modules of the service: as a whole, as a local file, and as a range. */
async function flipInProcess(dataDir: string, id: string, flips: number, random: () => number) {
  const store = await createFsStore({ dir: dataDir })
  try {
    const receipt = (await store.receipt(id)) ?? assert.fail('no dataset')
    const kept = (await store.kept({ id }, profile)) ?? assert.fail('no profile')
    const known = new Map(storedFiles(receipt).map((one) => [one.file, one]))
    assert.ok(known.has('checksums'), 'the dataset is too small to have checksums of blocks')
    // It has already verified all files, so it could trust them.
    const verified = new VerifiedFiles(store)
    for (const one of known.values()) await verified.withLocal(receipt, [one], async () => {})
    const counts = new Map<string, number>()
    for (let flip = 0; flip < flips; flip += 1) {
      const file = files[flip % files.length]!
      counts.set(file, (counts.get(file) ?? 0) + 1)
      await withFlip(join(dataDir, 'datasets', id, file), random, async (where, at) => {
        const one = known.get(file)
        if (file === 'checksums')
          await assert.rejects(readAll(new VerifiedFiles(store), receipt, originalOf(receipt)), isDamage, where)
        else if (one !== undefined) await fileIsFound(verified, receipt, one, { where, at })
        else if (file === 'receipt.json') await receiptIsFound(store, receipt, where)
        else assert.equal(await store.kept({ id }, profile), null, where)
      })
    }
    // All bits were flipped back: everything reads as before.
    assert.deepEqual(await store.receipt(id), receipt)
    assert.deepEqual(await store.kept({ id }, profile), kept)
    return counts
  } finally {
    await store.close()
  }
}

const isDamage = (error: unknown) => isServiceError(error, 'DATASET_DAMAGED')

async function fileIsFound(
  verified: VerifiedFiles,
  receipt: Receipt,
  file: StoredFile,
  { where, at }: { readonly where: string; readonly at: number },
): Promise<void> {
  const wrongBlock = at - (at % 65_536)
  let sentBytes = 0
  const read = async () => {
    for await (const chunk of await verified.read(receipt, file)) sentBytes += chunk.length
  }
  await assert.rejects(read, isDamage, where)
  assert.ok(sentBytes <= wrongBlock, `${where}: ${sentBytes} bytes left`)
  const used = verified.withLocal(receipt, [file], async () => assert.fail(`${where}: it was used`))
  await assert.rejects(used, isDamage, where)
  for (const range of [
    { start: at, end: at + 1 },
    { start: Math.max(0, at - 100_000), end: Math.min(file.bytes, at + 100_000) },
  ]) {
    await assert.rejects(readAll(verified, receipt, file, range), isDamage, where)
  }
  // Other blocks can still be read.
  if (wrongBlock > 0)
    assert.equal((await readAll(verified, receipt, file, { start: 0, end: wrongBlock })).length, wrongBlock)
}

async function readAll(
  verified: VerifiedFiles,
  receipt: Receipt,
  file: StoredFile,
  range?: { start: number; end: number },
) {
  const stream = range === undefined ? verified.read(receipt, file) : verified.readRange(receipt, file, range)
  return Buffer.concat(await Array.fromAsync(await stream))
}

async function receiptIsFound(store: Store, { id }: Receipt, where: string): Promise<void> {
  await assert.rejects(store.receipt(id), isDamage, where)
}

/** Over HTTP: each response is the same as before the flip, or it is refused or cut. */
async function flipWhileServed(dataDir: string, flips: number, random: () => number) {
  await using service = await RunningService.start(dataDir)
  const client = new Client(service.url)
  const { id } = await client.upload(sampleCsv())
  const ask = async (route: string) => {
    const answer = await client.ask('GET', `/qas/datasets/${id}${route}`).catch(() => null)
    return answer?.status === 200 ? answer.body : null
  }
  const before = new Map<string, Buffer>()
  for (const route of routes) before.set(route, (await ask(route)) ?? assert.fail(`${route} is refused`))
  const overHttp = { right: 0, refused: 0 }
  for (let flip = 0; flip < flips; flip += 1) {
    const file = files[flip % files.length]!
    await withFlip(join(dataDir, 'datasets', id, file), random, async (where) => {
      let refused = 0
      for (const route of routes) {
        const body = await ask(route)
        if (body === null) refused += 1
        else assert.ok(body.equals(before.get(route)!), `${where}: ${route} has another response`)
      }
      // The service caches checksums, and recomputes derived files.
      if (!file.startsWith('derived/') && file !== 'checksums') assert.ok(refused > 0, `${where}: not detected`)
      overHttp.refused += refused
      overHttp.right += routes.length - refused
    })
  }
  return { id, overHttp }
}

/** Flips a random bit of the file while `use` runs, but keeps its times; flips it back unless the file was replaced. */
async function withFlip(
  path: string,
  random: () => number,
  use: (where: string, at: number) => Promise<void>,
): Promise<void> {
  const { size, ino } = statSync(path)
  // A time that can be restored exactly.
  utimesSync(path, 1_000, 1_000)
  const at = Math.floor(random() * size)
  const mask = 1 << Math.floor(random() * 8)
  const flip = () => {
    if (statSync(path).ino !== ino) return
    const file = openSync(path, 'r+')
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, at)
    byte[0]! ^= mask
    writeSync(file, byte, 0, 1, at)
    closeSync(file)
    utimesSync(path, 1_000, 1_000)
  }
  const before = readFileSync(path)
  flip()
  assert.ok(!readFileSync(path).equals(before), 'no bit was flipped')
  await use(`${path}, byte ${at}, mask ${mask}`, at)
  flip()
}

/** A file with one part of several pages, and with rejects; small enough to be read ten thousand times. */
function sampleCsv(): string {
  let text = 'id,name,amount,day\n'
  for (let i = 0; i < 20_000; i += 1) {
    text +=
      i % 5 === 2
        ? `${i},short\n`
        : `${i},"name ${i}, ""of"" it",${i}.25,2026-01-${String((i % 28) + 1).padStart(2, '0')}\n`
  }
  return text
}
