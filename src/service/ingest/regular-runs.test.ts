// Tests of regular runs: the same rejects as by scanning the whole file, whatever stands between the runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import type { FileScanOptions, Scanned, ScannedReject } from '../../reading/scanner/scanner.ts'
import { buildScanner, randomCuts } from '../../reading/scanner/scanner-cases.testing.ts'
import { withTrailingEmpty } from '../../reading/scanner/trailing-empty.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { excludingScans, RegularRuns } from './regular-runs.ts'
import type { Exclusion } from './violations.ts'

buildScanner()

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const create = withTrailingEmpty(createFileScanner((options) => createScanner(options)))
const start = { byteOffset: 4, records: 1, lines: 1 }
const layout: FileScanOptions = {
  encoding: 'utf-8',
  delimiter: 44,
  quote: 34,
  escape: null,
  comment: 35,
  skipInitialSpace: false,
  lineEnd: 'lf',
  width: 2,
  recordBytesMax: 10_000,
  start,
}
const odd = ['\n', '# note\n', 'a\n', 'a,b,c\n', '"a\nb",c\n', '"a"x,b\n', 'a" b,c\n', ',\n', ',\n,\n', '"a,b\n']

function randomFile(random: Random): Buffer {
  const lines: string[] = ['x,y\n']
  for (let stretches = 1 + random(4); stretches > 0; stretches--) {
    for (let i = random(20_000); i > 0; i--) lines.push(`${i},${'Zürich '.repeat(random(8))}\n`)
    for (let i = random(4); i > 0; i--) lines.push(odd[random(odd.length)]!)
  }
  const text = lines.join('')
  return Buffer.from(random(2) === 0 ? text : text.slice(0, -1))
}

function scanAll(file: Buffer, random: Random, ordinals: readonly number[]) {
  const scanner = create({ ...layout, marksRejects: ordinals.length > 0 })
  const runs = new RegularRuns(start, 1 + random(100_000))
  scanner.exclude(ordinals)
  const scans: Scanned[] = []
  for (const cut of randomCuts(random, file.subarray(start.byteOffset), 40))
    for (let at = 0; at < cut.length; at += 65_536) scans.push(scanner.push(cut.subarray(at, at + 65_536)))
  scans.push(scanner.end())
  for (const one of scans) runs.add(one)
  return { ...summed(scans), runs: runs.list() }
}

function summed(scans: readonly Scanned[]) {
  const sum = (of: (one: Scanned) => number) => scans.reduce((total, one) => total + of(one), 0)
  const { consumedTo, lines } = scans.at(-1)!
  const [accepted, blank, skipped] = [sum((one) => one.accepted), sum((one) => one.blank), sum((one) => one.skipped)]
  return { accepted, blank, skipped, consumedTo, lines, rejects: scans.flatMap(({ rejects }) => rejects) }
}

function withoutTexts(rejects: readonly ScannedReject[]) {
  return rejects.map(({ ownMessage: _, wanted: __, column, ...one }) => ({
    ...one,
    column: column === 1 ? null : column,
  }))
}

test('excludingScans() reports the same as a scan of the whole file', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  let skippedBytes = 0
  for (let round = 0; round < 40; round++) {
    const file = randomFile(random)
    const { runs, accepted } = scanAll(file, random, [])
    const oneIn = 1 + random(200)
    const ordinals = Array.from({ length: accepted }, (_, i) => i + 1).filter(() => random(oneIn) === 0)
    const { runs: _, ...wanted } = scanAll(file, random, ordinals)
    const places = new Map(wanted.rejects.map((one) => [one.reason === 'constraint' ? one.detail : 0, one]))
    async function* exclusions(): AsyncGenerator<Exclusion> {
      for (const ordinal of ordinals) yield { ordinal, column: 1, message: '', place: places.get(ordinal)! }
    }
    async function* chunks(from: number, end: number) {
      for (let at = from; at < Math.min(end, file.length); at += 70_000)
        yield [file.subarray(at, Math.min(end, at + 70_000))]
    }
    const scannerAt = (from: typeof start) => create({ ...layout, start: from, marksRejects: true })
    const scans: Scanned[] = []
    const pass = { start, runs, exclusions: exclusions(), scannerAt, chunks }
    for await (const some of excludingScans(pass)) scans.push(...some)
    const { rejects, ...found } = summed(scans)
    const { rejects: expected, ...counts } = wanted
    assert.deepEqual(withoutTexts(rejects), withoutTexts(expected), `SEED=${seed} round ${round}`)
    assert.deepEqual(found, counts, `SEED=${seed} round ${round}`)
    skippedBytes += runs.reduce((sum, [from, to]) => sum + to.byteOffset - from.byteOffset, 0)
  }
  assert.ok(skippedBytes > 1_000_000)
})
