// Lossless SQL: SQL that converts text to a type, and conditions under which nothing of the text is lost. Knows no files or columns.

import type { ColumnType, DateForm, NumberForm } from '../../../src/core/receipt.ts'
import { literal } from '../../../src/engine/sql/sql-text.ts'

/** A text that makes `when` true has the value `value`. For other texts `when` is false or null. */
export interface ExactRead {
  readonly when: string
  readonly value: string
}

const time = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?'
const zone = '(Z|[-+]([01][0-9]|2[0-3])(:?[0-5][0-9])?)'
const dateShape = '[0-9]{4}-[0-9]{2}-[0-9]{2}'

/** Digits that have no zeros in front, and perhaps a point and more digits. */
const plainShape = '(0|[1-9][0-9]*)(\\.[0-9]+)?'

/** SQL of what of a text is the value: blanks count only around texts. */
export function valueText(type: ColumnType, text: string): string {
  return type.kind === 'text' ? text : `trim(${text}, ' ')`
}

/** SQL that is true for a text that can be read as the type. */
export function fitsExactly(type: ColumnType, text: string): string {
  const reads = readExactly(type, text, tryCast(type, text))
  return `(${reads.map(({ when }) => `(${when})`).join(' OR ')})`
}

/** SQL of the text as a value of the type, null if it is not one: the `cast` of `readExactly`. */
export function tryCast(type: ColumnType, text: string): string {
  const form = formOf(type)
  if (type.kind === 'timestamptz') return `TRY_CAST(${withSeconds(text)} AS TIMESTAMPTZ)`
  if (form === null) return `TRY_CAST(${text} AS ${sqlType(type)})`
  if ('decimalChar' in form) return `TRY_CAST(${plainNumber(form, text)} AS ${sqlType(type)})`
  return `CAST(try_strptime(${text}, [${strptimeFormats(type.kind, form).map(literal).join(', ')}]) AS ${sqlType(type)})`
}

/** The cast of a timestamp with an offset requires seconds; other casts do not (DuckDB 1.5.5). */
function withSeconds(text: string): string {
  return `CASE WHEN substring(${text}, 17, 1) = ':' THEN ${text} ELSE concat(left(${text}, 16), ':00', substring(${text}, 17)) END`
}

/** Null for the usual format: a decimal point and no groups, ISO 8601. */
function formOf(type: ColumnType): NumberForm | DateForm | null {
  if (!('form' in type) || type.form === undefined) return null
  const { form } = type
  const isUsual =
    'order' in form
      ? form.order === 'ymd' && form.separator === '-'
      : form.decimalChar === '.' && form.groupChar === null
  return isUsual ? null : form
}

/**
 * SQL that is true for the text of a number of which a double keeps every digit: at most 15, or those as which the
 * double is printed, with as many digits or its fewest. Zeros in front and at the end of whole numbers are no digits.
 */
export function isKeptByDouble(text: string, cast: string): string {
  const withoutZeros = `regexp_replace(${text}, '^([-+]?[0-9]*[1-9])0*\\.?([eE].*)?$', '\\1')`
  const digits = `ltrim(regexp_replace(${withoutZeros}, '[-+.]|[eE].*', '', 'g'), '0')`
  const count = `strlen(${digits})`
  // Far from the ends of the range, where a double is infinite or has fewer digits.
  const isShort = `${count} <= 15 AND (abs(${cast}) BETWEEN 1e-290 AND 1e290 OR ${count} = 0)`
  const digitsOf = (printed: string) => `replace(regexp_extract(${printed}, '^[0-9.]*'), '.', '')`
  const printed = (digitsMax: string) => digitsOf(`format('{:.{}e}', abs(${cast}), ${digitsMax} - 1)`)
  const exact = printed('40')
  // Half way between two texts, DuckDB, C and Python print the even one, JavaScript the greater.
  const isGreater = `regexp_full_match(substr(${exact}, ${count} + 1), '50*') AND TRY_CAST(left(${exact}, ${count}) AS HUGEINT) + 1 = TRY_CAST(${digits} AS HUGEINT)`
  const isRounded = `${count} BETWEEN 16 AND 19 AND (${printed(`greatest(1, least(19, ${count}))`)} = ${digits} OR ${isGreater})`
  const isShortest = `ltrim(${digitsOf(`CAST(abs(${cast}) AS VARCHAR)`)}, '0') = ${digits}`
  return `(${isShort} OR ${isRounded} OR ${isShortest})`
}

