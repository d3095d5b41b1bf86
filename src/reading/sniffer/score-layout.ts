// Score layout: rates how much a text looks like a table under one layout. Knows nothing of other layouts.

import { isFrame } from './drawn-lines.ts'
import {
  fieldsOf,
  fieldValue,
  fits,
  isBlank,
  isQuoted,
  recordCount,
  recordValues,
  type Tokens,
  widthOf,
} from './tokenize.ts'
import { isMeasured, isPlainNumber, kindOf } from './value-kind.ts'

/** The result of reading a text under one layout. */
export interface Candidate {
  readonly tokens: Tokens
  /** Number of fields in most records. */
  readonly width: number
  /** 0 … 1; comparable only within one text. */
  readonly score: number
}

/** Control characters that programs use as delimiters: Hive, Concordance, and the separators of ASCII. */
const separators = '\u0001\u0014\u001c\u001d\u001e\u001f'
/** All but NUL, tab and characters that end lines or pages. */
const controls = Array.from({ length: 0x1f }, (_, at) => String.fromCharCode(at + 1))
  .filter((one) => !/\s/.test(one))
  .join('')

/**
 * Prior belief that a character is a delimiter: programs write comma, semicolon, tab and bar, and control characters
 * occur in values only in damaged files; the others also occur in ordinary text and values. Beyond ASCII: first characters
 * chosen because they do not occur in values, then the commas and bars of other scripts. The last weight of one counts.
 */
const weighted: readonly (readonly [weight: number, delimiters: string])[] = [
  [1, ',;\t|'],
  [0.7, `${controls}^~`],
  [1, separators],
  [0.6, ' '],
  [0.5, '#*'],
  [0.4, ':=&!'],
  [0.3, '@%$?+`<>\\'],
  [0.9, '§¦¬¤¶│｜'],
  [0.4, '؛،、，；·•'],
]

export const delimiterWeights: Readonly<Record<string, number>> = Object.fromEntries(
  weighted.flatMap(([weight, delimiters]) => Array.from(delimiters, (delimiter) => [delimiter, weight])),
)

/** Quotes fields in few files, and occurs in the text of many. */
export const apostrophe = 0x27
const recordsScoredMax = 100
const fieldsScoredMax = 1500

/**
 * Scores the text under one layout: the share of records of the same width, times how clean their values look, times
 * a factor for the width.
 */
export function score(all: Tokens): Candidate {
  const width = usualWidth(all)
  const tokens = withoutSurplus(all, width)
  const uniform = uniformity(tokens, width)
  const clean = cleanness(tokens, width)
  const quoteWeight = tokens.layout.quote !== apostrophe ? 1 : tokens.text.includes('"') ? 0.9 : 0.98
  const columns =
    width === 1 ? 0.2 : ((width - 1) / width) * (delimiterWeights[String.fromCharCode(tokens.layout.delimiter)] ?? 1)
  return { tokens, width, score: uniform * uniform * clean * columns * quoteWeight }
}

/**
 * Number of fields of most unbroken records; the first such width if several are equally frequent. If most records have
 * only one, or two or three but much less of the file, the width of a table at the end of the text: titles and remarks
 * above a small table may outnumber its records. Records before `from` do not count.
 */
export function usualWidth(tokens: Tokens, from = 0): number {
  const counts = new Map<number, number>()
  /** By width: the fields up to the last that is not empty, in the record that has most of them. */
  const filled = new Map<number, number>()
  for (let record = from; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record) || tokens.broken.has(record)) continue
    if (widthOf(tokens, record) === 1 && (isCommentLike(tokens, record) || isRule(tokens, record))) continue
    const width = widthOf(tokens, record)
    if (filled.get(width) !== width) {
      const most = filledWidth(tokens, record)
      // Records without a value count only where all are.
      if (most === 0 && (filled.size > 0 || record + 1 < recordCount(tokens))) continue
      filled.set(width, Math.max(filled.get(width) ?? 0, most))
    }
    counts.set(width, (counts.get(width) ?? 0) + 1)
  }
  countSurplus(counts, filled)
  let usual = 1
  let most = 0
  for (const [width, count] of counts) {
    // Of tables with equally many records, the widest by far has most of the file.
    if (count > most || (count === most && width > usual * widerMin)) {
      usual = width
      most = count
    }
  }
  const end = usual <= keyWidthMax ? tableAtEnd(tokens) : null
  if (usual === 1) return end?.width ?? typedTableAtEnd(tokens) ?? 1
  // Names and values above a table, such as those of an account, have less of the file than the table.
  if (end !== null && end.width * end.records > usual * most * 2) return end.width
  return hasRowNameAlone(tokens, from, counts, usual) ? usual + 1 : usual
}

/**
 * Counts records whose last fields are all empty with narrower ones that have the rest: spreadsheets write the width of a
 * block of rows.
 */
