// Declared SQL: what DuckDB's SQL says about the texts of a declared column: each value, and the rule that it breaks.
// The oracle of the column writer. Knows no files.

import {
  type Bound,
  type DeclaredCheck,
  type DeclaredValues,
  ruleCode,
  type TextForm,
} from '../../../src/core/declared-values.ts'
import type { ColumnType } from '../../../src/core/receipt.ts'
import { literal } from '../../../src/engine/sql/sql-text.ts'
import { fitsExactly, readExactly, sqlType, tryCast } from './lossless-sql.ts'

/** SQL for reading a text as declared. `value` is null if the text is not a value of the type. */
export interface DeclaredSql {
  /** The text, empty instead of null where nothing is missing. */
  readonly text: string
  readonly isMissing: string
  readonly value: string
}

/** @param field SQL of a field's text, null if it is empty and not quoted. */
export function readDeclared({ form, missing }: DeclaredValues, type: ColumnType, field: string): DeclaredSql {
  const isEmptyMissing = missing.includes('')
  const text = isEmptyMissing ? field : `coalesce(${field}, '')`
  // Blanks count only around texts, and where they are declared.
  const trimmed = /^(?:text|shaped|json)$/.test(form.kind) ? text : `trim(${text}, ' ')`
  const words = missing.map(literal).join(', ')
  const isWord = missing.length === 0 ? 'false' : `${text} IN (${words}) OR ${trimmed} IN (${words})`
  const isMissing = isEmptyMissing ? `(${field} IS NULL OR ${isWord})` : `(${isWord})`
  const value = `coalesce(${valueSql(form, type, text)}, ${valueSql(form, type, trimmed)})`
  return { text: trimmed, isMissing, value }
}

/**
 * SQL of the number of the first violated rule, null if there is none.
 *
 * @param sql From `readDeclared`.
 */
export function violatedSql({ form, isRequired, checks }: DeclaredValues, type: ColumnType, sql: DeclaredSql): string {
  const { text, isMissing, value } = sql
  const wrongType = `CASE WHEN ${looksRight(form, type, text)} THEN ${ruleCode.range} ELSE ${ruleCode.type} END`
  const broken = checks.map(
    (check, i) => `WHEN NOT (${checkSql(check, { form, type, value })}) THEN ${ruleCode.firstCheck + i}`,
  )
  return `CASE WHEN ${isMissing} THEN ${isRequired ? ruleCode.required : 'NULL'} WHEN ${value} IS NULL THEN ${wrongType} ${broken.join(' ')} END`
}

function valueSql(form: TextForm, type: ColumnType, text: string): string {
  switch (form.kind) {
    case 'text':
      return text
    case 'shaped':
      return `CASE WHEN ${matches(text, form.shape)} THEN ${text} END`
    case 'json':
      // A text that is not JSON raises an error instead of returning a type.
      return `CASE WHEN CASE WHEN json_valid(${text}) THEN json_type(${text}) END = '${form.of}' THEN ${text} END`
    case 'integer':
      return `CASE WHEN ${looksRight(form, type, text)} THEN TRY_CAST(${plainNumber(form, text)} AS BIGINT) END`
    case 'number':
      return numberSql(form, type, text)
    case 'boolean':
      return `CASE WHEN ${isOneOf(text, form.trueValues)} THEN true WHEN ${isOneOf(text, form.falseValues)} THEN false END`
    case 'moment': {
      const fits = ['timestamp', 'timestamptz'] as const
      return `CASE WHEN ${fits.map((kind) => fitsExactly({ kind }, text)).join(' OR ')} THEN ${text} END`
    }
    case 'iso': {
      const reads = readExactly(type, text, tryCast(type, text))
      // Without a declared format, a time may lack seconds; Table Schema requires hh:mm:ss.
      const hasSeconds = type.kind === 'time' ? `strlen(${text}) >= 8 AND ` : ''
      return `CASE ${reads.map(({ when, value }) => `WHEN ${hasSeconds}${when} THEN ${value}`).join(' ')} END`
    }
    case 'strptime': {
      // DuckDB's directive accepts an offset, but not the letter that stands for none.
      const parsed = form.format.endsWith('%z') ? `regexp_replace(${text}, 'Z$', '+00:00')` : text
      const moment = `try_strptime(${parsed}, ${literal(form.format)})`
      // Years that ISO 8601 writes with four digits, in UTC too, as without a format.
      const hasYear = `CAST(${moment} AS TIMESTAMP) BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'`
      return `CASE WHEN ${matches(text, form.shape)} AND ${hasYear} THEN CAST(${moment} AS ${sqlType(type)}) END`
    }
  }
}