/**
 * DuckDB's casts are lenient: ` 5`, `+5`, `1_000`, `0x1f`, `1.005` as DECIMAL(…,2), `2024-1-5`, `24:00:00`, a seventh
 * digit of a second. So a cast counts only if the text equals the printed value, or has a form that the cast keeps
 * unchanged. Measured on 10.5 million records with five typed columns, all checks together add a seventh to the CPU
 * time of plain casts; printing every value would add a third (2 cores, Node 24, DuckDB 1.5.6, 2026-11).
 *
 * @param text SQL of a text; `cast` SQL of `tryCast(type, text)`.
 * @returns The ways to read it, cheap and common ones first.
 */
export function readExactly(type: ColumnType, text: string, cast: string): readonly ExactRead[] {
  const form = formOf(type)
  if (form !== null) return 'order' in form ? readDate(type.kind, form, text, cast) : readForm(type, form, text, cast)
  switch (type.kind) {
    case 'text':
      return [{ when: 'true', value: text }]
    case 'integer':
    case 'decimal':
      return [{ when: `CAST(${cast} AS VARCHAR) = ${text}`, value: cast }]
    case 'boolean':
      return readBoolean(type.spelling, text)
    case 'number':
      return readNumber(text, cast)
    case 'date':
      return [{ when: `strlen(${text}) = 10 AND CAST(${cast} AS VARCHAR) = ${text}`, value: cast }]
    case 'time':
      return [{ when: `regexp_full_match(${text}, '${time}') AND ${cast} IS NOT NULL`, value: cast }]
    case 'timestamp':
      return readTimestamp(text, cast)
    case 'timestamptz':
      return [{ when: isTimestampWithZone(text, cast), value: cast }]
  }
}

/** The DuckDB, and thus Parquet, type in which a column is written. */
export function sqlType(type: ColumnType): string {
  switch (type.kind) {
    case 'integer':
      return 'BIGINT'
    case 'number':
      return 'DOUBLE'
    case 'decimal':
      return `DECIMAL(${type.precision},${type.scale})`
    case 'text':
      return 'VARCHAR'
    default:
      return type.kind.toUpperCase()
  }
}

const spellings = [
  { yes: 'true', no: 'false' },
  { yes: 'True', no: 'False' },
  { yes: 'TRUE', no: 'FALSE' },
] as const

/** Without a cast: two comparisons cost a third of one. */
function readBoolean(spelling: string | undefined, text: string): readonly ExactRead[] {
  return spellings
    .filter(({ yes }) => spelling === undefined || spelling === yes)
    .flatMap(({ yes, no }) => [
      { when: `${text} = '${yes}'`, value: 'true' },
      { when: `${text} = '${no}'`, value: 'false' },
    ])
}

function readNumber(text: string, cast: string): readonly ExactRead[] {
  // 15 bytes hold at most 15 digits, which every double keeps (IEEE 754, DBL_DIG).
  const short = `strlen(${text}) <= 15 AND regexp_full_match(${text}, '-?${plainShape}')`
  const shape = `regexp_full_match(${text}, '-?((0|[1-9][0-9]*)(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?')`
  const long = `${shape} AND ${isKeptByDouble(text, cast)}`
  // Minus zero becomes zero, which is the same number: Parquet dictionaries would mix the two up.
  return [short, long].map((when) => ({ when, value: `${cast} + 0.0` }))
}

