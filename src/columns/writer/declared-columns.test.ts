// Tests of declared columns: records that break a rule are reported and left out, and the part is that of the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeclaredValues, Violation } from '../../core/declared-values.ts'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import type { ColumnType } from '../../core/receipt.ts'
import type { OlderPart, WriterColumn } from './column-writer.ts'
import { csvText, layoutOf, seed, type Table, writeColumns } from './columns.testing.ts'

const anything: Omit<DeclaredValues, 'form'> = { missing: [''], isRequired: false, checks: [] }
const layout = layoutOf(4)

const declared: readonly DeclaredValues[] = [
  {
    ...anything,
    form: { kind: 'integer', groupChar: null },
    checks: [
      { rule: 'minimum', value: '0' },
      { rule: 'enum', values: ['0', '1', '2', '3', '40'] },
    ],
  },
  {
    ...anything,
    form: { kind: 'text' },
    isRequired: true,
    checks: [
      { rule: 'maxLength', length: 3 },
      { rule: 'pattern', pattern: '\\pL.*' },
    ],
  },
  { ...anything, form: { kind: 'iso', of: 'date' }, missing: ['', 'NA'] },
  { ...anything, form: { kind: 'number', groupChar: null, decimalChar: '.', counted: [] } },
]
const types: readonly ColumnType[] = [
  { kind: 'integer' },
  { kind: 'text' },
  { kind: 'date' },
  { kind: 'decimal', precision: 9, scale: 2 },
]
const columns = types.map((type, i): WriterColumn => ({ name: `n${i}`, type, nullWords: [], declared: declared[i]! }))

/** For each column texts that keep the rules, then texts that break one, with its number. */
const texts: readonly (readonly [
  kept: readonly (string | null)[],
  broken: readonly (readonly [string | null, number])[],
])[] = [
  [
    ['0', '1', '40', null],
    [
      ['-1', 3],
      ['x', 1],
      ['99999999999999999999', 2],
      ['5', 4],
    ],
  ],
  [
    ['a', 'äöü', 'x"y'],
    [
      [null, 0],
      ['äöüß', 3],
      ['4a', 4],
    ],
  ],
  [['2024-02-29', null], [['2023-02-29', 1]]],
  [
    ['1.50', '-0.25', null],
    [
      ['1.5.0', 1],
      ['1e999', 2],
    ],
  ],
]

function randomTable(random: Random, records: number, oneBrokenIn: number) {
  const violations: Omit<Violation, 'value'>[] = []
  const table = Array.from({ length: records }, (_, i) => {
    const row: (string | null)[] = texts.map(([kept]) => kept[random(kept.length)] as string | null)
    if (random(oneBrokenIn) > 0) return row
    const column = random(texts.length)
    const broken = texts[column]![1]
    const [text, rule] = broken[random(broken.length)]!
    row[column] = text
    violations.push({ record: i + 1, column, rule })
    return row
  })
  return { table, violations }
}

function write(table: Table, columns: readonly WriterColumn[], random: Random, options = {}) {
  const violations: Violation[] = []
  const text = csvText(table, layout, random)
  const written = writeColumns(text, { layout, columns, onViolation: (one) => violations.push(one), ...options })
  const lines = text.split(layout.lineTerminator)
  for (const { record, place } of violations) {
    const from = place?.byteOffset ?? 0
    assert.equal(Buffer.from(text).toString('utf8', from, from + (place?.byteLength ?? 0)), lines[record - 1])
  }
  return {
    ...written,
    violations: violations.map(({ value: _, place: __, ...rest }) => rest),
    values: violations.map(({ value }) => value),
  }
}

test('createColumnWriter() writes the part of the records that keep the rules, byte for byte', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const plain = columns.map(({ declared: _, ...column }) => column)
  for (let round = 0; round < 60; round++) {
    const { table, violations } = randomTable(random, 1 + random(400), 1 + random(40))
    const broken = new Set(violations.map(({ record }) => record - 1))
    const kept = table.filter((_, i) => !broken.has(i))
    const mine = write(table, columns, random)
    assert.deepEqual(mine.violations, violations, `round ${round}`)
    const texts = violations.map(({ record, column }) => table[record - 1]?.[column] ?? '')
    assert.deepEqual(mine.values, texts)
    const wanted = write(kept, plain, random)
    assert.ok(mine.part.equals(wanted.part), `SEED=${seed} round ${round}`)
    assert.deepEqual(mine.facts, wanted.facts, `round ${round}`)
    assert.deepEqual([mine.nulls, mine.typeMismatches], [wanted.nulls, wanted.typeMismatches])
  }
})

