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
    const runs = options.spreadsheet === 'no' && keepsAlike(dialect, options.delimiter) ? receipt.verbatim : []
    const text = new PassingText(beginAt, write, body.byteOffset, runs)
    for await (const slices of behind(stored.source, body.byteOffset))
      for (const slice of slices) yield* text.push(slice)
    return yield text.end(lineEndOf(dialect))
  }
  for await (const { pieces } of scanCorrected(receipt, stored, createScanner)) yield write(pieces)
}

/**
 * The records of a file in which all readable records are accepted: runs are copied unchanged, the rest is scanned
 * again.
 */
class PassingText {
  readonly #beginAt: (byteOffset: number) => Scanner
  readonly #write: (pieces: readonly Uint8Array[]) => MadeText
  /** The runs that have not been passed yet. */
  readonly #runs: VerbatimRun[]
  /** Offset of the next byte. */
  #at: number
  /** Null within a run. */
  #scanner: Scanner | null = null
  #lastByte = lineFeed

  constructor(
    beginAt: (byteOffset: number) => Scanner,
    write: (pieces: readonly Uint8Array[]) => MadeText,
    byteOffset: number,
    runs: readonly VerbatimRun[] = [],
  ) {
    this.#beginAt = beginAt
    this.#write = write
    this.#at = byteOffset
    this.#runs = [...runs]
  }

  /** The text for a chunk; within a run, the chunk itself. */
  *push(chunk: Uint8Array): Generator<MadeText> {
    for (let rest = chunk; rest.length > 0; ) {
      const start = this.#at
      const text = this.#scanner === null && this.#isInRun ? this.#pass(rest) : this.#scan(rest)
      rest = rest.subarray(this.#at - start)
      // None of it is passed on, unless it reached a run.
      if (this.#at - start === chunk.length && this.#scanner !== null) releaseChunk(chunk)
      yield text
    }
  }

  /** The rest at the end. */
  end(lineEnd: '\n' | '\r\n'): MadeText {
    if (this.#scanner !== null) return this.#write(this.#scanner.end().pieces)
    if (this.#lastByte === lineFeed) return Buffer.alloc(0)
    return Buffer.from(this.#lastByte === carriageReturn ? '\n' : lineEnd)
  }

  get #isInRun(): boolean {
    const [run] = this.#runs
    return run !== undefined && run[0] <= this.#at
  }

  #pass(bytes: Uint8Array): Uint8Array {
    const end = this.#runs[0]?.[1] ?? this.#at
    const passed = bytes.subarray(0, end - this.#at)
    this.#at += passed.length
    this.#lastByte = passed.at(-1) ?? lineFeed
    if (this.#at >= end) this.#runs.shift()
    return passed
  }

  /** Scans to the end of `bytes`, or to the last record before it if that is in a run. */
  #scan(bytes: Uint8Array): MadeText {
    const start = this.#at
    this.#scanner ??= this.#beginAt(start)
    const { pieces, consumedTo, held = 0 } = this.#scanner.push(bytes)
    const text = this.#write(pieces)
    this.#at = start + bytes.length
    while ((this.#runs[0]?.[1] ?? Number.POSITIVE_INFINITY) <= consumedTo) this.#runs.shift()
    const [run] = this.#runs
    // The bytes consumed before these are no longer available.
    if (run !== undefined && held === 0 && consumedTo >= Math.max(run[0], start)) {
      this.#at = consumedTo
      this.#scanner = null
    }
    return text
  }
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
