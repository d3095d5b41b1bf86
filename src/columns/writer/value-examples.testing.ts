// Value examples: texts of each class, and texts near them, for tests only.
import type { ValueClass } from '../../core/column-facts.ts'
import { type ColumnType, type GroupChar, groupChars } from '../../core/receipt.ts'

/** Texts in a table. */
export function listed(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split('|'))
}

/** Grouped by class, so that each group also makes a column of one type. */
const plainExamples = {
  integer: listed(' 0|1  |-5|42|123456789012345|-123456789012345|9007199254740993000|-9223372036854775808'),
  longInteger: ['9007199254740993', ' 9223372036854775807', '-1234567890123456789'],
  decimal: listed(
    '1.50|-0.05|0.00|0.00001393726751652835|0.10000000000000001|144115188075856.12|12345678901234.5',
    '1234567890123.4|0.3745401188473625|0.123|1234.567',
  ),
  thousandPoint: ['1.234', '-12.345', '999.000'],
  longDecimal: ['1234567.1234567890', '123456789012345678.90', '1234567890123456789012345678901234567.8'],
  number: listed(
    '1e5|1.5E-7|-0|-0.00|.5|-.25e+3|5.| -12.|5.e3|-0.|9007199254740994.|123456789012345680000.|5e-324|1e+16',
    '1e290|0e0|1e-290|1e308|123456789012345680000|5.960464477539063e-08|1.000000000000000056e-01',
  ),
  true: ['true', 'false'],
  True: ['True', ' False'],
  TRUE: ['TRUE', 'FALSE'],
  date: ['2024-02-29 ', '0001-01-01', '9999-12-31', '1582-10-10', '1900-02-28'],
  time: ['10:20', '00:00', '23:59', '10:20:30', '00:00:00', '23:59:59.999999', '10:20:30.10'],
  timestamp: listed(
    '2024-01-05 10:20:30|2024-01-05T20:59:59.5|0999-05-05 10:00:00|2021-01-01T10:00|2021-01-01 23:59',
    '0001-01-01 00:00|0001-01-01T00:00:00|1969-12-31 23:59:59.999999',
  ),
  timestamptz: listed(
    '2024-01-05T10:20:30Z|2024-01-05 10:20:30.123-0800|2024-01-05T10:20:30+05|2021-01-01T10:00Z',
    '2021-01-01 10:00+01:30|2021-01-01T23:59-0130|2021-01-01 10:00+01|1500-03-01 00:00:00+02:30',
    '0001-01-01T00:00:00-23:59',
  ),
  padded: ['007', '00.5', '-01', '+05', '0123', '007,5', '-00,50', '+01,5', '00.'],
  signed: ['+5', '+0.5', '+2,75', '+1,234', '+0,0'],
  tooLong: listed(
    '9223372036854775809|-9223372036854775809|1e400|1e-400|0.12345678901234567890123456789012345678901',
    '123456789012345678901234567890123456789.5|9007199254740993.',
  ),
  text: listed(
    '1_000|0x1f|\u00a05|5\t|5 .|5,|infinity|nan?|epoch|2023-02-29|1900-02-29|0000-01-01|2024-1-5|24:00:00|24:00',
    '27:14:00|127:14:00|10:60|1:00|10:0|10:00:|10:00:0|10:00.5|10:00Z|2021-01-01T10|2021-01-01T10:',
    '2021-01-01T24:00|2021-02-30T10:00|2021-01-01T10:00.5|2021-01-01T10:00:|2021-01-01T10:00:Z',
    '2021-01-01T10:00+24:00|10:20:30.1234567|2024-01-05 24:00:00|-024-01-05 10:00:00|2024-01-05 10:20:60',
    '2024-01-5  10:00:00|2024-01-05  1:00:00|2024-01-05 10:00:0Z|2024-01-05 10:00:00 UTC|2024-01-05 10:00:00+24',
    '0001-01-01T00:00:00+01|9999-12-31 23:59:59-01:00|yes|tRUE|٣|１|1,2,3|0,123,456|1,2345,678|1,234 567|1.234,5.6',
    "1'234,567.8|1  234|01/02/24|1/2-2024|30.02.2024|13/13/2024|2024-1-5|2024/31/12|01/02/0000|1.2.2024 24:00",
    '1.2.2024T10:00|1.2.2024 10:00 AM',
  ),
  decimalComma: ['1,5', '-0,05', '0,123', '1234,567', '0,3745401188473625', '0,00'],
  thousandComma: ['1,234', '-12,345', '999,000'],
  longDecimalComma: ['1234567,1234567890', '123456789012345678,90'],
  numberComma: ['-0,00', ',5', '1,53e4', '-1,5E-7'],
} satisfies Partial<Record<ValueClass, readonly string[]>>

