// Different forms: finds two ways of writing numbers in a column in which one number may have two texts. Knows no texts.
import type { ColumnFacts, ValueClass } from '../../core/column-facts.ts'

/** For plain numbers, whatever their decimal character. */
const plainClasses: readonly ValueClass[] = [
  'integer',
  'longInteger',
  'decimal',
  'thousandPoint',
  'longDecimal',
  'decimalComma',
  'thousandComma',
  'longDecimalComma',
]

/**
 * Two records, in order, whose numbers are written so differently that different texts of the column may be the same
 * number, such as `2` and `2.0`, `1.5` and `1.50`, `.5` and `0.5`, `5.` and `5`, or `1e3`; a single record for `-0` and `15e2`. Null
 * if different texts are always different numbers, as for `2.0` and `1.5`, or for `1.50` and `2.25`.
 */
export function differentForms({ classes, numberTexts }: ColumnFacts): readonly number[] | null {
  if (numberTexts === undefined) return null
  const { zerosMin, zerosMax, scaleMin, paddedMax, zeroWhole, noWhole, noFraction, minusZero } = numberTexts
  if (minusZero !== null) return [minusZero]
  const { shortest, exponent, notNormal } = numberTexts
  if (notNormal !== null) return [notNormal]
  const firstOf = (names: readonly ValueClass[]) =>
    Math.min(...names.flatMap((name) => classes[name]?.first.slice(0, 1) ?? []))
  const whole = firstOf(['integer', 'longInteger'])
  const pairs: readonly (readonly (number | null | undefined)[])[] = [
    exponent === null ? [] : [firstOf(plainClasses), exponent],
    [shortest, exponent],
    [noWhole, exponent],
    [whole, zerosMax?.record],
    ...[whole, zerosMax?.record, exponent].map((other) => [noFraction, other]),
    zerosMin && zerosMax && zerosMin.value < zerosMax.value ? [zerosMin.record, zerosMax.record] : [],
    scaleMin && paddedMax && scaleMin.value < paddedMax.value ? [scaleMin.record, paddedMax.record] : [],
    [zeroWhole, noWhole],
  ]
  const isPair = (pair: readonly unknown[]): pair is readonly number[] =>
    pair.length === 2 && pair.every((record) => Number.isFinite(record))
  return pairs.find(isPair)?.toSorted((a, b) => a - b) ?? null
}
