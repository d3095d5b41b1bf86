// Single column: distinguishes lines with one value, which a delimiter would split, from a table of columns. Knows one reading of a text.
import { type Candidate, delimiterWeights } from './score-layout.ts'
import { fieldValue, fits, hasQuotes, isBlank, recordCount, recordValues, type Tokens, widthOf } from './tokenize.ts'
import { isMeasured, type Kind, kindOf } from './value-kind.ts'

const recordsMax = 200
/** Fewer lines prove nothing. */
const linesMin = 2
/** With this many lines, a single odd one is a slip. */
const oneOddMin = 5

/** Less than this is low: such characters occur in words, times and codes. */
const lowWeight = 0.7

export function isOfLowWeight({ layout }: Tokens): boolean {
  return weightOf(layout.delimiter) < lowWeight
}

function weightOf(delimiter: number): number {
  return delimiterWeights[String.fromCharCode(delimiter)] ?? 1
}

/**
 * True if a delimiter is more likely part of the values of one column: lines are wholly one value of a type; or it is of low
 * weight, and there is no proof of columns; or a header of one field precedes lines that would all be split, and the pieces
 * are alike, as in decimals and `Lovelace, Ada`.
 */
export function isOneColumn({ tokens, width }: Candidate): boolean {
  const delimiter = String.fromCharCode(tokens.layout.delimiter)
  const weight = weightOf(tokens.layout.delimiter)
  if (width < 2 || !(weight < 1 || ',;'.includes(delimiter))) return false
  const rows = firstRows(tokens)
  const header = rows[0]
  const body = rows.slice(1)
  if (header === undefined) return false
  if (weight < lowWeight && !areProven(tokens, rows, width)) return true
  if (body.length < linesMin || tokens.broken.has(header)) return false
  if (areValues(tokens, body)) return true
  if (widthOf(tokens, header) !== 1) return false
  if (body.every((row) => isBracketed(lineOf(tokens, row)))) return true
  if (weight < 1) return areNearlyAll(body, (row) => fits(tokens, row, width) && !hasQuotes(tokens, row))
  if (rows.some((row) => hasQuotes(tokens, row))) return false
  return body.every((row) => fits(tokens, row, width)) ? areHalves(tokens, body, width) : areLists(tokens, body)
}

/**
 * Whether lines cut at a delimiter of low weight are records. Equal widths prove nothing, nor does their number: a column of
 * flights or names has both. Proof is a quoted field on most lines, the same blank or mark before every delimiter, two columns
 * of figures or dates, or one in a wider table that has as many names above it.
 */
function areProven(tokens: Tokens, rows: readonly number[], width: number): boolean {
  const [header, ...body] = rows
  const fitting = body.filter((row) => fits(tokens, row, width))
  if (header === undefined || fitting.length === 0) return false
  if (fitting.filter((row) => hasQuotes(tokens, row)).length * 2 > fitting.length) return true
  if (fitting.length * 2 < body.length || isHeadedByOne(tokens) || areValues(tokens, body)) return false
  const delimiter = String.fromCharCode(tokens.layout.delimiter)
  const marks = rows.flatMap((row) => lineOf(tokens, row).split(delimiter).slice(0, -1)).map((piece) => piece.at(-1))
  if (delimiter !== ' ' && new Set(marks).size === 1 && /[ =~|+*#<-]/.test(marks[0] ?? '')) return true
  const measured = Array.from({ length: width }, (_, column) => column).filter((column) => {
    return areNearlyAll(fitting, (row) => isFigure(fieldValue(tokens, (tokens.firstFields[row] ?? 0) + column).trim()))
  }).length
  const isNamed = fits(tokens, header, width) && kindsOf(tokens, header).every((kind) => kind === 'text')
  if (width === 2 && delimiter === ' ') return measured === 2 && !areCodes(tokens, body)
  return measured >= (isNamed ? 1 : 2) && (width > 2 || isNamed)
}

/** A number, date or time, or nothing. Digits after a zero or a plus are part of a code. */
function isFigure(value: string): boolean {
  const kind = kindOf(value)
  return kind === 'empty' || kind === 'null' || (isMeasured(kind) && kind !== 'boolean' && !/^(?:\+|0\d)/.test(value))
}

/** At least this many digits make a code of constant form. */
const codeDigitsMin = 5

/** Lines of digits in one form, as of post codes. */
function areCodes(tokens: Tokens, body: readonly number[]): boolean {
  const forms = new Set(body.map((row) => lineOf(tokens, row).replaceAll(/\d/g, '0')))
  const [form = ''] = forms
  return forms.size === 1 && /^[0 ]+$/.test(form) && form.replaceAll(' ', '').length >= codeDigitsMin
}

/** In lines of a log, the colons of a time, and the comma before its milliseconds. */
const timesCut: Readonly<Record<string, RegExp>> = {
  ':': /(?<![\d:])\d{1,2}:[0-5]\d:[0-5]\d(?![\d:])|\d{4}-\d\d-\d\d[T ]\d\d:[0-5]\d(?![\d:])/,
  ',': /^\W?(?:\d{4}-\d\d-\d\d[T ])?\d\d:[0-5]\d:[0-5]\d,\d{3}[\])]? /,
}

