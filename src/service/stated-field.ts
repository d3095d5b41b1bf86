// Stated field: reads one field of a stated schema. Whatever it says is obeyed or refused, at the place where it stands.
import type { ColumnType } from '../core/receipt.ts'
import type { StatedCheck, TextForm } from '../core/stated-values.ts'
import { type FieldType, fieldTypes, type JsonScalar, type TableField } from '../core/table-schema.ts'
import { readMissingValues, readTexts, refuse, shown } from './schema-place.ts'
import type { StatedColumn } from './stated-column.ts'
import { readConstraints } from './stated-constraints.ts'
import { isIso, type MomentKind, parseFormat } from './stated-format.ts'

/** A field as the receipt shows it, and what it means. */
export interface StatedField {
  readonly field: TableField
  readonly column: StatedColumn
}

type Json = Readonly<Record<string, unknown>>

/** What a field may have besides, and says nothing about how it is read. */
const informational = ['title', 'description', 'example', 'examples', 'rdfType', 'categoriesOrdered']
const common = ['name', 'type', 'format', 'missingValues', 'constraints', ...informational]
const own: Readonly<Partial<Record<FieldType, readonly string[]>>> = {
  string: ['categories'],
  integer: ['groupChar', 'bareNumber', 'categories'],
  number: ['groupChar', 'bareNumber', 'decimalChar'],
  boolean: ['trueValues', 'falseValues'],
}

/** How values of a type are read, and constants of it in constraints. */
export interface Meaning {
  readonly type: ColumnType | 'byValues'
  readonly form: TextForm
  /** A constant in plain form; null where it is none of the type. */
  plain(value: JsonScalar): string | null
  /** What a constant has to be. */
  readonly wanted: string
}

/** @param missing The schema's own missing values. @throws {ServiceError} BAD_PARAMETER */
export function readField(json: unknown, place: string, missing: readonly string[]): StatedField {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw refuse(place, shown(json), 'an object with a name and a type')
  }
  const descriptor = json as Json
  const name = readName(descriptor.name, `${place}.name`)
  const type = readType(descriptor.type, `${place}.type`)
  refuseUnknown(descriptor, type, place)
  const members = readMembers(descriptor, type, place)
  const meaning = meaningOf(type, members, place)
  const ownMissing = readMissingValues(descriptor.missingValues, `${place}.missingValues`)
  const { constraints, checks } = readConstraints(descriptor.constraints, { type, meaning }, `${place}.constraints`)
  const categories = readCategories(descriptor.categories, meaning, `${place}.categories`)
  const categoryChecks: readonly StatedCheck[] = categories ? [{ rule: 'categories', values: categories.plain }] : []
  const values = {
    form: meaning.form,
    missing: ownMissing ?? missing,
    isRequired: constraints?.required ?? false,
    checks: [...categoryChecks, ...checks],
  }
  return {
    field: {
      name,
      type,
      ...members,
      ...(ownMissing && { missingValues: ownMissing }),
      ...(categories && { categories: categories.values }),
      ...(constraints && { constraints }),
    },
    column: { name, fieldType: type, type: meaning.type, values },
  }
}

const nameCharactersMax = 1_000

function readName(value: unknown, place: string): string {
  const isName =
    typeof value === 'string' && value.trim() !== '' && value.length <= nameCharactersMax && !/\p{Cc}/u.test(value)
  if (!isName) throw refuse(place, shown(value), `a text without control characters, at most ${nameCharactersMax} long`)
  return value
}

/** Types that are known, but not checked here. */
const otherTypes = ['list', 'geopoint', 'geojson']

function readType(value: unknown, place: string): FieldType {
  if (value === undefined) return 'any'
  const type = fieldTypes.find((one) => one === value)
  if (type !== undefined) return type
  const wayOut = otherTypes.some((one) => one === value) ? "; state 'any' to keep it as text" : ''
  throw refuse(place, shown(value), `one of ${fieldTypes.join(', ')}${wayOut}`)
}

function refuseUnknown(descriptor: Json, type: FieldType, place: string): void {
  const known = [...common, ...(own[type] ?? [])]
  for (const member of Object.keys(descriptor)) {
    if (known.includes(member)) continue
    throw refuse(`${place}.${member}`, 'it is not known here', `for type '${type}' only ${known.join(', ')}`)
  }
}

