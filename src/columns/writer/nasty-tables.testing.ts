// Nasty tables: columns that are mostly of one type, with anything else in between, from a seed. Knows no oracle.

import { nullWords, type ValueClass } from '../../core/column-facts.ts'
import type { Random } from '../../core/random.testing.ts'
import type { Table } from './columns.testing.ts'
import { examples, textsNearExamples } from './value-examples.testing.ts'

/** Classes that together give a column a type that none of them gives alone. */
const familyClasses: readonly (readonly ValueClass[])[] = [
  ['decimalComma', 'thousandComma', 'integer'],
  ['thousandComma', 'grouped ,', 'grouped ,.', 'integer', 'decimal'],
  ['thousandPoint', 'grouped .', 'grouped .,', 'longGrouped .,', 'decimalComma', 'integer'],
  ['thousandPoint', 'grouped .', 'longGrouped .', 'longInteger'],
  ['grouped \u00a0,', 'grouped \u00a0', 'decimalComma', 'numberComma'],
  ['grouped \u202f.', 'grouped \u202f'],
  ['grouped \u2019.', 'grouped \u2019', 'decimal'],
  ["grouped '.", "grouped '", 'decimal', 'number'],
  ['date /dmy', 'date /either'],
  ['date .mdy', 'date .either'],
  ['timestamp .dmy', 'timestamp .either'],
  ['timestamp /mdy', 'timestamp /either'],
]
const families = familyClasses.map((names) => names.flatMap((name) => examples[name]))
const classes = Object.values(examples)

const amounts = [
  ['1.50', '-0.05', '12345.67', '0.00'],
  ['1,50', '-0,05', '12.345,67', '1.234.567,89'],
  ['1 234.50', '0.05', '-999 999.99'],
  ['0.3745401188473625', '17.1', '-2', '0.1', '1e-7', '123456.78901234567'],
]

/** Texts of no type, including long ones and ones that cannot be a bound in statistics. */
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
]

/** One that fills pages by itself. */
const longText = 'long'.repeat(5_000)

/** Values of one kind that no list contains. */
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

/** A number with this many digits, without leading zeros. */
function digits(random: Random, count: number): string {
  return String(1 + random(9)) + padded(random, count - 1)
}

function padded(random: Random, count: number): string {
  return Array.from({ length: count }, () => random(10)).join('')
}

function oneOf<Item>(random: Random, list: readonly Item[]): Item {
  return list[random(list.length)]!
}

/** How most values of a column are made. */
function mainMaker(random: Random, records: number): (random: Random) => string {
  const kind = random(7)
  if (kind === 6) return oneOf(random, makers)
  const list =
    kind < 2 ? oneOf(random, families) : kind < 4 ? oneOf(random, classes) : kind === 4 ? oneOf(random, amounts) : texts
  const isLong = list === texts && random(8) === 0
  const longOneIn = Math.max(12, Math.ceil(records / 20))
  return () => (isLong && random(longOneIn) === 0 ? longText : oneOf(random, list))
}

/**
 * With a delimiter in it, the lines of a value may look like records swallowed by a stray quote, and be read as such.
 */
function onOneRecord(text: string): string {
  return /[,;\t|]/.test(text) ? text.replaceAll('\n', ' ') : text
}

/** How the other values are made. */
function sideMaker(random: Random): (random: Random) => string {
  if (random(3) === 0) return () => onOneRecord(textsNearExamples(random, 1)[0]!)
  const list = oneOf(random, classes)
  return () => oneOf(random, list)
}

/** One column: nulls, null words and values of another class among values of one. */
function randomColumn(random: Random, records: number): readonly (string | null)[] {
  const [main, side] = [mainMaker(random, records), sideMaker(random)]
  const sideOneIn = oneOf(random, [2, 10, records * 2, records * 2])
  const wordOneIn = oneOf(random, [3, records * 2])
  const nullOneIn = oneOf(random, [1, 3, 20, records * 2])
  const column: (string | null)[] = []
  const pad = oneOf(random, [0, 0, 0, 0, 6, -6])
  for (let record = 0; record < records; record++) {
    if (random(nullOneIn) === 0) column.push(null)
    else if (random(wordOneIn) === 0) column.push(oneOf(random, nullWords))
    else {
      const text = random(sideOneIn) === 0 ? side(random) : main(random)
      column.push(pad < 0 ? text.padEnd(-pad) : text.padStart(pad))
    }
  }
  return column
}

/** A table whose records are not blank: the last column counts them. */
export function nastyTable(random: Random, width: number, records: number): Table {
  const columns = Array.from({ length: width - 1 }, () => randomColumn(random, records))
  return Array.from({ length: records }, (_, record) => [
    ...columns.map((column) => column[record] ?? null),
    `record ${record}`,
  ])
}
