// CSV rewriter: accepted records of any dialect as RFC 4180 text with commas. Values are never changed, only their arrangement.
import type { Dialect } from '../core/receipt.ts'

const comma = 0x2c
const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Turns what a scanner has accepted into RFC 4180; the same pieces where they already are. All pieces that were told of at
 * once have to be given at once: a piece may end inside a record, together they are whole records.
 */
export type CsvRewriter = (pieces: readonly Uint8Array[]) => readonly Uint8Array[]

/**
 * Makes a rewriter for the dialect the records are in. Quoted fields stay quoted, so that empty text differs from null.
 * Every record ends alike, because readers take the first line end for that of the whole file.
 */
export function createCsvRewriter(dialect: Dialect): CsvRewriter {
  const { delimiter, quoteChar, escapeChar, lineTerminator } = dialect
  const lineEnd = lineEndOf(dialect)
  const layout = {
    delimiter: Buffer.from(delimiter.charAt(0)),
    quote: quoteChar === null ? -1 : quoteChar.charCodeAt(0),
    escape: escapeChar === null ? -1 : escapeChar.charCodeAt(0),
    endsWithReturn: lineTerminator === '\r',
    lineEnd: Buffer.from(lineEnd),
  }
  const isRfc4180 = delimiter === ',' && quoteChar === '"' && escapeChar === null && lineTerminator !== '\r'
  const rewriteAll: CsvRewriter = (pieces) => [rewrite(joined(pieces), layout)]
  if (!isRfc4180) return rewriteAll
  const endsAlike = lineEnd === '\n' ? hasNoReturn : hasNoLoneLineFeed
  return (pieces) => (pieces.every(endsAlike) ? pieces : rewriteAll(pieces))
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

function lineEndOf({ lineTerminator }: Dialect): '\n' | '\r\n' {
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

/** The line of a header, quoted where it must be. It ends as the rewritten records do. */
export function csvLine(fields: readonly string[], dialect: Dialect): string {
  const cells = fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
  return cells.join(',') + lineEndOf(dialect)
}

interface Layout {
  /** One character. */
  readonly delimiter: Uint8Array
  readonly quote: number
  readonly escape: number
  readonly endsWithReturn: boolean
  /** What ends a record in the result. */
  readonly lineEnd: Uint8Array
}

function rewrite(input: Uint8Array, layout: Layout): Uint8Array {
  // The worst field is one quote character and its delimiter: two bytes become five.
  const out = Buffer.allocUnsafe(input.length * 3 + 4)
  let to = 0
  let from = 0
  while (from < input.length) {
    const isQuoted = input[from] === layout.quote
    const start = to
    out[to++] = quote
    const end = isQuoted ? quotedEnd(input, from + 1, layout) : plainEnd(input, from, layout)
    let mustQuote = isQuoted
    for (let i = isQuoted ? from + 1 : from; i < end; i++) {
      let byte = input[i] as number
      if (isQuoted && isEscape(input, i, end, layout)) byte = input[++i] as number
      if (byte === quote) out[to++] = quote
      if (byte === quote || byte === comma || byte === lineFeed || byte === carriageReturn) mustQuote = true
      out[to++] = byte
    }
    if (mustQuote) out[to++] = quote
    else out.copyWithin(start, start + 1, to--)
    from = isQuoted ? end + 1 : end
    // What follows a field is its delimiter or its record's line end.
    if (isDelimiter(input, from, layout)) {
      out[to++] = comma
      from += layout.delimiter.length
    } else {
      if (input[from] === carriageReturn) from++
      if (!layout.endsWithReturn) from++
      out.set(layout.lineEnd, to)
      to += layout.lineEnd.length
    }
  }
  return out.subarray(0, to)
}

function isDelimiter(input: Uint8Array, at: number, { delimiter }: Layout): boolean {
  for (let i = 0; i < delimiter.length; i++) if (input[at + i] !== delimiter[i]) return false
  return true
}

function isEscape(input: Uint8Array, i: number, end: number, layout: Layout): boolean {
  if (i + 1 >= end) return false
  if (layout.escape >= 0)
    return input[i] === layout.escape && (input[i + 1] === layout.quote || input[i + 1] === layout.escape)
  return input[i] === layout.quote
}

function quotedEnd(input: Uint8Array, from: number, layout: Layout): number {
  for (let i = from; i < input.length; i++) {
    if (layout.escape >= 0 && input[i] === layout.escape) i++
    else if (input[i] === layout.quote) {
      if (layout.escape >= 0 || input[i + 1] !== layout.quote) return i
      i++
    }
  }
  return input.length
}

function plainEnd(input: Uint8Array, from: number, layout: Layout): number {
  for (let i = from; i < input.length; i++) {
    const byte = input[i]
    if (byte === layout.delimiter[0] && isDelimiter(input, i, layout)) return i
    if (layout.endsWithReturn ? byte === carriageReturn : byte === lineFeed) {
      return !layout.endsWithReturn && i > from && input[i - 1] === carriageReturn ? i - 1 : i
    }
  }
  return input.length
}
