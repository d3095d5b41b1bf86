// Column facts: counts of the forms of a column's values, on which types are decided. Knows neither values nor types.
import { type DateForm, type GroupChar, groupChars, type NumberForm } from './receipt.ts'

/**
 * The class of a single value, by its form alone. Every value is in exactly one class, so that facts add up:
 * - `integer` within int64, where a double keeps it, `longInteger` where not: no plus, no padding, no `-0`
 * - `decimal` at most 38 digits, at least one after the point, no padding; `longDecimal` when a double would lose digits;
 *   `thousandPoint` where the point might also stand between groups: `1.234`
 * - `number` any other that a double keeps: exponents, `-0`, `.5`. It keeps 15 digits, and up to 19 as which it is printed
 *   with as many digits
 * - `true`, `True`, `TRUE` a boolean in that spelling
 * - `date`, `time`, `timestamp`, `timestamptz` ISO 8601 and in the calendar
 * - text that looks like a number but would lose something as one: `padded` with leading zeros, `signed` with a plus,
 *   `tooLong` for any number type
 * - `text` anything else
 */
const plainClasses = [
  'integer',
  'longInteger',
  'decimal',
  'thousandPoint',
  'longDecimal',
  'number',
  'true',
  'True',
  'TRUE',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'padded',
  'signed',
  'tooLong',
  'text',
] as const

/** The same with a decimal comma; `thousandComma` where the comma might also separate groups: `1,234`. */
const commaClasses = ['decimalComma', 'thousandComma', 'longDecimalComma', 'numberComma'] as const

/**
 * A number with groups of three digits, named after the group character and the decimal character:
 * `grouped .,` is `1.234,56`. With more digits than a double keeps it is a `longGrouped` one.
 */
type GroupedClass = `${'grouped' | 'longGrouped'} ${GroupChar}${NumberForm['decimalChar'] | ''}`

/**
 * A date, with or without a time, that is not ISO 8601, named by its separator and the orders in which it is valid:
 * `date /dmy` is `31/12/2020`, `date /either` is `05/06/2020`.
 */
type DateClass = `${'date' | 'timestamp'} ${DateForm['separator']}${DateForm['order'] | 'either'}`

export type ValueClass = (typeof plainClasses)[number] | (typeof commaClasses)[number] | GroupedClass | DateClass

export const dateSeparators: readonly DateForm['separator'][] = ['/', '.', '-']

export const valueClasses: readonly ValueClass[] = [
  ...plainClasses,
  ...commaClasses,
  ...groupChars.flatMap((group) =>
    (['', '.', ','] as const)
      .filter((decimal) => decimal !== group)
      .flatMap((decimal) => groupedClasses(group, decimal)),
  ),
  ...(['date', 'timestamp'] as const).flatMap((kind) =>
    dateSeparators.flatMap((separator) =>
      (['ymd', 'dmy', 'mdy', 'either'] as const)
        // Years first with dashes are ISO 8601, or text.
        .filter((order) => order !== 'ymd' || separator !== '-')
        .map((order): DateClass => `${kind} ${separator}${order}`),
    ),
  ),
]

/** The classes of grouped numbers with this decimal character or, if it is empty, without a fraction. */
export function groupedClasses(group: GroupChar, decimal: NumberForm['decimalChar'] | ''): readonly ValueClass[] {
  return [`grouped ${group}${decimal}`, `longGrouped ${group}${decimal}`]
}

/** Words that may stand for null: they do if nothing else keeps a column from having a type. */
export const nullWords = [
  ...(['', 'NA', 'N/A', 'n/a', 'NULL', 'null', 'None', 'NaN', 'nan', '\\N', '-', '#N/A'] as const),
  // Stata, SAS and genome tables; Weka; reports; pandas.
  ...(['.', '?', '--', 'NaT', '<NA>'] as const),
] as const

/** Number of offending values that are named. */
const firstMax = 3

export interface ClassFacts {
  /** Number of values in the class. */
  readonly count: number
  /** The rows of the first three: accepted records, counted from 1 within those seen. */
  readonly first: readonly number[]
  /** Their texts, cut off where they are long, if most values are in other classes. */
  readonly texts?: readonly string[]
  /**
   * For numbers with a fraction, where a comma that could separate groups counts as a decimal comma, and for `number`,
   * `numberComma`, `tooLong`, `padded` and `signed`, where an exponent counts as 99 whole digits: no decimal has as many.
   */
  readonly digits?: Digits
}

export interface Digits {
  /** Most digits before the decimal point; a single zero, or none, counts as one. */
  readonly wholeMax: number
  /** Fewest and most digits after it. */
  readonly scaleMin: number
  readonly scaleMax: number
}