/** True if the delimiter cuts a time on nearly every line, as in a log. */
export function cutsTimes({ tokens, width }: Candidate): boolean {
  const time = timesCut[String.fromCharCode(tokens.layout.delimiter)]
  if (width < 2 || time === undefined) return false
  const rows = firstRows(tokens)
  return rows.length > linesMin && areNearlyAll(rows, (row) => time.test(lineOf(tokens, row)))
}

/** At least half of the records have the same number of fields. */
export function isMostlyUniform({ tokens, width }: Candidate): boolean {
  const rows = firstRows(tokens)
  return rows.filter((row) => fits(tokens, row, width)).length * 2 >= rows.length
}

/** All records but a few have the same number of fields. */
export function isNearlyUniform({ tokens, width }: Candidate): boolean {
  return areNearlyAll(firstRows(tokens), (row) => fits(tokens, row, width))
}

/** The first record that is not blank has one field. */
export function isHeadedByOne(tokens: Tokens): boolean {
  const [header] = firstRows(tokens)
  return header !== undefined && widthOf(tokens, header) === 1
}

/** Most lines are one quoted value: the others are slips. */
export function isQuotedColumn({ tokens, width }: Candidate): boolean {
  const rows = firstRows(tokens)
  const isValue = (row: number) => fits(tokens, row, 1) && hasQuotes(tokens, row)
  const quoted = rows.filter(isValue).length
  const odd = rows.filter((row) => !fits(tokens, row, 1)).length
  return width === 1 && odd * 4 <= quoted
}

/** Lines with one value each, except for a footer or a slip. */
function areValues(tokens: Tokens, body: readonly number[]): boolean {
  const isCommon = weightOf(tokens.layout.delimiter) >= 1
  return areNearlyAll(body, (row) => isValue(lineOf(tokens, row), isCommon))
}

/**
 * Wholly one value of a type: an amount, date, address, path or telephone number; where a common delimiter cuts it, not a
 * number without a currency, nor a path.
 */
function isValue(line: string, isCutByCommon: boolean): boolean {
  const kind = kindOf(line)
  if (isCutByCommon)
    return (kind === 'number' && /\p{Sc}|[A-Z]{3}/u.test(line)) || kind === 'date' || kind === 'timestamp'
  return (isMeasured(kind) && kind !== 'boolean') || kind === 'address' || isPath(line) || isTelephone(line)
}

function isPath(line: string): boolean {
  return /^"?(?:[A-Za-z]:|\\)\\/.test(line)
}

/** Seven to fifteen digits in groups, the first of which begins with a zero, a plus or a bracket. */
function isTelephone(line: string): boolean {
  const digits = line.replaceAll(/\D/g, '').length
  return /^(?:\+|0|\(\+?)\d[\d ()/-]*$/.test(line) && digits >= 7 && digits <= 15
}

/** At most one in ten is odd, or a single one; most tables show more in their first lines. */
function areNearlyAll(rows: readonly number[], is: (row: number) => boolean): boolean {
  const oddMax = Math.max(rows.length / 10, rows.length >= oneOddMin ? 1 : 0)
  let odd = 0
  return rows.every((row) => {
    if (!is(row)) odd += 1
    return odd <= oddMax
  })
}

/** JSON and the like: text in brackets is one value. */
function isBracketed(line: string): boolean {
  return /^\{.*\}$|^\[.*\]$/.test(line)
}

const decimalComma = /^[^\d,]{0,4}\d[\d. '\u00a0\u202f\u2019]*,\d+[^\d,]{0,4}$/

/** The first records with a text. */
export function firstRows(tokens: Tokens): number[] {
  const rows: number[] = []
  for (let record = 0; record < recordCount(tokens) && rows.length < recordsMax; record += 1) {
    if (!isBlank(tokens, record) && hasText(tokens, record)) rows.push(record)
  }
  return rows
}

/** A decimal comma, with or without a currency, or delimiters followed by a blank between values of one kind. */
function areHalves(tokens: Tokens, body: readonly number[], width: number): boolean {
  if (width === 2 && body.every((row) => decimalComma.test(lineOf(tokens, row)))) return true
  return body.every((row) => hasBlanksWithin(tokens, row) && new Set(kindsOf(tokens, row)).size === 1)
}

/** Texts in lists of any length, such as `5 High Street, New York, NY` and `Berlin, Germany`. */
function areLists(tokens: Tokens, body: readonly number[]): boolean {
  return body.every((row) => hasBlanksWithin(tokens, row) && kindsOf(tokens, row).every((kind) => kind === 'text'))
}

/** Each delimiter on the line is followed by a blank. */
function hasBlanksWithin(tokens: Tokens, row: number): boolean {
  const [, ...pieces] = lineOf(tokens, row).split(String.fromCharCode(tokens.layout.delimiter))
  return pieces.every((piece) => piece.startsWith(' '))
}

/** Most lines do not begin with a blank, and need no copy. */
function hasText(tokens: Tokens, row: number): boolean {
  const code = tokens.text.charCodeAt(tokens.recordStarts[row] ?? 0)
  return (code > 0x20 && code < 0x7f) || lineOf(tokens, row) !== ''
}

function lineOf({ text, recordStarts, recordEnds }: Tokens, row: number): string {
  return text.slice(recordStarts[row], recordEnds[row]).trim()
}

function kindsOf(tokens: Tokens, row: number): Kind[] {
  return recordValues(tokens, row).map(kindOf)
}
