// Column facts: what the values of a column are, told by their form. Types are decided on them; knows nothing of either side.
import { type DateForm, type GroupChar, groupChars, type NumberForm } from './receipt.ts'

/**
 * What a single value is, by its form alone. Every value is in exactly one class, so that facts add up:
 * - `integer` within 15 digits, `longInteger` beyond and within int64: no plus, no padding, no `-0`
 * - `decimal` at most 38 digits, at least one after the point, no padding; `longDecimal` when a double would lose digits;
 *   `thousandPoint` where the point might also stand between groups: `1.234`
 * - `number` any other that a double holds with every digit: exponents, `-0`, `.5`
 * - `true`, `True`, `TRUE` a boolean in that spelling
 * - `date`, `time`, `timestamp`, `timestamptz` ISO 8601 and in the calendar
 * - text that looks like a number and would lose something as one: `padded` zeros in front, `signed` with a plus,
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

/** The same with a decimal comma; `thousandComma` where it might also stand between groups: `1,234`. */
const commaClasses = ['decimalComma', 'thousandComma', 'longDecimalComma', 'numberComma'] as const

/**
 * A number in groups of three digits, named after the character between them and the one before its fraction:
 * `grouped .,` is `1.234,56`. Beyond the digits that a double keeps it is a `longGrouped` one.
 */
type GroupedClass = `${'grouped' | 'longGrouped'} ${GroupChar}${NumberForm['decimalChar'] | ''}`

/**
 * A date, or a date with a time, that is not ISO 8601, by its separator and the orders in which it is in the calendar:
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

/** The classes of numbers in groups, with this before their fraction or, where it is empty, without one. */
export function groupedClasses(group: GroupChar, decimal: NumberForm['decimalChar'] | ''): readonly ValueClass[] {
  return [`grouped ${group}${decimal}`, `longGrouped ${group}${decimal}`]
}

/** Words that may stand for null: they do where they are all that keeps a column from a type. */
export const nullWords = ['', 'NA', 'N/A', 'n/a', 'NULL', 'null', 'None', 'NaN', 'nan', '\\N', '-', '#N/A'] as const

/** Offenders are named up to here. */
const firstMax = 3

export interface ClassFacts {
  /** Values of the class. */
  readonly count: number
  /** Which records, from 1 within the records seen, have the first three. */
  readonly first: readonly number[]
  /** Of numbers with a fraction: a comma that could stand between groups is taken for a decimal one here. */
  readonly digits?: Digits
}

export interface Digits {
  /** Most digits before the decimal point; a lone zero is one. */
  readonly wholeMax: number
  /** Least and most digits after it. */
  readonly scaleMin: number
  readonly scaleMax: number
}

/** What the values of one column are, over some records. Facts of two runs of records can be joined. */
export interface ColumnFacts {
  /** Records seen. */
  readonly records: number
  /** Unquoted empty fields. */
  readonly nulls: number
  /** Values that are a null word, by word. They are in no class. */
  readonly nullWords: Readonly<Record<string, number>>
  /** A class without values is absent. */
  readonly classes: Readonly<Partial<Record<ValueClass, ClassFacts>>>
}

/** The facts of a class over several runs of records, which are counted through. */
export function joinClasses(parts: readonly ClassFacts[]): ClassFacts {
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const first = parts.flatMap((part) => part.first).sort((a, b) => a - b)
  const digits = joinDigits(parts)
  return { count, first: first.slice(0, firstMax), ...(digits !== null && { digits }) }
}

/** Of all numbers with a fraction among the classes; null where there are none. */
export function joinDigits(parts: readonly ClassFacts[]): Digits | null {
  const all = parts.flatMap(({ digits }) => digits ?? [])
  if (all.length === 0) return null
  return {
    wholeMax: Math.max(...all.map(({ wholeMax }) => wholeMax)),
    scaleMin: Math.min(...all.map(({ scaleMin }) => scaleMin)),
    scaleMax: Math.max(...all.map(({ scaleMax }) => scaleMax)),
  }
}
