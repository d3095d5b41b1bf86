// Parse schema: reads what a client declares about the columns of its file in the part `schema` (Frictionless Table Schema).
import type { DeclaredKey } from '../../core/declared-values.ts'
import { fieldsMatches, type TableField, type TableSchema } from '../../core/table-schema.ts'
import type { DeclaredColumn } from './declared-column.ts'
import { refuseJsonType } from './parse-constraints.ts'
import { readField } from './parse-field.ts'
import { readMissingValues, readTexts, refuse, shown } from './schema-error.ts'

export interface DeclaredSchema {
  /** As the receipt shows it; two schemas that mean the same are equal as JSON. */
  readonly table: TableSchema
  /** One per field. */
  readonly columns: readonly DeclaredColumn[]
  /** With indexes of `columns`. */
  readonly keys: readonly DeclaredKey[]
}

/** Members of the standard that have no effect on how a file is read. */
const informational = ['$schema', 'name', 'title', 'description', 'homepage', 'version', 'keywords', 'created']
/** Whether these hold is not checked. */
const otherKeys = ['uniqueKeys', 'foreignKeys']
const known = ['fields', 'fieldsMatch', 'missingValues', 'primaryKey']
const fieldsMax = 2_000
export const wantedSchema = 'a Frictionless Table Schema'

/** @throws {ServiceError} BAD_PARAMETER if any of it cannot be followed, with its place and what is possible. */
export function readDeclaredSchema(json: unknown): DeclaredSchema {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw refuse('', 'it is not a JSON object', wantedSchema)
  }
  refuseUnknown(Object.keys(json))
  const { fields, fieldsMatch, missingValues, primaryKey } = json as Readonly<Record<string, unknown>>
  const match = fieldsMatches.find((one) => one === (fieldsMatch ?? 'exact'))
  if (match === undefined) throw refuse('fieldsMatch', shown(fieldsMatch), `one of ${fieldsMatches.join(', ')}`)
  const missing = readMissingValues(missingValues, 'missingValues')
  if (!Array.isArray(fields) || fields.length === 0 || fields.length > fieldsMax) {
    throw refuse(
      'fields',
      Array.isArray(fields) ? `it has ${fields.length}` : shown(fields),
      `1 to ${fieldsMax} fields`,
    )
  }
  const items: readonly unknown[] = fields
  const read = items.map((field, i) => readField(field, `fields[${i}]`, missing ?? ['']))
  const declared = read.map(({ field }) => field)
  refuseSameNames(declared.map(({ name }) => name))
  const primary = readPrimaryKey(primaryKey, declared)
  const table: TableSchema = {
    fields: declared,
    ...(match !== 'exact' && { fieldsMatch: match }),
    ...(missing && JSON.stringify(missing) !== '[""]' && { missingValues: missing }),
    ...(primary.length > 0 && { primaryKey: primary.map((i) => declared[i]!.name) }),
  }
  const unique = declared.flatMap(({ constraints }, i) => (constraints?.unique ? [[i]] : []))
  return {
    table,
    columns: read.map(({ column }, i) => {
      return primary.includes(i) ? { ...column, values: { ...column.values, isRequired: true } } : column
    }),
    keys: [
      ...(primary.length > 0 ? [{ rule: 'primaryKey' as const, columns: primary }] : []),
      ...unique.map((columns) => ({ rule: 'unique' as const, columns })),
    ],
  }
}

/** The indexes of its fields; none without one. */
function readPrimaryKey(json: unknown, fields: readonly TableField[]): readonly number[] {
  if (json === undefined) return []
  const place = 'primaryKey'
  const names = readTexts(typeof json === 'string' ? [json] : json, place) ?? []
  if (names.length === 0) throw refuse(place, shown(json), 'the name of a field, or an array of at least one')
  return names.map((name) => {
    const index = fields.findIndex((field) => field.name === name)
    const field = fields[index]
    if (field === undefined) throw refuse(place, shown(name), 'the names of fields')
    refuseJsonType(field.type, place)
    return index
  })
}

function refuseUnknown(members: readonly string[]): void {
  for (const member of members) {
    if (known.includes(member) || informational.includes(member)) continue
    const isKey = otherKeys.includes(member)
    const seen = isKey ? 'it is not checked' : 'it is not known here'
    throw refuse(member, seen, `${isKey ? 'none, but ' : 'only '}${known.join(', ')}`)
  }
}

/** Column names must differ by more than case. */
function refuseSameNames(names: readonly string[]): void {
  const firstOf = new Map<string, number>()
  for (const [i, name] of names.entries()) {
    const first = firstOf.get(name.toLowerCase())
    if (first !== undefined) {
      throw refuse(
        `fields[${i}].name`,
        shown(name),
        `a name that differs from that of fields[${first}], not only by case`,
      )
    }
    firstOf.set(name.toLowerCase(), i)
  }
}