const groupedExamples = Object.fromEntries(
  groupChars.flatMap((group) => {
    const of = (text: string) => text.replaceAll('_', group)
    const isPlain = group !== ',' && group !== '.'
    const one = isPlain ? ['1_234', '-999_000'] : []
    return [
      [`grouped ${group}`, [...one, '1_234_567', '-12_345_678', '123_456_789_012_345'].map(of)],
      [`longGrouped ${group}`, ['9_223_372_036_854_775_807', '-1_234_567_890_123_456_789'].map(of)],
      ...['.', ',']
        .filter((decimal) => decimal !== group)
        .flatMap((decimal) => [
          [`grouped ${group}${decimal}`, [`1_234${decimal}50`, `-12_345_678${decimal}5`].map(of)],
          [`longGrouped ${group}${decimal}`, [`123_456_789_012${decimal}345678`].map(of)],
        ]),
    ]
  }),
)

const dateExamples = Object.fromEntries(
  ['/', '.', '-'].flatMap((separator) => {
    const days = {
      dmy: ['31_12_2020', '13_1_2020', '13_1_0001'],
      mdy: ['12_31_2020', '1_13_2020'],
      either: ['1_2_2020', '05_05_2020'],
    }
    const all = separator === '-' ? days : { ...days, ymd: ['2020_12_31', '2020_1_2'] }
    const times = ['0:00', '13:05', '9:05:06', '23:59:59.999999', '23:59:59.5']
    return Object.entries(all).flatMap(([order, dates]) => {
      const of = dates.map((date) => date.replaceAll('_', separator))
      return [
        [`date ${separator}${order}`, of],
        [`timestamp ${separator}${order}`, of.flatMap((date) => times.map((time) => `${date} ${time}`))],
      ]
    })
  }),
)

export const examples = { ...plainExamples, ...groupedExamples, ...dateExamples } as Record<
  ValueClass,
  readonly string[]
>

const allExamples = Object.values(examples).flat()
const letters = [..."0123456789+-.,:_ eETZ/'\u00a0\u202f\u2019x\t\n\r\v\f٣aN"]

/** Examples of any class, each with one or two of its characters removed, added or replaced. */
export function textsNearExamples(random: (below: number) => number, count: number): readonly string[] {
  return Array.from({ length: count }, () => {
    const text = [...allExamples[random(allExamples.length)]!]
    for (let left = 1 + random(2); left > 0; left--)
      text.splice(random(text.length + 1), random(2), ...letters.slice(random(letters.length)).slice(0, random(2)))
    return text.join('')
  })
}

const number = (decimalChar: '.' | ',', groupChar: GroupChar | null) => ({ decimalChar, groupChar })
/** Texts that are no value of a type in a format, though of others, or nearly so. */
export const textsOfOtherForms = (
  [
    [
      { kind: 'integer', form: number('.', ',') },
      '1,23|1,2345|12,34,567|0,123|01,234|1234,567|1,234.0|+1,234|1,234,|,234|1 234',
    ],
    [{ kind: 'integer', form: number(',', '.') }, '1.23|1,5|1,234|1.234,0'],
    [{ kind: 'number', form: number(',', null) }, '1.5|1.234,5|1,|01,5|+1,5|1,5,5|1,5e|-|-,|,'],
    [{ kind: 'number', form: number('.', ' ') }, '1 23.5|1  234|1 234,5|1\u00a0234|1 234. |.'],
    [{ kind: 'decimal', precision: 9, scale: 1, form: number(',', '.') }, '1.234|1.23,5|1,55|1.234.5|1.5|,5|-0,0'],
    [
      { kind: 'date', form: { order: 'dmy', separator: '/' } },
      '1/13/2020|31/4/2020|1/1/20|1.1.2020|1/1/02020|2020/1/1|1/1/ 2020|1/1/0000',
    ],
    [{ kind: 'date', form: { order: 'mdy', separator: '.' } }, '13.1.2020|1/1/2020|2.30.2020'],
    [{ kind: 'date', form: { order: 'ymd', separator: '/' } }, '20/1/1|1/1/2020|2020-01-01|2020/13/1'],
    [
      { kind: 'timestamp', form: { order: 'dmy', separator: '.' } },
      '1.1.2020|1.1.2020 24:00|1.1.2020 1:60|1.1.2020 1:00:60|1.1.2020 1|1.1.2020T01:00|1.1.2020  1:00',
    ],
  ] as readonly (readonly [ColumnType, string])[]
).map(([type, texts]) => [type, listed(texts)] as const)

/** Classes whose values leave the type of their column open; an empty list is a column without values. */
export const undecidedClasses: readonly (readonly ValueClass[])[] = [
  [],
  ['thousandComma', 'integer'],
  ['thousandComma', 'decimal'],
  ['thousandPoint', 'decimalComma'],
  ['date /either'],
  ['timestamp .either'],
]
