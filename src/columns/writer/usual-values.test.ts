// Tests of usual values: the fast paths give the same part and facts as the slow path, which values with blanks take.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import type { ColumnType, NumberForm } from '../../core/receipt.ts'
import { layoutOf, seed, writeColumns } from './columns.testing.ts'
import { listed } from './value-examples.testing.ts'

const pick = <Item>(random: Random, from: readonly Item[]): Item => from[random(from.length)] as Item
const digits = (random: Random, count: number) => String(random(10 ** count))
const twoPlaces = (random: Random) => `${digits(random, 1 + random(6))}.${String(random(100)).padStart(2, '0')}`
const places = (random: Random) => `${digits(random, 1 + random(4))}.${digits(random, 1 + random(8))}`
const two = (random: Random, limit: number) => String(1 + random(limit)).padStart(2, '0')

interface Kind {
  readonly type: ColumnType
  usual(random: Random): string
  /** Other values that fit the type, and values that do not. */
  readonly others: readonly string[]
  readonly typeMismatches: readonly string[]
}

const kinds: Kind[] = [
  {
    type: { kind: 'integer' },
    usual: (random) => digits(random, 1 + random(9)),
    others: listed('-1|-123456789|0|999999999999999|1000000000000000|9223372036854775807|12345678|123456789'),
    typeMismatches: listed('-0|01|-|9223372036854775808|1.5|1e3|+1| 1|x|1 |12345678x|x12345678'),
  },
  {
    type: { kind: 'decimal', precision: 18, scale: 2 },
    usual: twoPlaces,
    others: listed(
      '-1.25|0.00|1.00|-0.01|0.10|9999999999999999.99|123456789012.34|5.05|1234567890123.45|70368744177664.25',
      '70368744177664.26',
    ),
    typeMismatches: listed('-0.00|01.25|.25|1.2|1.255|1,25|1.2x|x.25|-.25|1..5|1.|12345678901234567.25'),
  },
  {
    type: { kind: 'decimal', precision: 12, scale: 3 },
    usual: (random) => `${digits(random, 4)}.${String(random(1_000)).padStart(3, '0')}`,
    others: ['1.234', '0.234', '1234.000', '-123.450', '-1234.567'],
    typeMismatches: ['1.23', '-0.000', '0123.456'],
  },
  {
    type: { kind: 'number' },
    usual: places,
    others: listed('1|0|-0.5|0.5|.5|1.234|12.345|0.234|1e-7|-0|0.1234567890123|0.12345678901234567|1.50|2.0'),
    typeMismatches: listed('1.|01.5|.|-|1.5x|1x5|1..5|123456789012345678.5|-.|1,5|12345678901234567890'),
  },
  {
    type: { kind: 'timestamp' },
    usual: (random) =>
      `20${two(random, 90)}-${two(random, 11)}-${two(random, 27)} ${two(random, 22)}:${two(random, 58)}:${two(random, 58)}`,
    others: ['2024-02-29T23:59:59', '2001-01-01 00:00', '2001-01-01 00:00:00.5', '0001-01-01 00:00:00'],
    typeMismatches: [
      '2023-02-29 00:00:00',
      '2001-01-01',
      '2001-13-01 00:00:00',
      '2001-01-01 24:00:00',
      '2001-01-01x00:00:00',
    ],
  },
]

/** The same numbers with a decimal comma. */
const withComma = ({ type, usual, others, typeMismatches }: Kind): Kind => {
  const comma = (text: string) => text.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'))
  return {
    type: { ...type, form: { decimalChar: ',', groupChar: null } } as ColumnType,
    usual: (random) => comma(usual(random)),
    others: others.filter((text) => !text.includes('e')).map(comma),
    typeMismatches: typeMismatches.map(comma),
  }
}
const ofDates: readonly Kind[] = [
  {
    type: { kind: 'date', form: { order: 'dmy', separator: '.' } },
    usual: (random) => `${two(random, 28)}.${two(random, 12)}.20${two(random, 98)}`,
    others: ['1.2.2024', '29.02.2024', '31.12.0001', '12.12.9999'],
    typeMismatches: listed(
      '29.02.2023|12.13.2024|12/12/2024|12.12/2024|2024.12.12|12.12.0000|1x.12.2024|12.12.2024 10:00',
    ),
  },
  {
    type: { kind: 'timestamp', form: { order: 'mdy', separator: '/' } },
    usual: (random) =>
      `${two(random, 12)}/${two(random, 28)}/20${two(random, 98)} ${two(random, 22)}:${two(random, 58)}${random(2) ? `:${two(random, 58)}` : ''}`,
    others: ['1/2/2024 3:04', '02/29/2024 23:59:59.5', '12/31/0001 00:00'],
    typeMismatches: listed(
      '13/12/2024 10:00|12/12/2024|12/12/2024 24:00|12/12/2024 10:60|12/12/2024T10:00|12/12/2024 10:00:60',
      '12/12/2024 10:00.30',
    ),
  },
]
kinds.push(...kinds.filter(({ type }) => type.kind === 'decimal' || type.kind === 'number').map(withComma), ...ofDates)

