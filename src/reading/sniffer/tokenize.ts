// Tokenize: splits text into records and fields under one assumed layout, tolerating broken ones. Does not know which layout is right.

import { writeCodeUnits } from '../bytes/platform-bytes.ts'
import { OffsetList } from './offset-list.ts'

/** An assumed arrangement of characters. Codes are UTF-16 code units. */
export interface Layout {
  readonly delimiter: number
  /** `none` if no field is quoted. */
  readonly quote: number | 'none'
  /**
   * What marks a quote inside a quoted field as content: a second quote, or the character with this code before it.
   * With `nothing` a quote closes the field only before a delimiter or line end.
   */
  readonly escape: 'doubled' | 'nothing' | number
  /** The escape was declared, and counts outside quotes, too. */
  readonly isEscapeDeclared?: boolean
  /** Quotes may be doubled beside an escape. */
  readonly doublesToo?: boolean
  readonly skipInitialSpace: boolean
  /** As declared; `''` for none, absent for `#`, if lines look like comments. */
  readonly comment?: string
  /** `crlf`: an LF alone is text. */
  readonly lineEnd: 'lf' | 'cr' | 'crlf'
}

/** Text split into records and fields, stored as offsets: field values are made only when they are read. */
export interface Tokens {
  readonly text: string
  readonly layout: Layout
  readonly recordStarts: Uint32Array
  /** Without the line end. */
  readonly recordEnds: Uint32Array
  /** Index of a record's first field; one entry more than there are records. */
  readonly firstFields: Uint32Array
  readonly fieldStarts: Uint32Array
  readonly fieldEnds: Uint32Array
  /** Records with an unclosed quote or text after a closing one. They end with the line on which that field begins. */
  readonly broken: ReadonlySet<number>
  /** The first of them whose quote is not closed before the end of the text; null if there is none. */
  readonly unclosed: number | null
  /** Offset after the last record's line end. */
  readonly end: number
}

const lf = 0x0a
const cr = 0x0d
const space = 0x20
const tab = 0x09

const none: ReadonlySet<number> = new Set()

/** Memory for offsets, shared by all texts, one after the other; something is left only of one not split to its end. */
const gathered = {
  recordStarts: new OffsetList(),
  recordEnds: new OffsetList(),
  firstFields: new OffsetList(),
  fieldStarts: new OffsetList(),
  fieldEnds: new OffsetList(),
}

/**
 * Splits `text` into records. The last one is left out if `isCut` says that the text continues, unless it is the only
 * one.
 *
 * Work is linear in the length of the text, whatever its content: unclosed quotes are charged to a budget, and when
 * that is used up, the records found so far are the result.
 *
 * @param strays Positions of quotes that open no field: their records are broken.
 */
export function tokenize(text: string, layout: Layout, isCut: boolean, strays: ReadonlySet<number> = none): Tokens {
  const { delimiter, quote, skipInitialSpace } = layout
  const lineEnd = layout.lineEnd === 'cr' ? cr : lf
  const isExact = layout.lineEnd === 'crlf' || escapeOutside(layout) !== null
  const { recordStarts, recordEnds, firstFields, fieldStarts, fieldEnds } = gathered
  for (const list of Object.values(gathered)) list.length = 0
  const broken = new Set<number>()
  let unclosed: number | null = null
  const length = text.length
  const codes = codesOf(text)
  codes[length] = lineEnd // ends the last field, so that no character has to be asked whether it is the last
  let [at, isLastWhole, retryBudget] = [0, true, 8 * length]
  while (at < length && retryBudget >= 0) {
    recordStarts.push(at)
    firstFields.push(fieldStarts.length)
    for (;;) {
      if (skipInitialSpace) at = afterSkipped(text, at, delimiter)
      const fieldStart = at
      let code = codes[at] as number
      if (code === quote) {
        at = strays.has(fieldStart) ? -fieldStart : quotedFieldEnd(text, at, layout, lineEnd)
        if (at < 0 || at === fieldStart) {
          retryBudget -= -at - fieldStart
          broken.add(recordStarts.length - 1)
          if (-at >= length) unclosed ??= recordStarts.length - 1
          at = isExact ? plainEnd(codes, fieldStart, layout, length, true) : lineEndAt(text, fieldStart, lineEnd)
        }
        code = codes[at] as number
      } else if (isExact) {
        at = plainEnd(codes, at, layout, length, false)
        code = codes[at] as number
      } else {
        while (code !== delimiter && code !== lineEnd) code = codes[++at] as number
      }
      fieldStarts.push(fieldStart)
      if (at < length && code === delimiter) {
        fieldEnds.push(at)
        at += 1
        continue
      }
      const isCrLf = lineEnd === lf && code === lf && at < length && at > fieldStart && codes[at - 1] === cr
      // A quoted field ends at the CR of its CRLF, an unquoted one at the LF.
      const end = isCrLf ? at - 1 : at
      fieldEnds.push(end)
      recordEnds.push(end)
      isLastWhole = at < length
      at += code === cr && lineEnd === lf ? 2 : 1
      break
    }
  }
  if (isCut && !isLastWhole && recordStarts.length > 1) {
    at = dropLastRecord()
    broken.delete(recordStarts.length)
    if (unclosed === recordStarts.length) unclosed = null
  }
  firstFields.push(fieldStarts.length)
  giveBack(codes)
  return {
    text,
    layout,
    recordStarts: recordStarts.take(),
    recordEnds: recordEnds.take(),
    firstFields: firstFields.take(),
    fieldStarts: fieldStarts.take(),
    fieldEnds: fieldEnds.take(),
    broken,
    unclosed,
    end: Math.min(at, length),
  }
}

