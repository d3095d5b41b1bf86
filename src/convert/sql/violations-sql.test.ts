// Tests of declared columns in the converter: it reports as violations exactly what conversion would not accept.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import type { DeclaredCheck, DeclaredValues, TextForm, Violation } from '../../core/declared-values.ts'
import { randomFrom } from '../../core/random.testing.ts'
import type { ColumnType } from '../../core/receipt.ts'
import { csvText, layoutOf, never, scratchDir, seed, startConverter, writeSegment } from '../convert.testing.ts'
import type { TargetColumn } from '../convert.ts'

const converter = startConverter()

const number = { kind: 'number', groupChar: null, decimalChar: '.', counted: [] } as const
const kinds: readonly { form: TextForm; type: ColumnType; checks: readonly DeclaredCheck[] }[] = [
  {
    form: { kind: 'text' },
    type: { kind: 'text' },
    checks: [
      { rule: 'pattern', pattern: '.*[0-9].*' },
      { rule: 'maxLength', length: 6 },
    ],
  },
  {
    form: { kind: 'shaped', shape: '[0-9]+' },
    type: { kind: 'text' },
    checks: [{ rule: 'enum', values: ['1', '007', "'"] }],
  },
  { form: { kind: 'json', of: 'ARRAY' }, type: { kind: 'text' }, checks: [] },
  { form: { kind: 'integer', groupChar: null }, type: { kind: 'integer' }, checks: [{ rule: 'minimum', value: '-5' }] },
  {
    form: { kind: 'integer', groupChar: '\u00a0' },
    type: { kind: 'integer' },
    checks: [{ rule: 'enum', values: ['1000', '7'] }],
  },
  { form: number, type: { kind: 'number' }, checks: [{ rule: 'exclusiveMaximum', value: '1e3' }] },
  { form: { ...number, isNearest: true }, type: { kind: 'number' }, checks: [] },
  {
    form: { kind: 'number', groupChar: '.', decimalChar: ',', counted: [] },
    type: { kind: 'number' },
    checks: [{ rule: 'minimum', value: '0' }],
  },
  {
    form: number,
    type: { kind: 'decimal', precision: 38, scale: 2 },
    checks: [{ rule: 'maximum', value: '1000.125' }],
  },
  {
    form: { kind: 'boolean', trueValues: ['1', 'ja'], falseValues: ['0', ''] },
    type: { kind: 'boolean' },
    checks: [{ rule: 'enum', values: ['true'] }],
  },
  { form: { kind: 'iso', of: 'datetime' }, type: { kind: 'date' }, checks: [{ rule: 'minimum', value: '2024-01-31' }] },
  { form: { kind: 'iso', of: 'datetime' }, type: { kind: 'time' }, checks: [{ rule: 'maximum', value: '12:00:00' }] },
  {
    form: { kind: 'iso', of: 'datetime' },
    type: { kind: 'timestamp' },
    checks: [{ rule: 'minimum', value: '2024-01-31T00:00:00Z' }],
  },
  {
    form: { kind: 'iso', of: 'datetime' },
    type: { kind: 'timestamptz' },
    checks: [{ rule: 'minimum', value: '2024-01-31T00:00:00' }],
  },
  {
    form: { kind: 'moment' },
    type: { kind: 'text' },
    checks: [{ rule: 'exclusiveMinimum', value: '2024-01-31T00:00:00' }],
  },
  {
    form: { kind: 'strptime', format: '%d/%m/%Y', shape: '[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}' },
    type: { kind: 'date' },
    checks: [],
  },
]

const pieces = [
  '0',
  '1',
  '7',
  '.',
  ',',
  '-',
  '+',
  'e',
  'T',
  ':',
  '/',
  'Z',
  ' ',
  '"',
  "'",
  '[',
  ']',
  '00',
  '99',
  '\u00a0',
  'é',
  '\\',
]
const wholes = [
  '1.000,5',
  '1\u00a0000',
  '9223372036854775807',
  '9223372036854775808',
  '0.1',
  '1e309',
  '0.30000000000000004441',
  '[1]',
  '{}',
  'ja',
  '2024-01-31',
  '2024-02-30',
  '12:00:00',
  '2024-01-31T12:00:00',
  '2024-01-31 12:00:00+01:00',
  '31/01/2024',
  '31/02/2024',
  '007',
  '',
]

