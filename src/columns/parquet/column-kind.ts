// Column kind: how the texts of a column are parsed and its values stored, depending on its type. Knows no bytes.
import { type ColumnType, groupChars, type NumberForm } from '../../core/receipt.ts'
import { type LogicalType, physicalTypes } from './parquet-format.ts'

const kinds = {
  facts: 0,
  text: 1,
  integer: 2,
  decimal: 3,
  longDecimal: 4,
  number: 5,
  boolean: 6,
  date: 7,
  time: 8,
  timestamp: 9,
  timestamptz: 10,
  dateInForm: 11,
  timestampInForm: 12,
} as const

const orders = ['ymd', 'dmy', 'mdy'] as const
const separators = ['/', '.', '-'] as const
const spellings = [undefined, 'true', 'True', 'TRUE'] as const
/** Stands for numbers without groups. */
const noGroup = 255
/** Number of digits that fit in 64 bits, and in 32. */
const longDigitsMax = 18
const intDigitsMax = 9

export interface ColumnKind {
  readonly kind: number
  /** Further parameters of the module: see `setKind` in wasm/columns/column-kinds.ts. */
  readonly form: readonly [first: number, second: number, decimalByte: number, group: number]
}

/** If `type` is null, only facts are gathered. */
export function columnKind(type: ColumnType | null): ColumnKind {
  if (type === null) return { kind: kinds.facts, form: [0, 0, 0, noGroup] }
  switch (type.kind) {
    case 'integer':
    case 'number':
      return { kind: kinds[type.kind], form: [0, 0, ...numberForm(type.form)] }
    case 'decimal': {
      const kind = type.precision > longDigitsMax ? kinds.longDecimal : kinds.decimal
      return { kind, form: [type.precision, type.scale, ...numberForm(type.form)] }
    }
    case 'boolean':
      return { kind: kinds.boolean, form: [spellings.indexOf(type.spelling), 0, 0, noGroup] }
    case 'date':
    case 'timestamp': {
      const { form } = type
      // Years first with dashes is ISO 8601.
      if (form === undefined || (form.order === 'ymd' && form.separator === '-')) return usual(type.kind)
      const kind = type.kind === 'date' ? kinds.dateInForm : kinds.timestampInForm
      return { kind, form: [orders.indexOf(form.order), separators.indexOf(form.separator), 0, noGroup] }
    }
    default:
      return usual(type.kind)
  }
}

function usual(kind: 'date' | 'timestamp' | 'time' | 'timestamptz' | 'text'): ColumnKind {
  return { kind: kinds[kind], form: [0, 0, 0, noGroup] }
}

function numberForm(form: NumberForm | undefined): [decimalByte: number, group: number] {
  if (form === undefined || (form.decimalChar === '.' && form.groupChar === null)) return [0, noGroup]
  return [form.decimalChar.charCodeAt(0), form.groupChar === null ? noGroup : groupChars.indexOf(form.groupChar)]
}

/** How values of a type are stored, exactly as DuckDB stores them. */
export interface StoredType {
  readonly physicalType: number
  /** Bytes of a value; 0 for a text. */
  readonly valueBytes: number
  readonly logicalType: LogicalType
}

export function storedType(type: ColumnType): StoredType {
  const { boolean, int32, int64, double, byteArray, fixedLengthByteArray } = physicalTypes
  switch (type.kind) {
    case 'text':
      return { physicalType: byteArray, valueBytes: 0, logicalType: { kind: 'text' } }
    case 'integer':
      return { physicalType: int64, valueBytes: 8, logicalType: { kind: 'integer' } }
    case 'number':
      return { physicalType: double, valueBytes: 8, logicalType: { kind: 'none' } }
    case 'boolean':
      return { physicalType: boolean, valueBytes: 1, logicalType: { kind: 'none' } }
    case 'date':
      return { physicalType: int32, valueBytes: 4, logicalType: { kind: 'date' } }
    case 'time':
      return { physicalType: int64, valueBytes: 8, logicalType: { kind: 'time' } }
    case 'timestamp':
    case 'timestamptz':
      return {
        physicalType: int64,
        valueBytes: 8,
        logicalType: { kind: 'timestamp', isUtc: type.kind === 'timestamptz' },
      }
    case 'decimal': {
      const { precision, scale } = type
      const logicalType = { kind: 'decimal', precision, scale } as const
      if (precision <= intDigitsMax) return { physicalType: int32, valueBytes: 4, logicalType }
      if (precision <= longDigitsMax) return { physicalType: int64, valueBytes: 8, logicalType }
      return { physicalType: fixedLengthByteArray, valueBytes: 16, logicalType }
    }
  }
}
