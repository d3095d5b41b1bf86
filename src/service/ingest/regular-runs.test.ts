// Tests of regular runs: the same rejects as by scanning the whole file, whatever stands between the runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import {
  type FileScanOptions,
  ignoredCount,
  type ScannedReject,
  type ScanResult,
} from '../../reading/scanner/scanner.ts'
import { buildScanner, randomCuts } from '../../reading/scanner/scanner-cases.testing.ts'
import { withTrailingEmpty } from '../../reading/scanner/trailing-empty.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import type { Exclusions } from './exclusions.ts'
import { excludingScans, RegularRuns } from './regular-runs.ts'

buildScanner()

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const create = withTrailingEmpty(createFileScanner((options) => createScanner(options)))
const plain = {
  encoding: 'utf-8',
  delimiter: 44,
  quote: 34,
  escape: null,
  comment: 35,
  skipInitialSpace: false,
  width: 2,
  recordBytesMax: 10_000,
} as const
const odd = ['\n', '# note\n', 'a\n', 'a,b,c\n', '"a\nb",c\n', '"a"x,b\n', 'a" b,c\n', ',\n', ',\n,\n', '"a,b\n']

/** Long regular stretches, and between and after them what is not; every other record there may break a rule. */
function randomFile(random: Random): { readonly file: Buffer; readonly layout: FileScanOptions } {
  const lineEnd = (['lf', 'lf', 'crlf', 'cr'] as const)[random(4)]!
  const ends = { lf: [['\n'], ['\r\n'], ['\n', '\r\n']][random(3)]!, crlf: ['\r\n'], cr: ['\r'] }[lineEnd]
  const end = () => ends[random(ends.length)]!
  const start = { byteOffset: 0, records: 1, lines: 1 }
  const header = `x,y${end()}`
  const lines: string[] = []
  const quotes = random(3)
  for (let stretches = 1 + random(4); stretches > 0; stretches--) {
    for (let i = random(20_000); i > 0; i--)
      lines.push(`${i},${random(50) < quotes ? '"Zürich"' : 'Zürich '.repeat(random(8))}\n`)
    const isOfLines = random(3) === 0
    const kinds = isOfLines ? ['"a\nb",c\n'] : Array.from({ length: 1 + random(3) }, () => odd[random(odd.length)]!)
    const emptyIn = 1 + random(30)
    for (let i = random(12); i > 0; i--)
      lines.push(!isOfLines && random(emptyIn) === 0 ? ',\n' : random(2) === 0 ? 'a,b\n' : kinds[random(kinds.length)]!)
  }
  if (random(2) === 0) for (let i = random(9); i > 0; i--) lines.push(random(3) === 0 ? 'a,b\n' : ',\n')
  const text = header + lines.map((line) => line.replaceAll('\n', end)).join('')
  const file = Buffer.from(random(2) === 0 ? text : text.slice(0, -1))
  return { file, layout: { ...plain, lineEnd, start: { ...start, byteOffset: header.length } } }
}

/** Some anywhere, and every other one beside what cannot be read and at the end. */
function randomOrdinals(random: Random, readable: number, marked: readonly number[]): readonly number[] {
  const oneIn = 1 + random(200)
  const isNear = new Set([...marked, readable].flatMap((at) => Array.from({ length: 24 }, (_, i) => at - 12 + i)))
  const all = Array.from({ length: readable }, (_, i) => i + 1)
  return all.filter((one) => random(isNear.has(one) ? 2 : oneIn) === 0)
}

function randomPieces(file: Buffer, layout: FileScanOptions, random: Random): readonly Uint8Array[] {
  return randomCuts(random, file.subarray(layout.start.byteOffset), 40).flatMap((cut) =>
    Array.from({ length: Math.ceil(cut.length / 65_536) }, (_, i) => cut.subarray(i * 65_536, (i + 1) * 65_536)),
  )
}

function scanAll(
  pieces: readonly Uint8Array[],
  layout: FileScanOptions,
  ordinals: readonly number[],
  runs = new RegularRuns(layout.start),
) {
  const scanner = create({ ...layout, marksRejects: true })
  scanner.exclude(ordinals)
  const scans = [...pieces.map((piece) => scanner.push(piece)), scanner.end()]
  for (const one of scans) runs.add(one)
  const marked = scans.flatMap(({ rejects }) => rejects.flatMap(({ mark }) => mark?.readable ?? []))
  return { ...summed(scans), runs: runs.list(), marked, isPlaced: placedIn(scans) }
}

/** Whether the place of a record is known from the column writer: it read the record where it stands in the file. */
function placedIn(scans: readonly ScanResult[]): (ordinal: number) => boolean {
  const areVerbatim = scans.flatMap(({ accepted, isVerbatim }) => Array.from({ length: accepted }, () => isVerbatim))
  return (ordinal) => areVerbatim[ordinal - 1] === true
}

