// Declared column: what a declared field means for the values of its column. Trusts the field: parse-field.ts has checked it.
import { type ClassFacts, type ColumnFacts, joinClasses, joinDigits, type ValueClass } from '../../core/column-facts.ts'
import type { DeclaredValues, TextForm } from '../../core/declared-values.ts'
import { type ColumnType, groupChars } from '../../core/receipt.ts'
import type { FieldType } from '../../core/table-schema.ts'
import {
  classesOfForm,
  type Doubt,
  decimalOf,
  digitsDoubt,
  isLong,
  type LineOf,
} from '../../reading/types/infer-types.ts'

/** A column whose type and rules a client declared. */
export interface DeclaredColumn {
  readonly name: string
  /** If the dataset calls it otherwise. */
  readonly nameInFile?: string
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
  /** Present if values are not kept exactly. */
  readonly doubt?: Doubt | null
}

/**
 * @param facts Of the values; needed only when the type is `byValues`.
 * @param lineOf If given, a doubt names lines; otherwise records.
 */
export function declaredTarget(
  { fieldType, type, values }: DeclaredColumn,
  facts: ColumnFacts | null,
  lineOf?: LineOf,
): DeclaredTarget {
  const isDecimal = values.form.kind === 'number' && values.form.isDecimal === true
  const why = `declared in the schema as ${isDecimal ? 'decimal' : fieldType}`
  if (type !== 'byValues') return { type, values, why }
  if (facts === null) throw new Error('Cannot choose a type by values: there are no facts')
  if (values.form.kind !== 'number') return momentTarget(values, facts, why)
  const { type: decimal, long } = numberType(values.form, facts)
  const reason = long.length > 0 ? 'because a double would lose digits' : 'all with as many places'
  if (decimal !== null) return { type: decimal, values, why: isDecimal ? why : `${why}; decimals, ${reason}` }
  const doubt = digitsDoubt(joinClasses(long), 'NUMBERS_ROUNDED', 'the nearest doubles are stored', lineOf)
  if (doubt === null) {
    const unlike = '; doubles, since some numbers have an exponent or a form like +.5, or too many digits for a decimal'
    return { type: { kind: 'number' }, values, why: isDecimal ? why + unlike : why }
  }
  const form = { ...values.form, isNearest: true } as const
  const nearest = `${why}; what has more digits than a double keeps is the nearest double`
  return { type: { kind: 'number' }, values: { ...values, form }, why: nearest, doubt }
}

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

/**
 * The decimal that keeps all numbers, if they have the same number of places or a double would lose digits; null if it
 * is to be a double. `long` are the facts of numbers that a double does not keep.
 */
function numberType(form: Extract<TextForm, { kind: 'number' }>, { classes }: ColumnFacts) {
  const dressed = form.counted.filter((name) => !isLong(name))
  const long = form.counted.flatMap((name) => {
    const facts = classes[name]
    return facts !== undefined && (isLong(name) || hasManyDigits(facts)) ? facts : []
  })
  const known = classesOf(form)
  if (known === null) return { type: null, long }
  const { whole, fractions } = known
  const others = [...otherNumbers, ...dressed]
  const has = (name: ValueClass) => classes[name] !== undefined
  const digitsOf = (names: readonly ValueClass[]) => joinDigits(names.flatMap((name) => classes[name] ?? []))
  // Only the digits of these are counted.
  const counted: readonly string[] = [...whole, ...fractions, ...others]
  if (Object.keys(classes).some((name) => !counted.includes(name))) return { type: null, long }
  const equal = [...whole, ...others].some(has) ? null : decimalOf(digitsOf(fractions))
  if (equal !== null) return { type: equal, long }
  if (long.length === 0 && !form.isDecimal) return { type: null, long }
  const digits = digitsOf([...fractions, ...others])
  const scale = digits?.scaleMax ?? 0
  const wholeMax = Math.max(whole.some(has) ? 19 : 1, digits?.wholeMax ?? 0)
  const type = { kind: 'decimal', precision: digitsMax, scale } as const
  return { type: wholeMax + scale > digitsMax ? null : type, long }
}

/** Classes of numbers that are a decimal only to keep the digits of others: `-0`, `.5`; and of those that may be too long. */
const otherNumbers = ['number', 'numberComma', 'tooLong'] as const

/** Fewer digits are always kept by a double. */
const sureDigits = 15

function hasManyDigits({ digits }: ClassFacts): boolean {
  return digits !== undefined && digits.wholeMax + digits.scaleMax > sureDigits
}

/** Null for characters that facts do not know: such numbers count as texts. */
function classesOf({
  decimalChar,
  groupChar,
}: Pick<Extract<TextForm, { kind: 'number' }>, 'decimalChar' | 'groupChar'>) {
  const group = groupChars.find((one) => one === groupChar) ?? null
  if ((decimalChar !== '.' && decimalChar !== ',') || group !== groupChar) return null
  return classesOfForm({ decimalChar, groupChar: group })
}

/**
 * Classes of numbers in a form that a double does not keep, but whose digits facts count; for a declared decimal, those with
 * a plus sign or zeros in front, too. Facts do not tell groups in these from fractions.
 */
export function countedClasses(
  groupChar: string | null,
  decimalChar: string,
  isDecimal: boolean,
): readonly ValueClass[] {
  const known = classesOf({ groupChar, decimalChar })
  if (known === null) return []
  const long = [...known.whole, ...known.fractions, 'tooLong' as const].filter(isLong)
  return isDecimal && groupChar === null ? [...long, 'padded', 'signed'] : long
}