test('createColumnWriter() copies columns beside those that it reads and checks again', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  for (let round = 0; round < 40; round++) {
    const { table } = randomTable(random, 200 + random(400), 1 + random(20))
    const options = { rowGroupRecords: 1 + random(80), rowGroupBytes: 64 << random(6) }
    const quoting = random(2 ** 31)
    const first = write(table, columns, randomFrom(quoting), options)
    const older: OlderPart = { bytes: first.part.length, read: (at, count) => first.part.subarray(at, at + count) }
    const kept = columns.map((column, i) => (random(2) === 0 ? { ...column, kept: i } : column))
    const again = write(table, kept, randomFrom(quoting), { ...options, older })
    assert.ok(again.part.equals(first.part), `SEED=${seed} round ${round}`)
    assert.deepEqual(again.violations, first.violations)
  }
})

test('createColumnWriter() finds a value that does not fit, among records that keep the rules', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const table = [
    ['0', 'a', null, '1.50'],
    ['-1', 'a', null, '1.50'],
    ['1', 'b', 'NA', '1.555'],
  ]
  const { typeMismatches, facts, nulls } = write(table, columns, randomFrom(seed))
  assert.deepEqual(typeMismatches, [null, null, null, 2])
  assert.deepEqual(facts[3]?.classes.decimal?.count, 1)
  assert.deepEqual(nulls, [0, 0, 2, 0])
})

test('createColumnWriter() accepts the same numbers whether the type is known or not', () => {
  const form = { kind: 'number', groupChar: null, decimalChar: '.', counted: ['longDecimal', 'tooLong'] } as const
  const texts = ['+0.30000000000000004441', '0.30000000000000004441', '1e10', '00.30000000000000004441']
  const table = texts.map((text) => [text, 'n'])
  const broken = [null, { kind: 'number' } as const].map((type) => {
    const values = { ...anything, form: { ...form, ...(type && { isNearest: true as const }) } }
    const own = { name: 'x', type, nullWords: [], declared: values }
    return violationsOf(table, [own, { name: 'n', type, nullWords: [] }])
  })
  const wanted = [texts[0], texts[3]].map((value, i) => ({ record: 3 * i + 1, column: 0, rule: 2, value }))
  assert.deepEqual(broken, [wanted, wanted])
})

test('createColumnWriter() compares a number too small for a double as zero', () => {
  const form = { kind: 'number', groupChar: null, decimalChar: '.', counted: ['tooLong'] } as const
  const check = { rule: 'exclusiveMinimum', value: '0' } as const
  const own = { name: 'x', type: null, nullWords: [], declared: { ...anything, form, checks: [check] } }
  const table = ['1e-400', '1.00000000000000000000e-400', '5e-324'].map((text) => [text, 'n'])
  const found = violationsOf(table, [own, { name: 'n', type: null, nullWords: [] }])
  assert.deepEqual(
    found.map(({ record }) => record),
    [1, 2],
  )
})

test('createColumnWriter() counts moments that missing values keep from being read in the usual way', () => {
  const values = { ...anything, form: { kind: 'iso', of: 'datetime' }, missing: ['', '1'] } as const
  const type = { kind: 'timestamp' } as const
  const own = { name: 'x', type, nullWords: [], declared: values }
  const text = csvText([['2024-01-01T00:00:00', 'n']], layoutOf(2))
  const { facts } = writeColumns(text, {
    layout: layoutOf(2),
    columns: [own, { name: 'n', type: { kind: 'text' }, nullWords: [] }],
  })
  assert.deepEqual(facts[0]?.classes, { timestamp: { count: 1, first: [1] } })
})

test('createColumnWriter() reports a value that begins with a byte order mark with it', () => {
  const own = {
    name: 'x',
    type: null,
    nullWords: [],
    declared: { ...anything, form: { kind: 'iso', of: 'date' } },
  } as const
  const [found] = violationsOf([['\ufeff2024-01-01', 'n']], [own, { name: 'n', type: null, nullWords: [] }])
  assert.equal(found?.value, '\ufeff2024-01-01')
})

function violationsOf(table: Table, columns: readonly WriterColumn[]): readonly Violation[] {
  const found: Violation[] = []
  const layout = layoutOf(columns.length)
  writeColumns(csvText(table, layout), { layout, columns, onViolation: ({ place: _, ...one }) => found.push(one) })
  return found
}
