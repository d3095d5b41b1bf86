// Nasty tables: columns that are mostly of one type, with whatever else may stand in them, from a seed. Knows no oracle.
import { examples } from '../convert/sql/value-examples.testing.ts'
import { nullWords, type ValueClass } from '../core/column-facts.ts'
import type { Random } from '../core/random.testing.ts'
import type { Table } from './columns.testing.ts'

/** Classes whose values make columns of a type that none of them has alone. */
const families: readonly (readonly ValueClass[])[] = [
  ['decimalComma', 'thousandComma', 'integer'],
  ['thousandComma', 'grouped ,', 'grouped ,.', 'integer', 'decimal'],
  ['thousandPoint', 'grouped .', 'grouped .,', 'longGrouped .,', 'decimalComma', 'integer'],
  ['thousandPoint', 'grouped .', 'longGrouped .', 'longInteger'],
  ['grouped \u00a0,', 'grouped \u00a0', 'decimalComma', 'numberComma'],
  ['grouped \u202f.', 'grouped \u202f'],
  ["grouped '.", "grouped '", 'decimal', 'number'],
  ['date /dmy', 'date /either'],
  ['date .mdy', 'date .either'],
  ['timestamp .dmy', 'timestamp .either'],
  ['timestamp /mdy', 'timestamp /either'],
]

const amounts = [
  ['1.50', '-0.05', '12345.67', '0.00'],
  ['1,50', '-0,05', '12.345,67', '1.234.567,89'],
  ['1 234.50', '0.05', '-999 999.99'],
  ['0.3745401188473625', '17.1', '-2', '0.1', '1e-7', '123456.78901234567'],
]

/** Texts that are no type's, long ones and ones that a bound of statistics cannot hold among them. */
const texts = [
  'Müller',
  'a "b" c',
  'x\ny',
  'x\r\ny',
  ' ',
  '"',
  '\ufeffa',
  `${'ä'.repeat(40)}z`,
  `${'z'.repeat(63)}😀😀`,
  '\u{10ffff}'.repeat(20),
  'long'.repeat(5000),
]

/** Values of one kind that no list holds. */
const makers: readonly ((random: Random) => string)[] = [
  (random) => String(random(2 ** 32) - 2 ** 31),
  (random) => `${random(3) === 0 ? '-' : ''}${digits(random, 1 + random(19))}`,
  (random) => `${digits(random, 1 + random(16))}.${padded(random, 2)}`,
  (random) => `${random(2) === 0 ? '-' : ''}${digits(random, 1 + random(20))}.${padded(random, 18)}`,
  (random) => String((random(2 ** 32) / 2 ** 31 - 1) * 10 ** (random(40) - 20)),
  (random) => ((random(2 ** 32) / 2 ** 32) * 10 ** random(9)).toPrecision(1 + random(17)),
  (random) => new Date(random(2 ** 32) * 10_000 - 2 ** 44).toISOString().slice(0, 10),
  (random) => new Date(random(2 ** 32) * 1_000 - 2 ** 41).toISOString().slice(0, 19),
  (random) => `${new Date(random(2 ** 32) * 1_000).toISOString().slice(0, 23)}${['Z', '+05:30', '-0800'][random(3)]}`,
  (random) =>
    `${padded(random, 1 + random(2))}:${padded(random, 2)}:${padded(random, 2)}.${padded(random, 1 + random(6))}`,
  (random) => `${1 + random(31)}/${1 + random(12)}/${1900 + random(200)}`,
  (random) => `${digits(random, 1 + random(3))}.${padded(random, 3)},${padded(random, 2)}`,
  (random) => String.fromCodePoint(...Array.from({ length: random(70) }, () => 0x20 + random(0x4e0))),
]

/** A number of so many digits, without zeros before it. */
function digits(random: Random, count: number): string {
  return String(1 + random(9)) + padded(random, count - 1)
}

function padded(random: Random, count: number): string {
  return Array.from({ length: count }, () => random(10)).join('')
}

/** One column: nulls, null words and values of another class among values of one. */
function randomColumn(random: Random, records: number): readonly (string | null)[] {
  const names = Object.keys(examples) as ValueClass[]
  const one = <Item>(list: readonly Item[]): Item => list[random(list.length)]!
  const family = one(families).flatMap((name) => examples[name])
  const typed = examples[one(names)]
  const from =
    (list: readonly string[]) =>
    (_: Random): string =>
      one(list)
  const main = one([from(family), from(family), from(one(amounts)), from(typed), from(typed), from(texts), one(makers)])
  const side = from(examples[one(names)])
  const sideOneIn = one([2, 10, records * 2, records * 2])
  const wordOneIn = one([3, records * 2])
  const nullOneIn = one([1, 3, 20, records * 2])
  return Array.from({ length: records }, () => {
    if (random(nullOneIn) === 0) return null
    if (random(wordOneIn) === 0) return one(nullWords)
    return random(sideOneIn) === 0 ? side(random) : main(random)
  })
}

/** A table whose records are not blank: the last column counts them. */
export function nastyTable(random: Random, width: number, records: number): Table {
  const columns = Array.from({ length: width - 1 }, () => randomColumn(random, records))
  return Array.from({ length: records }, (_, record) => [
    ...columns.map((column) => column[record] ?? null),
    `record ${record}`,
  ])
}
