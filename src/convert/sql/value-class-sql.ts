// Value class SQL: the condition under which a text leaves the type of its column open. Knows no files or columns.
import { dateSeparators, nullWords, type ValueClass } from '../../core/column-facts.ts'
import { clockShape } from './lossless-sql.ts'
import { literal } from './segment-sql.ts'

/**
 * SQL that is true for values of these classes and null words. If that is expensive to determine, it is false, and it
 * may be true for other values that leave the same types open. It is one pattern, because the time to plan a statement
 * with a thousand columns grows with the square of its terms: with twenty terms per column, it took 3 s (DuckDB 1.5.6,
 * 2026-11).
 */
export function isOneOf(classes: readonly ValueClass[], v: string): string {
  const words = nullWords.map((word) => word.replaceAll(/[\\.?]/g, '\\$&'))
  const pattern = [...words, ...classes.flatMap((name) => shapes[name] ?? [])].join('|')
  return `regexp_full_match(${v}, ${literal(pattern)})`
}

const monthOrDay = '(0?[1-9]|1[0-2])'

/** Classes that leave a type open, and classes compatible with them. */
const shapes: Readonly<Partial<Record<ValueClass, string>>> = {
  // Texts that begin neither like a number, date or time nor like a boolean.
  text: '(?s:[^-+,./0-9tTfF].*|[tT]([^rR].*)?|[fF]([^aA].*)?)',
  integer: '0|-?[1-9][0-9]{0,14}',
  decimal: '-?(0|[1-9][0-9]{0,7})[.][0-9]{1,7}',
  decimalComma: '-?(0|[1-9][0-9]{0,7}),[0-9]{1,7}',
  thousandPoint: '-?[1-9][0-9]{0,2}[.][0-9]{3}',
  thousandComma: '-?[1-9][0-9]{0,2},[0-9]{3}',
  ...Object.fromEntries(
    dateSeparators.flatMap((separator) => {
      const date = `${monthOrDay}[${separator}]${monthOrDay}[${separator}][1-9][0-9]{3}`
      return [
        [`date ${separator}either`, date],
        [`timestamp ${separator}either`, `${date}${clockShape}`],
      ]
    }),
  ),
}