function readTimestamp(text: string, cast: string): readonly ExactRead[] {
  // Where this form is not strict, the cast is; both together are tested against a parser for every byte.
  const short = `${text} GLOB '????-??-?[0-9][ T][0-2]?:??:?[0-9]' AND NOT suffix(${text}, '24:00:00') AND ${cast} >= TIMESTAMP '1000-01-01'`
  const long = `regexp_full_match(${text}, '${dateShape}[ T]${time}') AND ${cast} >= TIMESTAMP '0001-01-01'`
  return [short, long].map((when) => ({ when, value: cast }))
}

function isTimestampWithZone(text: string, cast: string): string {
  const years = `TIMESTAMPTZ '0001-01-01 00:00:00Z' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999Z'`
  return `regexp_full_match(${text}, '${dateShape}[ T]${time}${zone}') AND ${text} >= '0001' AND ${cast} BETWEEN ${years}`
}

/** A formatted number is read only if it has exactly that format, as the plain number without the formatting. */
function readForm(type: ColumnType, form: NumberForm, text: string, cast: string): readonly ExactRead[] {
  const { form: _, ...plainType } = type as Extract<ColumnType, { form?: NumberForm }>
  const hasForm = `regexp_full_match(${text}, ${literal(numberShape(type.kind, form))})`
  return readExactly(plainType, plainNumber(form, text), cast).map(({ when, value }) => ({
    when: `${hasForm} AND (${when})`,
    value,
  }))
}

function plainNumber({ decimalChar, groupChar }: NumberForm, text: string): string {
  const together = groupChar === null ? text : `replace(${text}, ${literal(groupChar)}, '')`
  return decimalChar === '.' ? together : `replace(${together}, ',', '.')`
}

/** Numbers with groups have no exponent. With a decimal comma, a number without one must be an integer. */
function numberShape(kind: ColumnType['kind'], { decimalChar, groupChar }: NumberForm): string {
  const plain = '(0|[1-9][0-9]*)'
  const grouped = groupChar === null ? [] : [`[1-9][0-9]{0,2}([${groupChar}][0-9]{3})+`]
  const whole = `(${[plain, ...grouped].join('|')})`
  if (kind === 'integer') return `-?${whole}`
  const fraction = `[${decimalChar}][0-9]+`
  if (kind === 'decimal') return `-?${whole}${fraction}`
  const unless = decimalChar === '.' ? '?' : ''
  const point = decimalChar === '.' ? '[.][0-9]*' : fraction
  const small = `(${plain}(${point})${unless}|${fraction})([eE][-+]?[0-9]+)?`
  return [`-?${small}`, '0|-?[1-9][0-9]{0,18}', ...grouped.map((shape) => `-?${shape}(${fraction})?`)].join('|')
}

const dateFields = { y: '%Y', m: '%m', d: '%d' } as const
const fieldShapes = { y: '[0-9]{4}', m: '[0-9]{1,2}', d: '[0-9]{1,2}' } as const
/** The time after a date in a format. */
export const clockShape = ' ([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?'

/** The parser checks the calendar. */
function readDate(kind: ColumnType['kind'], form: DateForm, text: string, cast: string): readonly ExactRead[] {
  const shape = fieldsOf(form, fieldShapes, `[${form.separator}]`) + (kind === 'timestamp' ? clockShape : '')
  const isFromYearOne = `${cast} >= ${kind === 'timestamp' ? 'TIMESTAMP' : 'DATE'} '0001-01-01'`
  return [{ when: `regexp_full_match(${text}, '${shape}') AND ${isFromYearOne}`, value: cast }]
}

function strptimeFormats(kind: ColumnType['kind'], form: DateForm): readonly string[] {
  const date = fieldsOf(form, dateFields, form.separator)
  return kind === 'timestamp' ? [`${date} %H:%M:%S`, `${date} %H:%M`, `${date} %H:%M:%S.%f`] : [date]
}

function fieldsOf({ order }: DateForm, fields: Readonly<Record<'y' | 'm' | 'd', string>>, separator: string): string {
  return [...order].map((field) => fields[field as 'y' | 'm' | 'd']).join(separator)
}