/** The characters on which layouts are tried, and one more. */
const keptCodes = new Uint16Array(65_537)

/** The code units of a text in an array, which is read in a fraction of the time that a string takes, and one more. */
function codesOf(text: string): Uint16Array<ArrayBuffer> {
  const codes = text.length < keptCodes.length ? keptCodes : new Uint16Array(text.length + 1)
  writeCodeUnits(text, codes)
  return codes
}

/** Releases the memory immediately: these two megabytes alone would make the collector run more often. */
function giveBack(codes: Uint16Array<ArrayBuffer>): void {
  if (codes !== keptCodes) codes.buffer.transfer(0)
}

/** Removes the last record. @returns Where it begins. */
function dropLastRecord(): number {
  const { recordStarts, recordEnds, firstFields, fieldStarts, fieldEnds } = gathered
  const first = firstFields.pop() ?? 0
  fieldStarts.length = first
  fieldEnds.length = first
  recordEnds.pop()
  return recordStarts.pop() ?? 0
}

/**
 * Where the quoted field that opens at `at` ends: at a delimiter, a line end (or its CR) or the end of the text. If it
 * is not closed properly, the offset at which that showed, negated.
 */
function quotedFieldEnd(text: string, at: number, layout: Layout, lineEnd: number): number {
  const quote = text.charAt(at)
  let close = at
  for (;;) {
    close = text.indexOf(quote, close + 1)
    if (close < 0) return -Math.max(text.length, 1)
    if (typeof layout.escape === 'number' && isEscaped(text, close, at, layout.escape)) continue
    let after = close + 1
    if ((layout.escape === 'doubled' || layout.doublesToo) && text.charAt(after) === quote) {
      close = after
      continue
    }
    after = afterBlanks(text, after, layout.delimiter)
    const code = text.charCodeAt(after)
    const isEnd =
      after >= text.length ||
      code === layout.delimiter ||
      (code === lineEnd && layout.lineEnd !== 'crlf') ||
      (code === cr && text.charCodeAt(after + 1) === lf)
    if (isEnd) return after
    if (layout.escape !== 'nothing') return -Math.max(after, 1)
  }
}

/** The character that escapes others outside quotes; null if none does. */
function escapeOutside({ escape: mark, isEscapeDeclared }: Layout): number | null {
  return isEscapeDeclared && typeof mark === 'number' ? mark : null
}

/** End of an unquoted field, or of its line, where what ends it is declared; as in record-rules.ts. */
function plainEnd(codes: Uint16Array, from: number, layout: Layout, length: number, isLine: boolean): number {
  const mark = escapeOutside(layout)
  const endCode = layout.lineEnd === 'cr' ? cr : lf
  for (let at = from; at < length; at += 1) {
    const code = codes[at]
    if (code === layout.delimiter && !isLine) return at
    if (code === mark) at += codes[at + 1] === cr && codes[at + 2] === lf && endCode === lf ? 2 : 1
    else if (code === endCode && (layout.lineEnd !== 'crlf' || at + 1 === length || (at > 0 && codes[at - 1] === cr)))
      return at
  }
  return length
}

/** After blanks before a field; several are one if a blank delimits. */
function afterSkipped(text: string, from: number, delimiter: number): number {
  let at = from
  while (text.charCodeAt(at) === space || (text.charCodeAt(at) === tab && delimiter !== tab)) at += 1
  return at
}

/** Blanks are space and tab, unless they delimit. */
function afterBlanks(text: string, from: number, delimiter: number): number {
  let at = from
  for (let code = text.charCodeAt(at); (code === space || code === tab) && code !== delimiter; ) {
    at += 1
    code = text.charCodeAt(at)
  }
  return at
}