/** Facts about the values of one column over some records. Facts of two consecutive runs of records can be joined. */
export interface ColumnFacts {
  /** Records seen. */
  readonly records: number
  /** Unquoted empty fields. */
  readonly nulls: number
  /** Values that are a null word, by word. They are in no class. */
  readonly nullWords: Readonly<Record<string, number>>
  /** A class without values is absent. */
  readonly classes: Readonly<Partial<Record<ValueClass, ClassFacts>>>
  /** Absent if nobody has examined the values. */
  readonly numberTexts?: NumberTexts
}

/** A property of how numbers are written, and the first record that has it. */
export interface SeenAt {
  readonly value: number
  readonly record: number
}

/** How the numbers of a column that are not plain integers are written; null if there are none. */
export interface NumberTexts {
  /** Fewest and most decimal places of fractions that consist of zeros, as in `2.0`. */
  readonly zerosMin: SeenAt | null
  readonly zerosMax: SeenAt | null
  /** Fewest places of other fractions. */
  readonly scaleMin: SeenAt | null
  /** Most places of those that end with a zero, as in `1.50`. */
  readonly paddedMax: SeenAt | null
  /** The first records with `0.5`, with `.5`, with `5.` and with `-0`. */
  readonly zeroWhole: number | null
  readonly noWhole: number | null
  readonly noFraction: number | null
  readonly minusZero: number | null
  /**
   * First records with an exponent as programs write it (`1e-07`), with another one, and with another one like `15e2`.
   */
  readonly shortest: number | null
  readonly exponent: number | null
  readonly notNormal: number | null
}

/** Joins the facts of a class over consecutive runs of records; record numbers continue from run to run. */
export function joinClasses(parts: readonly ClassFacts[]): ClassFacts {
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const seen = parts.flatMap((part) => part.first.map((record, i) => ({ record, text: part.texts?.[i] })))
  const first = seen.sort((a, b) => a.record - b.record).slice(0, firstMax)
  const texts = first.flatMap(({ text }) => text ?? [])
  const digits = joinDigits(parts)
  return {
    count,
    first: first.map(({ record }) => record),
    ...(texts.length > 0 && texts.length === first.length && { texts }),
    ...(digits !== null && { digits }),
  }
}

/** Over all numbers with a fraction among the classes; null if there are none. */
export function joinDigits(parts: readonly ClassFacts[]): Digits | null {
  const all = parts.flatMap(({ digits }) => digits ?? [])
  if (all.length === 0) return null
  return {
    wholeMax: Math.max(...all.map(({ wholeMax }) => wholeMax)),
    scaleMin: Math.min(...all.map(({ scaleMin }) => scaleMin)),
    scaleMax: Math.max(...all.map(({ scaleMax }) => scaleMax)),
  }
}

/** Number texts of consecutive runs of records, whose records are counted from the first on. */
export function joinNumberTexts(one: NumberTexts, next: NumberTexts): NumberTexts {
  return {
    zerosMin: least(one.zerosMin, next.zerosMin),
    zerosMax: most(one.zerosMax, next.zerosMax),
    scaleMin: least(one.scaleMin, next.scaleMin),
    paddedMax: most(one.paddedMax, next.paddedMax),
    zeroWhole: one.zeroWhole ?? next.zeroWhole,
    noWhole: one.noWhole ?? next.noWhole,
    noFraction: one.noFraction ?? next.noFraction,
    minusZero: one.minusZero ?? next.minusZero,
    shortest: one.shortest ?? next.shortest,
    exponent: one.exponent ?? next.exponent,
    notNormal: one.notNormal ?? next.notNormal,
  }
}

/** The same, of records that follow `records` others. */
export function shiftNumberTexts(texts: NumberTexts, records: number): NumberTexts {
  const recordOf = (record: number | null) => record && record + records
  const seenOf = (seen: SeenAt | null) => seen && { ...seen, record: seen.record + records }
  return {
    zerosMin: seenOf(texts.zerosMin),
    zerosMax: seenOf(texts.zerosMax),
    scaleMin: seenOf(texts.scaleMin),
    paddedMax: seenOf(texts.paddedMax),
    zeroWhole: recordOf(texts.zeroWhole),
    noWhole: recordOf(texts.noWhole),
    noFraction: recordOf(texts.noFraction),
    minusZero: recordOf(texts.minusZero),
    shortest: recordOf(texts.shortest),
    exponent: recordOf(texts.exponent),
    notNormal: recordOf(texts.notNormal),
  }
}

function least(one: SeenAt | null, next: SeenAt | null): SeenAt | null {
  return one === null || (next !== null && next.value < one.value) ? next : one
}

function most(one: SeenAt | null, next: SeenAt | null): SeenAt | null {
  return one === null || (next !== null && next.value > one.value) ? next : one
}
