// Parse schema: reads what a client declares about the columns of its file in the part `schema` (Frictionless Table Schema).
import { ServiceError } from '../../core/errors.ts'
import { fieldsMatches, type TableSchema } from '../../core/table-schema.ts'
import type { DeclaredColumn } from './declared-column.ts'
import { readField } from './parse-field.ts'
import { readMissingValues, refuse, shown } from './schema-error.ts'

export interface DeclaredSchema {
  /** As the receipt shows it; two schemas that mean the same are equal as JSON. */
  readonly table: TableSchema
  /** One per field. */
  readonly columns: readonly DeclaredColumn[]
}

/** Members of the standard that have no effect on how a file is read. */
const informational = ['$schema', 'name', 'title', 'description', 'homepage', 'version', 'keywords', 'created']
/** These concern several records together, and are rejected. */
const keys = ['primaryKey', 'uniqueKeys', 'foreignKeys']
const known = ['fields', 'fieldsMatch', 'missingValues']
const fieldsMax = 2_000
const wantedForm = 'a Frictionless Table Schema'

/**
 * Reads the text of the part; null without one.
 *
 * @throws {ServiceError} BAD_PARAMETER if it is not JSON, and as readDeclaredSchema.
 */
export function parseDeclaredSchema(text: string | undefined): DeclaredSchema | null {
  if (text === undefined) return null
  try {
    return readDeclaredSchema(JSON.parse(text))
  } catch (error) {
    throw error instanceof ServiceError ? error : refuse('', `it is not JSON: '${text.slice(0, 40)}'`, wantedForm)
  }
}

/** @throws {ServiceError} BAD_PARAMETER if any of it cannot be followed, with its place and what is possible. */
export function readDeclaredSchema(json: unknown): DeclaredSchema {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw refuse('', 'it is not a JSON object', wantedForm)
  }
  refuseUnknown(Object.keys(json))
  const { fields, fieldsMatch, missingValues } = json as Readonly<Record<string, unknown>>
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
  refuseSameNames(read.map(({ field }) => field.name))
  const table: TableSchema = {
    fields: read.map(({ field }) => field),
    ...(match !== 'exact' && { fieldsMatch: match }),
    ...(missing && JSON.stringify(missing) !== '[""]' && { missingValues: missing }),
  }
  return { table, columns: read.map(({ column }) => column) }
}

function refuseUnknown(members: readonly string[]): void {
  for (const member of members) {
    if (known.includes(member) || informational.includes(member)) continue
    if (!keys.includes(member)) throw refuse(member, 'it is not known here', `only ${known.join(', ')}`)
    const wanted = 'none: records are checked one by one; query the dataset for repeated or missing values'
    throw refuse(member, 'it concerns several records at once', wanted)
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
