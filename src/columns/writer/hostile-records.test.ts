// Tests of hostile input: malformed records are reported, writes stay within their region, and no length is too great.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import type { ColumnType } from '../../core/receipt.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import type { SegmentLayout } from '../converter.ts'
import { ColumnsMemory } from '../memory/columns-memory.ts'
import { type ColumnWriterOptions, MalformedRecordsError } from './column-writer.ts'
import { csvText, factsOnly, layoutOf, seed, writeColumns } from './columns.testing.ts'
import { createColumnWriter } from './create-column-writer.ts'
import { readRecords } from './record-reader.testing.ts'
import { WasmColumnWriter } from './wasm-column-writer.ts'

const texts = (width: number) =>
  Array.from({ length: width }, (_, i) => ({ name: `n${i}`, type: { kind: 'text' } as const, nullWords: [] }))

test('createColumnWriter() reports bytes that are not records of the layout', () => {
  const wrong: readonly (readonly [text: string, layout?: Partial<SegmentLayout>])[] = [
    ['a\n'],
    ['a,b,c\n'],
    ['a,b\nc\n'],
    ['a,b\n\n'],
    ['a,"b\n'],
    ['a,"b""\n'],
    ['a,b"c\n'],
    ['a"",b\n'],
    ['"a"b,c\n'],
    ['"a" ,c\n'],
    ['"a"\rb,c\n'],
    ['a,"b"\r\r\n'],
    ['"a"""b,c\n'],
    ['a,b\nc,"'],
    ['\n', { width: 1 }],
    ['\r\n', { width: 1 }],
    ['a\n\nb\n', { width: 1 }],
    ['a,b\nc,d\r', { lineTerminator: '\r' }],
  ]
  for (const [text, other] of wrong) {
    const layout = layoutOf(2, other)
    assert.equal(readRecords(text, layout), null, `the plain reader accepts ${JSON.stringify(text)}`)
    for (const cut of [1, 2, 100]) {
      const write = () => writeColumns(text, { layout, columns: texts(layout.width) }, () => cut)
      assert.throws(write, MalformedRecordsError, JSON.stringify(text))
    }
  }
})

const duckDb = await openDuckDb({})

/** The values of a part whose columns are all text. */
async function valuesOf(part: Buffer, width: number, path: string): Promise<readonly (readonly unknown[])[]> {
  writeFileSync(path, part)
  const names = Array.from({ length: width }, (_, i) => `'=' || n${i}`).join(', ')
  return (await duckDb.runAndReadAll(`SELECT ${names} FROM read_parquet('${path}')`)).getRowsJson()
}

