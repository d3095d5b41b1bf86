// Tests of the segment cutter: sizes and record ends, rejects, duplicates, ranges of the file, samples.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createRandom, seed } from '../../../test/support/samples.ts'
import { utf8OfBytes } from '../../reading/encoding/single-byte.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import type { ScanOptions } from '../../reading/scanner/scanner.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { RecordTally } from './record-tally.ts'
import { type CutSegment, type CutterOptions, cutSegments } from './write-segments.ts'

const root = await mkdtemp(join(tmpdir(), 'segment-cutter-'))
after(() => rm(root, { recursive: true }))

const layout = { width: 2, delimiter: ',', quote: '"', escape: null, lineTerminator: '\n' } as const
const scanOptions: ScanOptions = {
  delimiter: 0x2c,
  quote: 0x22,
  escape: null,
  comment: null,
  skipInitialSpace: false,
  lineEnd: 'lf',
  width: 2,
  recordBytesMax: 1000,
  start: { byteOffset: 0, records: 0, lines: 0 },
}

/** A draft that creates folders on request. */
function draftIn(dir: string) {
  const folder = async (name: string) => (await mkdir(join(dir, name), { recursive: true })) ?? dir
  return { dir, folder }
}

async function* chunksOf(text: string, bytes: number): AsyncGenerator<readonly Uint8Array[]> {
  const all = Buffer.from(text)
  for (let from = 0; from < all.length; from += bytes) yield [all.subarray(from, from + bytes)]
}

/** A text that is not on disk, of which everything is cut. */
const usual = {
  layout,
  text: { path: 'file', startOffset: 0, flush: async () => {} },
  rewrite: null,
  utf8OfBytes: null,
  corrector: null,
  keeps: ['accepted', 'rejected'],
  isDuplicate: () => false,
  firstBytes: 100,
  segmentBytes: 400,
} satisfies Partial<CutterOptions>

async function textOf({ path, pieces, bytes }: CutSegment['segment'], text: string): Promise<string> {
  const own = await readFile(path, 'utf8').catch(() => '')
  return (pieces ?? [{ path, byteOffset: 0, bytes }])
    .map((piece) => (piece.path === path ? own : text).slice(piece.byteOffset, piece.byteOffset + piece.bytes))
    .join('')
}

async function cut(
  text: string,
  sizes: { firstBytes: number; segmentBytes: number },
  keeps: readonly CutSegment['kind'][] = ['accepted', 'rejected'],
  chunks = chunksOf(text, 10),
) {
  const dir = await mkdtemp(join(root, 'cut-'))
  const tally = new RecordTally()
  const segments: (CutSegment & { text: string })[] = []
  const options = { ...usual, draft: draftIn(dir), keeps, ...sizes }
  for await (const item of cutSegments(chunks, createScanner(scanOptions), options, tally)) {
    segments.push({ ...item, text: await textOf(item.segment, text) })
  }
  return { dir, tally, segments }
}

test('cutSegments() keeps to the segment sizes even if everything arrives at once', async () => {
  const text = Array.from({ length: 100_000 }, (_, i) => `${i},x\n`).join('')
  const sizes = { firstBytes: 100_000, segmentBytes: 70_000 }
  async function* atOnce(sliceBytes: number) {
    const slices: Uint8Array[] = []
    for await (const more of chunksOf(text, sliceBytes)) slices.push(...more)
    yield slices
  }
  for (const sliceBytes of [1_000, 65_536, text.length]) {
    const { segments } = await cut(text, sizes, undefined, atOnce(sliceBytes))
    assert.equal(segments.map((one) => one.text).join(''), text)
    assert.ok(segments.every(({ sample }) => sample === undefined))
    for (const { index, segment } of segments) {
      const wanted = index === 0 ? sizes.firstBytes : sizes.segmentBytes
      assert.ok(segment.bytes < wanted + '99999,x\n'.length, `segment ${index} of ${segment.bytes} bytes`)
      assert.ok(segment.bytes >= wanted || index === segments.length - 1)
    }
  }
})

