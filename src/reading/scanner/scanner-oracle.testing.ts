// Scanner oracle: the definition in record-rules.ts implemented as plainly as possible, for tests to compare with the real
// scanner. It keeps the whole input and reads it byte by byte.
import {
  contentEndOf,
  escapedAt,
  escapeLength,
  hasNoValue,
  latin1,
  lineAfter,
  withLineEnd,
  withoutSurplus,
  written,
} from './oracle-lines.testing.ts'
import {
  type EndedReading,
  type Field,
  nothingYet,
  type OracleRange,
  type OracleStep,
  type Reading,
  type Repair,
  type Task,
} from './oracle-reading.testing.ts'
import { rewrittenFromOtherEscape } from './other-escape-oracle.testing.ts'
import { type LookAhead, lookAhead } from './record-rules.ts'
import { lineEndsIn, linesLikeRecords } from './runaway-oracle.testing.ts'
import type { IgnoredRange, RunawayValue, ScannedReject, Scanner, ScanOptions, ScanResult } from './scanner.ts'
import { wantedOf } from './shown-reject.ts'
import { firstBadByte } from './utf8-oracle.testing.ts'

const LF = 10
const CR = 13
const blanks = [32, 9]

/** Makes a scanner that consumes everything at its end, and then reports the outcome of every byte. */
export function createOracleScanner(
  options: ScanOptions,
  ahead: LookAhead = lookAhead,
): Scanner & { readonly ranges: readonly OracleRange[] } {
  const chunks: Uint8Array[] = []
  const ranges: OracleRange[] = []
  const excluded = new Set<number>()
  return {
    ranges,
    exclude(ordinals) {
      for (const ordinal of ordinals) excluded.add(ordinal)
    },
    push(chunk) {
      chunks.push(Uint8Array.from(chunk))
      return nothingYet(options)
    },
    end: () => scanWhole(Buffer.concat(chunks), { options, ahead, excluded }, ranges),
  }
}

function scanWhole(input: Uint8Array, { options, ahead, excluded }: Task, ranges: OracleRange[]): ScanResult {
  const lineEnd = options.lineEnd === 'cr' ? CR : LF
  const bytes = withLineEnd(input, options)
  const reader = new RecordReader(bytes, options, ahead)

  let accepted = 0
  const pieces: Uint8Array[] = []
  const rejects: ScannedReject[] = []
  const repairedLines: number[] = []
  const otherEscapeLines: number[] = []
  const runaways: RunawayValue[] = []
  const ignored: IgnoredRange[] = []
  let readable = 0
  let record = options.start.records
  let line = options.start.lines
  for (let start = 0; start < bytes.length; ) {
    record++
    const found = reader.consume(start)
    if (found.runaway !== undefined) runaways.push({ line: line + 1, ...found.runaway })
    if (found.kind === 'accepted') readable++
    const consumed: OracleStep =
      found.kind === 'accepted' && excluded.has(readable)
        ? { kind: 'rejected', end: found.end, reason: 'constraint', column: null, at: readable }
        : found
    const place = { line: line + 1, byteOffset: options.start.byteOffset + start }
    const endOffset = options.start.byteOffset + Math.min(consumed.end, input.length)
    const { kind } = consumed
    if (kind === 'blank' || kind === 'skipped') ignored.push({ kind, ...place, endOffset, count: 1, readable })
    if (consumed.kind === 'accepted') {
      accepted++
      pieces.push(consumed.bytes)
      if (consumed.isRepaired) repairedLines.push(line + 1)
      if (consumed.isOtherwise) otherEscapeLines.push(line + 1)
    }
    if (consumed.kind === 'rejected') {
      const byteLength = reader.contentEnd(start, consumed.end) - start
      const { at, column, reason } = consumed
      const counted = { too_few_fields: at, too_many_fields: at, record_too_long: byteLength, constraint: at }
      const detail = Object.hasOwn(counted, reason)
        ? counted[reason as keyof typeof counted]
        : options.start.byteOffset + consumed.at
      rejects.push({
        record,
        ...place,
        byteLength,
        column,
        reason,
        detail,
        wanted: wantedOf(reason, options),
        endOffset,
      })
    }
    ranges.push({ kind: consumed.kind, from: start, to: Math.min(consumed.end, input.length) })
    line += bytes.subarray(start, consumed.end).filter((byte) => byte === lineEnd).length
    start = consumed.end
  }
  return {
    pieces,
    isVerbatim: false,
    accepted,
    repairedLines,
    otherEscapeLines,
    runaways,
    ignored,
    rejects,
    consumedTo: options.start.byteOffset + input.length,
    lines: line,
  }
}

