// Parse constraints: reads what a declared field requires of its values. Whatever cannot be checked is rejected, never ignored.
import type { Bound, DeclaredCheck } from '../../core/declared-values.ts'
import type { FieldConstraints, FieldType, JsonScalar } from '../../core/table-schema.ts'
import type { FieldMeaning } from './field-type.ts'
import { isPossibleText, readConstants, readItems, refuse, shown, wantedText } from './schema-error.ts'

interface Field {
  readonly type: FieldType
  readonly meaning: FieldMeaning
}

/** Constraints as the receipt shows them, undefined if there are none, and as they are checked. */
export interface ReadConstraints {
  readonly constraints: FieldConstraints | undefined
  readonly checks: readonly DeclaredCheck[]
}

const bounds: readonly Bound[] = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
const lengths = ['minLength', 'maxLength'] as const
const ordered: readonly FieldType[] = ['integer', 'number', 'date', 'time', 'datetime', 'year', 'yearmonth']
const known = ['required', ...bounds, ...lengths, 'pattern', 'enum', 'unique']

/** @throws {ServiceError} BAD_PARAMETER */
export function readConstraints(json: unknown, field: Field, place: string): ReadConstraints {
  if (json === undefined) return { constraints: undefined, checks: [] }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw refuse(place, shown(json), 'an object')
  const declared = json as Readonly<Record<string, unknown>>
  for (const name of Object.keys(declared)) {
    if (!known.includes(name)) throw refuse(`${place}.${name}`, 'it is not checked here', `only ${known.join(', ')}`)
  }
  const isUnique = readFlag(declared.unique, `${place}.unique`)
  if (isUnique) refuseJsonType(field.type, `${place}.unique`)
  const isRequired = readFlag(declared.required, `${place}.required`)
  const read = [
    ...bounds.map((name) => readBound(declared[name], name, field, `${place}.${name}`)),
    ...lengths.map((name) => readLength(declared[name], name, field, `${place}.${name}`)),
    readPattern(declared.pattern, field, `${place}.pattern`),
    readEnum(declared.enum, field, `${place}.enum`),
  ].filter((one) => one !== null)
  if (!isRequired && !isUnique && read.length === 0) return { constraints: undefined, checks: [] }
  const values = Object.fromEntries(read.map(({ check, value }) => [check.rule, value]))
  return {
    // Each value has just been read as what its rule wants.
    constraints: {
      ...(isRequired && { required: true }),
      ...(isUnique && { unique: true }),
      ...values,
    } as FieldConstraints,
    checks: read.map(({ check }) => check),
  }
}

/** Which texts are the same JSON is not decided here. @throws {ServiceError} BAD_PARAMETER */
export function refuseJsonType(type: FieldType, place: string): void {
  if (type === 'object' || type === 'array') throw refuse(place, 'it is there', `none for type ${type}`)
}

interface ReadCheck {
  readonly check: DeclaredCheck
  /** As declared. */
  readonly value: unknown
}

function readFlag(value: unknown, place: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw refuse(place, shown(value), 'true or false')
  return value ?? false
}

function readBound(value: unknown, rule: Bound, { type, meaning }: Field, place: string): ReadCheck | null {
  if (value === undefined) return null
  if (!ordered.includes(type)) throw refuse(place, shown(value), `it only for ${ordered.join(', ')}, not for ${type}`)
  const plain = isScalar(value) ? meaning.plain(value) : null
  if (plain === null) throw refuse(place, shown(value), meaning.wanted)
  return { check: { rule, value: plain }, value }
}

function readLength(value: unknown, rule: 'minLength' | 'maxLength', { type }: Field, place: string): ReadCheck | null {
  if (value === undefined) return null
  if (type !== 'string') throw refuse(place, shown(value), `it only for string, not for ${type}`)
  if (!(typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) {
    throw refuse(place, shown(value), 'a whole number from 0 on')
  }
  return { check: { rule, length: value }, value }
}

const patternCharactersMax = 10_000

function readPattern(value: unknown, { type }: Field, place: string): ReadCheck | null {
  if (value === undefined) return null
  if (type !== 'string') throw refuse(place, shown(value), `it only for string, not for ${type}`)
  if (typeof value !== 'string' || value.length > patternCharactersMax) {
    throw refuse(place, shown(value), `a regular expression of at most ${patternCharactersMax} characters`)
  }
  if (!isPossibleText(value)) throw refuse(place, shown(value), wantedText)
  return { check: { rule: 'pattern', pattern: value }, value }
}

function readEnum(json: unknown, { type, meaning }: Field, place: string): ReadCheck | null {
  if (json === undefined) return null
  refuseJsonType(type, place)
  const items = readItems(json, place)
  const plain = (item: unknown) => (isScalar(item) ? meaning.plain(item) : null)
  return { check: { rule: 'enum', values: readConstants(items, place, plain, meaning.wanted) }, value: items }
}

function isScalar(value: unknown): value is JsonScalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
