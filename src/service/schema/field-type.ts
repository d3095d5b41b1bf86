// Field type: how a declared type reads texts, and constants in constraints. Knows no columns and no SQL.

import type { TextForm } from '../../core/declared-values.ts'
import type { ColumnType } from '../../core/receipt.ts'
import type { FieldType, JsonScalar, TableField } from '../../core/table-schema.ts'
import { countedClasses } from './declared-column.ts'
import { refuse, shown } from './schema-error.ts'
import { isIso, type MomentKind, parseFormat } from './strptime-format.ts'

/** How values of a type, and constants of it in constraints, are read. */
export interface FieldMeaning {
  readonly type: ColumnType | 'byValues'
  readonly form: TextForm
  /** A constant in canonical form; null if it is not of the type. */
  plain(value: JsonScalar): string | null
  /** What a constant must be. */
  readonly wanted: string
}

/** What a field says of its type. */
export type Members = Pick<TableField, 'format' | 'decimalChar' | 'groupChar' | 'trueValues' | 'falseValues'>

const text = (value: JsonScalar) => (typeof value === 'string' ? value : null)
const uuidShape = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const [seconds, minutes, days] = ['[0-9]+(?:\\.[0-9]+)?S', '[0-9]+M', '[0-9]+D']
const durationTime = `T(?:[0-9]+H(?:${minutes})?(?:${seconds})?|${minutes}(?:${seconds})?|${seconds})`
const durationDate = `(?:[0-9]+Y(?:${minutes})?(?:${days})?|${minutes}(?:${days})?|${days})`
const durationShape = `-?P(?:${durationDate}(?:${durationTime})?|${durationTime})`

/** @param place Of the field. @throws {ServiceError} BAD_PARAMETER if the members cannot be followed. */
export function meaningOf(type: FieldType, members: Members, place: string): FieldMeaning {
  const { format, groupChar = null, decimalChar = '.' } = members
  if (type === 'date' || type === 'time' || type === 'datetime') return momentMeaning(type, format, place)
  const other = { string: 'uuid', number: 'decimal' }[type as string]
  if (format !== undefined && format !== other) {
    const also = type === 'string' ? ', or a pattern in the constraints' : ''
    const wayOut = other === undefined ? "'default'" : `'default' or '${other}'${also}`
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
      const counted = countedClasses(groupChar, decimalChar, format === 'decimal')
      const exact = format === 'decimal' ? ({ isDecimal: true } as const) : {}
      const form = { kind: 'number', groupChar, decimalChar, counted, ...exact } as const
      const plain = (value: JsonScalar) => plainNumber(value, groupChar, decimalChar)
      return { type: 'byValues', form, plain, wanted: 'a number' }
    }
    default: {
      const shape = type === 'year' ? ({ isYear: true, shape: '-?[0-9]{4,9}' } as const) : {}
      const plain = (value: JsonScalar) => plainInteger(value, groupChar)
      const wanted = 'a whole number of at most 64 bits, as text if it is beyond 2^53'
      return { type: { kind: 'integer' }, form: { kind: 'integer', groupChar, ...shape }, plain, wanted }
    }
  }
}

function momentMeaning(type: MomentKind, format: string | undefined, place: string): FieldMeaning {
  if (format === undefined) {
    const plain = (value: JsonScalar) => (typeof value === 'string' && isIso(value, type) ? value : null)
    const form = { kind: 'iso', of: type } as const
    return { type: type === 'datetime' ? 'byValues' : { kind: type }, form, plain, wanted: `an ISO 8601 ${type}` }
  }
  if (!format.includes('%')) {
    const wayOut = "'default' for ISO 8601, or a pattern such as '%d/%m/%Y'; 'any' is ambiguous"
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

function booleanMeaning({ trueValues, falseValues }: Members, place: string): FieldMeaning {
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
  // A JSON number this long has already lost digits.
  if (typeof value === 'number') return Math.abs(value) < Number.MAX_SAFE_INTEGER ? String(value) : null
  if (typeof value === 'boolean') return null
  const ungrouped = groupChar === null ? value : value.replaceAll(groupChar, '')
  const plain = ungrouped.replace(decimalChar, '.')
  return /^[-+]?\d+(\.\d+)?([eE][-+]?\d{1,3})?$/.test(plain) && Number.isFinite(Number(plain))
    ? plain.replace('+', '')
    : null
}