/** Has the right form, though it may not be a value of the type: too large, or with too many digits. */
function looksRight(form: TextForm, type: ColumnType, text: string): string {
  if (form.kind === 'integer') {
    if (form.shape !== undefined) return matches(text, form.shape)
    const group = form.groupChar === null ? '' : escapePattern(form.groupChar)
    return matches(text, group === '' ? '[-+]?[0-9]+' : `[-+]?[0-9]+(?:${group}[0-9]+)*`)
  }
  if (form.kind === 'number') {
    const point = escapePattern(form.decimalChar)
    const group = form.groupChar === null ? '' : `(?:${escapePattern(form.groupChar)}[0-9]+)*`
    const power = type.kind === 'decimal' ? '' : '(?:[eE][-+]?[0-9]+)?'
    return matches(text, `[-+]?(?:[0-9]+${group}(?:${point}[0-9]*)?|${point}[0-9]+)${power}`)
  }
  if (form.kind === 'strptime') return matches(text, form.shape)
  return 'false'
}

/** The text as SQL reads numbers. */
function plainNumber(form: TextForm & { readonly kind: 'integer' | 'number' }, text: string): string {
  const ungrouped = form.groupChar === null ? text : `replace(${text}, ${literal(form.groupChar)}, '')`
  if (form.kind === 'integer' || form.decimalChar === '.') return ungrouped
  return `replace(${ungrouped}, ${literal(form.decimalChar)}, '.')`
}

/** A decimal has all places of the text; a double is the nearest one. */
function numberSql(form: TextForm & { readonly kind: 'number' }, type: ColumnType, text: string): string {
  const number = plainNumber(form, text)
  const cast = `TRY_CAST(${number} AS ${sqlType(type)})`
  if (type.kind === 'decimal') {
    const places = `strlen(regexp_extract(${number}, '\\.([0-9]*?)0*$', 1))`
    return `CASE WHEN ${looksRight(form, type, text)} AND ${places} <= ${type.scale} THEN ${cast} END`
  }
  // Minus zero becomes zero, as in detected columns.
  return `CASE WHEN ${looksRight(form, type, text)} AND isfinite(${cast}) THEN ${cast} + 0.0 END`
}

/** A value that was read. */
interface ReadValue {
  readonly form: TextForm
  readonly type: ColumnType
  /** SQL of it. */
  readonly value: string
}

function checkSql(check: DeclaredCheck, read: ReadValue): string {
  const { value } = read
  switch (check.rule) {
    case 'minLength':
      return `length(${value}) >= ${check.length}`
    case 'maxLength':
      return `length(${value}) <= ${check.length}`
    case 'pattern':
      return matches(value, check.pattern)
    case 'enum':
    case 'categories': {
      const compared = check.values.map((one) => comparable(read, one))
      const [first] = compared
      return first === undefined ? 'false' : `${first.left} IN (${compared.map(({ right }) => right).join(', ')})`
    }
    default: {
      const { left, right } = comparable(read, check.value)
      return `${left} ${operators[check.rule]} ${right}`
    }
  }
}

const operators: Readonly<Record<Bound, string>> = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
}

/** A value of a column and a declared one, in types that SQL compares without loss. */
function comparable({ form, type, value }: ReadValue, declared: string): { left: string; right: string } {
  // Without an offset, both sides are taken as UTC, which is the time zone of the session.
  const right = `TIMESTAMPTZ '${declared}'`
  // A plain cast, as this SQL had once, is null for an offset without seconds, and a bound that is null breaks nothing.
  if (form.kind === 'moment') return { left: tryCast({ kind: 'timestamptz' }, value), right }
  switch (type.kind) {
    case 'integer':
      return { left: value, right: `CAST('${declared}' AS BIGINT)` }
    case 'boolean':
      return { left: value, right: declared }
    case 'number':
    case 'decimal':
      throw new Error('SQL does not compare numbers exactly')
    case 'timestamp':
    case 'timestamptz':
      return { left: `CAST(${value} AS TIMESTAMPTZ)`, right }
    case 'date':
    case 'time':
      return { left: value, right: `${sqlType(type)} '${declared}'` }
    case 'text':
      return { left: value, right: literal(declared) }
  }
}

function isOneOf(text: string, values: readonly string[]): string {
  return values.length === 0 ? 'false' : `${text} IN (${values.map(literal).join(', ')})`
}

function matches(text: string, pattern: string): string {
  return `regexp_full_match(${text}, ${literal(pattern)})`
}

/** A text as a pattern that matches only this text. */
function escapePattern(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')
}
