// Tests of the converter: DuckDB reads exactly what is in the file, whatever it is, and a failure leaves no files.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { isServiceError } from '../core/errors.ts'
import { randomFrom } from '../core/random.testing.ts'
import {
  csvText,
  layoutOf,
  never,
  scratchDir,
  seed,
  startConverter,
  startReader,
  textColumns,
  writeSegment,
} from './convert.testing.ts'
import type { SegmentLayout } from './convert.ts'

const converter = startConverter()
const reader = startReader()

type Records = readonly (readonly (string | null)[])[]

/** Converts a text unchanged and reads it back. */
async function throughParquet(dir: string, text: string, layout: SegmentLayout, count: number) {
  const columns = textColumns(layout.width)
  const path = join(dir, 'part.parquet')
  const result = await converter.convert(writeSegment(dir, text, count, layout), columns, path, never)
  assert.equal(result.kind, 'part')
  const names = columns.map(({ name }) => name)
  return reader.rows([{ path, records: count }], names, 0, count, never)
}

const odd: readonly (readonly [title: string, text: string, layout: SegmentLayout, records: Records])[] = [
  [
    'line ends in quotes',
    '"a\nb","c\r\nd"\n"\re","\n"\n',
    layoutOf(2),
    [
      ['a\nb', 'c\r\nd'],
      ['\re', '\n'],
    ],
  ],
  [
    'CRLF, and LF in quotes',
    'a,"b\nc"\r\n"d","e"\r\n',
    layoutOf(2, { lineTerminator: '\r\n' }),
    [
      ['a', 'b\nc'],
      ['d', 'e'],
    ],
  ],
  [
    'CRLF and LF mixed',
    'a,b\r\nc,d\n"e","f"\r\n',
    layoutOf(2, { lineTerminator: '\r\n' }),
    [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ],
  ],
  [
    'CR',
    'a,"b\n"\r"c\r",d\r',
    layoutOf(2, { lineTerminator: '\r' }),
    [
      ['a', 'b\n'],
      ['c\r', 'd'],
    ],
  ],
  ['doubled quotes', '"a""b","""",""""""\n', layoutOf(3), [['a"b', '"', '""']]],
  ['apostrophes as quotes', "'a''b','c,d',\"x\"\n", layoutOf(3, { quote: "'" }), [["a'b", 'c,d', '"x"']]],
  [
    'escape',
    '"a\\"b","c\\\\d",e\\f\n"g\nh",,""\n',
    layoutOf(3, { escape: '\\' }),
    [
      ['a"b', 'c\\d', 'e\\f'],
      ['g\nh', null, ''],
    ],
  ],
  [
    'tab',
    'a\t"b\tc"\n \t""\n',
    layoutOf(2, { delimiter: '\t' }),
    [
      ['a', 'b\tc'],
      [' ', ''],
    ],
  ],
  ['pipe', 'a|"b|c"\n', layoutOf(2, { delimiter: '|' }), [['a', 'b|c']]],
  ['semicolon', 'a;b,c\n', layoutOf(2, { delimiter: ';' }), [['a', 'b,c']]],
  ['unit separator', 'a\x1fb\n', layoutOf(2, { delimiter: '\x1f' }), [['a', 'b']]],
  [
    'no quotes',
    '"a","b""\\\n""," "\n',
    layoutOf(2, { quote: null }),
    [
      ['"a"', '"b""\\'],
      ['""', '" "'],
    ],
  ],
  ['one column', 'a\n""\n#b\n"c\nd"\n  \n"\\N"\n', layoutOf(1), [['a'], [''], ['#b'], ['c\nd'], ['  '], ['\\N']]],
  [
    'one column, CRLF',
    '"a"\r\n""\r\nb\r\n"c"\r\n',
    layoutOf(1, { lineTerminator: '\r\n' }),
    [['a'], [''], ['b'], ['c']],
  ],
  [
    'text that looks like comments',
    '#a,b\n//,--\n',
    layoutOf(2),
    [
      ['#a', 'b'],
      ['//', '--'],
    ],
  ],
  [
    'blanks',
    ' a , b \n"  x ",  \n',
    layoutOf(2),
    [
      [' a ', ' b '],
      ['  x ', '  '],
    ],
  ],
  [
    'nulls',
    ',""\nNULL,\n,\n',
    layoutOf(2),
    [
      [null, ''],
      ['NULL', null],
      [null, null],
    ],
  ],
  [
    'other than ASCII',
    'é,日本\n😀,"ß\u2028\u0085"\n',
    layoutOf(2),
    [
      ['é', '日本'],
      ['😀', 'ß\u2028\u0085'],
    ],
  ],
  [
    'byte order marks that are data',
    '\ufeffa,\ufeffb\n\ufeffc,\n',
    layoutOf(2),
    [
      ['\ufeffa', '\ufeffb'],
      ['\ufeffc', null],
    ],
  ],
  ['no records', '', layoutOf(2), []],
]

