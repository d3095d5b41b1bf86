// Tests of the part reader: the right records from the right parts, in order, with no digit lost in JSON.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { layoutOf, never, scratchDir, startConverter, startReader, writeSegment } from '../columns/converter.testing.ts'
import type { TargetColumn } from '../columns/converter.ts'
import { isServiceError } from '../core/errors.ts'
import { openDuckDb } from './duckdb/duckdb.ts'
import type { NumericStatistics } from './part-reader.ts'
import { literal } from './sql/sql-text.ts'

const converter = startConverter()
const reader = startReader()

const columns: readonly TargetColumn[] = [
  { name: 'n', type: { kind: 'integer' }, nullWords: [] },
  { name: 'text', type: { kind: 'text' }, nullWords: [] },
]

/** Parts with these record counts, numbered consecutively from 0. */
async function numberedParts(dir: string, counts: readonly number[]) {
  let next = 0
  const parts: { path: string; records: number }[] = []
  for (const [i, records] of counts.entries()) {
    const lines = Array.from({ length: records }, () => `${next},t${next++}\n`).join('')
    const path = join(dir, `part-${i}.parquet`)
    await converter.convert(writeSegment(dir, lines, records, layoutOf(2)), columns, path, never)
    parts.push({ path, records })
  }
  return parts
}

test('rows() returns the records of any window over the parts, in order', async (t) => {
  const parts = await numberedParts(scratchDir(t), [3, 0, 130_000, 2])
  const total = 130_005
  for (const [offset, limit] of [
    [0, 1],
    [0, 5],
    [2, 1],
    [2, 2],
    [3, 2],
    [61_440, 3],
    [122_879, 4],
    [130_001, 9],
    [130_004, 1],
    [total, 5],
    [0, 0],
  ] as const) {
    const rows = await reader.rows(parts, ['n', 'text'], offset, limit, never)
    const wanted = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, i) => [
      offset + i,
      `t${offset + i}`,
    ])
    assert.deepEqual(rows, wanted, `${offset} ${limit}`)
  }
})

test('rows(), lines() and measure() read records of thousands of integers', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'wide.parquet')
  const names = Array.from({ length: 4_000 }, (_, i) => `c${i}`)
  const numberAt = (row: number, i: number) => 9_007_199_254_740_990 + (row % 2) - i
  const duckdb = await openDuckDb({})
  const values = names.map((name, i) => `${numberAt(0, i)} + row % 2 AS ${name}`).join(', ')
  await duckdb.run(`COPY (SELECT ${values} FROM range(3) r(row)) TO ${literal(path)} (FORMAT parquet)`)
  duckdb.closeSync()
  const parts = [{ path, records: 3 }]
  const wanted = [0, 1, 2].map((row) => names.map((_, i) => numberAt(row, i)))
  assert.deepEqual(await reader.rows(parts, names, 0, 3, never), wanted)
  const toPath = join(dir, 'lines')
  await reader.lines([path], names, { offset: 0, limit: 3 }, { toPath, csvDelimiter: null }, never)
  const lines = readFileSync(toPath, 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => Object.values(JSON.parse(line) as object)),
    wanted,
  )
  const [first, last] = await reader.measure(parts, ['c0', 'c3999'], never)
  for (const [i, one] of [first, last].entries()) {
    const statistics = one?.column_statistics as NumericStatistics
    const expected = [3, numberAt(0, 3_999 * i), numberAt(1, 3_999 * i), 2]
    assert.deepEqual([3 - statistics.nan_count, statistics.min, statistics.max, statistics.n_unique], expected)
  }
})

test('matchingRows() returns the records with a value, in order, over all parts', async (t) => {
  const dir = scratchDir(t)
  const parts: { path: string }[] = []
  for (let part = 0; part < 3; part++) {
    const path = join(dir, `part-${part}.parquet`)
    const lines = Array.from({ length: 70_000 }, (_, i) => `${part * 70_000 + i},${i % 7 === 0 ? "it's" : 'not'}\n`)
    await converter.convert(writeSegment(dir, lines.join(''), 70_000, layoutOf(2)), columns, path, never)
    parts.push({ path })
  }
  const wanted = Array.from({ length: 210_000 }, (_, i) => i).filter((i) => (i % 70_000) % 7 === 0)
  const match = { column: 'text', value: "it's" }
  for (const [offset, limit] of [
    [0, 2],
    [9_999, 3],
    [wanted.length - 1, 5],
    [wanted.length, 5],
  ] as const) {
    assert.deepEqual(
      await reader.matchingRows(parts, ['n'], match, { offset, limit }, never),
      wanted.slice(offset, offset + limit).map((n) => [n]),
    )
  }
  assert.deepEqual(await reader.matchingRows([], ['n'], match, { offset: 0, limit: 1 }, never), [])
})