class RecordReader {
  readonly #bytes: Uint8Array
  readonly #options: ScanOptions
  readonly #ahead: LookAhead

  constructor(bytes: Uint8Array, options: ScanOptions, ahead: LookAhead) {
    this.#bytes = bytes
    this.#ahead = ahead
    this.#options = options
  }

  /** The classes, in order. */
  consume(start: number): OracleStep {
    const { comment, recordBytesMax, width, padsShort } = this.#options
    const nextLine = this.#after(start)
    if (this.contentEnd(start, nextLine) === start) return { kind: 'blank', end: nextLine }
    if (this.#bytes[start] === comment && !this.#isWideComment(start)) return { kind: 'skipped', end: nextLine }
    if (this.contentEnd(start, nextLine) - start > recordBytesMax) {
      return { kind: 'rejected', end: nextLine, reason: 'record_too_long', column: null, at: start }
    }
    const whole = this.#readAtMost(start, recordBytesMax)
    const isOneLine = whole.kind === 'ended' && whole.end === nextLine
    if (
      isOneLine &&
      whole.fields.length !== width &&
      hasNoValue(this.#bytes.subarray(start, whole.contentEnd), this.#options)
    ) {
      return { kind: 'blank', end: nextLine }
    }
    const reading = isOneLine ? withoutSurplus(whole, this.#options) : whole
    const isPadded = reading.kind === 'ended' && reading.fields.length < width && reading.end === nextLine
    if (reading.kind === 'ended' && (reading.fields.length === width || (padsShort && isPadded))) {
      const hasStrayQuote = reading.fields.some((field) => field.strayQuoteAt !== null)
      if (reading.end === nextLine) return this.#consumeReadable(start, reading)
      if (!hasStrayQuote) return this.#consumeLines(start, reading)
    }
    const repairs = this.#repairsOf(start, reading)
    const accepted = repairs.length === 0 ? this.#readOtherwise(start) : this.#repair(start, repairs)
    return accepted ?? this.#rejectBroken(start, reading)
  }

  /** Start of the physical line after the one with the byte at `at`. */
  #after(at: number): number {
    return lineAfter(this.#bytes, this.#options, at)
  }

  contentEnd(start: number, end: number): number {
    return contentEndOf(this.#bytes, this.#options, start, end)
  }

  #isWideComment(start: number): boolean {
    const { keepsWideComments, recordBytesMax, width } = this.#options
    const end = this.#after(start)
    if (this.contentEnd(start, end) - start > recordBytesMax) return false
    const reading = this.#read(start, end)
    const isWide = reading.kind === 'ended' && reading.end === end && reading.fields.length === width
    return keepsWideComments === true && width > 1 && isWide
  }

  /** A readable record on several physical lines. */
  #consumeLines(start: number, reading: EndedReading): OracleStep {
    const likeLines = linesLikeRecords(this.#bytes, this.#options, { ...reading, start })
    if (likeLines === 0) return this.#consumeReadable(start, reading)
    const lineCount = 1 + lineEndsIn(this.#bytes, this.#options, start, reading.contentEnd).length
    const isSplit = likeLines >= (this.#options.runaway?.linesMin ?? Infinity)
    const runaway = { lineCount, isSplit }
    if (!isSplit) return { ...this.#consumeReadable(start, reading), runaway }
    const end = this.#after(start)
    const cut = this.#read(start, end)
    if (cut.kind !== 'open') throw new Error('the first line of a runaway must end inside quotes')
    return { kind: 'rejected', end, reason: 'unclosed_quote', column: cut.column, at: cut.quoteAt, runaway }
  }

  /** The ways to read a record that has one quote too many. */
  #repairsOf(start: number, broken: Reading): readonly EndedReading[] {
    const { escape: escapeByte, quote, width } = this.#options
    const nextLine = this.#after(start)
    if (broken.kind !== 'text_after_quote' || broken.at >= nextLine || escapeByte !== null) return []
    return (['text', 'bare'] as const).flatMap((as) => {
      const reading = this.#read(start, nextLine, { at: broken.quoteAt, as })
      if (reading.kind !== 'ended' || reading.end !== nextLine || reading.fields.length !== width) return []
      const isFaulty = reading.fields.some(({ from, to, strayQuoteAt }) => {
        if (from !== broken.quoteAt) return strayQuoteAt !== null
        const inner = latin1(this.#bytes.subarray(from + 1, as === 'text' ? to : to - 1))
        const mark = String.fromCharCode(quote!)
        if (as === 'text') return inner.includes(mark)
        const before = inner.charAt(inner.indexOf(mark) - 1)
        const isAfterBlank = /[ \t]/.test(before) && before.charCodeAt(0) !== this.#options.delimiter
        const isTwoWords = inner.split(mark).length % 2 === 1 && !isAfterBlank && !/[([{]/.test(before)
        return inner.includes(mark + mark) || inner.includes(`\\${mark}`) || isTwoWords
      })
      return isFaulty || firstBadByte(this.#bytes, start, reading.contentEnd) !== null ? [] : [reading]
    })
  }

  #repair(start: number, [way, ...others]: readonly EndedReading[]): OracleStep | null {
    if (way === undefined || others.length > 0 || !this.#isPlausible(this.#after(start))) return null
    const consumed = this.#consumeReadable(start, way)
    return consumed.kind === 'accepted' ? { ...consumed, isRepaired: true } : consumed
  }

  #readOtherwise(start: number): OracleStep | null {
    const end = this.#after(start)
    const contentEnd = this.contentEnd(start, end)
    const written = this.#rewritten(start)
    const followsOtherwise = () => {
      const nextEnd = this.contentEnd(end, this.#after(end))
      const isShort = nextEnd - end <= Math.min(this.#options.recordBytesMax, this.#ahead.bytes)
      return isShort && this.#rewritten(end) !== null
    }
    if (written === null || firstBadByte(this.#bytes, start, contentEnd) !== null) return null
    if (!this.#isPlausible(end) && !followsOtherwise()) return null
    const bytes = Buffer.from(written + latin1(this.#bytes.subarray(contentEnd, end)), 'latin1')
    return { kind: 'accepted', end, bytes, isRepaired: false, isOtherwise: true }
  }

  /** The line, read with the other escape. */
  #rewritten(start: number): string | null {
    const contentEnd = this.contentEnd(start, this.#after(start))
    return rewrittenFromOtherEscape(latin1(this.#bytes.subarray(start, contentEnd)), this.#options)
  }

  #consumeReadable(start: number, reading: EndedReading): OracleStep {
    const { fields, end } = reading
    const columnOf = (at: number) => fields.findIndex((field) => at < field.end) + 1
    const bad = firstBadByte(this.#bytes, start, reading.contentEnd)
    if (bad !== null) {
      const reason = this.#bytes[bad] === 0 ? 'nul_byte' : 'invalid_bytes'
      return { kind: 'rejected', end, reason, column: columnOf(bad), at: bad }
    }
    const strayEndAt = fields.find((field) => field.strayEndAt !== null)?.strayEndAt ?? null
    if (strayEndAt !== null && this.#options.quote === null) {
      return { kind: 'rejected', end, reason: 'line_end_in_field', column: columnOf(strayEndAt), at: strayEndAt }
    }
    const { width, delimiter } = this.#options
    const lacking = Array.from({ length: Math.max(0, width - fields.length) }, () => '')
    const values = [...fields.map((field) => written(this.#bytes, this.#options, field)), ...lacking].join(
      String.fromCharCode(delimiter),
    )
    const text = values + latin1(this.#bytes.subarray(reading.contentEnd, end))
    return { kind: 'accepted', end, bytes: Buffer.from(text, 'latin1'), isRepaired: false }
  }

  #rejectBroken(start: number, reading: Reading): OracleStep {
    const { recordBytesMax, width } = this.#options
    const first = this.#after(start)
    let last: number
    if (reading.kind === 'ended') last = reading.end
    else if (reading.kind === 'text_after_quote') last = this.#after(reading.at)
    else last = Math.min(this.#bytes.length, start + recordBytesMax)

    const candidates: number[] = []
    for (let end = first; end <= last && end - start <= this.#ahead.bytes; end = this.#after(end)) {
      if (candidates.length === this.#ahead.lines) break
      candidates.push(end)
      if (end === this.#bytes.length) break
    }
    const fallback = reading.kind === 'ended' && candidates.at(-1) === last ? last : first
    const end = candidates.find((candidate) => this.#isPlausible(candidate)) ?? fallback

    if (reading.kind === 'open' || end < last) {
      const cut = this.#read(start, end)
      if (cut.kind !== 'open') throw new Error('a record cut short must end inside quotes')
      return { kind: 'rejected', end, reason: 'unclosed_quote', column: cut.column, at: cut.quoteAt }
    }
    if (reading.kind === 'text_after_quote') {
      return { kind: 'rejected', end, reason: 'text_after_quote', column: reading.column, at: reading.at }
    }
    const { fields } = reading
    const stray = fields.findIndex((field) => field.strayQuoteAt !== null)
    if (stray >= 0) {
      const at = fields[stray]!.strayQuoteAt!
      return { kind: 'rejected', end, reason: 'quote_in_field', column: stray + 1, at }
    }
    const reason = fields.length < width ? 'too_few_fields' : 'too_many_fields'
    return { kind: 'rejected', end, reason, column: null, at: fields.length }
  }

  #isPlausible(start: number): boolean {
    if (start === this.#bytes.length) return true
    if (this.contentEnd(start, this.#after(start)) === start) return true
    if (this.#bytes[start] === this.#options.comment) return true
    const reading = this.#readAtMost(start, Math.min(this.#options.recordBytesMax, this.#ahead.bytes))
    if (reading.kind !== 'ended' || reading.fields.length !== this.#options.width) return false
    return reading.fields.every((field) => {
      const hasTrailingBlank = this.#bytes[field.from] === this.#options.quote && field.to < field.end
      return field.strayQuoteAt === null && field.strayEndAt === null && !hasTrailingBlank
    })
  }

  #readAtMost(start: number, bytesMax: number): Reading {
    const reading = this.#read(start, this.#bytes.length)
    const isTooLong =
      (reading.kind === 'ended' && (reading.contentEnd - start > bytesMax || this.#endsTooFar(start, reading))) ||
      (reading.kind === 'text_after_quote' && reading.at - start >= bytesMax)
    return isTooLong ? { kind: 'open', column: 0, quoteAt: 0 } : reading
  }

  /** Whether a line end in quotes is beyond the look-ahead, and after a quote that is text. */
  #endsTooFar(start: number, { fields }: EndedReading): boolean {
    const { escape: escapeByte, quote, lineEnd } = this.#options
    const quoted = fields.filter(({ from }) => this.#bytes[from] === quote)
    const ends = quoted.flatMap(({ from, to }) => lineEndsIn(this.#bytes, this.#options, from, to))
    const inside = ends.filter((at) => lineEnd !== 'crlf' || this.#bytes[at - 1] === CR)
    const isFar = (at: number, index: number) => index >= this.#ahead.lines || at - start > this.#ahead.bytes
    const last = inside.filter(isFar).at(-1) ?? 0
    return (
      escapeByte === 'nothing' &&
      quoted.some(({ from, to }) => {
        const first = this.#bytes.subarray(from + 1, to - 1).indexOf(quote!)
        return first >= 0 && from + 1 + first < last
      })
    )
  }

  /** Reads from `start` as if the input ended at `stop`. */
  #read(start: number, stop: number, repair: Repair | null = null): Reading {
    const { delimiter, quote, skipInitialSpace } = this.#options
    const fields: Field[] = []
    for (let at = start; ; at++) {
      if (skipInitialSpace) at = this.#afterBlanks(at, stop, true)
      const from = at
      const column = fields.length + 1
      let to: number
      let strayQuoteAt: number | null = null
      let strayEndAt: number | null = null
      const repairAs = repair?.at === from ? repair.as : null
      const isBare = this.#bytes[from] === quote && (this.#options.escape === 'nothing' || repairAs === 'bare')
      if (from < stop && this.#bytes[from] === quote && repairAs !== 'text') {
        const closed = isBare ? this.#afterBareQuote(from, stop) : this.#afterClosingQuote(from, stop)
        if (closed === null) return { kind: 'open', column, quoteAt: from }
        to = closed
        at = this.#afterBlanks(closed, stop)
        if (!this.#endsField(at)) return { kind: 'text_after_quote', column, at, quoteAt: from }
      } else {
        for (; !this.#endsField(at); at++) {
          const length = escapedAt(this.#bytes, this.#options, at)
          if (length > 0 && at + length >= stop && stop < this.#bytes.length)
            return { kind: 'open', column, quoteAt: from }
          if (length > 0) {
            at += length
            continue
          }
          if (this.#bytes[at] === quote) strayQuoteAt ??= at
          if (this.#bytes[at] === CR || this.#bytes[at] === LF) strayEndAt ??= at
        }
        to = at
      }
      fields.push({ from, to, end: at, isBare, strayQuoteAt, strayEndAt })
      if (this.#bytes[at] !== delimiter) return { kind: 'ended', fields, contentEnd: at, end: this.#after(at) }
    }
  }

  /** Where the field continues after its closing quote; null if it is not closed before `stop`. */
  #afterClosingQuote(from: number, stop: number): number | null {
    const { quote, escape: escapeByte, isEscapeDeclared, doublesToo } = this.#options
    for (let at = from + 1; at < stop; at++) {
      const byte = this.#bytes[at]
      if (escapeByte !== null && byte === escapeByte)
        at += isEscapeDeclared ? escapeLength(this.#bytes, this.#options, at) : 1
      else if (byte === quote && (escapeByte === null || doublesToo) && this.#bytes[at + 1] === quote) at++
      else if (byte === quote) return at + 1
    }
    return null
  }

  /** The same if quotes are neither doubled nor escaped. */
  #afterBareQuote(from: number, stop: number): number | null {
    for (let at = from + 1; at < stop; at++) {
      if (this.#bytes[at] === this.#options.quote && this.#endsField(this.#afterBlanks(at + 1, stop))) return at + 1
    }
    return null
  }

  /** `isLeading`: before a field, where several blanks that delimit are one. */
  #afterBlanks(from: number, stop: number, isLeading = false): number {
    const { delimiter } = this.#options
    const isBlank = (byte: number) => blanks.includes(byte) && (byte !== delimiter || (isLeading && byte === 32))
    let at = from
    while (at < stop && isBlank(this.#bytes[at]!)) at++
    return at
  }

  #endsField(at: number): boolean {
    const byte = this.#bytes[at]
    if (byte === this.#options.delimiter) return true
    if (this.#options.lineEnd === 'cr') return byte === CR
    return (byte === LF && this.#options.lineEnd === 'lf') || (byte === CR && this.#bytes[at + 1] === LF)
  }
}
