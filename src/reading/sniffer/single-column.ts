// Single column: distinguishes lines with one value, which a delimiter would split, from a table of columns. Knows one reading of a text.
import { type Candidate, delimiterWeights } from './score-layout.ts'
import { fieldValue, fits, hasQuotes, isBlank, recordCount, type Tokens, widthOf } from './tokenize.ts'
import { type Kind, kindOf } from './value-kind.ts'

const recordsMax = 200
/** Fewer lines prove nothing. */
const linesMin = 2
/** With this many lines, a single odd one is a slip. */
const oneOddMin = 5

/**
 * True if a delimiter is more likely part of the values of one column: either a header of one field precedes lines that
 * would all be split, and the pieces are alike, as in decimals, `Lovelace, Ada` and words; or all lines are two words.
 */
export function isOneColumn({ tokens, width }: Candidate): boolean {
  const delimiter = String.fromCharCode(tokens.layout.delimiter)
  const isUnusual = (delimiterWeights[delimiter] ?? 1) < 1
  if (width < 2 || !(isUnusual || ',;|'.includes(delimiter))) return false
  const rows = firstRows(tokens)
  const header = rows[0]
  const body = rows.slice(1)
  if (header === undefined || body.length < linesMin || tokens.broken.has(header)) return false
  if ((isUnusual || delimiter === ',') && areValues(tokens, body, isUnusual)) return true
  if (widthOf(tokens, header) !== 1 && delimiter !== ' ') return false
  const isBelowOne = isHeadedByOne(tokens)
  if (isBelowOne && body.every((row) => isBracketed(lineOf(tokens, row)))) return true
  if (isBelowOne && isUnusual && areNearlyAll(tokens, body, width)) return true
  if (rows.some((row) => hasQuotes(tokens, row))) return false
  if (!body.every((row) => fits(tokens, row, width))) return isBelowOne && !isUnusual && areLists(tokens, body)
  if (isBelowOne) return areHalves(tokens, body, width)
  return delimiter === ' ' && width === 2 && fits(tokens, header, width) && rows.every((row) => areWords(tokens, row))
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
  const odd = rows.filter((row) => !time.test(lineOf(tokens, row))).length
  return rows.length > linesMin && isFewOf(odd, rows)
}

/** All records but a few have the same number of fields. */
export function isNearlyUniform({ tokens, width }: Candidate): boolean {
  const rows = firstRows(tokens)
  return isFewOf(rows.filter((row) => !fits(tokens, row, width)).length, rows)
}

/** The first record that is not blank has one field. */
export function isHeadedByOne(tokens: Tokens): boolean {
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (!isBlank(tokens, record)) return widthOf(tokens, record) === 1
  }
  return false
}

/** Lines without quotes that are all split alike, except for a footer or a slip. */
function areNearlyAll(tokens: Tokens, body: readonly number[], width: number): boolean {
  const odd = body.filter((row) => !fits(tokens, row, width) || hasQuotes(tokens, row)).length
  return isFewOf(odd, body)
}

/** Most lines are one quoted value: the others are slips. */
export function isQuotedColumn({ tokens, width }: Candidate): boolean {
  const rows = firstRows(tokens)
  const isValue = (row: number) => fits(tokens, row, 1) && hasQuotes(tokens, row)
  const quoted = rows.filter(isValue).length
  const odd = rows.filter((row) => !fits(tokens, row, 1)).length
  return width === 1 && odd * 4 <= quoted
}

/** Lines with one value each, except for a footer or a slip: an amount or, unless the delimiter is a comma, a place. */
function areValues(tokens: Tokens, body: readonly number[], mayBePlaces: boolean): boolean {
  let odd = 0
  for (const row of body) {
    const line = lineOf(tokens, row)
    if (isAmount(line) || (mayBePlaces && isPlace(line))) continue
    odd += 1
    if (!isFewOf(odd, body)) return false
  }
  return true
}

/** A Windows path, a URL, an address of a network card, or a telephone number. */
function isPlace(line: string): boolean {
  const isPathOrPhone = /^"?(?:[A-Za-z]:|\\)\\|^\+\d{1,3} \d[\d ()/-]{4,}$/.test(line)
  return isPathOrPhone || kindOf(line) === 'address'
}

/** An amount with a currency, with or without thousands. */
function isAmount(line: string): boolean {
  return /^-?\p{Sc} ?-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/u.test(line)
}

function isFewOf(odd: number, body: readonly number[]): boolean {
  return odd * 10 <= body.length || (odd === 1 && body.length >= oneOddMin)
}

/** JSON and the like: text in brackets is one value. */
function isBracketed(line: string): boolean {
  return /^\{.*\}$|^\[.*\]$/.test(line)
}

const decimalComma = /^[^\d,]{0,4}\d[\d. '\u00a0\u202f\u2019]*,\d+[^\d,]{0,4}$/

function firstRows(tokens: Tokens): number[] {
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

/** Words, and the delimiter. */
function areWords(tokens: Tokens, row: number): boolean {
  const line = lineOf(tokens, row).replaceAll(String.fromCharCode(tokens.layout.delimiter), ' ')
  return kindsOf(tokens, row).every((kind) => kind === 'text') && /^[\p{L}\p{M}.'’ -]+$/u.test(line)
}

function fieldsOf(tokens: Tokens, row: number): number[] {
  const first = tokens.firstFields[row] ?? 0
  return Array.from({ length: widthOf(tokens, row) }, (_, at) => first + at)
}

function kindsOf(tokens: Tokens, row: number): Kind[] {
  return fieldsOf(tokens, row).map((field) => kindOf(fieldValue(tokens, field)))
}