const grouped = (text: string) => text.replace(/(?<![.\d])\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','))
const groupForms: readonly NumberForm[] = [
  { groupChar: ',', decimalChar: '.' },
  { groupChar: '.', decimalChar: ',' },
  { groupChar: ' ', decimalChar: ',' },
  { groupChar: "'", decimalChar: '.' },
  { groupChar: '\u00a0', decimalChar: '.' },
  { groupChar: '\u202f', decimalChar: ',' },
]
/** Near numbers in groups. */
const misgrouped = listed(
  '1,23|12,3456|1,2345|1234,567|1,234567|,123|-,123|0,123|01,234|1,,234|1,234,|1,234,56|1,234.|1.234,567',
  '1,234.567,890|1,234e5|1,234x567|1,23x,567.25|1\u00a0234|1\u206f234|1à234',
)
const inGroups = listed(
  '1,000|12,345|1,234,567|-123,456,789|1,234,567.25|-1,234.50|1,234,567,890.12|12,345,678,901.25',
  '123,456,789,012,345|123,456,789,012,345.25|1,234.567|1,234.5678|-12,345.00|12345|1234567.25|-0.25|1.50',
)

/** Numbers in groups, some of them without. */
function inForm(form: NumberForm, { type, usual, others, typeMismatches }: Kind): Kind {
  const written = (text: string) =>
    text.replace(/[.,]/g, (mark) => (mark === ',' ? (form.groupChar ?? '') : form.decimalChar))
  return {
    type: { ...type, form } as ColumnType,
    usual: (random) => written(random(20) === 0 ? usual(random) : grouped(usual(random))),
    others: [...others.map(grouped), ...inGroups].map(written),
    typeMismatches: [...typeMismatches, ...misgrouped].map(written),
  }
}
const plain: readonly Kind[] = [
  ...kinds.slice(0, 4),
  {
    type: { kind: 'decimal', precision: 9, scale: 2 },
    usual: twoPlaces,
    others: ['1234567.25', '0.10'],
    typeMismatches: ['12,345,678.25', '12345678.25'],
  },
]
kinds.push(...groupForms.flatMap((form) => plain.map((kind) => inForm(form, kind))))

function assertSame(texts: readonly string[], type: ColumnType, isLast: boolean, lineTerminator: '\n' | '\r\n') {
  const layout = layoutOf(2, { delimiter: ';', lineTerminator })
  const columns = [
    { name: 'a', type: isLast ? null : type, nullWords: ['NA'] },
    { name: 'b', type: isLast ? type : null, nullWords: ['NA'] },
  ]
  const write = (form: (text: string) => string) => {
    const fields = texts.map((text) => (text === '' ? '' : form(text)))
    const records = fields.map((field) => (isLast ? `x;${field}` : `${field};x`))
    return writeColumns(records.map((record) => record + lineTerminator).join(''), { layout, columns })
  }
  const { part, ...others } = write((text) => text)
  for (const form of [(text: string) => `"${text}"`, (text: string) => ` ${text}`]) {
    const { part: slowPart, ...slow } = write(form)
    assert.deepEqual(others, slow)
    assert.ok(part.equals(slowPart), 'the parts differ')
  }
}

for (const { type, usual, others, typeMismatches } of kinds) {
  const name = JSON.stringify(type)

  test(`createColumnWriter() reads usual values of ${name} like quoted ones, with others in between`, () => {
    const random = randomFrom(seed)
    for (let turn = 0; turn < 60; turn++) {
      // Others are rare, frequent or absent, so that paths change after runs of every length.
      const every = pick(random, [3, 12, 90, 1_000_000])
      const some = Array.from({ length: 1 + random(3) }, () => pick(random, others))
      const texts = Array.from({ length: 1 + random(400) }, () => {
        if (random(every) > 0) return usual(random)
        return random(4) === 0 ? pick(random, ['', 'NA']) : pick(random, some)
      })
      assertSame(texts, type, turn % 2 === 0, turn % 4 < 2 ? '\n' : '\r\n')
    }
  })

  test(`createColumnWriter() finds each other value of ${name} after many usual ones`, () => {
    const random = randomFrom(seed)
    const before = Array.from({ length: 40 }, () => usual(random))
    for (const text of [...others, ...typeMismatches, '']) {
      for (const isLast of [false, true]) {
        assertSame([...before, text, ...before], type, isLast, '\n')
        assertSame([...before, ...others, ...before, text, ...before], type, isLast, '\r\n')
      }
    }
  })
}

test('createColumnWriter() notes a number written in another way, as the first or second of a pair', () => {
  const two: ColumnType = { kind: 'decimal', precision: 18, scale: 2 }
  const columns = [
    {
      type: { kind: 'integer' } as const,
      usual: '12',
      unlike: ['-1', '0', '-0', '01', '-01', '00', '-', '1x', 'x1', '12345678', '-99999999', '123456789', 'x12345678'],
    },
    {
      type: two,
      usual: '1.25',
      unlike: ['12.25', '-123.25', '123456.25', '1234567.25', '0.25', '1.20', '1.00', '01.25', '-0.00', '1.2x'],
    },
    {
      type: { kind: 'number' } as const,
      usual: '1.25',
      unlike: ['12.25', '1.5', '1.255', '1.1234567', '0.25', '1.20', '01.5', '-0.5', '1x5'],
    },
  ]
  for (const { type, usual, unlike } of columns) {
    for (const text of unlike) {
      for (let before = 20; before < 24; before++) {
        const texts = [...Array<string>(before).fill(usual), text, ...Array<string>(30).fill(usual)]
        assertSame(texts, type, before < 22, '\n')
      }
    }
  }
})
