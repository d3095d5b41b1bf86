// Parse field: reads one field of a declared schema. Everything in it is followed or rejected, with its place.
import type { DeclaredCheck } from '../../core/declared-values.ts'
import { type FieldType, fieldTypes, type JsonScalar, type TableField } from '../../core/table-schema.ts'
import type { DeclaredColumn } from './declared-column.ts'
import { type FieldMeaning, type Members, meaningOf } from './field-type.ts'
import { readConstraints } from './parse-constraints.ts'
import { readConstants, readItems, readMissingValues, readTexts, refuse, shown } from './schema-error.ts'

/** A field as the receipt shows it, and what it means. */
export interface DeclaredField {
  readonly field: TableField
  readonly column: DeclaredColumn
}

type Json = Readonly<Record<string, unknown>>

/** Members that a field may have, without effect on how it is read. */
const informational = ['title', 'description', 'example', 'examples', 'rdfType', 'categoriesOrdered']
const common = ['name', 'nameInFile', 'type', 'format', 'missingValues', 'constraints', ...informational]
const own: Readonly<Partial<Record<FieldType, readonly string[]>>> = {
  string: ['categories'],
  integer: ['groupChar', 'bareNumber', 'categories'],
  number: ['groupChar', 'bareNumber', 'decimalChar'],
  boolean: ['trueValues', 'falseValues'],
}

/** @param missing The schema's own missing values. @throws {ServiceError} BAD_PARAMETER */
export function readField(json: unknown, place: string, missing: readonly string[]): DeclaredField {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw refuse(place, shown(json), 'an object with a name and a type')
  }
  const descriptor = json as Json
  const name = readName(descriptor.name, `${place}.name`)
  const { nameInFile } = descriptor
  const renamed = nameInFile !== undefined && { nameInFile: readName(nameInFile, `${place}.nameInFile`) }
  const type = readType(descriptor.type, `${place}.type`)
  refuseUnknown(descriptor, type, place)
  const members = readMembers(descriptor, type, place)
  const meaning = meaningOf(type, members, place)
  const ownMissing = readMissingValues(descriptor.missingValues, `${place}.missingValues`)
  const { constraints, checks } = readConstraints(descriptor.constraints, { type, meaning }, `${place}.constraints`)
  const categories = readCategories(descriptor.categories, meaning, `${place}.categories`)
  const categoryChecks: readonly DeclaredCheck[] = categories ? [{ rule: 'categories', values: categories.plain }] : []
  const values = {
    form: meaning.form,
    missing: ownMissing ?? missing,
    isRequired: constraints?.required ?? false,
    checks: [...categoryChecks, ...checks],
  }
  return {
    field: {
      name,
      ...renamed,
      type,
      ...members,
      ...(ownMissing && { missingValues: ownMissing }),
      ...(categories && { categories: categories.values }),
      ...(constraints && { constraints }),
    },
    column: { name, ...renamed, fieldType: type, type: meaning.type, values },
  }
}

const nameCharactersMax = 1_000

function readName(value: unknown, place: string): string {
  const isName =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= nameCharactersMax &&
    !/[\p{Cc}\p{Cs}]/u.test(value)
  if (!isName) throw refuse(place, shown(value), `a text without control characters, at most ${nameCharactersMax} long`)
  return value
}

/** Types that are known, but not supported here. */
const otherTypes = ['list', 'geopoint', 'geojson']

function readType(value: unknown, place: string): FieldType {
  if (value === undefined) return 'any'
  const type = fieldTypes.find((one) => one === value)
  if (type !== undefined) return type
  const wayOut = otherTypes.some((one) => one === value) ? "; declare 'any' to keep it as text" : ''
  throw refuse(place, shown(value), `one of ${fieldTypes.join(', ')}${wayOut}`)
}

function refuseUnknown(descriptor: Json, type: FieldType, place: string): void {
  const known = [...common, ...(own[type] ?? [])]
  for (const member of Object.keys(descriptor)) {
    if (known.includes(member)) continue
    throw refuse(`${place}.${member}`, 'it is not known here', `for type '${type}' only ${known.join(', ')}`)
  }
}

function readMembers(descriptor: Json, type: FieldType, place: string): Members {
  const format = readFormat(descriptor.format, `${place}.format`)
  const decimalChar = readChar(descriptor.decimalChar, `${place}.decimalChar`)
  const groupChar = readChar(descriptor.groupChar, `${place}.groupChar`)
  if (groupChar !== undefined && groupChar === (decimalChar ?? (type === 'number' ? '.' : undefined))) {
    throw refuse(`${place}.groupChar`, shown(groupChar), 'a character other than the decimal one')
  }
  const { bareNumber = true } = descriptor
  if (bareNumber !== true) {
    const wanted = "true: the text around a number is part of its meaning; declare 'string' to keep it"
    throw refuse(`${place}.bareNumber`, shown(bareNumber), wanted)
  }
  const trueValues = readTexts(descriptor.trueValues, `${place}.trueValues`)
  const falseValues = readTexts(descriptor.falseValues, `${place}.falseValues`)
  return {
    ...(format !== undefined && { format }),
    ...(decimalChar !== undefined && decimalChar !== '.' && { decimalChar }),
    ...(groupChar !== undefined && { groupChar }),
    ...(trueValues && { trueValues }),
    ...(falseValues && { falseValues }),
  }
}

/** Undefined for the default one. */
function readFormat(value: unknown, place: string): string | undefined {
  if (value === undefined || value === 'default') return undefined
  if (typeof value !== 'string' || value === '' || value.length > 100) {
    throw refuse(place, shown(value), 'a text of at most 100 characters')
  }
  // Version 0 of the standard wrote patterns this way.
  return value.replace(/^fmt:/, '')
}

function readChar(value: unknown, place: string): string | undefined {
  if (value === undefined) return undefined
  const isChar = typeof value === 'string' && /^[^0-9A-Za-z+\-"\p{Cc}]$/u.test(value)
  if (!isChar) throw refuse(place, shown(value), 'one character that is not a letter, digit, sign or quote')
  return value
}

/** The values of `categories`, as declared and in canonical form. */
function readCategories(json: unknown, meaning: FieldMeaning, place: string) {
  if (json === undefined) return null
  const values = readItems(json, place).map((item, i): JsonScalar => {
    const value = typeof item === 'object' && item !== null && 'value' in item ? item.value : item
    if (typeof value === 'string' || typeof value === 'number') return value
    throw refuse(`${place}[${i}]`, shown(item), 'a value, or an object with one')
  })
  return { values, plain: readConstants(values, place, meaning.plain, meaning.wanted) }
}
