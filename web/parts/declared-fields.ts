// Declared fields: what a user says about the columns of a file, as the Table Schema that is sent. Knows no element.
import { fieldOf } from '../../src/core/column-field.ts'
import type { Column } from '../../src/core/receipt.ts'
import type { TableField, TableSchema } from '../../src/core/table-schema.ts'
import type { ProvisionalReceipt } from '../check/provisional.ts'

export const choosableTypes = ['string', 'integer', 'number', 'decimal', 'date', 'datetime', 'time', 'boolean'] as const
export type ChoosableType = (typeof choosableTypes)[number]

/** What is said about one column; the rest is detected. */
export interface FieldChoice {
  readonly type?: ChoosableType
  readonly name?: string
  readonly isRequired?: boolean
  /** Of texts. */
  readonly pattern?: string
  /** Words that are null. */
  readonly missing?: readonly string[]
  /** As it was declared when the file was read before. */
  readonly before?: TableField
  /** Of the primary key that was declared then. */
  readonly isKey?: boolean
}

/** By the names of the columns in the file. */
export type FieldChoices = ReadonlyMap<string, FieldChoice>

/** The choices that keep what was declared when a file was read. */
export function choicesOf({ fields, missingValues, primaryKey = [] }: TableSchema): FieldChoices {
  return new Map(
    fields.map((field) => {
      const { name, type, nameInFile = name, constraints: { required = false, pattern = '' } = {} } = field
      const chosen = choosableTypes.find((one) => one === (field.format === 'decimal' ? 'decimal' : type))
      const words = field.missingValues ?? missingValues ?? ['']
      const before = { ...field, missingValues: words.filter((word) => word === '') }
      const missing = words.filter((word) => word !== '')
      const isKey = primaryKey.includes(name)
      return [
        nameInFile,
        { ...(chosen && { type: chosen }), name, isRequired: required, pattern, missing, before, isKey },
      ]
    }),
  )
}

export function withChoice(choices: FieldChoices, column: string, change: FieldChoice): FieldChoices {
  return new Map(choices).set(column, { ...choices.get(column), ...change })
}

/** The schema of the columns about which something is said, if there are any. @param detected Without a schema. */
export function schemaOf(choices: FieldChoices, detected: Pick<ProvisionalReceipt, 'columns' | 'rows'>): object | null {
  const said = detected.columns.flatMap((column, at) => {
    const choice = choices.get(column.name)
    return choice === undefined ? [] : [{ choice, field: fieldFor(column, choice, samplesOf(detected, at)) }]
  })
  const primaryKey = said.filter(({ choice }) => choice.isKey).map(({ field }) => field.name)
  const key = primaryKey.length > 0 && { primaryKey }
  return said.length === 0 ? null : { fieldsMatch: 'subset', fields: said.map(({ field }) => field), ...key }
}

/** The type that a column has unless another is chosen. */
export function detectedType(column: Column): ChoosableType {
  if (column.type.startsWith('decimal')) return 'decimal'
  return choosableTypes.find((one) => one === fieldOf(column).type) ?? 'string'
}

const samplesMax = 3

/** The first different values of a column. */
export function samplesOf({ rows }: Pick<ProvisionalReceipt, 'rows'>, column: number): readonly string[] {
  return [...new Set(rows.map((row) => row[column] ?? ''))].filter((value) => value.trim() !== '').slice(0, samplesMax)
}

function fieldFor(column: Column, choice: FieldChoice, samples: readonly string[]): TableField {
  const { name = column.name, isRequired = false, pattern = '', missing = [], before } = choice
  const {
    format,
    missingValues = [''],
    constraints: rules = {},
    nameInFile: _,
    ...detected
  } = before ?? fieldOf(column)
  const type = pattern === '' ? choice.type : 'string'
  const known = before === undefined ? detectedType(column) : format === 'decimal' ? format : before.type
  const isDetected = type === undefined || type === known
  // Without a format, dates and times are those of ISO 8601.
  const asBefore = { ...detected, ...(format !== undefined && (before || format !== 'any') && { format }) }
  const nulls = [...new Set([...missingValues, ...missing])]
  // The bounds of another type may be no values of this one.
  const { required: _required, pattern: _pattern, ...others } = isDetected ? rules : {}
  const constraints = { ...others, ...(isRequired && { required: true as const }), ...(pattern !== '' && { pattern }) }
  return {
    ...(isDetected ? asBefore : formOf(type, samples)),
    // The values further on may need more digits than those that were read.
    ...(type === 'decimal' && { format: type }),
    name,
    ...(name !== column.name && { nameInFile: column.name }),
    ...(JSON.stringify(nulls) !== '[""]' && { missingValues: nulls }),
    ...(Object.keys(constraints).length > 0 && { constraints }),
  }
}

const yes = ['yes', 'y', 'ja', 'j', 'true', '1']
const no = ['no', 'n', 'nein', 'false', '0']
const inCases = (words: readonly string[]) => [
  ...new Set(words.flatMap((word) => [word, word.toUpperCase(), `${word.charAt(0).toUpperCase()}${word.slice(1)}`])),
]

/** A type in the form that the first values have. */
function formOf(type: ChoosableType, samples: readonly string[]): Omit<TableField, 'name'> {
  const looks = (pattern: RegExp) => samples.some((value) => pattern.test(value))
  if (type === 'boolean') return { type, trueValues: inCases(yes), falseValues: inCases(no) }
  if (type === 'decimal') return formOf('number', samples)
  if (type === 'number' && looks(/,\d+$/) && !looks(/,\d{3}(?:\D|$)|\.\d{1,2}$/)) {
    return { type, decimalChar: ',', groupChar: '.' }
  }
  if (type === 'number' && looks(/^-?\d{1,3}(,\d{3})+(\.\d+)?$/)) return { type, groupChar: ',' }
  const [, separator] = samples.map((value) => /^\d\d?([./-])\d\d?[./-]\d{4}$/.exec(value)).find(Boolean) ?? []
  if (type !== 'date' || separator === undefined) return { type }
  // Days of the month stand in front, unless a value shows that they do not.
  const isMonthFirst = looks(/^\d\d?.(?:1[3-9]|2\d|3[01])./)
  return { type, format: (isMonthFirst ? ['%m', '%d', '%Y'] : ['%d', '%m', '%Y']).join(separator) }
}