for (const [title, text, layout, records] of odd) {
  test(`convert() keeps every value: ${title}`, async (t) => {
    assert.deepEqual(await throughParquet(scratchDir(t), text, layout, records.length), records)
  })
}

test('convert() keeps random records in every layout', async (t) => {
  const dir = scratchDir(t)
  const random = randomFrom(seed)
  t.diagnostic(`SEED=${seed}`)
  const pick = <One>(from: readonly One[]) => from[random(from.length)]!
  for (let i = 0; i < 60; i++) {
    const lineTerminator = pick(['\n', '\r\n', '\r'] as const)
    const layout = layoutOf(1 + random(4), {
      delimiter: pick([',', '\t', ';', '|']),
      quote: pick(['"', "'"]),
      lineTerminator,
    })
    const letters = [
      'a',
      '1',
      '.',
      '-',
      ' ',
      '"',
      "'",
      '#',
      '\\',
      'é',
      '😀',
      layout.delimiter,
      '\n',
      '\r',
      '\r\n',
      '\t',
    ]
    const value = () => {
      if (random(8) === 0) return layout.width === 1 ? '' : null
      return Array.from({ length: random(9) }, () => pick(letters)).join('')
    }
    const records = Array.from({ length: random(40) }, () => Array.from({ length: layout.width }, value))
    const text = csvText(records, layout)
    assert.deepEqual(await throughParquet(dir, text, layout, records.length), records, JSON.stringify({ layout, text }))
  }
})

test('convert() keeps a value of 10 MB among small ones', async (t) => {
  const long = 'é"\n'.repeat(2_500_000)
  const records = [
    ['a', 'b'],
    [long, 'c'],
    ['d', long.slice(0, 3_000_000)],
    ['e', 'f'],
  ]
  const rows = await throughParquet(scratchDir(t), csvText(records, layoutOf(2)), layoutOf(2), 4)
  // Not deepEqual: a failure would print the value.
  assert.ok(JSON.stringify(rows) === JSON.stringify(records))
})

test('convert() keeps a value of 15 MB without a line end, at every position in a record', async (t) => {
  const long = 'x'.repeat(15_000_000)
  for (const cells of [
    ['1', long, '2', 'y'],
    ['y', '1', long, '2'],
  ]) {
    const records = [cells.slice(0, 2), cells.slice(2)]
    const rows = await throughParquet(scratchDir(t), csvText(records, layoutOf(2)), layoutOf(2), 2)
    assert.ok(JSON.stringify(rows) === JSON.stringify(records))
  }
})

test('convert() keeps a thousand columns', async (t) => {
  const records = [0, 1, 2].map((row) => Array.from({ length: 1000 }, (_, i) => (i % 7 === row ? null : `${row}.${i}`)))
  const rows = await throughParquet(scratchDir(t), csvText(records, layoutOf(1000)), layoutOf(1000), 3)
  assert.deepEqual(rows, records)
})

test('convert() gives columns the requested names', async (t) => {
  const dir = scratchDir(t)
  const names = ['a "quoted" name', 'select', ' ', 'é', 'É', 'c1', 'C0', "it's", 'a\nb', 'x.y[0]', '*', '😀']
  const columns = names.map((name) => ({ name, type: { kind: 'integer' } as const, nullWords: [] }))
  const text = `${names.map((_, i) => i).join(',')}\n${','.repeat(names.length - 1)}\n`
  const path = join(dir, 'part.parquet')
  const result = await converter.convert(writeSegment(dir, text, 2, layoutOf(names.length)), columns, path, never)
  assert.deepEqual(
    result.kind === 'part' && result.nulls,
    names.map(() => 1),
  )
  const backwards = [...names].reverse()
  const rows = await reader.rows([{ path, records: 2 }], backwards, 0, 2, never)
  assert.deepEqual(rows, [names.map((_, i) => i).reverse(), names.map(() => null)])
})