test('cutSegments() cuts at record ends, with a separate size for the first segment, and loses nothing', async () => {
  const lines = Array.from({ length: 50 }, (_, i) => `${i},"x\ny"\n`)
  const { segments, tally } = await cut(lines.join(''), { firstBytes: 15, segmentBytes: 100 })
  assert.equal(segments.map(({ text }) => text).join(''), lines.join(''))
  assert.deepEqual(
    segments.map(({ index }) => index),
    segments.map((_, i) => i),
  )
  for (const { segment, text } of segments) {
    assert.equal(segment.bytes, text.length)
    assert.equal(segment.records, text.match(/"\n/g)?.length)
  }
  assert.ok((segments[0]?.segment.bytes ?? 0) < 40 && (segments[1]?.segment.bytes ?? 0) >= 100)
  assert.equal(tally.accepted, 50)
})

test('cutSegments() puts rejects into separate segments, counts their reasons and keeps the first ones', async () => {
  const { segments, tally } = await cut('1,2\nbad\n\n3,4,5\n6,7\n', { firstBytes: 1000, segmentBytes: 1000 })
  const [accepted, rejected] = segments
  assert.equal(accepted?.text, '1,2\n6,7\n')
  assert.equal(rejected?.kind, 'rejected')
  assert.equal(rejected?.segment.records, 2)
  assert.match(rejected?.text ?? '', /^2,2,4,3,,too_few_fields,"[^\n]+",\n4,4,9,5,,too_many_fields,"[^\n]+",\n$/)
  assert.deepEqual(tally.reasons, { too_few_fields: 1, too_many_fields: 1 })
  assert.deepEqual([tally.accepted, tally.rejected, tally.blank, tally.first.length], [2, 2, 1, 2])
  const members = ['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message']
  assert.deepEqual(Object.keys(tally.first[0] ?? {}), members)
})

test('cutSegments() yields one empty segment if no record is accepted', async () => {
  const { segments } = await cut('bad\n', { firstBytes: 10, segmentBytes: 10 }, ['accepted'])
  assert.deepEqual(
    segments.map(({ kind, text }) => [kind, text]),
    [['accepted', '']],
  )
})

test('cutSegments() leaves no unfinished segment when its receiver stops early', async () => {
  const dir = await mkdtemp(join(root, 'stopped-'))
  const options: CutterOptions = { ...usual, draft: draftIn(dir), firstBytes: 8, segmentBytes: 1000 }
  const text = '1,2\nbad\n'.repeat(20)
  for await (const item of cutSegments(chunksOf(text, 10), createScanner(scanOptions), options, new RecordTally())) {
    assert.equal(item.index, 0)
    break
  }
  assert.deepEqual(await readdir(join(dir, 'segments')), ['accepted-00000.csv'])
})

test('cutSegments() drops the rest once the file turns out to be a duplicate', async () => {
  const dir = await mkdtemp(join(root, 'duplicate-'))
  const options: CutterOptions = { ...usual, draft: draftIn(dir), isDuplicate: () => true }
  const items = cutSegments(chunksOf('1,2\nbad\n', 4), createScanner(scanOptions), options, new RecordTally())
  assert.deepEqual(await Array.fromAsync(items), [])
  assert.deepEqual(await readdir(join(dir, 'segments')), [])
})

test('cutSegments() refers to ranges of the file if all their bytes are accepted, and writes the rest', async () => {
  const dir = await mkdtemp(join(root, 'places-'))
  const path = join(dir, 'text.csv')
  const lines = Array.from({ length: 300 }, (_, i) =>
    i % 50 === 7 ? 'bad\n' : i % 90 === 8 ? `${i},"a"  \n` : `${i},x\n`,
  )
  const content = `id,name\n${lines.join('')}`
  await writeFile(path, content)
  const startOffset = 'id,name\n'.length
  let flushes = 0
  const text = { path, startOffset, flush: async () => void flushes++ }
  const options: CutterOptions = { ...usual, draft: draftIn(dir), text, keeps: ['accepted'] }
  const scanner = createScanner({ ...scanOptions, start: { byteOffset: startOffset, records: 1, lines: 1 } })
  const seen: string[] = []
  let records = 0
  let written = 0
  const chunks = chunksOf(lines.join(''), 10)
  for await (const { segment } of cutSegments(chunks, scanner, options, new RecordTally())) {
    assert.ok(segment.pieces !== undefined)
    records += segment.records
    let bytes = 0
    for (const piece of segment.pieces) {
      const bytesOf = await readFile(piece.path)
      seen.push(bytesOf.subarray(piece.byteOffset, piece.byteOffset + piece.bytes).toString())
      bytes += piece.bytes
      if (piece.path !== path) written += piece.bytes
    }
    assert.equal(segment.bytes, bytes)
  }
  const wanted = lines.filter((line) => line !== 'bad\n').map((line) => line.replace('  ', ''))
  assert.equal(seen.join(''), wanted.join(''))
  assert.equal(records, wanted.length)
  assert.ok(flushes > 2)
  assert.ok(written > 0 && written < content.length / 4, `${written} bytes were written`)
})

test('cutSegments() counts the bytes of ranges in UTF-8, whatever the encoding of the file', async () => {
  const text = Array.from({ length: 200 }, (_, i) => `${i},Zürich\n`).join('')
  const encoded = Buffer.from(text, 'latin1')
  async function* chunks() {
    for (let from = 0; from < encoded.length; from += 10) yield [encoded.subarray(from, from + 10)]
  }
  const encoding = 'windows-1252'
  const scanner = createFileScanner(createScanner)({ ...scanOptions, encoding })
  const options: CutterOptions = { ...usual, draft: draftIn(root), utf8OfBytes: utf8OfBytes(encoding) }
  const segments = await Array.fromAsync(cutSegments(chunks(), scanner, options, new RecordTally()))
  let at = 0
  for (const { segment } of segments) {
    const [piece, ...others] = segment.pieces ?? []
    assert.deepEqual([piece?.path, piece?.byteOffset, others.length], ['file', at, 0])
    const end = at + (piece?.bytes ?? 0)
    assert.equal(segment.bytes, Buffer.byteLength(encoded.subarray(at, end).toString('latin1')))
    assert.equal(segment.utf8OfBytes, options.utf8OfBytes)
    at = end
  }
  assert.ok(segments.length > 3)
  assert.equal(at, encoded.length)
})

test('cutSegments() yields a sample from all over a long first segment that refers to the file', async () => {
  const text = Array.from({ length: 100_000 }, (_, i) => `${i},x\n`).join('')
  const sizes = { firstBytes: 700_000, segmentBytes: 70_000 }
  const { segments } = await cut(text, sizes, undefined, chunksOf(text, text.length))
  const [first, ...others] = segments
  const { pieces = [], records, bytes } = first?.sample ?? assert.fail('no sample')
  const sampled = pieces.map(({ byteOffset, bytes: length }) => text.slice(byteOffset, byteOffset + length))
  const lines = sampled.join('').split('\n').slice(0, -1)
  assert.ok(lines.every((line) => /^\d+,x$/.test(line)))
  assert.deepEqual([lines.length, sampled.join('').length], [records, bytes])
  assert.ok(bytes * 4 <= (first?.segment.bytes ?? 0), `${bytes}`)
  assert.equal(pieces[0]?.byteOffset, 0)
  assert.ok((pieces.at(-1)?.byteOffset ?? 0) > 300_000)
  assert.ok(others.every(({ sample }) => sample === undefined))
})

test('cutSegments() keeps early segments that refer to the file small, one row group each', async () => {
  const text = Array.from({ length: 2_300_000 }, (_, i) => `${i},x\n`).join('')
  const sizes = { firstBytes: 1_048_576, segmentBytes: 5_000_000 }
  const cutTo = async (segmentBytes: number) => {
    const { segments } = await cut(text, { ...sizes, segmentBytes }, undefined, chunksOf(text, 65_536))
    return segments.slice(0, -1).map(({ segment }) => segment.bytes)
  }
  const early = await cutTo(sizes.segmentBytes)
  const least = [1_048_576, 1_507_328, 1_507_328, 1_507_328, 3_014_656, 5_000_000]
  assert.ok(early.length > least.length)
  for (const [i, wanted] of least.entries()) {
    const bytes = early[i] ?? 0
    assert.ok(bytes >= wanted && bytes < wanted + 10, `segment ${i} of ${bytes} bytes`)
  }
  assert.ok((await cutTo(100_000)).slice(1).every((bytes) => bytes < 100_010))
})

test('cutSegments() joins a short remainder to the last segment', async () => {
  const line = `${'x'.repeat(98)},\n`
  const sizes = { firstBytes: 1_048_576, segmentBytes: 5_000_000 }
  for (const [bytes, counts] of [
    [1_300_000, [13_000]],
    [1_310_700, [13_107]],
    [1_310_800, [10_486, 2_622]],
    [1_500_000, [10_486, 4_514]],
    [2_800_000, [10_486, 17_514]],
  ] as const) {
    const text = line.repeat(bytes / line.length)
    const { segments, tally } = await cut(text, sizes, undefined, chunksOf(text, 65_536))
    assert.equal(tally.accepted, bytes / line.length)
    for (const [i, wanted] of counts.entries()) {
      const { records, bytes: length, pieces } = segments[i]?.segment ?? assert.fail(`segment ${i} of ${bytes}`)
      assert.equal(records, wanted, `segment ${i} of ${bytes}`)
      assert.equal(length, records * line.length)
      if (pieces !== undefined) assert.deepEqual([pieces.length, pieces[0]?.bytes], [1, length])
    }
    assert.equal(segments.length, counts.length)
    assert.equal(
      segments.reduce((sum, { segment }) => sum + segment.records, 0),
      tally.accepted,
    )
  }
})

/** Segments as their content, and where the sample is. */
async function contentsOf(chunks: AsyncIterable<readonly Uint8Array[]>, encoded: Buffer, encoding: string) {
  const dir = await mkdtemp(join(root, 'chunks-'))
  const sizes = { firstBytes: 600_000, segmentBytes: 50_000 }
  const table = encoding === 'utf-8' ? null : utf8OfBytes(encoding)
  const options: CutterOptions = { ...usual, draft: draftIn(dir), utf8OfBytes: table, ...sizes }
  const scanner = createFileScanner(createScanner)({ ...scanOptions, encoding })
  const contentOf = async ({ path: own, pieces, bytes, records, utf8OfBytes: coded }: CutSegment['segment']) => {
    const hash = createHash('sha256')
    const written = await readFile(own).catch(() => Buffer.alloc(0))
    for (const { path: from, byteOffset, bytes: length } of pieces ?? [{ path: own, byteOffset: 0, bytes }]) {
      const slice = (from === own ? written : encoded).subarray(byteOffset, byteOffset + length)
      hash.update(from === own || coded === undefined ? slice : slice.toString('latin1'))
    }
    return { bytes, records, hash: hash.digest('hex') }
  }
  const contents = []
  for await (const { kind, index, segment, sample } of cutSegments(chunks, scanner, options, new RecordTally())) {
    contents.push({ kind, index, ...(await contentOf(segment)), sample: sample && (await contentOf(sample)) })
  }
  // Which kind is complete first depends on the chunks.
  return contents.toSorted((a, b) => a.kind.localeCompare(b.kind) || a.index - b.index)
}

test('cutSegments() cuts the same bytes into the same segments, in whatever chunks they arrive', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = createRandom(seed)
  for (let round = 0; round < 3; round++) {
    const encoding = round % 3 === 2 ? 'windows-1252' : 'utf-8'
    const oddOneIn = [3, 200, 20_000][round % 3]!
    const lines = Array.from({ length: 40_000 }, (_, i) => {
      if (random(oddOneIn) > 0) return random(5) === 0 ? `${i},"a\nü, ""b"""\n` : `${i},${'ü'.repeat(random(30))}x\n`
      return ['bad\n', '\n', `${i},"a"  \n`, '1,2,3\n', `${i},5" nail\n`, ',\n'][random(6)]!
    })
    const encoded = Buffer.from(lines.join(''), encoding === 'utf-8' ? 'utf8' : 'latin1')
    async function* cutAt(next: () => number) {
      for (let from = 0; from < encoded.length; ) {
        const to = from + next()
        yield [encoded.subarray(from, to)]
        from = to
      }
    }
    const contents = async (next: () => number) => contentsOf(cutAt(next), encoded, encoding)
    const whole = await contents(() => encoded.length)
    assert.ok(whole.length > 5)
    const most = 2 ** (1 + random(18))
    for (const next of [() => 65_536, () => 1 + random(most), () => 1 + random(40)]) {
      assert.deepEqual(await contents(next), whole, `SEED=${seed}, round ${round}`)
    }
  }
})

test('cutSegments() counts accepted records, and makes no segments of them, if only rejects are kept', async () => {
  const text = `${'1,2\nbad\n3,"4"  \n'.repeat(100)}`
  const { dir, segments, tally } = await cut(text, { firstBytes: 100, segmentBytes: 1000 }, ['rejected'])
  assert.deepEqual([tally.accepted, tally.rejected], [200, 100])
  assert.ok(segments.length > 1 && segments.every(({ kind }) => kind === 'rejected'))
  assert.deepEqual(
    segments.flatMap((one) => one.text.split('\n').filter(Boolean)).map((line) => Number(line.split(',')[0])),
    Array.from({ length: 100 }, (_, i) => 3 * i + 2),
  )
  assert.ok((await readdir(join(dir, 'segments'))).every((name) => name.startsWith('rejected')))
})
