// CSV text: the accepted records as they are in the original, by scanning it again. This text is never made from typed values.
import { releaseChunk } from '../../core/byte-stream.ts'
import type { Column, Dialect, Receipt, VerbatimRun } from '../../core/receipt.ts'
import type { TextJob } from '../../csv/csv-form.ts'
import { createCsvRewriter, csvLine, keepsAlike, lineEndOf } from '../../csv/csv-rewriter.ts'
import { carriageReturn, lineFeed } from '../../csv/field-walker.ts'
import { storedScanOptions } from '../../reading/scan-options.ts'
import type { CreateScanner, Scanner } from '../../reading/scanner/scanner.ts'
import { behind, type StoredText, scanCorrected } from '../ingest/scan-again.ts'
import type { CsvOptions } from '../service.ts'

/** Spreadsheet programs recognize UTF-8 by it. */
export const byteOrderMark = Buffer.from('\ufeff')

export interface CsvTools {
  readonly createScanner: CreateScanner
  readonly writeText: (job: TextJob) => MadeText
}

/** Text is made on other threads, unless there is little of it. */
export type MadeText = Uint8Array | Promise<Uint8Array>

export async function* csvText(
  receipt: Receipt,
  options: CsvOptions,
  stored: StoredText,
  tools: CsvTools,
): AsyncGenerator<Uint8Array> {
  const { body, dialect } = receipt
  const { createScanner } = tools
  const write = recordWriter(receipt, dialect, options, tools)
  if (options.spreadsheet === 'excel') yield byteOrderMark
  const header = headerOf(receipt, options)
  if (header !== null) {
    const line = Buffer.from(csvLine(header, dialect, options.delimiter))
    yield recordWriter(receipt, null, options, tools)([line])
  }
  if (stored.exclusions === null && stored.correctionsPath === null) {
    const form = storedScanOptions(receipt)
    const beginAt = (byteOffset: number) => createScanner({ ...form, start: { ...form.start, byteOffset } })
    const runs = options.spreadsheet === 'no' && keepsAlike(dialect, options.delimiter) ? (receipt.verbatim ?? []) : []
    return yield* passingText(behind(stored.source, body.byteOffset), beginAt, write, { ...receipt, verbatim: runs })
  }
  for await (const { pieces } of scanCorrected(receipt, stored, createScanner)) yield write(pieces)
}

/**
 * The records of a file in which all readable records are accepted: runs are copied unchanged, the rest is scanned
 * again.
 */
async function* passingText(
  chunks: AsyncIterable<readonly Uint8Array[]>,
  beginAt: (byteOffset: number) => Scanner,
  write: (pieces: readonly Uint8Array[]) => MadeText,
  { body, dialect, verbatim }: Pick<Receipt, 'body' | 'dialect'> & { readonly verbatim: readonly VerbatimRun[] },
): AsyncGenerator<Uint8Array> {
  /** The runs that have not been passed yet. */
  const runs = [...verbatim]
  /** Offset of the next byte. */
  let at = body.byteOffset
  /** Null within a run. */
  let scanner = null as Scanner | null
  let lastByte = lineFeed

  const pass = (bytes: Uint8Array): Uint8Array => {
    const end = runs[0]?.[1] ?? at
    const passed = bytes.subarray(0, end - at)
    at += passed.length
    lastByte = passed.at(-1) ?? lineFeed
    if (at >= end) runs.shift()
    return passed
  }

  /** Scans to the end of `bytes`, or to the last record before it if that is in a run. */
  const scan = (bytes: Uint8Array): MadeText => {
    const start = at
    scanner ??= beginAt(start)
    const { pieces, consumedTo, held = 0 } = scanner.push(bytes)
    const text = write(pieces)
    at = start + bytes.length
    while ((runs[0]?.[1] ?? Number.POSITIVE_INFINITY) <= consumedTo) runs.shift()
    const [run] = runs
    // The bytes consumed before these are no longer available.
    if (run !== undefined && held === 0 && consumedTo >= Math.max(run[0], start)) {
      at = consumedTo
      scanner = null
    }
    return text
  }

  for await (const slices of chunks) {
    for (const chunk of slices) {
      for (let rest = chunk; rest.length > 0; ) {
        const start = at
        const isInRun = scanner === null && runs[0] !== undefined && runs[0][0] <= at
        const text = isInRun ? pass(rest) : scan(rest)
        rest = rest.subarray(at - start)
        // None of it is passed on, unless it reached a run.
        if (at - start === chunk.length && scanner !== null) releaseChunk(chunk)
        yield text
      }
    }
  }
  if (scanner !== null) yield write(scanner.end().pieces)
  else if (lastByte !== lineFeed) yield Buffer.from(lastByte === carriageReturn ? '\n' : lineEndOf(dialect))
}

/** The header of typed values always has the names of the dataset, which the header of the file may not. */
export function typedHeader(receipt: Receipt, options: CsvOptions): Buffer | null {
  const isWanted = options.header || receipt.body.headerFields !== null
  const names = receipt.columns.map(({ name }) => name)
  return isWanted ? Buffer.from(csvLine(names, { lineTerminator: '\n' }, options.delimiter)) : null
}

function headerOf({ body, columns }: Receipt, { header }: CsvOptions): readonly string[] | null {
  return body.headerFields ?? (header ? columns.map(({ name }) => name) : null)
}

/**
 * Writes the pieces of some records as one chunk: around excluded records there are thousands of them. The caller may
 * use the memory of the pieces again at once.
 *
 * @param dialect As in `CsvForm`.
 */
export function recordWriter(
  { id, columns }: Receipt,
  dialect: Dialect | null,
  { spreadsheet, delimiter }: CsvOptions,
  { writeText }: Pick<CsvTools, 'writeText'>,
): (pieces: readonly Uint8Array[]) => MadeText {
  if (spreadsheet === 'no' && (dialect === null || keepsAlike(dialect, delimiter))) {
    const rewrite = dialect === null ? (pieces: readonly Uint8Array[]) => pieces : createCsvRewriter(dialect, delimiter)
    return (pieces) => Buffer.concat(rewrite(pieces))
  }
  const form = { dialect, delimiter, isTyped: spreadsheet === 'no' ? null : columns.map(isPlainlyTyped) }
  return (pieces) => writeText({ records: Buffer.concat(pieces), form, client: id })
}

const plainKind = /^(?:integer|number|decimal|date|time|timestamp|timestamptz)\b/

function isPlainlyTyped({ type }: Column): boolean {
  return plainKind.test(type)
}
