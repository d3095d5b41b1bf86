// Tests of the segment cutter: sizes and record ends, rejects, duplicates, ranges of the file, samples.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { utf8OfBytes } from '../../reading/encoding/single-byte.ts'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import type { ScanOptions } from '../../reading/scanner/scanner.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { RecordTally } from './record-tally.ts'
import { type CutSegment, cutSegments, type TextFile } from './write-segments.ts'

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

async function cut(
  text: string,
  sizes: { firstBytes: number; segmentBytes: number },
  withRejects = true,
  chunks = chunksOf(text, 10),
  places: TextFile | null = null,
) {
  const dir = await mkdtemp(join(root, 'cut-'))
  const tally = new RecordTally()
  const segments: (CutSegment & { text: string })[] = []
  const options = {
    draft: draftIn(dir),
    layout,
    text: places,
    rewrite: null,
    utf8OfBytes: null,
    corrector: null,
    withRejects,
    isDuplicate: () => false,
    ...sizes,
  }
  for await (const item of cutSegments(chunks, createScanner(scanOptions), options, tally)) {
    segments.push({ ...item, text: places === null ? await readFile(item.segment.path, 'utf8') : '' })
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
    const { segments } = await cut(text, sizes, true, atOnce(sliceBytes))
    assert.equal(segments.map((one) => one.text).join(''), text)
    for (const { index, segment } of segments) {
      const wanted = index === 0 ? sizes.firstBytes : sizes.segmentBytes
      assert.ok(segment.bytes < wanted + 65_536, `segment ${index} of ${segment.bytes} bytes`)
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
  const { segments } = await cut('bad\n', { firstBytes: 10, segmentBytes: 10 }, false)
  assert.deepEqual(
    segments.map(({ kind, text }) => [kind, text]),
    [['accepted', '']],
  )
})

test('cutSegments() leaves no unfinished segment when its receiver stops early', async () => {
  const dir = await mkdtemp(join(root, 'stopped-'))
  const options = {
    draft: draftIn(dir),
    layout,
    text: null,
    rewrite: null,
    utf8OfBytes: null,
    corrector: null,
    withRejects: true,
    isDuplicate: () => false,
    firstBytes: 8,
    segmentBytes: 1000,
  }
  const text = '1,2\nbad\n'.repeat(20)
  for await (const item of cutSegments(chunksOf(text, 10), createScanner(scanOptions), options, new RecordTally())) {
    assert.equal(item.index, 0)
    break
  }
  assert.deepEqual(await readdir(join(dir, 'segments')), ['accepted-00000.csv'])
})

test('cutSegments() drops the rest once the file turns out to be a duplicate', async () => {
  const dir = await mkdtemp(join(root, 'duplicate-'))
  const options = {
    draft: draftIn(dir),
    layout,
    text: null,
    rewrite: null,
    utf8OfBytes: null,
    corrector: null,
    withRejects: true,
    isDuplicate: () => true,
    firstBytes: 99,
    segmentBytes: 99,
  }
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
  const text = `id,name\n${lines.join('')}`
  await writeFile(path, text)
  const startOffset = 'id,name\n'.length
  let flushes = 0
  const options = {
    draft: draftIn(dir),
    layout,
    text: { path, startOffset, flush: async () => void flushes++ },
    rewrite: null,
    utf8OfBytes: null,
    corrector: null,
    withRejects: false,
    isDuplicate: () => false,
    firstBytes: 100,
    segmentBytes: 400,
  }
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
      const content = await readFile(piece.path)
      seen.push(content.subarray(piece.byteOffset, piece.byteOffset + piece.bytes).toString())
      bytes += piece.bytes
      if (piece.path !== path) written += piece.bytes
    }
    assert.equal(segment.bytes, bytes)
  }
  const wanted = lines.filter((line) => line !== 'bad\n').map((line) => line.replace('  ', ''))
  assert.equal(seen.join(''), wanted.join(''))
  assert.equal(records, wanted.length)
  assert.ok(flushes > 2)
  assert.ok(written > 0 && written < text.length / 4, `${written} bytes were written`)
})

