// CSV text: the accepted records as they stand in the original, scanned again. Text is never made from typed values here.
import { viewOf } from '../../core/borrowed-bytes.ts'
import { giveBack } from '../../core/byte-stream.ts'
import type { Column, Receipt } from '../../core/receipt.ts'
import { createCsvRewriter, csvLine } from '../../csv/csv-rewriter.ts'
import { createFormulaEscape } from '../../csv/escape-formulas.ts'
import { scanOptions } from '../../reading/scan-options.ts'
import type { CreateScanner, Scanned } from '../../reading/scanner/scanner.ts'
import { correctedReadable, mergedExclusions, readCorrections } from '../corrections/correction-file.ts'
import { Corrector } from '../corrections/corrector.ts'
import { recordReader } from '../corrections/record-of-text.ts'
import { ConstraintFilter } from '../ingest/constraint-filter.ts'
import type { Exclusion } from '../ingest/violations.ts'
import type { CsvOptions } from '../service.ts'

export interface CsvSource {
  /** The text of the file, from its beginning. */
  readonly source: AsyncIterable<Uint8Array>
  /** Null when every readable record is accepted. */
  readonly exclusions: AsyncIterable<Exclusion> | null
  /** The file of corrections; null where every record is read as it stands. */
  readonly correctionsPath: string | null
}

/** By it, programs for spreadsheets know UTF-8. */
const byteOrderMark = Buffer.from('\ufeff')

export async function* csvText(
  receipt: Receipt,
  options: CsvOptions,
  { source, exclusions, correctionsPath }: CsvSource,
  createScanner: CreateScanner,
): AsyncGenerator<Uint8Array> {
  const { body, columns, dialect } = receipt
  const layout = { ...receipt, width: columns.length, start: body }
  const form = scanOptions(layout, body.recordBytesMax)
  const scanner = createScanner({ ...form, marksRejects: correctionsPath !== null })
  await using corrector =
    correctionsPath === null ? null : new Corrector(readCorrections(correctionsPath), recordReader(createScanner, form))
  const rewrite = createCsvRewriter(dialect, options.delimiter)
  const finish = finisher(options, columns)
  if (options.spreadsheet === 'excel') yield byteOrderMark
  const header = headerOf(receipt, options)
  if (header !== null) yield finish([Buffer.from(csvLine(header, dialect, options.delimiter))])
  const rejected =
    exclusions && correctionsPath !== null
      ? mergedExclusions(correctedReadable(correctionsPath), exclusions)
      : exclusions
  const filter = rejected && new ConstraintFilter(scanner, rejected, body.byteOffset)
  const textOf = async function* (scanned: Scanned) {
    if (corrector === null) yield finish(rewrite(scanned.pieces))
    else for await (const { pieces } of corrector.correct(scanned)) yield finish(rewrite(pieces))
  }
  const data = behind(source, body.byteOffset)
  for await (const [chunk] of filter?.steps(data) ?? data) {
    if (chunk === undefined) continue
    const scanned = (filter ?? scanner).push(chunk)
    if (corrector === null) {
      const text = finish(rewrite(scanned.pieces))
      giveBack(viewOf(chunk))
      yield text
    } else yield* textOf(scanned)
  }
  yield* textOf((filter ?? scanner).end())
  await corrector?.end()
}

/** The first line of typed values: always the names of the dataset, which a header of the file need not be. */
export function typedHeader(receipt: Receipt, options: CsvOptions): Buffer | null {
  const isWanted = options.header || receipt.body.headerFields !== null
  const names = receipt.columns.map(({ name }) => name)
  return isWanted ? Buffer.from(csvLine(names, { lineTerminator: '\n' }, options.delimiter)) : null
}

function headerOf({ body, columns }: Receipt, { header }: CsvOptions): readonly string[] | null {
  return body.headerFields ?? (header ? columns.map(({ name }) => name) : null)
}

/** Makes one chunk of pieces: around excluded records there are thousands, and the chunk of the scanner is reused. */
function finisher({ spreadsheet, delimiter }: CsvOptions, columns: readonly Column[]) {
  if (spreadsheet === 'no') return (pieces: readonly Uint8Array[]) => Buffer.concat(pieces)
  const escapeCells = createFormulaEscape(delimiter, columns.map(isPlainlyTyped))
  return (pieces: readonly Uint8Array[]) => Buffer.concat(escapeCells(Buffer.concat(pieces)))
}

const plainKind = /^(?:integer|number|decimal|date|time|timestamp|timestamptz)\b/

function isPlainlyTyped({ type }: Column): boolean {
  return plainKind.test(type)
}

/** The rest after this many bytes. */
async function* behind(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<readonly Uint8Array[]> {
  let leftBytes = bytes
  for await (const chunk of source) {
    const data = chunk.subarray(Math.min(leftBytes, chunk.length))
    leftBytes -= chunk.length - data.length
    yield [data]
  }
}