test(`violations() finds exactly the records that convert() does not accept (SEED=${seed})`, async (t) => {
  const dir = scratchDir(t)
  const random = randomFrom(seed)
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)]!
  const text = () => {
    if (random(8) === 0) return null
    return random(2) === 0 ? pick(wholes) : Array.from({ length: random(6) }, () => pick(pieces)).join('')
  }
  const columns: readonly TargetColumn[] = kinds.map(({ form, type, checks }, i) => {
    const missing = pick([[''], [], ['', '-'], ['7', "'"]])
    const declared: DeclaredValues = { form, missing, isRequired: random(4) === 0, checks }
    return { name: `c"${i}`, type, nullWords: [], declared }
  })
  const layout = layoutOf(columns.length)
  const inOneColumn = (column: number, value: string | null) => kinds.map((_, i) => (i === column ? value : 'x'))
  for (const [column, target] of columns.entries()) {
    const only = columns.map((one, i) =>
      i === column ? target : { name: one.name, type: { kind: 'text' } as const, nullWords: [] },
    )
    const values = Array.from({ length: 300 }, text)
    const records = values.map((value) => inOneColumn(column, value))
    const found = await violationsOf(records, only)
    const broken = new Set(found.map(({ record }) => record))
    const what = `column ${column}: ${JSON.stringify(target.declared)}`
    assert.ok(
      found.every((one) => one.column === column),
      what,
    )
    const good = records.filter((_, i) => !broken.has(i + 1))
    const path = join(dir, `part-${column}.parquet`)
    const result = await converter.convert(
      writeSegment(dir, csvText(good, layout), good.length, layout),
      only,
      path,
      never,
    )
    assert.equal(result.kind, 'part', `${what} does not accept values that violate no rule`)
    // Each violation on its own prevents the conversion of a segment.
    for (const { record } of found.slice(0, 12)) {
      const one = writeSegment(dir, csvText([records[record - 1]!], layout), 1, layout)
      const alone = await converter.convert(one, only, join(dir, `none-${column}.parquet`), never)
      assert.equal(alone.kind, 'misfit', `${what} accepts ${JSON.stringify(values[record - 1])}`)
    }
  }

  async function violationsOf(records: readonly (readonly (string | null)[])[], targets: readonly TargetColumn[]) {
    const path = join(dir, 'violations.zst')
    const segment = writeSegment(dir, csvText(records, layout), records.length, layout)
    const count = await converter.violations(segment, targets, path, never)
    const lines = zstdDecompressSync(readFileSync(path)).toString().split('\n').filter(Boolean)
    assert.equal(lines.length, count)
    return lines.map((line) => JSON.parse(line) as Violation)
  }
})

test('violations() reports the first column of a record that violates a rule, and the rule', async (t) => {
  const dir = scratchDir(t)
  const declared = (type: ColumnType, form: TextForm, more: Partial<DeclaredValues> = {}) => {
    const values = { form, missing: [''], isRequired: false, checks: [], ...more }
    return { name: type.kind, type, nullWords: [], declared: values }
  }
  const columns: readonly TargetColumn[] = [
    { name: 'detected', type: { kind: 'text' }, nullWords: [] },
    declared({ kind: 'integer' }, { kind: 'integer', groupChar: null }, { isRequired: true }),
    declared(
      { kind: 'text' },
      { kind: 'text' },
      {
        checks: [
          { rule: 'minLength', length: 2 },
          { rule: 'maxLength', length: 3 },
        ],
      },
    ),
  ]
  const text = 'a,1,xx\na,,x\na,x,x\na,99999999999999999999,xx\na,1,x\n,2,"x\nyz"\n'
  const path = join(dir, 'violations.zst')
  const count = await converter.violations(writeSegment(dir, text, 6, layoutOf(3)), columns, path, never)
  const lines = zstdDecompressSync(readFileSync(path)).toString().trimEnd().split('\n')
  assert.equal(count, 5)
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      { record: 2, column: 1, rule: 0, value: '' },
      { record: 3, column: 1, rule: 1, value: 'x' },
      { record: 4, column: 1, rule: 2, value: '99999999999999999999' },
      { record: 5, column: 2, rule: 3, value: 'x' },
      { record: 6, column: 2, rule: 4, value: 'x\nyz' },
    ],
  )
})

test('checkPatterns() reports patterns that RE2 does not accept', async () => {
  const problems = await converter.checkPatterns(["[a-z]+'", '(', 'a{2,1}', '\\p{Greek}', '(?=x)'], never)
  assert.deepEqual(
    problems.map((problem) => problem === null),
    [true, false, false, true, false],
  )
})