test('cutSegments() counts the bytes of ranges in UTF-8, whatever the encoding of the file', async () => {
  const text = Array.from({ length: 200 }, (_, i) => `${i},Zürich\n`).join('')
  const encoded = Buffer.from(text, 'latin1')
  async function* chunks() {
    for (let from = 0; from < encoded.length; from += 10) yield [encoded.subarray(from, from + 10)]
  }
  const encoding = 'windows-1252'
  const scanner = createFileScanner(createScanner)({ ...scanOptions, encoding })
  const options = {
    draft: draftIn(root),
    layout,
    text: { path: 'file', startOffset: 0, flush: async () => {} },
    rewrite: null,
    utf8OfBytes: utf8OfBytes(encoding),
    corrector: null,
    withRejects: false,
    isDuplicate: () => false,
    firstBytes: 100,
    segmentBytes: 400,
  }
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
  const places = { path: 'file', startOffset: 0, flush: async () => {} }
  const sizes = { firstBytes: 700_000, segmentBytes: 70_000 }
  const { segments } = await cut(text, sizes, true, chunksOf(text, text.length), places)
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
  const places = { path: 'file', startOffset: 0, flush: async () => {} }
  const sizes = { firstBytes: 1_048_576, segmentBytes: 5_000_000 }
  const cutTo = async (file: TextFile | null, segmentBytes: number) => {
    const { segments } = await cut(text, { ...sizes, segmentBytes }, true, chunksOf(text, 65_536), file)
    return segments.slice(0, -1).map(({ segment }) => segment.bytes)
  }
  const early = await cutTo(places, sizes.segmentBytes)
  const most = [1_114_112, 1_572_864, 1_572_864, 1_572_864, 3_080_192, 5_065_536]
  assert.ok(early.length > most.length)
  for (const [i, wanted] of most.entries()) {
    const bytes = early[i] ?? 0
    assert.ok(bytes <= wanted && bytes > wanted - 65_600, `segment ${i} of ${bytes} bytes`)
  }
  assert.ok((await cutTo(places, 100_000)).slice(1).every((bytes) => bytes < 165_536))
  assert.ok((await cutTo(null, sizes.segmentBytes)).slice(1).every((bytes) => bytes >= sizes.segmentBytes))
})

test('cutSegments() joins a short remainder to the last segment if the records are in the file', async () => {
  const line = `${'x'.repeat(98)},\n`
  const places = { path: 'file', startOffset: 0, flush: async () => {} }
  const sizes = { firstBytes: 1_048_576, segmentBytes: 5_000_000 }
  for (const [bytes, file, counts] of [
    [1_300_000, places, [13_000]],
    [1_500_000, places, [10_485, 4_515]],
    [2_900_000, places, [10_485, 18_515]],
    [1_300_000, null, [10_485, 2_515]],
  ] as const) {
    const text = line.repeat(bytes / line.length)
    const { segments, tally } = await cut(text, sizes, true, chunksOf(text, 65_536), file)
    assert.equal(tally.accepted, bytes / line.length)
    for (const [i, wanted] of counts.entries()) {
      const { records, bytes: length, pieces } = segments[i]?.segment ?? assert.fail(`segment ${i} of ${bytes}`)
      assert.ok(Math.abs(records - wanted) < 660, `segment ${i} of ${bytes}: ${records} records`)
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

test('cutSegments() yields no sample of a short segment, or of a segment with its own file', async () => {
  const text = Array.from({ length: 100_000 }, (_, i) => `${i},x\n`).join('')
  const places = { path: 'file', startOffset: 0, flush: async () => {} }
  const sizes = { firstBytes: 100_000, segmentBytes: 70_000 }
  const short = await cut(text, sizes, true, chunksOf(text, text.length), places)
  const own = await cut(text, { ...sizes, firstBytes: 700_000 }, true, chunksOf(text, text.length))
  assert.deepEqual([short.segments[0]?.sample, own.segments[0]?.sample], [undefined, undefined])
})
