// Mend: changes the text of a rejected record as a rule says; whatever it does not name stays as it is written. Shared by
// the service and the page. Knows no file.
import type { CorrectionRule } from '../../core/correction-rules.ts'
import type { Dialect, Reject } from '../../core/receipt.ts'
import { isExcluded } from '../../core/reject-reasons.ts'
import { fieldLayout } from '../../csv/csv-rewriter.ts'
import { FieldWalker } from '../../csv/field-walker.ts'
import { utf8Bytes } from '../../reading/bytes/platform-bytes.ts'

/** A rule whose column is a number from 1; null for any. */
export interface Rule extends Omit<CorrectionRule, 'column'> {
  readonly column: number | null
}

/** A record to be mended. */
export interface MendableRecord extends Pick<Reject, 'reason' | 'column'> {
  readonly text: string
  /** The text of the record after it, if that is a reject, too, and still free to be joined. */
  readonly next: string | null
  /** A word that is null in the column of the rule; null if none is. */
  readonly nullWord: string | null
}

interface Field {
  /** All that stands between two delimiters. */
  readonly raw: string
  /** Of a field that is not well written, its text. */
  readonly value: string
  readonly form: 'plain' | 'quoted' | 'open' | 'broken'
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The mended text; null if the rule does not fit or changes nothing. It may still not be a readable record.
 *
 * @param width Fields of a record.
 */
export function mended(rule: Rule, record: MendableRecord, dialect: Dialect, width: number): string | null {
  const { text, next } = record
  if (rule.mend === 'leave') return null
  if (rule.mend === 'join') return next === null ? null : text + (rule.with ?? ' ') + next
  const delimiter = dialect.delimiter.charAt(0)
  const fields = fieldsOf(text, dialect)
  const raws = fields.map(({ raw }) => raw)
  if (rule.mend === 'append') {
    return fields.length < width ? text + delimiter.repeat(width - fields.length) : null
  }
  if (rule.mend === 'drop') {
    const isEmpty = fields.length > width && fields.slice(width).every(({ raw, value }) => raw === '' || value === '')
    return isEmpty ? raws.slice(0, width).join(delimiter) : null
  }
  const at = (rule.column ?? record.column ?? 0) - 1
  const field = fields[at]
  if (field === undefined || !isPlaced(fields, at, record, dialect, width)) return null
  const after =
    rule.mend === 'quote'
      ? quotedField(field, dialect, width - at - 1)
      : valueField(field, rule, dialect, record.nullWord)
  return after === null || after === field.raw ? null : raws.with(at, after).join(delimiter)
}

/**
 * Whether the field is certain to be that of its column. A scanner reads some records with wrong quotes as if they were
 * written well; where a delimiter in them ends a field is then not known here.
 */
function isPlaced(
  fields: readonly Field[],
  at: number,
  { text, reason }: MendableRecord,
  { quoteChar, doubleQuote, escapeChar }: Dialect,
  width: number,
): boolean {
  const form = fields[at]?.form
  if (form !== 'open' && fields.length !== width) return false
  if (escapeChar === null && !doubleQuote && quoteChar !== null && text.includes(quoteChar + quoteChar)) return false
  const isWritten = (one: Field) => one.form === 'plain' || one.form === 'quoted'
  return fields.every((one, i) => isWritten(one) || (i === at && !isExcluded({ reason })))
}

/** Closes an open quote where as many fields follow as are left; puts another field in quotes as it is. */
function quotedField({ raw, value, form }: Field, dialect: Dialect, left: number): string | null {
  if (form === 'quoted') return null
  if (form !== 'open') return written(value, dialect, true)
  const delimiter = dialect.delimiter.charAt(0)
  const parts = raw.split(delimiter)
  const closes = parts.length - left - 1
  const last = parts[closes]
  return last === undefined ? null : parts.with(closes, last + dialect.quoteChar).join(delimiter)
}

function valueField(field: Field, rule: Rule, dialect: Dialect, nullWord: string | null): string | null {
  if (rule.mend === 'null') return nullWord === null ? null : written(nullWord, dialect, false)
  const { value, form } = field
  const after = rule.mend === 'trim' ? value.trim() : replaced(value, rule)
  return after === value ? null : written(after, dialect, form === 'quoted')
}

function replaced(value: string, { text = '', with: by = '', whole = false }: Rule): string {
  if (whole) return value === text ? by : value
  return value.split(text).join(by)
}

/** A value as a field; null if the dialect cannot write it. */
function written(value: string, dialect: Dialect, isQuoted: boolean): string | null {
  const { delimiter, quoteChar, doubleQuote, escapeChar, skipInitialSpace, commentChar } = dialect
  const special = [delimiter.charAt(0), '\r', '\n', quoteChar, escapeChar]
  const isSpecial =
    special.some((one) => one !== null && value.includes(one)) ||
    (skipInitialSpace && /^[ \t]/.test(value)) ||
    (commentChar !== null && value.startsWith(commentChar))
  if (!isQuoted && !isSpecial) return value
  if (quoteChar === null || (escapeChar === null && !doubleQuote && value.includes(quoteChar))) return null
  const escaped = escapeChar === null ? value : value.split(escapeChar).join(escapeChar + escapeChar)
  return quoteChar + escaped.split(quoteChar).join((escapeChar ?? quoteChar) + quoteChar) + quoteChar
}

/** The fields of a text: joined by its delimiter, which is one character, they are the same text. */
export function fieldsOf(text: string, dialect: Dialect): readonly Field[] {
  const bytes = utf8Bytes(text)
  const layout = fieldLayout(dialect)
  const walker = new FieldWalker(layout)
  const fields: Field[] = []
  const isDelimiter = (at: number) => layout.delimiter.every((byte, i) => bytes[at + i] === byte)
  for (let from = 0; from <= bytes.length; ) {
    let start = from
    if (dialect.skipInitialSpace) while (bytes[start] === 0x20 || bytes[start] === 0x09) start++
    const record = bytes.subarray(start)
    walker.begin(record)
    if (!walker.advance()) return [...fields, { raw: utf8.decode(bytes.subarray(from)), value: '', form: 'plain' }]
    const isOpen = walker.isQuoted && walker.end === record.length
    const closed = start + walker.end + (walker.isQuoted && !isOpen ? 1 : 0)
    let end = closed
    while (end < bytes.length && !isDelimiter(end)) end++
    const raw = utf8.decode(bytes.subarray(from, end))
    // Blanks may follow a closing quote.
    const isBroken = utf8.decode(bytes.subarray(closed, end)).trim() !== '' || (!walker.isQuoted && closed < end)
    const form = isOpen ? 'open' : isBroken ? 'broken' : walker.isQuoted ? 'quoted' : 'plain'
    fields.push({ raw, value: isBroken ? raw : unescaped(record, walker), form })
    from = end + layout.delimiter.length
    if (end >= bytes.length) return fields
  }
  return fields
}

function unescaped(record: Uint8Array, walker: FieldWalker): string {
  const { start, end } = walker
  const kept = new Uint8Array(end - start)
  let length = 0
  for (let i = start; i < end; i++) {
    if (walker.isEscape(i)) i++
    kept[length++] = record[i] ?? 0
  }
  return utf8.decode(kept.subarray(0, length))
}