test('rows() returns values as text if a JSON number would change them', async (t) => {
  const dir = scratchDir(t)
  const types = ['integer', 'decimal', 'number', 'boolean', 'date', 'time', 'timestamp', 'timestamptz', 'text'] as const
  const targets = types.map((kind): TargetColumn => {
    const type = kind === 'decimal' ? ({ kind, precision: 38, scale: 2 } as const) : { kind }
    return { name: kind, type, nullWords: [] }
  })
  const text = [
    '9007199254740991,1.50,0.1,true,2024-02-29,10:20:30.50,2024-01-05T10:20:30,2024-01-05 10:20:30.5+02:30,"a""\\\u0000\u2028é😀"',
    '-9007199254740992,123456789012345678901234567890123456.78,-1e200,false,0001-01-01,00:00:00,0001-01-01 00:00:00.000001,9999-12-31T23:59:59Z,"\ufeff"',
    ',,,,,,,,',
  ].join('\n')
  const path = join(dir, 'part.parquet')
  const written = await converter.convert(writeSegment(dir, `${text}\n`, 3, layoutOf(9)), targets, path, never)
  assert.equal(written.kind, 'part')
  assert.deepEqual(await reader.rows([{ path, records: 3 }], types, 0, 3, never), [
    [
      9007199254740991,
      '1.50',
      0.1,
      true,
      '2024-02-29',
      '10:20:30.5',
      '2024-01-05 10:20:30',
      '2024-01-05T07:50:30.5Z',
      'a"\\\u0000\u2028é😀',
    ],
    [
      '-9007199254740992',
      '123456789012345678901234567890123456.78',
      -1e200,
      false,
      '0001-01-01',
      '00:00:00',
      '0001-01-01 00:00:00.000001',
      '9999-12-31T23:59:59Z',
      '\ufeff',
    ],
    [null, null, null, null, null, null, null, null, null],
  ])
})

test('rows() returns the requested columns, in that order', async (t) => {
  const parts = await numberedParts(scratchDir(t), [2])
  assert.deepEqual(await reader.rows(parts, ['text'], 1, 1, never), [['t1']])
  assert.deepEqual(await reader.rows(parts, ['text', 'n', 'text'], 0, 1, never), [['t0', 0, 't0']])
})

test('rows() opens only the parts that contain the records', async (t) => {
  const dir = scratchDir(t)
  const [part] = await numberedParts(dir, [5])
  const parts = [{ path: join(dir, 'gone'), records: 7 }, part!, { path: join(dir, 'gone'), records: 7 }]
  assert.deepEqual(await reader.rows(parts, ['n'], 7, 5, never), [[0], [1], [2], [3], [4]])
  await assert.rejects(reader.rows(parts, ['n'], 6, 2, never), (error) => isServiceError(error, 'CONVERSION_FAILED'))
})

test('lines() writes the records of a window as objects, unchanged, and overwrites the file', async (t) => {
  const dir = scratchDir(t)
  const names = ['n', 'a"b', 'when', 'file_row_number']
  const targets = (['integer', 'text', 'date', 'text'] as const).map((kind, i): TargetColumn => {
    return { name: names[i]!, type: { kind }, nullWords: [] }
  })
  const text = '1,"say ""hi""\n",2024-02-29,x\n9007199254740993,,0001-01-01,y\n,"\ufeff",,\n'
  const path = join(dir, 'part.parquet')
  await converter.convert(writeSegment(dir, text, 3, layoutOf(4)), targets, path, never)
  const toPath = join(dir, 'rows.ndjson')
  await reader.lines([path], names, { offset: 0, limit: 3 }, { toPath, csvDelimiter: null }, never)
  assert.equal(
    readFileSync(toPath, 'utf8'),
    [
      '{"n":1,"a\\"b":"say \\"hi\\"\\n","when":"2024-02-29","file_row_number":"x"}',
      '{"n":"9007199254740993","a\\"b":null,"when":"0001-01-01","file_row_number":"y"}',
      '{"n":null,"a\\"b":"\ufeff","when":null,"file_row_number":null}',
      '',
    ].join('\n'),
  )
  assert.deepEqual(await reader.rows([{ path, records: 3 }], ['when', 'file_row_number'], 1, 1, never), [
    ['0001-01-01', 'y'],
  ])
  await reader.lines([path], ['n'], { offset: 1, limit: 1 }, { toPath, csvDelimiter: null }, never)
  assert.equal(readFileSync(toPath, 'utf8'), '{"n":"9007199254740993"}\n')
  await reader.lines([path, path], ['when'], null, { toPath, csvDelimiter: ',', quotesTexts: true }, never)
  assert.equal(readFileSync(toPath, 'utf8'), '2024-02-29\n0001-01-01\n\n'.repeat(2))
})
