// Declared column: what a declared field means for the values of its column. Trusts the field: parse-field.ts has checked it.
import type { ColumnFacts } from '../../core/column-facts.ts'
import type { DeclaredValues } from '../../core/declared-values.ts'
import type { ColumnType } from '../../core/receipt.ts'
import type { FieldType } from '../../core/table-schema.ts'

/** A column whose type and rules a client declared. */
export interface DeclaredColumn {
  readonly name: string
  /** As declared. */
  readonly fieldType: FieldType
  /** `byValues`: the facts of the values decide the type, so that every value is kept exactly where possible. */
  readonly type: ColumnType | 'byValues'
  readonly values: DeclaredValues
}

/** How to write a declared column. */
export interface DeclaredTarget {
  readonly type: ColumnType
  readonly values: DeclaredValues
  readonly why: string
}

/** @param facts Of the values; needed only when the type is `byValues`. */
export function declaredTarget({ fieldType, type, values }: DeclaredColumn, facts: ColumnFacts | null): DeclaredTarget {
  const why = `declared in the schema as ${fieldType}`
  if (type !== 'byValues') {
    const isRounded = values.form.kind === 'number' && values.form.isNearest === true
    return { type, values, why: isRounded ? `${why}; ${nearest}` : why }
  }
  if (facts === null) throw new Error('Cannot choose a type by values: there are no facts')
  return fieldType === 'datetime' ? momentTarget(values, facts, why) : numberTarget(values, facts, why)
}

const nearest = 'what has more digits than a double keeps is the nearest double'

function momentTarget(values: DeclaredValues, { classes }: ColumnFacts, why: string): DeclaredTarget {
  const withOffset = classes.timestamptz?.count ?? 0
  const without = classes.timestamp?.count ?? 0
  if (withOffset === 0) return { type: { kind: 'timestamp' }, values, why: `${why}; no value has an offset` }
  if (without === 0) return { type: { kind: 'timestamptz' }, values, why: `${why}; the values have offsets` }
  const mixed = `${why}; text, because ${withOffset} values have an offset and ${without} have none`
  return { type: { kind: 'text' }, values: { ...values, form: { kind: 'moment' } }, why: mixed }
}

/** The most digits of a decimal. */
const digitsMax = 38

function numberTarget(values: DeclaredValues, { classes }: ColumnFacts, why: string): DeclaredTarget {
  const { longInteger, longDecimal, tooLong, number, padded, signed, integer } = classes
  if (!longInteger && !longDecimal && !tooLong) return { type: { kind: 'number' }, values, why }
  const digits = [classes.decimal, classes.thousandPoint, longDecimal].flatMap((one) => one?.digits ?? [])
  const scale = Math.max(0, ...digits.map(({ scaleMax }) => scaleMax))
  const wholeMax = Math.max(longInteger ? 19 : integer ? 15 : 1, ...digits.map((one) => one.wholeMax))
  if (tooLong || number || padded || signed || wholeMax + scale > digitsMax) {
    const form = values.form.kind === 'number' ? { ...values.form, isNearest: true as const } : values.form
    return { type: { kind: 'number' }, values: { ...values, form }, why: `${why}; ${nearest}` }
  }
  const type = { kind: 'decimal', precision: digitsMax, scale } as const
  return { type, values, why: `${why}; decimals, because a double would lose digits` }
}
