// Tests of sliced parts: pages have the values of the whole parts, read a few ranges, and use no wrong byte.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchDir, startReader } from '../../../columns/converter.testing.ts'
import { csvText, layoutOf, seed, writeColumns } from '../../../columns/writer/columns.testing.ts'
import { byteStream } from '../../../core/byte-stream.ts'
import { isServiceError } from '../../../core/errors.ts'
import { randomFrom } from '../../../core/random.testing.ts'
import type { Part, Receipt } from '../../../core/receipt.ts'
import { BlockChecksums } from '../../../io/hashing/block-checksums.ts'
import { copiesIn, LocalCache } from '../../../store/s3/local-cache.ts'
import { sample } from '../../../store/store-samples.testing.ts'
import { blocksAround, FileBlocks, verifiedBytes } from '../file-blocks.ts'
import { SlicedParts } from './sliced-parts.ts'

const reader = startReader()
const never = new AbortController().signal
const layout = layoutOf(2)
const recordsOfPart = 2_000
const rowGroupRecords = 200
const isDamaged = (error: unknown) => isServiceError(error, 'DATASET_DAMAGED')
const { receipt }: { receipt: Receipt } = sample({ seed: 1 })

/** Parts of ten row groups in a remote store, and a cache. */
async function opened(t: Parameters<typeof scratchDir>[0], count: number) {
  const dir = scratchDir(t)
  const random = randomFrom(seed)
  const bytesOf = new Map<string, Buffer>()
  const rows: (readonly unknown[])[] = []
  const blocksOf = new Map<string, FileBlocks>()
  const parts = Array.from({ length: count }, (_, index): Part => {
    const table = Array.from({ length: recordsOfPart }, (__, i) => {
      const text = Array.from({ length: 80 }, () => random(2 ** 31).toString(36)).join('')
      return [random(9) === 0 ? null : `${index * recordsOfPart + i}`, text]
    })
    rows.push(...table.map(([n, text]) => [n === null || n === undefined ? null : Number(n), text]))
    const columns = [
      { name: 'n', type: { kind: 'integer' }, nullWords: [] },
      { name: 'text', type: { kind: 'text' }, nullWords: [] },
    ] as const
    const { part } = writeColumns(csvText(table, layout), { layout, columns, rowGroupRecords })
    const file = { file: `data/part-0000${index}.parquet`, bytes: part.length, sha256: sha256(part) }
    bytesOf.set(file.file, part)
    const checksums = new BlockChecksums()
    checksums.update(part)
    blocksOf.set(file.file, new FileBlocks(file, checksums.digest()))
    return { ...file, records: recordsOfPart }
  })
  const seen = { bytes: 0, whole: [] as string[] }
  const files: ConstructorParameters<typeof SlicedParts>[0] = {
    withLocal: async (_receipt, wanted, use) => {
      const paths = wanted.map(({ file }) => {
        seen.whole.push(file)
        const path = join(dir, file.replace('/', '-'))
        writeFileSync(path, bytesOf.get(file)!)
        return path
      })
      return await use(paths)
    },
    readRange: async (_receipt, file, range) => {
      const around = blocksAround(range, file)
      seen.bytes += around.end - around.start
      const source = (async function* () {
        yield bytesOf.get(file.file)!.subarray(around.start, around.end)
      })()
      return byteStream(verifiedBytes(source, blocksOf.get(file.file)!, range), async () => {})
    },
  }
  const cacheDir = join(dir, 'cache')
  const open = async (bytesMax = 1e9) => new SlicedParts(files, copiesIn(await LocalCache.open(cacheDir, bytesMax)))
  const page = async (sliced: SlicedParts, offset: number, limit: number) => {
    const first = Math.floor(offset / recordsOfPart)
    const touched = parts.slice(first, Math.ceil((offset + limit) / recordsOfPart))
    const window = { offset: offset - first * recordsOfPart, limit }
    return await sliced.withWindow(receipt, touched, window, (local, from) =>
      reader.rows(local, ['n', 'text'], from, limit, never),
    )
  }
  return { parts, rows, bytesOf, seen, open, page, cacheDir }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

test('withWindow() has the records of the parts, from slices at first and from the whole part later', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const { parts, rows, seen, open, page } = await opened(t, 2)
  const random = randomFrom(seed)
  for (const bytesMax of [1e9, 0]) {
    const sliced = await open(bytesMax)
    for (let round = 0; round < 10; round++) {
      const offset = round === 0 ? recordsOfPart - 5 : random(rows.length - 1)
      const limit = 1 + random(Math.min(rows.length - offset, round % 5 === 0 ? rows.length : 300))
      const wanted = rows.slice(offset, offset + limit)
      assert.deepEqual(await page(sliced, offset, limit), wanted, `SEED=${seed} ${offset} ${limit}`)
    }
    assert.deepEqual(await page(sliced, 0, rows.length), rows)
    assert.deepEqual(
      seen.whole.slice(-2),
      parts.map(({ file }) => file),
    )
  }
})

test('withWindow() reads a row group and the footer for one page, and nothing for the next', async (t) => {
  const { parts, rows, seen, open, page } = await opened(t, 1)
  const [part] = parts as [Part]
  const first = await open()
  const pages = Array.from({ length: 4 }, () => page(first, 500, 20))
  for (const one of await Promise.all(pages)) assert.deepEqual(one, rows.slice(500, 520))
  // A tenth of the part, rounded up to whole blocks, and the blocks of the footer.
  const once = seen.bytes
  assert.ok(once <= part.bytes / 8 + 4 * 65_536 && once < part.bytes / 2, `${once} of ${part.bytes} bytes`)
  const again = await open()
  assert.deepEqual(await page(first, 520, 50), rows.slice(520, 570))
  assert.deepEqual(await page(again, 410, 50), rows.slice(410, 460))
  assert.deepEqual([seen.bytes, seen.whole], [once, []])
})

test('withWindow() reports a damaged block or slice, and still reads other row groups', async (t) => {
  const { parts, rows, bytesOf, open, page, cacheDir } = await opened(t, 1)
  const [{ file }] = parts as [Part]
  const sliced = await open()
  const bytes = bytesOf.get(file)!
  bytes[100]! ^= 1
  await assert.rejects(page(sliced, 10, 5), isDamaged)
  assert.deepEqual(readdirSync(cacheDir), [])
  assert.deepEqual(await page(sliced, 1_000, 5), rows.slice(1_000, 1_005))
  bytes[bytes.length - 20]! ^= 1
  await assert.rejects(page(sliced, 1_400, 5), isDamaged)
  const [name = ''] = readdirSync(cacheDir)
  const path = join(cacheDir, name)
  const slice = readFileSync(path)
  slice[slice.length >> 1]! ^= 1
  writeFileSync(path, slice)
  await assert.rejects(page(sliced, 1_000, 5), isDamaged)
})
