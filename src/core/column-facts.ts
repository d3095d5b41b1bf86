// Column facts: what the values of a column are, told by their form. Types are decided on them; knows nothing of either side.

/**
 * What a single value is, by its form alone. Every value is in exactly one class, so that facts add up:
 * - `integer` within 15 digits, `longInteger` beyond and within int64: no plus, no padding, no `-0`
 * - `decimal` at most 38 digits, at least one after the point, no padding; `longDecimal` when a double would lose digits
 * - `number` any other that a double holds with every digit: exponents, `-0`, `.5`
 * - `true`, `True`, `TRUE` a boolean in that spelling
 * - `date`, `time`, `timestamp`, `timestamptz` ISO 8601 and in the calendar
 * - text that looks like a number and would lose something as one: `padded` zeros in front, `signed` with a plus,
 *   `tooLong` for any number type
 * - `text` anything else
 */
export const valueClasses = [
  'integer',
  'longInteger',
  'decimal',
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
export type ValueClass = (typeof valueClasses)[number]

/** Words that may stand for null: they do where they are all that keeps a column from a type. */
export const nullWords = ['', 'NA', 'N/A', 'n/a', 'NULL', 'null', 'None', 'NaN', 'nan', '\\N', '-', '#N/A'] as const

/** How many values of a class there are, and which records (from 1, within the records seen) have the first three. */
export interface ClassFacts {
  readonly count: number
  readonly first: readonly number[]
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
  /** Of the values of class decimal and longDecimal, null when there are none. */
  readonly digits: {
    /** Most digits before the point; a lone zero is one. */
    readonly wholeMax: number
    /** Least and most digits after the point. */
    readonly scaleMin: number
    readonly scaleMax: number
  } | null
}