type Members = Pick<TableField, 'format' | 'decimalChar' | 'groupChar' | 'trueValues' | 'falseValues'>

function readMembers(descriptor: Json, type: FieldType, place: string): Members {
  const format = readFormat(descriptor.format, `${place}.format`)
  const decimalChar = readChar(descriptor.decimalChar, `${place}.decimalChar`)
  const groupChar = readChar(descriptor.groupChar, `${place}.groupChar`)
  if (groupChar !== undefined && groupChar === (decimalChar ?? (type === 'number' ? '.' : undefined))) {
    throw refuse(`${place}.groupChar`, shown(groupChar), 'another character than the decimal one')
  }
  const { bareNumber = true } = descriptor
  if (bareNumber !== true) {
    const wanted = "true: what stands around a number is part of its meaning; state 'string' to keep it"
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
  // Version 0 of the standard wrote patterns so.
  return value.replace(/^fmt:/, '')
}

function readChar(value: unknown, place: string): string | undefined {
  if (value === undefined) return undefined
  const isChar = typeof value === 'string' && /^[^0-9A-Za-z+\-"\p{Cc}]$/u.test(value)
  if (!isChar) throw refuse(place, shown(value), 'one character that is no letter, digit, sign or quote')
  return value
}

const text = (value: JsonScalar) => (typeof value === 'string' ? value : null)
const uuidShape = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const [seconds, minutes, days] = ['[0-9]+(?:\\.[0-9]+)?S', '[0-9]+M', '[0-9]+D']
const durationTime = `T(?:[0-9]+H(?:${minutes})?(?:${seconds})?|${minutes}(?:${seconds})?|${seconds})`
const durationDate = `(?:[0-9]+Y(?:${minutes})?(?:${days})?|${minutes}(?:${days})?|${days})`
const durationShape = `-?P(?:${durationDate}(?:${durationTime})?|${durationTime})`

function meaningOf(type: FieldType, members: Members, place: string): Meaning {
  const { format, groupChar = null, decimalChar = '.' } = members
  if (type === 'date' || type === 'time' || type === 'datetime') return momentMeaning(type, format, place)
  if (format !== undefined && !(type === 'string' && format === 'uuid')) {
    const wayOut = type === 'string' ? "'default' or 'uuid', or a pattern in the constraints" : "'default'"
    throw refuse(`${place}.format`, shown(format), wayOut)
  }
  const asText = { type: { kind: 'text' }, plain: text, wanted: 'a text' } as const
  switch (type) {
    case 'any':
      return { ...asText, form: { kind: 'text' } }
    case 'string':
      return { ...asText, form: format === 'uuid' ? { kind: 'shaped', shape: uuidShape } : { kind: 'text' } }
    case 'duration':
      return { ...asText, form: { kind: 'shaped', shape: durationShape } }
    case 'yearmonth': {
      const shape = '[0-9]{4}-(?:0[1-9]|1[0-2])'
      const plain = (value: JsonScalar) => (new RegExp(`^${shape}$`).test(String(value)) ? String(value) : null)
      return { ...asText, form: { kind: 'shaped', shape }, plain, wanted: 'a month such as "2024-01"' }
    }
    case 'object':
    case 'array':
      return { ...asText, form: { kind: 'json', of: type === 'object' ? 'OBJECT' : 'ARRAY' } }
    case 'boolean':
      return booleanMeaning(members, place)
    case 'number': {
      // Facts are about numbers with a point and without groups.
      const isUsual = groupChar === null && decimalChar === '.'
      const form = { kind: 'number', groupChar, decimalChar } as const
      const plain = (value: JsonScalar) => plainNumber(value, groupChar, decimalChar)
      const wanted = 'a number'
      if (isUsual) return { type: 'byValues', form, plain, wanted }
      return { type: { kind: 'number' }, form: { ...form, isNearest: true }, plain, wanted }
    }
    default: {
      const shape = type === 'year' ? { shape: '-?[0-9]{4,9}' } : {}
      const plain = (value: JsonScalar) => plainInteger(value, groupChar)
      const wanted = 'a whole number of at most 64 bits, as text where it is beyond 2^53'
      return { type: { kind: 'integer' }, form: { kind: 'integer', groupChar, ...shape }, plain, wanted }
    }
  }
}

function momentMeaning(type: MomentKind, format: string | undefined, place: string): Meaning {
  if (format === undefined) {
    const plain = (value: JsonScalar) => (typeof value === 'string' && isIso(value, type) ? value : null)
    const form = { kind: 'iso' } as const
    return { type: type === 'datetime' ? 'byValues' : { kind: type }, form, plain, wanted: `an ISO 8601 ${type}` }
  }
  if (!format.includes('%')) {
    const wayOut = "'default' for ISO 8601, or a pattern such as '%d/%m/%Y'; what 'any' would allow has no one meaning"
    throw refuse(`${place}.format`, shown(format), wayOut)
  }
  const parsed = parseFormat(format, type)
  if ('problem' in parsed) {
    const wanted = `a pattern of %Y %y %m %b %B %d %H %I %p %M %S %f %z that gives a whole ${type} (${parsed.problem})`
    throw refuse(`${place}.format`, shown(format), wanted)
  }
  const kind = type === 'datetime' ? (format.endsWith('%z') ? 'timestamptz' : 'timestamp') : type
  const plain = (value: JsonScalar) => (typeof value === 'string' ? parsed.toIso(value) : null)
  return {
    type: { kind },
    form: { kind: 'strptime', format, shape: parsed.shape },
    plain,
    wanted: `a ${type} in the format of the field`,
  }
}

function booleanMeaning({ trueValues, falseValues }: Members, place: string): Meaning {
  const yes = trueValues ?? ['true', 'True', 'TRUE', '1']
  const no = falseValues ?? ['false', 'False', 'FALSE', '0']
  const both = yes.find((one) => no.includes(one))
  if (both !== undefined) throw refuse(`${place}.falseValues`, `${shown(both)} is also true`, 'values that are not')
  const plain = (value: JsonScalar) => {
    if (value === true || yes.some((one) => one === value)) return 'true'
    return value === false || no.some((one) => one === value) ? 'false' : null
  }
  const form = { kind: 'boolean', trueValues: yes, falseValues: no } as const
  return { type: { kind: 'boolean' }, form, plain, wanted: 'true or false' }
}

function plainInteger(value: JsonScalar, groupChar: string | null): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null
  if (typeof value === 'boolean') return null
  const digits = groupChar === null ? value : value.replaceAll(groupChar, '')
  if (!/^[-+]?\d{1,30}$/.test(digits)) return null
  const number = BigInt(digits.replace('+', ''))
  return BigInt.asIntN(64, number) === number ? String(number) : null
}

function plainNumber(value: JsonScalar, groupChar: string | null, decimalChar: string): string | null {
  // A JSON number this long has lost digits before it came here.
  if (typeof value === 'number') return Math.abs(value) < Number.MAX_SAFE_INTEGER ? String(value) : null
  if (typeof value === 'boolean') return null
  const ungrouped = groupChar === null ? value : value.replaceAll(groupChar, '')
  const plain = ungrouped.replace(decimalChar, '.')
  return /^[-+]?\d+(\.\d+)?([eE][-+]?\d{1,3})?$/.test(plain) && Number.isFinite(Number(plain))
    ? plain.replace('+', '')
    : null
}

/** The values of `categories`, as stated and in plain form. */
function readCategories(json: unknown, meaning: Meaning, place: string) {
  if (json === undefined) return null
  if (!Array.isArray(json)) throw refuse(place, shown(json), 'an array of values')
  const items: readonly unknown[] = json
  const values = items.map((item, i): JsonScalar => {
    const value = typeof item === 'object' && item !== null && 'value' in item ? item.value : item
    if (typeof value === 'string' || typeof value === 'number') return value
    throw refuse(`${place}[${i}]`, shown(item), 'a value, or an object with one')
  })
  const plain = values.map((value, i) => {
    const one = meaning.plain(value)
    if (one === null) throw refuse(`${place}[${i}]`, shown(value), meaning.wanted)
    return one
  })
  return { values, plain }
}
