// Scan options: the options of the scanner, from a reading or from a stored receipt.
import type { DataStart, Dialect, Encoding, Receipt } from '../core/receipt.ts'
import type { Reading } from './reading.ts'
import type { FileScanOptions } from './scanner/scanner.ts'

/** Where the records begin, as the receipt stores it. */
export function dataStart({ before, headerFields, runaway, keepsWideComments }: Reading): DataStart {
  const records = before.header + before.skipped + before.blank - (before.gap?.records ?? 0)
  return {
    byteOffset: before.bytes,
    records,
    lines: before.lines,
    headerFields,
    ...(runaway !== null && { runaway }),
    ...(keepsWideComments && { keepsWideComments }),
    ...(before.gap !== null && { gap: before.gap }),
  }
}

/** The members of a reading, and of the receipt that stores it, that determine how to scan. */
export interface Layout {
  readonly encoding: Encoding
  readonly dialect: Dialect
  /** Fields of a record. */
  readonly width: number
  readonly start: DataStart
}

export function scanOptions({ encoding, dialect, width, start }: Layout, recordBytesMax: number): FileScanOptions {
  const { delimiter, quoteChar, doubleQuote, escapeChar, commentChar, skipInitialSpace, lineTerminator, declared } =
    dialect
  const isCrLf = lineTerminator === '\r\n' && declared?.includes('lineTerminator')
  return {
    encoding: encoding.name,
    delimiter: delimiter.charCodeAt(0),
    quote: charCode(quoteChar),
    escape: escapeChar === null && !doubleQuote ? 'nothing' : charCode(escapeChar),
    comment: charCode(commentChar),
    skipInitialSpace,
    ...(declared?.includes('escapeChar') && { isEscapeDeclared: true, doublesToo: doubleQuote }),
    lineEnd: lineTerminator === '\r' ? 'cr' : isCrLf ? 'crlf' : 'lf',
    ...((lineTerminator === '\r\r\n' || lineTerminator === '\n\r') && { unusualLineEnd: lineTerminator }),
    width,
    padsShort: dialect.padShortRecords === true,
    recordBytesMax,
    ...(start.runaway && { runaway: start.runaway }),
    ...(start.gap && { gap: start.gap }),
    keepsWideComments: start.keepsWideComments === true,
    start: { byteOffset: start.byteOffset, records: start.records, lines: start.lines },
  }
}

/** Options for a reading that has just been made. */
export function scanOptionsOf(reading: Reading, recordBytesMax: number): FileScanOptions {
  return scanOptions({ ...reading, start: dataStart(reading) }, recordBytesMax)
}

/** The members of a receipt that determine how to scan. */
export type StoredLayout = Pick<Receipt, 'encoding' | 'dialect' | 'columns' | 'body'>

/** Options for a reading that a receipt stores. */
export function storedScanOptions(receipt: StoredLayout): FileScanOptions {
  const { body, columns } = receipt
  return scanOptions({ ...receipt, width: columns.length, start: body }, body.recordBytesMax)
}

function charCode(char: string | null): number | null {
  return char === null ? null : char.charCodeAt(0)
}