test('createColumnWriter() reads random bytes like the plain reader, or reports them', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const dir = mkdtempSync(join(tmpdir(), 'columns-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const random = randomFrom(seed)
  let read = 0
  for (let round = 0; round < 600; round++) {
    const layout = layoutOf(1 + random(3), {
      quote: random(5) === 0 ? null : '"',
      lineTerminator: (['\n', '\r\n', '\r'] as const)[random(3)]!,
    })
    const text = randomText(random, layout)
    const wanted = readRecords(text, layout)
    const options = {
      layout,
      columns: texts(layout.width),
      windowBytes: 64 << random(4),
      rowGroupRecords: 1 + random(9),
      rowGroupBytes: 1 + random(60),
    }
    const write = () => writeColumns(text, options, () => 1 + random(70))
    if (wanted === null) {
      assert.throws(write, MalformedRecordsError, `SEED=${seed} ${JSON.stringify(text)}`)
      continue
    }
    const { part, records } = write()
    assert.equal(records, wanted.length, `SEED=${seed} ${JSON.stringify(text)}`)
    if (records === 0 || round % 8 > 0) continue
    read++
    const values = await valuesOf(part, layout.width, join(dir, 'part.parquet'))
    const shown = wanted.map((record) => record.map((value) => (value === null ? null : `=${value}`)))
    assert.deepEqual(values, shown, `SEED=${seed} ${JSON.stringify(text)}`)
  }
  assert.ok(read > 20, `only ${read} were read`)
})

/** Mostly records of the layout, some with an extra byte. */
function randomText(random: Random, layout: SegmentLayout): string {
  const letters = ['a', 'bc', '"', '', ',', '\n', '\r', ' ', 'longer text', '\r\n', 'é']
  const value = () => Array.from({ length: random(4) }, () => letters[random(letters.length)]).join('')
  const plain = (one: string) => (layout.quote === null ? one.replaceAll(/[,\r\n]/g, ';') : one)
  const table = Array.from({ length: random(12) }, () =>
    Array.from({ length: layout.width }, (_, i) => (i > 0 && random(4) === 0 ? null : `${plain(value())}.`)),
  )
  const text = csvText(table, layout, random)
  if (random(2) === 0) return text
  const at = random(text.length + 1)
  return text.slice(0, at) + ['"', ',', '\n', '\r', 'x', '""'][random(6)] + text.slice(at + random(2))
}

const types: readonly ColumnType[] = [
  { kind: 'text' },
  { kind: 'text' },
  { kind: 'integer' },
  { kind: 'decimal', precision: 9, scale: 2 },
  { kind: 'decimal', precision: 38, scale: 20 },
  { kind: 'number' },
  { kind: 'number', form: { decimalChar: ',', groupChar: '\u202f' } },
  { kind: 'boolean' },
  { kind: 'date' },
  { kind: 'time' },
  { kind: 'timestamp' },
  { kind: 'timestamptz' },
  { kind: 'timestamp', form: { order: 'dmy', separator: '.' } },
]

/** A value that is as long as its type allows, and as different from the others. */
function extremeOf(random: Random, type: ColumnType, column: number): string {
  const two = (below: number) => String(random(below)).padStart(2, '0')
  const digits = (count: number) => Array.from({ length: count }, () => random(10)).join('')
  const day = () =>
    `${1 + random(9)}${digits(3)}-${String(1 + random(12)).padStart(2, '0')}-${String(1 + random(28)).padStart(2, '0')}`
  const clock = () => `${two(24)}:${two(60)}:${two(60)}.${digits(6)}`
  const sign = random(2) === 0 ? '-' : ''
  switch (type.kind) {
    case 'text':
      return column === 0 ? 'x"'.repeat(random(40)) : `${random(1900)}`.padEnd(20 + random(2), '"é')
    case 'integer':
      return `${sign}${1 + random(8)}${digits(18)}`
    case 'decimal':
      return `${sign}${1 + random(9)}${digits(type.precision - type.scale - 1)}.${digits(type.scale)}`
    case 'number':
      return type.form === undefined
        ? `${sign}${1 + random(9)}${digits(11)}.${digits(3)}`
        : `${sign}1\u202f${digits(3)},5`
    case 'boolean':
      return random(2) === 0 ? 'true' : 'false'
    case 'date':
      return day()
    case 'time':
      return clock()
    case 'timestamp':
      return type.form === undefined
        ? `${day()} ${clock()}`
        : `${1 + random(28)}.${1 + random(12)}.${1 + random(9)}${digits(3)} ${clock()}`
    case 'timestamptz':
      return `${1 + random(8)}${digits(3)}-01-02 ${clock()}+${two(24)}:${two(60)}`
  }
}

test('WasmColumnWriter writes nothing between the regions of its memory', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const module = new WebAssembly.Module(readFileSync(new URL('../../../build/columns.wasm', import.meta.url)))
  const layout = layoutOf(types.length)
  const columns = types.map((type, i) => ({ name: `n${i}`, type, nullWords: [] }))
  for (let round = 0; round < 6; round++) {
    const memory = new ColumnsMemory(module)
    const rowGroupRecords = 1 + random(round % 2 === 0 ? 5000 : 200)
    const rowGroupBytes = 1024 << random(11)
    // A smaller window would grow, which moves the regions.
    const sizes = { windowBytes: rowGroupBytes * (2 + random(3)), rowGroupRecords, rowGroupBytes }
    const options: ColumnWriterOptions = { layout, columns, ...sizes, sink: () => {} }
    const writer = new WasmColumnWriter(options, memory, () => {})
    const table = Array.from({ length: 4000 }, () =>
      types.map((type, i) => (random(30) === 0 ? null : extremeOf(random, type, i))),
    )
    const guards = fillGuards(memory)
    writer.push(Buffer.from(csvText(table, layout, random)))
    // The largest batch that is converted at once, of the longest characters.
    memory.toUtf8(new Uint8Array(20_000).fill(0x80), new Uint32Array(256).fill(0x0380_80e2), () => {})
    const { typeMismatches } = writer.end()
    assert.deepEqual(
      typeMismatches,
      types.map(() => null),
      `SEED=${seed}`,
    )
    for (const [from, to] of guards) {
      const first = memory.bytes.subarray(from, to).findIndex((byte) => byte !== 0xa5)
      assert.equal(first, -1, `SEED=${seed}: byte ${from + first}, ${first} after a region`)
    }
  }
})

/** Fills the memory that belongs to no region; returns its ranges. */
function fillGuards({ exports, bytes }: ColumnsMemory): readonly (readonly [from: number, to: number])[] {
  const guards: [number, number][] = []
  for (let i = 0; exports.regionBound(i, 0) > 0; i++) {
    const end = exports.regionBound(i + 1, 0) || bytes.length
    assert.ok(
      exports.regionBound(i, 1) <= end,
      `region ${i} ends at ${exports.regionBound(i, 1)}, the next begins at ${end}`,
    )
    guards.push([exports.regionBound(i, 1), end])
  }
  assert.ok(guards.length > 20)
  for (const [from, to] of guards) bytes.fill(0xa5, from, to)
  return guards
}

test('createColumnWriter() accepts records longer than the window, and unusually many fields', () => {
  const long = 'x"'.repeat(600_000)
  const layout = layoutOf(2)
  const options = { layout, columns: texts(2), windowBytes: 65_536 }
  const table = [
    ['a', 'b'],
    [long, long],
    ['c', null],
  ]
  const { records, rowGroups } = writeColumns(csvText(table, layout), options)
  assert.equal(records, 3)
  assert.ok(rowGroups.some(({ chunks }) => (chunks[0]?.plainBytes ?? 0) > long.length))
  assert.equal(
    rowGroups.reduce((sum, group) => sum + group.records, 0),
    3,
  )

  const width = 30_000
  const wide = layoutOf(width)
  const record = Array.from({ length: width }, (_, i) => (i % 7 === 0 ? null : String(i)))
  const { facts } = writeColumns(csvText([record, record], wide), {
    layout: wide,
    columns: factsOnly(width),
    windowBytes: 8192,
  })
  assert.equal(facts[6]?.classes.integer?.count, 2)
  assert.equal(facts[7]?.nulls, 2)
})

test('createColumnWriter() keeps nothing of a writer that has failed', () => {
  const layout = layoutOf(2)
  const sink = () => {}
  const broken = createColumnWriter({ layout, columns: texts(2), sink })
  assert.throws(() => broken.push(Buffer.from('a,"b"c\n')), MalformedRecordsError)
  broken.close()
  const { records, facts } = writeColumns('1,2\n', { layout, columns: factsOnly(2) })
  assert.equal(records, 1)
  assert.deepEqual(facts[0]?.classes, { integer: { count: 1, first: [1] } })
})