function countSurplus(counts: Map<number, number>, filled: ReadonlyMap<number, number>): void {
  const widths = [...counts.keys()].sort((a, b) => b - a)
  for (const width of widths) {
    const most = filled.get(width) ?? width
    const narrower = widths.findLast((one) => one < width && one >= most && filled.get(one) === one)
    // A single narrower record may be the header: the columns beyond it may have values further down.
    if (narrower === undefined || narrower < 2 || (counts.get(narrower) ?? 0) < 2) continue
    counts.set(narrower, (counts.get(narrower) ?? 0) + (counts.get(width) ?? 0))
    counts.delete(width)
  }
}

function filledWidth({ firstFields, fieldStarts, fieldEnds }: Tokens, record: number): number {
  const first = firstFields[record] ?? 0
  let field = (firstFields[record + 1] ?? 0) - 1
  while (field >= first && fieldStarts[field] === fieldEnds[field]) field -= 1
  return field + 1 - first
}

/** The share of the fields of its widest record that records have, up to their last value; 0 if most have one field only. */
export function raggedShare(tokens: Tokens): number {
  const filled = Array.from(tokens.recordStarts.keys())
    .filter((record) => !isBlank(tokens, record) && !isCommentLike(tokens, record) && !tokens.broken.has(record))
    .map((record) => filledWidth(tokens, record))
  if (filled.filter((width) => width > 1).length * 2 < filled.length) return 0
  const greatest = filled.reduce((most, width) => Math.max(most, width), 1)
  return filled.reduce((sum, width) => sum + width, 0) / (greatest * filled.length)
}

/** The records without empty fields beyond the width, which the scanner drops, too. */
export function withoutSurplus(tokens: Tokens, width: number): Tokens {
  const isSurplus = (record: number) => widthOf(tokens, record) > width && filledWidth(tokens, record) <= width
  let hasSurplus = false
  for (let record = 0; record < recordCount(tokens) && !hasSurplus; record += 1) hasSurplus = isSurplus(record)
  if (width < 2 || !hasSurplus) return tokens
  const fields = { starts: [] as number[], ends: [] as number[] }
  const firstFields = [0]
  for (let record = 0; record < recordCount(tokens); record += 1) {
    const first = tokens.firstFields[record] ?? 0
    const last = isSurplus(record) && !tokens.broken.has(record) ? first + width : tokens.firstFields[record + 1]
    fields.starts.push(...tokens.fieldStarts.subarray(first, last))
    fields.ends.push(...tokens.fieldEnds.subarray(first, last))
    firstFields.push(fields.starts.length)
  }
  return {
    ...tokens,
    firstFields: Uint32Array.from(firstFields),
    fieldStarts: Uint32Array.from(fields.starts),
    fieldEnds: Uint32Array.from(fields.ends),
  }
}

/** A header as R writes it, one name short, above a single record. */
function hasRowNameAlone(tokens: Tokens, from: number, counts: ReadonlyMap<number, number>, width: number): boolean {
  if (counts.size !== 2 || counts.get(width) !== 1 || counts.get(width + 1) !== 1) return false
  const rows = Array.from({ length: recordCount(tokens) - from }, (_, at) => from + at).filter(
    (one) => !isBlank(tokens, one),
  )
  const [header, only] = rows
  if (rows.length !== 2 || header === undefined || only === undefined || widthOf(tokens, header) !== width) return false
  const first = tokens.firstFields[only] ?? 0
  const isRowName = isQuoted(tokens, first) || kindOf(fieldValue(tokens, first)) === 'text'
  return isRowName && fieldsOf(tokens, header).every((field) => kindOf(fieldValue(tokens, field)) === 'text')
}

/** More titles than these are above a table only if a column of it has a type. */
const titlesMax = 20
const widerMin = 4

/** A name, a value, and perhaps a unit or a delimiter too many. */
const keyWidthMax = 3

/**
 * The last records, if their fields are at least three and equally many, and everything above has fewer; null without
 * such a table.
 */
function tableAtEnd(tokens: Tokens): { readonly width: number; readonly records: number } | null {
  let record = recordCount(tokens) - 1
  while (record >= 0 && isBlank(tokens, record)) record -= 1
  const width = record < 0 ? 0 : widthOf(tokens, record)
  if (width < 3) return null
  let records = 0
  for (; record >= 0 && fits(tokens, record, width); record -= 1) records += 1
  // A blank line above counts as much as two more records.
  if (record < 0 || records < (isBlank(tokens, record) ? 2 : 4)) return null
  let titles = 0
  const first = record + 1
  for (; record >= 0; record -= 1) {
    if (isBlank(tokens, record)) continue
    titles += 1
    if (widthOf(tokens, record) >= width) return null
  }
  return titles <= titlesMax || holdsTypes(tokens, first + 1, width) ? { width, records } : null
}

/** Records below names that show the types of a table. */
const typedRecordsMin = 2

