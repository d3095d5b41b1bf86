// Trino values: Trino's values as a result in JSON, NDJSON or CSV, in the same forms as DuckDB's.
import { type AnswerColumn, type CellTexts, csvCell, numberText } from '../answer-writer.ts'
import type { TrinoColumn, TrinoType } from './trino-page.ts'

export function answerColumns(columns: readonly TrinoColumn[]): readonly AnswerColumn[] {
  return columns.map(({ name, type }) => ({ name, type: typeName(type) }))
}

export function cellTexts(columns: readonly TrinoColumn[]): CellTexts<unknown> {
  const typeAt = (column: number) => columns[column]?.type ?? unknownType
  return {
    json: (value, column) => jsonText(value, typeAt(column)),
    csv: (value, column) => csvText(value, typeAt(column)),
  }
}

const unknownType: TrinoType = { name: 'unknown', numbers: [], types: [], fieldNames: [] }

const ownNames: Readonly<Record<string, string>> = {
  tinyint: 'integer',
  smallint: 'integer',
  bigint: 'integer',
  double: 'number',
  real: 'number',
  varchar: 'text',
  char: 'text',
  'timestamp with time zone': 'timestamptz',
}

/** A type as named in receipts; one that receipts lack keeps its name. */
function typeName({ name, numbers, types, fieldNames }: TrinoType): string {
  const inner = types.map((type, i) => (fieldNames[i] ? `"${fieldNames[i]}" ${typeName(type)}` : typeName(type)))
  if (name === 'decimal') return `decimal(${numbers.join(',')})`
  if (types.length > 0) return `${name}(${inner.join(', ')})`
  return ownNames[name] ?? name
}

function jsonText(value: unknown, type: TrinoType): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return numberText(value)
  if (Array.isArray(value)) return type.name === 'row' ? rowText(value, type) : elementsText(value, type.types[0])
  if (typeof value === 'object') return mapText(value, type)
  return JSON.stringify(plainText(String(value), type))
}

function elementsText(values: readonly unknown[], type = unknownType): string {
  return `[${values.map((one) => jsonText(one, type)).join(',')}]`
}

/** Fields without names are numbered from 0, as in Trino. */
function rowText(values: readonly unknown[], { types, fieldNames }: TrinoType): string {
  const fields = values.map((one, i) => {
    return `${JSON.stringify(fieldNames[i] ?? `field${i}`)}:${jsonText(one, types[i] ?? unknownType)}`
  })
  return `{${fields.join(',')}}`
}

/** Trino's protocol has keys as texts. */
function mapText(map: object, { types: [keyType = unknownType, type = unknownType] }: TrinoType): string {
  const isSafe = (key: string) => ownNames[keyType.name] === 'integer' && Number.isSafeInteger(Number(key))
  const entries = Object.entries(map).map(([key, one]) => {
    const keyText = isSafe(key) || keyType.name === 'integer' ? key : JSON.stringify(plainText(key, keyType))
    return `{"key":${keyText},"value":${jsonText(one, type)}}`
  })
  return `[${entries.join(',')}]`
}

/** Nothing for null, and quotes around an empty text, so that readers can distinguish them. */
function csvText(value: unknown, type: TrinoType): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'boolean') return String(value)
  return csvCell(typeof value === 'object' ? jsonText(value, type) : plainText(String(value), type))
}

/** Times without trailing zeros in their fraction, and instants in UTC as on a page of rows. */
function plainText(text: string, { name }: TrinoType): string {
  if (name !== 'timestamp' && name !== 'time' && name !== 'timestamp with time zone') return text
  const [, time = '', fraction = '', zone = ''] = /^(.*?\d\d:\d\d:\d\d)(?:\.(\d+))?(?: (.+))?$/.exec(text) ?? []
  if (time === '') return text
  const digits = fraction.replace(/0+$/, '')
  const rest = digits === '' ? '' : `.${digits}`
  if (name !== 'timestamp with time zone') return time + rest
  if (zone === 'UTC') return `${time.replace(' ', 'T')}${rest}Z`
  const date = /^[+-]\d\d:\d\d$/.test(zone) ? new Date(`${time.replace(' ', 'T')}${zone}`) : null
  return date === null || Number.isNaN(date.getTime()) ? text : date.toISOString().replace(/\.000Z$/, `${rest}Z`)
}
