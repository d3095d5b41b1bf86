// Match schema: finds the column of the file for each declared field. A mismatch is an error that names both sides.
import type { DeclaredKey } from '../../core/declared-values.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Note, note } from '../../core/notes.ts'
import type { DeclaredDialect, Reading } from '../../reading/reading.ts'
import type { DeclaredColumn } from './declared-column.ts'
import type { DeclaredSchema } from './parse-schema.ts'

/** A file whose columns are matched with the fields of a schema. */
export interface SchemaMatch {
  readonly reading: Reading
  /** One per column; null for a column that is not in the schema, whose type is detected. */
  readonly columns: readonly (DeclaredColumn | null)[]
  /** Those whose columns the file has. */
  readonly keys: readonly DeclaredKey[]
}

/**
 * Finds the columns of a file that a schema describes.
 *
 * @param readAs Reads the head of the file again, with more declared.
 * @throws {ServiceError} SCHEMA_MISMATCH, and what `readAs` throws.
 */
export function matchSchema(
  first: Reading,
  schema: DeclaredSchema | null,
  declared: DeclaredDialect,
  readAs: (declared: DeclaredDialect) => Reading,
): SchemaMatch {
  if (schema === null) return { reading: first, columns: first.names.map(() => null), keys: [] }
  const { table, columns } = schema
  const fieldsMatch = table.fieldsMatch ?? 'exact'
  const isOther = first.headerFields === null || (fieldsMatch === 'exact' && first.width !== columns.length)
  const reading = isOther ? withDeclaredNames(first, schema, declared, readAs) : first
  const mismatch = (problem: string) => new ServiceError('SCHEMA_MISMATCH', { problem: `${problem} (${fieldsMatch})` })
  const both = `the schema has ${listed(columns.map(nameInFile))}, the file ${listed(reading.names)}`

  if (fieldsMatch === 'exact') {
    if (columns.length !== reading.width) throw mismatch(both)
    if (reading.headerFields !== null && columns.some((one, i) => !isNamed(reading, i, one))) throw mismatch(both)
    const named = reading.headerFields === null ? { ...reading, names: columns.map(({ name }) => name) } : reading
    return { reading: renamed(named, columns, mismatch), columns, keys: schema.keys }
  }
  if (reading.headerFields === null) {
    throw mismatch(`the file has no header, so only fieldsMatch 'exact' can match its columns`)
  }
  const matched = reading.names.map((_, i) => columns.find((one) => isNamed(reading, i, one)) ?? null)
  const found = new Set(matched)
  const isWhole = columns.every((column) => found.has(column))
  const hasOthers = matched.includes(null)
  const isRight = {
    equal: isWhole && !hasOthers,
    subset: isWhole,
    superset: !hasOthers,
    partial: matched.some((column) => column !== null),
  }
  if (!isRight[fieldsMatch]) throw mismatch(both)
  const absent = columns.filter((column) => !found.has(column))
  const required = absent.find(({ values }) => values.isRequired)
  if (required !== undefined) throw mismatch(`the field ${required.name} is required: ${both}`)
  const message = `The file has no column for ${listed(absent.map(({ name }) => name))} of the schema.`
  const missing = note('SCHEMA_FIELDS_MISSING', message)
  return {
    reading: renamed(absent.length === 0 ? reading : noted(reading, missing), matched, mismatch),
    columns: matched,
    keys: keysIn(schema, matched),
  }
}

/** The keys with the columns of a file, without those that it does not have. */
export function keysIn(
  { columns, keys }: Pick<DeclaredSchema, 'columns' | 'keys'>,
  matched: readonly (DeclaredColumn | null | undefined)[],
): readonly DeclaredKey[] {
  const inFile = keys.map((key) => ({ ...key, columns: key.columns.map((one) => matched.indexOf(columns[one])) }))
  return inFile.filter((key) => !key.columns.includes(-1))
}

/** Reads a file again without a detected header, or with another one: its first record may be the names of the schema. */
function withDeclaredNames(
  first: Reading,
  { columns }: DeclaredSchema,
  declared: DeclaredDialect,
  readAs: (declared: DeclaredDialect) => Reading,
): Reading {
  const headed = readAs({ ...declared, header: true, names: columns.map(nameInFile) })
  const isHeader =
    headed.headerFields !== null &&
    headed.width === columns.length &&
    columns.every((one, i) => isNamed(headed, i, one))
  if (!isHeader) return first
  if (declared.header !== false) return headed
  const message =
    'The first record is just the names of the schema, but it is read as data because `header` was declared false.'
  return noted(first, note('SCHEMA_NAMES_AS_DATA', message))
}

function nameInFile({ name, nameInFile: other = name }: DeclaredColumn): string {
  return other
}

/** Whether a column has the name that a field expects, as detected or in the text of the header. */
function isNamed({ names, headerFields }: Reading, column: number, field: DeclaredColumn): boolean {
  return [names[column], headerFields?.[column]].includes(nameInFile(field))
}

/** With the names that the dataset shall have. */
function renamed(
  reading: Reading,
  columns: readonly (DeclaredColumn | null)[],
  mismatch: (problem: string) => ServiceError,
): Reading {
  if (columns.every((one) => one?.nameInFile === undefined)) return reading
  if (reading.headerFields === null) throw mismatch(`the file has no header, so no field can have a nameInFile`)
  const names = reading.names.map((name, i) => (columns[i]?.nameInFile === undefined ? name : columns[i].name))
  const isUnique = new Set(names.map((name) => name.toLowerCase())).size === names.length
  if (!isUnique) throw mismatch(`two columns would have the same name: ${listed(names)}`)
  return { ...reading, names }
}

function noted(reading: Reading, added: Note): Reading {
  return { ...reading, notes: [...reading.notes, added] }
}

const namesShownMax = 20
const nameCharactersMax = 60

function listed(names: readonly string[]): string {
  const shown = names.slice(0, namesShownMax).map((name) => `'${name.slice(0, nameCharactersMax)}'`)
  const others = names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : ''
  return shown.join(', ') + others
}