/**
 * The width of the last records if the first of them has names, a column of the others has a type, and everything above is one
 * text without it; null without such a table. Only of delimiters that programs write, without blanks after them.
 */
export function typedTableAtEnd(tokens: Tokens): number | null {
  const { text, layout, recordStarts, recordEnds } = tokens
  let record = recordCount(tokens) - 1
  while (record >= 0 && isBlank(tokens, record)) record -= 1
  const width = record < 0 ? 0 : widthOf(tokens, record)
  const delimiter = String.fromCharCode(layout.delimiter)
  if (width < 2 || delimiterWeights[delimiter] !== 1) return null
  const last = record
  const lineOf = (at: number) => text.slice(recordStarts[at], recordEnds[at])
  while (record >= 0 && fits(tokens, record, width) && !lineOf(record).includes(`${delimiter} `)) record -= 1
  const names = record + 1
  if (record < 0 || last - names < typedRecordsMin || !holdsTypes(tokens, names + 1, width)) return null
  const kinds = recordValues(tokens, names).map(kindOf)
  for (; record >= 0; record -= 1) if (widthOf(tokens, record) > 1 || kindOf(lineOf(record)) === 'number') return null
  return kinds.every((kind) => kind === 'text') ? width : null
}

/** True if a column has numbers or the like in every record from one on. */
function holdsTypes(tokens: Tokens, from: number, width: number): boolean {
  const records = Array.from({ length: recordCount(tokens) - from }, (_, at) => from + at)
  const isTyped = (column: number) =>
    records.every((record) => {
      return (
        isBlank(tokens, record) || isMeasured(kindOf(fieldValue(tokens, (tokens.firstFields[record] ?? 0) + column)))
      )
    })
  return records.length > 0 && Array.from({ length: width }, (_, column) => column).some(isTyped)
}

/** A record that begins with the declared character or `#`, unless that is the delimiter. */
export function isCommentLike({ text, recordStarts, layout }: Tokens, record: number): boolean {
  return text[recordStarts[record] ?? 0] === (layout.comment ?? '#') && layout.delimiter !== 0x23
}

function isRule({ text, recordStarts, recordEnds }: Tokens, record: number): boolean {
  return isFrame(text.slice(recordStarts[record], recordEnds[record]))
}

/**
 * Share of records that are complete and of the usual width. Records before the first such one may be titles: their
 * presence counts against the layout, their number hardly.
 */
function uniformity(tokens: Tokens, width: number): number {
  let fitting = 0
  let others = 0
  let hasTitles = false
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record)) continue
    if (fits(tokens, record, width)) fitting += 1
    else if (isCommentLike(tokens, record) || isRule(tokens, record)) others += 0.1
    else if (fitting === 0) {
      others += 0.1
      hasTitles = true
    } else others += 1
  }
  return fitting === 0 ? 0 : (fitting / (fitting + others)) * (hasTitles ? 0.85 : 1)
}

/** Mean of how much the values look like values rather than pieces of values. */
function cleanness(tokens: Tokens, width: number): number {
  let sum = 0
  let count = 0
  const records = recordCount(tokens)
  const step = Math.max(1, Math.floor(records / recordsScoredMax))
  for (let record = 0; record < records && count < fieldsScoredMax; record += step) {
    if (isBlank(tokens, record) || !fits(tokens, record, width)) continue
    const first = tokens.firstFields[record] ?? 0
    for (let field = first; field < first + width && count < fieldsScoredMax; field += 1) {
      sum += fieldCleanness(tokens, field)
      count += 1
    }
  }
  return count === 0 ? 0 : sum / count
}

const plainWords = /^[\p{L}\p{M}\p{N} _.'’()&/+-]+$/u
/** Marks that values rarely contain; comma, semicolon and bar do occur in prose, with a blank after them. */
const foreignMarks = /[;|](?! |$)|[\t"]/
const inApostrophes = /^ *'.*' *$/
const joinedByComma = /,(?! |$)/

/** Those of `plainWords` in ASCII, except the apostrophe. */
const plainCodes = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9 _.()&/+-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

function isOfPlainCodes(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) if (plainCodes[value.charCodeAt(at)] !== 1) return false
  return true
}

function fieldCleanness(tokens: Tokens, field: number): number {
  if (isQuoted(tokens, field)) return 1
  if (isPlainNumber(tokens.text, tokens.fieldStarts[field] ?? 0, tokens.fieldEnds[field] ?? 0)) return 1
  const value = fieldValue(tokens, field)
  const kind = kindOf(value)
  if (kind === 'empty') return 0.5
  if (kind === 'null') return 0.9
  if (isMeasured(kind) || kind === 'address') return 1
  if (isOfPlainCodes(value)) return 0.8
  if (foreignMarks.test(value)) return 0.1
  if (joinedByComma.test(value) || inApostrophes.test(value)) return 0.3
  if (plainWords.test(value)) return 0.8
  return 0.5
}