function summed(scans: readonly ScanResult[]) {
  const sum = (of: (one: ScanResult) => number) => scans.reduce((total, one) => total + of(one), 0)
  const { consumedTo, lines } = scans.at(-1)!
  const [accepted, ignored] = [sum((one) => one.accepted), sum(ignoredCount)]
  const rejects = scans.flatMap(({ rejects: some }) => some.map(({ mark: _, ...reject }) => reject))
  return { accepted, ignored, consumedTo, lines, rejects }
}

/** What an exclusion says of a record. */
function saidOf(ordinal: number) {
  return { column: 1 + (ordinal % 2), message: `number ${ordinal}` }
}

/** Rejects of a scan of the whole file, with what the exclusions say. */
function withTexts(rejects: readonly ScannedReject[]): readonly ScannedReject[] {
  return rejects.map((one) => {
    if (one.reason !== 'constraint') return one
    const { column, message } = saidOf(one.detail)
    return { ...one, column, ownMessage: message }
  })
}

type Scanned = ReturnType<typeof scanAll>

/** Scans with records excluded, as the whole file is scanned; returns how many bytes were not scanned again. */
async function assertSame(
  file: Buffer,
  layout: FileScanOptions,
  ordinals: readonly number[],
  { runs, isPlaced }: Scanned,
  { runs: _, marked: __, isPlaced: ___, ...wanted }: Scanned,
  what: string,
): Promise<number> {
  const excluded = wanted.rejects.filter(({ reason }) => reason === 'constraint')
  const placeOf = ({ byteOffset, byteLength, endOffset }: ScannedReject) => ({
    byteOffset,
    byteLength,
    lineEndBytes: endOffset - byteOffset - byteLength,
  })
  const places = new Map(excluded.map((one) => [one.detail, placeOf(one)]))
  async function* exclusions(): Exclusions {
    const placeOfOrdinal = (ordinal: number) => isPlaced(ordinal) && { place: places.get(ordinal)! }
    for (let at = 0; at < ordinals.length; at += 7)
      yield ordinals.slice(at, at + 7).map((ordinal) => ({ ordinal, ...saidOf(ordinal), ...placeOfOrdinal(ordinal) }))
  }
  async function* chunks(from: number, end: number) {
    for (let at = from; at < Math.min(end, file.length); at += 70_000)
      yield [file.subarray(at, Math.min(end, at + 70_000))]
  }
  const scans: ScanResult[] = []
  const pass = { layout, createScanner: create, runs, exclusions: exclusions(), chunks }
  for await (const some of excludingScans(pass)) scans.push(...some)
  const { rejects, ...found } = summed(scans)
  const { rejects: expected, ...counts } = wanted
  assert.deepEqual(rejects, withTexts(expected), what)
  assert.deepEqual(found, counts, what)
  return runs.reduce((sum, [from, to]) => sum + to.byteOffset - from.byteOffset, 0)
}

test('excludingScans() reports the same as a scan of the whole file', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  let skippedBytes = 0
  for (let round = 0; round < 40; round++) {
    const { file, layout } = randomFile(random)
    const runs = new RegularRuns(layout.start, 1 + random(100_000))
    const first = scanAll(randomPieces(file, layout, random), layout, [], runs)
    const ordinals = randomOrdinals(random, first.accepted, first.marked)
    const wanted = scanAll(randomPieces(file, layout, random), layout, ordinals)
    skippedBytes += await assertSame(file, layout, ordinals, first, wanted, `SEED=${seed} round ${round}`)
  }
  assert.ok(skippedBytes > 1_000_000)
})

test('excludingScans() lets no run begin where the record before it depends on what follows', async () => {
  const header = 'x,y\n'
  const start = { byteOffset: header.length, records: 1, lines: 1 }
  const layout: FileScanOptions = { ...plain, recordBytesMax: 100_000, lineEnd: 'lf', start }
  // A plausible record, or the end of the file, must follow a repaired one: none so long is.
  const [odd, long] = ['"1,"a, b"\n', `1,${'z'.repeat(70_000)}\n`]
  const file = Buffer.from(header + odd + long + '2,b\n'.repeat(200_000))
  // The first piece ends within the long record, so that only the odd one is decided.
  const [at, first] = [header.length, 69_000]
  const pieces = [file.subarray(at, first)]
  for (let from = first; from < file.length; from += 65_536) pieces.push(file.subarray(from, from + 65_536))
  const ordinals = [100_000]
  const wanted = scanAll([file.subarray(at)], layout, ordinals)
  assert.equal(wanted.rejects.length, 2)
  assert.ok((await assertSame(file, layout, ordinals, scanAll(pieces, layout, []), wanted, 'cut')) > 0)
})