test('convert() reports the bytes, the hash, the records and the nulls of what it wrote', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  const columns = [
    { name: 'z', type: { kind: 'integer' }, nullWords: ['', 'NA'] },
    { name: 'a', type: { kind: 'text' }, nullWords: [] },
  ] as const
  const segment = writeSegment(dir, '1,""\nNA,\n"",\n,x\n', 4, layoutOf(2))
  const result = await converter.convert(segment, columns, path, never)
  const file = readFileSync(path)
  const sha256 = createHash('sha256').update(file).digest('hex')
  assert.deepEqual(result, { kind: 'part', part: { bytes: file.length, sha256, records: 4 }, nulls: [3, 2] })
  const rows = await reader.rows([{ path, records: 4 }], ['z', 'a'], 0, 4, never)
  assert.deepEqual(rows, [
    [1, ''],
    [null, null],
    [null, null],
    [null, 'x'],
  ])
})

test('convert() reports a misfit and leaves no file if one value of many does not fit', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  const columns = [{ name: 'a', type: { kind: 'integer' }, nullWords: [] }] as const
  for (const last of ['007', 'NA', '""', 'misfit']) {
    const segment = writeSegment(dir, `${'1\n'.repeat(100_000)}${last}\n`, 100_001, layoutOf(1))
    assert.deepEqual(await converter.convert(segment, columns, path, never), { kind: 'misfit' })
    assert.deepEqual(readdirSync(dir), ['segment.csv'])
  }
})

const failsLoudly = (error: unknown) => isServiceError(error, 'CONVERSION_FAILED') && error.cause instanceof Error

test('convert() fails if the record count differs, and leaves no file', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  for (const count of [1, 3]) {
    const segment = writeSegment(dir, 'a\nb\n', count, layoutOf(1))
    await assert.rejects(converter.convert(segment, textColumns(1), path, never), failsLoudly)
  }
  assert.ok(!existsSync(path))
})

test('convert() fails if a record does not match the layout, and works afterwards', async (t) => {
  const dir = scratchDir(t)
  const path = join(dir, 'part.parquet')
  for (const text of ['a,b\nc\n', 'a,b\nc,d,e\n', 'a,b\n"c,d\n', 'a,b\nc\rd,e\n']) {
    const segment = writeSegment(dir, text, 2, layoutOf(2))
    await assert.rejects(converter.convert(segment, textColumns(2), path, never), failsLoudly, text)
  }
  rmSync(join(dir, 'segment.csv'))
  const gone = { path: join(dir, 'segment.csv'), records: 1, bytes: 4, layout: layoutOf(2) }
  await assert.rejects(converter.convert(gone, textColumns(2), path, never), failsLoudly)
  assert.deepEqual(readdirSync(dir), [])
  assert.deepEqual(await throughParquet(dir, 'a,b\n', layoutOf(2), 1), [['a', 'b']])
})

test('convert() fails for an escape together with two kinds of line ends, instead of misreading it', async (t) => {
  const dir = scratchDir(t)
  const segment = writeSegment(dir, '"a\nb",c\\"d\r\n', 1, layoutOf(2, { escape: '\\', lineTerminator: '\r\n' }))
  await assert.rejects(converter.convert(segment, textColumns(2), join(dir, 'part.parquet'), never), failsLoudly)
})

test('convert() and rows() treat file names literally, not as patterns', async (t) => {
  const dir = scratchDir(t, 'plain')
  const names = ['*', '?', '[x]', 'x'].map((name) => [`s${name}.csv`, `p${name}.parquet`] as const)
  for (const [csv, parquet] of names) {
    const path = join(dir, parquet)
    await converter.convert(writeSegment(dir, `${csv}\n`, 1, layoutOf(1), csv), textColumns(1), path, never)
  }
  for (const [csv, parquet] of names) {
    const parts = [{ path: join(dir, parquet), records: 1 }]
    assert.deepEqual(await reader.rows(parts, ['column 0'], 0, 9, never), [[csv]])
    // Once more, now that all the other files exist.
    const again = writeSegment(dir, `${csv}\n`, 1, layoutOf(1), csv)
    assert.equal((await converter.convert(again, textColumns(1), join(dir, 'again'), never)).kind, 'part')
  }
})

test('convert() fails with DISK_FULL if there is no space', async (t) => {
  // A Linux device that is always full.
  if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full')
  const segment = writeSegment(scratchDir(t), 'a\n'.repeat(10), 10, layoutOf(1))
  const full = join(dirname(segment.path), 'part.parquet')
  symlinkSync('/dev/full', full)
  const converting = converter.convert(segment, textColumns(1), full, never)
  await assert.rejects(converting, (error) => isServiceError(error, 'DISK_FULL'))
})
