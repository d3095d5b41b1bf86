// Equal numbers: different texts of a column that are the same number, such as 1.1 and 1.10. Knows no column types.
import type { Reading } from '../reading.ts'
import { fieldValue, fits, type Tokens } from '../sniffer/tokenize.ts'
import { isDigit } from '../sniffer/value-kind.ts'

/** The first two texts of a column that are the same number, and their records in the head; minus zero equals zero. */
export interface EqualNumbers {
  readonly texts: readonly [string, string]
  readonly records: readonly number[]
}

const numeric = /^-?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?$/
/** A column is skipped if its first values are not numbers. */
const firstValues = 50
/** Takes two milliseconds, whatever the number of columns. */
const cellsMax = 10_000

/** Number of records examined. */
export function recordsLookedAt(width: number): number {
  return Math.ceil(cellsMax / width)
}

/**
 * Examines the beginning of a table; null for a column without such a pair.
 *
 * @param rows Data records that are neither comments nor blank, in order.
 */
export function equalNumbers(tokens: Tokens, width: number, rows: readonly number[]): readonly (EqualNumbers | null)[] {
  const sample = rows.slice(0, recordsLookedAt(width)).filter((record) => fits(tokens, record, width))
  return Array.from({ length: width }, (_, column) => {
    const textOf = (record: number) => fieldValue(tokens, (tokens.firstFields[record] ?? 0) + column)
    const isNumeric = (record: number) => /^$|^\p{L}/u.test(textOf(record)) || numeric.test(textOf(record))
    if (areDifferentNumbers(tokens, column, sample)) return null
    return sample.slice(0, firstValues).every(isNumeric) ? firstPair(sample, textOf) : null
  })
}

/**
 * True if different texts are certainly different numbers, in all columns: then there is no such pair.
 *
 * @param lines Records in an encoding that extends ASCII: one per line, all with that many fields, with quotes only
 * around values.
 * @param count Number of lines examined.
 */
export function haveDifferentNumbers(
  lines: Uint8Array,
  count: number,
  { dialect, width }: Pick<Reading, 'dialect' | 'width'>,
): boolean {
  const delimiter = dialect.delimiter.charCodeAt(0)
  const quote = dialect.quoteChar?.charCodeAt(0) ?? -1
  if (!dialect.doubleQuote || dialect.skipInitialSpace || delimiter >= 0x80 || quote >= 0x80) return false
  const forms = Array.from({ length: width }, () => new NumberForms())
  let column = 0
  let left = count
  for (let at = 0; at < lines.length && left > 0; at += 1) {
    const start = at
    let code = lines[at] as number
    const isNumber = mayBeginNumber(code)
    if (code === quote) {
      if (mayBeginNumber(lines[at + 1] ?? lf)) return false
      at = afterQuoted(lines, at, quote)
    }
    while (at < lines.length) {
      code = lines[at] as number
      if (code === delimiter || code === lf) break
      at += 1
    }
    const form = forms[column]
    const end = code === lf && lines[at - 1] === cr ? at - 1 : at
    if (form === undefined || (isNumber && !form.add(decimalPlaces(lines, start, end)))) return false
    if (code === delimiter) column += 1
    else {
      column = 0
      left -= 1
    }
  }
  return true
}

function afterQuoted(lines: Uint8Array, start: number, quote: number): number {
  let at = start + 1
  while (at < lines.length && (lines[at] !== quote || lines[at + 1] === quote)) at += lines[at] === quote ? 2 : 1
  return at + 1
}

function areDifferentNumbers(tokens: Tokens, column: number, records: readonly number[]): boolean {
  const { text, layout, firstFields, fieldStarts, fieldEnds } = tokens
  const forms = new NumberForms()
  for (const record of records) {
    const field = (firstFields[record] ?? 0) + column
    const start = fieldStarts[field] ?? 0
    const code = text.charCodeAt(start)
    if (code === layout.quote) {
      if (mayBeginNumber(text.charCodeAt(start + 1))) return false
    } else if (mayBeginNumber(code) && !forms.add(decimalPlaces(text, start, fieldEnds[field] ?? 0))) return false
  }
  return true
}

/** The forms of the numbers of a column. */
class NumberForms {
  #scale = -1
  #hasOtherScale = false
  #endsWithZero = false

  /** @param places From decimalPlaces(). @returns False once different texts may be the same number. */
  add(places: number): boolean {
    if (places === noNumber) return true
    if (places === otherForm) return false
    const count = places < 0 ? -places : places
    if (places < 0) this.#endsWithZero = true
    if (this.#scale < 0) this.#scale = count
    else if (this.#scale !== count) this.#hasOtherScale = true
    return !(this.#hasOtherScale && this.#endsWithZero)
  }
}

const noNumber = 1_000
const otherForm = 1_001
/** Longer numbers may be rounded to the same double. */
const plainLengthMax = 15
const lf = 0x0a
const cr = 0x0d

/**
 * For a number as usually written, with a decimal point and without padding: its decimal places, negative if the last
 * one is a zero. `noNumber` for a text that certainly is not one.
 */
function decimalPlaces(codes: Uint8Array | string, start: number, end: number): number {
  if (start === end || !mayBeginNumber(codeAt(codes, start))) return noNumber
  let code = codeAt(codes, start)
  if (!isDigit(code)) {
    // After a minus, no padding and no zero.
    if (code !== minus || end - start < 2) return otherForm
    code = codeAt(codes, start + 1)
    if (!isDigit(code) || code === zero) return otherForm
  } else if (code === zero && start + 1 < end && isDigit(codeAt(codes, start + 1))) return otherForm
  let point = -1
  for (let at = start + 1; at < end; at += 1) {
    code = codeAt(codes, at)
    if (isDigit(code)) continue
    if (code === pointCode && point < 0) point = at
    else return code === comma || (code | 0x20) === smallE ? otherForm : noNumber
  }
  if (end - start > plainLengthMax) return otherForm
  if (point < 0) return 0
  const places = end - point - 1
  return places === 0 ? otherForm : code === zero ? -places : places
}

function codeAt(codes: Uint8Array | string, at: number): number {
  return typeof codes === 'string' ? codes.charCodeAt(at) : (codes[at] as number)
}

const minus = 0x2d
const pointCode = 0x2e
const comma = 0x2c
const zero = 0x30
const smallE = 0x65

function mayBeginNumber(code: number): boolean {
  return isDigit(code) || code === minus || code === pointCode || code === comma
}

function firstPair(records: readonly number[], textOf: (record: number) => string): EqualNumbers | null {
  // Stores records, not their texts: of ten thousand values, hardly any recurs.
  const seen = new Map<number, number>()
  for (const record of records) {
    const text = textOf(record)
    if (!numeric.test(text)) continue
    // Minus zero has the same key as zero.
    const number = Number(text.replace(',', '.'))
    const before = seen.get(number)
    if (before === undefined && number === 0 && text.startsWith('-'))
      return { texts: [text, text.slice(1)], records: [record] }
    if (before === undefined) seen.set(number, record)
    else if (textOf(before) !== text) return { texts: [textOf(before), text], records: [before, record] }
  }
  return null
}
