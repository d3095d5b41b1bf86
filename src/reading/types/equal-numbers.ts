// Equal numbers: texts of a column that differ and are the same number, such as 1.1 and 1.10. Knows no column types.
import { fieldValue, fits, type Tokens } from '../sniffer/tokenize.ts'

/** The first two texts of a column that are one number, and the records of the head in which they stand; minus zero is zero. */
export interface EqualNumbers {
  readonly texts: readonly [string, string]
  readonly records: readonly number[]
}

const numeric = /^-?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?$/
/** A column is skipped if its first values are not numbers. */
const firstValues = 50
/** Two milliseconds of work, whatever the number of columns. */
const cellsMax = 10_000

/**
 * Looks through the beginning of a table; null for a column without such a pair.
 *
 * @param rows Data records that are no comment and not blank, in order.
 */
export function equalNumbers(tokens: Tokens, width: number, rows: readonly number[]): readonly (EqualNumbers | null)[] {
  const sample = rows.slice(0, Math.ceil(cellsMax / width)).filter((record) => fits(tokens, record, width))
  return Array.from({ length: width }, (_, column) => {
    const textOf = (record: number) => fieldValue(tokens, (tokens.firstFields[record] ?? 0) + column)
    const isNumeric = (record: number) => /^$|^\p{L}/u.test(textOf(record)) || numeric.test(textOf(record))
    return sample.slice(0, firstValues).every(isNumeric) ? firstPair(sample, textOf) : null
  })
}

function firstPair(records: readonly number[], textOf: (record: number) => string): EqualNumbers | null {
  // Records, not their texts: of ten thousand values hardly any comes again.
  const seen = new Map<number, number>()
  for (const record of records) {
    const text = textOf(record)
    if (!numeric.test(text)) continue
    // Minus zero is the same key as zero.
    const number = Number(text.replace(',', '.'))
    const before = seen.get(number)
    if (before === undefined && number === 0 && text.startsWith('-'))
      return { texts: [text, text.slice(1)], records: [record] }
    if (before === undefined) seen.set(number, record)
    else if (textOf(before) !== text) return { texts: [textOf(before), text], records: [before, record] }
  }
  return null
}
