// CSV rewriter: accepted records of any dialect as RFC 4180 text. Values are never changed, only how they are written.
import type { Dialect } from '../core/receipt.ts'
import { carriageReturn, type FieldLayout, FieldWalker, lineFeed, quote } from './field-walker.ts'

const utf8 = new TextEncoder()

/** Separators that a rewriter can write. All are one byte. */
export type CsvDelimiter = ',' | ';' | '\t'

/**
 * Turns what a scanner has accepted into RFC 4180; returns the same slices if they already are. Pass all slices of one
 * scanner call together: a slice may end inside a record, but together they are whole records.
 */
export type CsvRewriter = (pieces: readonly Uint8Array[]) => readonly Uint8Array[]

/** Every record gets the same line end, because readers assume that the first line end holds for the whole file. */
export function createCsvRewriter(dialect: Dialect, delimiter: CsvDelimiter = ','): CsvRewriter {
  const lineEnd = lineEndOf(dialect)
  const walker = new FieldWalker(fieldLayout(dialect))
  const target = { delimiter: delimiter.charCodeAt(0), lineEnd: utf8.encode(lineEnd) }
  const rewriteAll: CsvRewriter = (pieces) => [rewrite(joined(pieces), walker, target)]
  if (!keepsAlike(dialect, delimiter)) return rewriteAll
  const endsAlike = lineEnd === '\n' ? hasNoReturn : hasNoLoneLineFeed
  return (pieces) => (pieces.every(endsAlike) ? pieces : rewriteAll(pieces))
}

/** True if strict records of a dialect are kept unchanged, provided all their line ends are alike. */
export function keepsAlike(
  { delimiter: own, quoteChar, escapeChar, lineTerminator }: Dialect,
  delimiter: CsvDelimiter,
): boolean {
  return own === delimiter && quoteChar === '"' && escapeChar === null && lineTerminator !== '\r'
}

export function fieldLayout({
  delimiter,
  quoteChar,
  doubleQuote,
  escapeChar,
  lineTerminator,
  declared,
}: Dialect): FieldLayout {
  return {
    delimiter: utf8.encode(delimiter.charAt(0)),
    quoteByte: quoteChar === null ? -1 : quoteChar.charCodeAt(0),
    escapeByte: escapeChar === null ? -1 : escapeChar.charCodeAt(0),
    ...(declared?.includes('escapeChar') && { escapesAll: true, doublesToo: doubleQuote }),
    lineEnd: lineTerminator === '\r' ? 'cr' : 'lf',
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

export function lineEndOf({ lineTerminator }: Pick<Dialect, 'lineTerminator'>): '\n' | '\r\n' {
  return lineTerminator === '\n' ? '\n' : '\r\n'
}

function hasNoReturn(records: Uint8Array): boolean {
  return !records.includes(carriageReturn)
}

function hasNoLoneLineFeed(records: Uint8Array): boolean {
  for (let i = records.indexOf(lineFeed); i >= 0; i = records.indexOf(lineFeed, i + 1)) {
    if (records[i - 1] !== carriageReturn) return false
  }
  return true
}

/** The header line, quoted where necessary. It ends like the rewritten records. */
export function csvLine(
  fields: readonly string[],
  dialect: Pick<Dialect, 'lineTerminator'>,
  delimiter: CsvDelimiter = ',',
): string {
  const mustQuote = (field: string) => /["\r\n]/.test(field) || field.includes(delimiter)
  const cells = fields.map((field) => (mustQuote(field) ? `"${field.replaceAll('"', '""')}"` : field))
  // Readers skip an empty line.
  return (cells.join(delimiter) || '""') + lineEndOf(dialect)
}

/** Separators of fields and records in the result. */
interface Target {
  readonly delimiter: number
  readonly lineEnd: Uint8Array
}

function rewrite(input: Uint8Array, walker: FieldWalker, target: Target): Uint8Array {
  // The worst field is one quote character and its delimiter: two bytes become five.
  const out = new Uint8Array(input.length * 3 + 4)
  let to = 0
  walker.begin(input)
  while (walker.advance()) {
    const { start, end, isQuoted, endsRecord } = walker
    const outStart = to
    out[to++] = quote
    let mustQuote = isQuoted
    for (let i = start; i < end; i++) {
      let byte = input[i] as number // within the input
      if (walker.isEscape(i)) byte = input[++i] as number
      if (byte === quote) out[to++] = quote
      if (byte === quote || byte === target.delimiter || byte === lineFeed || byte === carriageReturn) mustQuote = true
      out[to++] = byte
    }
    if (mustQuote) out[to++] = quote
    else out.copyWithin(outStart, outStart + 1, to--)
    if (endsRecord) {
      out.set(target.lineEnd, to)
      to += target.lineEnd.length
    } else out[to++] = target.delimiter
  }
  return out.subarray(0, to)
}