/** True if an odd number of escapes precedes `at`, none of them at or before `from`. */
function isEscaped(text: string, at: number, from: number, escapeCode: number): boolean {
  let first = at
  while (first - 1 > from && text.charCodeAt(first - 1) === escapeCode) first -= 1
  return (at - first) % 2 === 1
}

function lineEndAt(text: string, from: number, lineEnd: number): number {
  const found = text.indexOf(lineEnd === cr ? '\r' : '\n', from)
  return found < 0 ? text.length : found
}

/** Number of records. */
export function recordCount(tokens: Tokens): number {
  return tokens.recordStarts.length
}

/** Fields of a record, at least 1. */
export function widthOf(tokens: Tokens, record: number): number {
  return (tokens.firstFields[record + 1] ?? 0) - (tokens.firstFields[record] ?? 0)
}

/** True if a record is complete and has this many fields. */
export function fits(tokens: Tokens, record: number, width: number): boolean {
  return widthOf(tokens, record) === width && !tokens.broken.has(record)
}

/** A record as it is written, without its line end. */
export function lineText({ text, recordStarts, recordEnds }: Tokens, record: number): string {
  return text.slice(recordStarts[record], recordEnds[record])
}

/** Indices of the fields of a record. */
export function fieldsOf({ firstFields }: Tokens, record: number): readonly number[] {
  const [first = 0, last = first] = firstFields.subarray(record, record + 2)
  return Array.from({ length: last - first }, (_, at) => first + at)
}

/** A field as it is written, with its quotes. */
export function rawField({ text, fieldStarts, fieldEnds }: Tokens, field: number): string {
  return text.slice(fieldStarts[field], fieldEnds[field])
}

/** An empty line. */
export function isBlank(tokens: Tokens, record: number): boolean {
  return tokens.recordStarts[record] === tokens.recordEnds[record]
}

/** True if the first `count` records that are not blank have this many fields. */
export function isWhole(tokens: Tokens, count: number, width: number): boolean {
  let left = count
  for (let record = 0; record < recordCount(tokens) && left > 0; record += 1) {
    if (isBlank(tokens, record)) continue
    if (!fits(tokens, record, width)) return false
    left -= 1
  }
  return true
}

/** True if the field is quoted. */
export function isQuoted(tokens: Tokens, field: number): boolean {
  return tokens.text.charCodeAt(tokens.fieldStarts[field] ?? 0) === tokens.layout.quote
}

/** True if a field of the record is quoted. */
export function hasQuotes(tokens: Tokens, record: number): boolean {
  return fieldsOf(tokens, record).some((field) => isQuoted(tokens, field))
}

/** True if a quoted field contains a quote. */
export function hasInnerQuote(tokens: Tokens, field: number): boolean {
  const raw = rawField(tokens, field)
  return raw.slice(1, -1).includes(raw.charAt(0))
}

/** The value of one field: without quotes, escapes undone. */
export function fieldValue(tokens: Tokens, field: number): string {
  const raw = rawField(tokens, field)
  const outside = escapeOutside(tokens.layout)
  if (!isQuoted(tokens, field) || raw.length === 0)
    return outside === null ? raw : unescaped(raw, tokens.layout, outside)
  const quote = raw.charAt(0)
  const close = raw.lastIndexOf(quote)
  if (close === 0) return raw
  const inner = raw.slice(1, close)
  const mark = tokens.layout.escape
  if (outside !== null) return unescaped(inner, tokens.layout, outside)
  if (mark === 'nothing') return inner
  return inner.replaceAll((mark === 'doubled' ? quote : String.fromCharCode(mark)) + quote, quote)
}

/** The text without a declared escape before characters that it escapes. */
function unescaped(text: string, { delimiter, quote, doublesToo }: Layout, mark: number): string {
  const special = [delimiter, quote, mark, cr, lf]
  let value = ''
  for (let at = 0; at < text.length; at += 1) {
    const [code, next] = [text.charCodeAt(at), text.charCodeAt(at + 1)]
    const isPair = code === mark ? special.includes(next) : doublesToo === true && code === quote && next === quote
    if (isPair) at += 1
    value += text.charAt(at)
  }
  return value
}

/** The values of one record. */
export function recordValues(tokens: Tokens, record: number): string[] {
  const values: string[] = []
  const last = tokens.firstFields[record + 1] ?? 0
  for (let field = tokens.firstFields[record] ?? 0; field < last; field += 1) values.push(fieldValue(tokens, field))
  return values
}
