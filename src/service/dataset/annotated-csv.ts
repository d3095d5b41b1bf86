// Annotated CSV: every record of a file in its order, with a last column that says what became of it. Made by scanning
// the original again; memory does not grow with the file, a record or the number of rejects.
import type { Receipt, Reject } from '../../core/receipt.ts'
import { isExcluded } from '../../core/reject-reasons.ts'
import { createCsvRewriter, csvLine, lineEndOf } from '../../csv/csv-rewriter.ts'
import { FieldWalker, lineFeed, quote } from '../../csv/field-walker.ts'
import { Peekable } from '../../io/peekable.ts'
import { type ReadBytes, readAhead } from '../../io/read-bytes.ts'
import { createDecoder } from '../../reading/encoding/decoder.ts'
import { storedScanOptions } from '../../reading/scan-options.ts'
import type { IgnoredRange, ScannedReject, ScanResult } from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'
import { readCorrections } from '../ingest/correction-file.ts'
import { recordReader } from '../ingest/record-of-text.ts'
import { type StoredText, scanAgain } from '../ingest/scan-again.ts'
import type { CsvOptions } from '../service.ts'
import { byteOrderMark, type CsvTools, type MadeText, recordWriter } from './csv-text.ts'
import { bytePieces, windowBytes } from './rejects-csv.ts'

export interface AnnotatedSource extends StoredText {
  /** Reads the text of the file at any position. */
  readonly read: ReadBytes
}

const accepted = 'accepted'
/** At most so many blank and skipped records wait for empty records before them; further ones come before these. */
const waitingMax = 100_000
const lineEnds = /\r\r\n|\n\r|\r\n|\n|\r/

/**
 * The first line has the names of the columns and `verdict`. Accepted records, and readable ones that are rejected, have
 * their fields; any other record is a single cell with its text, and the other cells are empty.
 */
export async function* annotatedCsv(
  receipt: Receipt,
  options: CsvOptions,
  { read, ...stored }: AnnotatedSource,
  tools: CsvTools,
): AsyncGenerator<Uint8Array> {
  const { correctionsPath } = stored
  const { createScanner } = tools
  await using corrections = new Peekable(readCorrections(correctionsPath))
  const rows = new Rows(receipt, options, tools, readAhead(read, windowBytes))
  const piecesOf = recordReader(createScanner, storedScanOptions(receipt))

  async function* rowsOf(reject: ScannedReject | IgnoredRange): AsyncGenerator<Uint8Array> {
    if ('kind' in reject) {
      if (reject.kind === 'blank') return yield rows.blank(reject.count)
      const byteLength = reject.endOffset - reject.byteOffset
      return yield* rows.raw({ ...reject, byteLength }, 'skipped')
    }
    const correction = await corrections.peek()
    const isCorrected = correction?.byteOffset === reject.byteOffset
    const verdict = isCorrected ? 'accepted: corrected' : verdictOf(shownReject(reject))
    if (isCorrected) await corrections.take()
    const text = isCorrected ? correction.text : reject.reason === 'constraint' ? await rows.text(reject) : null
    const record = text === null ? null : piecesOf(text)
    if (record?.kind === 'record') yield rows.records(record.pieces)(1, verdict)
    else yield* rows.raw(reject, verdict)
  }

  /** Readable records so far, and the others that follow one which the scanner holds back. */
  let readable = 0
  let waiting: ((ScannedReject | IgnoredRange) & { readonly readable: number })[] = []
  async function* annotated(scanned: ScanResult): AsyncGenerator<Uint8Array> {
    const { pieces, rejects, ignored, emptyAtEnd = 0 } = scanned
    const marked = rejects.map((reject) => ({ ...reject, readable: reject.mark?.readable ?? readable }))
    waiting = [...waiting, ...ignored, ...marked].toSorted((a, b) => a.byteOffset - b.byteOffset)
    const take = rows.records(pieces)
    const end = readable + scanned.accepted + rejects.filter(isExcluded).length + emptyAtEnd
    const isReady = (one: (typeof waiting)[number]) => one.readable <= end || waiting.length > waitingMax
    let done = 0
    for (let next = waiting[0]; next !== undefined && isReady(next); next = waiting[++done]) {
      const to = Math.min(next.readable, end)
      if (to > readable) yield take(to - readable, accepted)
      readable = to + ('reason' in next && isExcluded(next) ? 1 : 0)
      yield* rowsOf(next)
    }
    waiting = waiting.slice(done)
    if (end > readable) yield take(end - readable, accepted)
    readable = end
  }

  if (options.spreadsheet === 'excel') yield byteOrderMark
  yield* rows.top(await read(0, receipt.body.byteOffset))
  for await (const scanned of scanAgain(receipt, stored, createScanner)) yield* annotated(scanned)
}

function verdictOf({ reason, column, message }: Reject): string {
  return `rejected: ${message}${column === null ? '' : ` in column ${column}`} (${reason})`
}

/** Writes rows of one more column than the file has. */
class Rows {
  readonly #receipt: Receipt
  readonly #delimiter: CsvOptions['delimiter']
  readonly #read: ReadBytes
  readonly #rewrite: ReturnType<typeof createCsvRewriter>
  readonly #finish: ReturnType<typeof recordWriter>
  readonly #decode: ReturnType<typeof createDecoder>

  constructor(receipt: Receipt, options: CsvOptions, tools: CsvTools, read: ReadBytes) {
    this.#receipt = receipt
    this.#delimiter = options.delimiter
    this.#read = read
    this.#rewrite = createCsvRewriter(receipt.dialect, options.delimiter)
    this.#finish = recordWriter(receipt, null, options, tools)
    this.#decode = createDecoder(receipt.encoding.name, 'replace', 'character')
  }

  /** The names of the columns, and what is above the records: if that is more than one header line, its lines follow. */
  *top(before: Uint8Array): Generator<MadeText> {
    const { body, columns, dialect, records, encoding } = this.#receipt
    const names = columns.map(({ name }) => name)
    const fields = body.headerFields?.length === names.length ? body.headerFields : names
    yield this.#finish([Buffer.from(csvLine([...fields, unusedName('verdict', fields)], dialect, this.#delimiter))])
    if (body.records === Math.min(1, records.header)) return
    const text = createDecoder(encoding.name, 'replace')(before, true)
    for (const line of text.split(lineEnds).slice(0, body.lines)) {
      yield this.#finish([Buffer.from(`"${escaped(line)}"${this.#end('before the records')}`)])
    }
  }

  blank(count: number): Uint8Array {
    return Buffer.from(`""${this.#end('blank')}`.repeat(count))
  }

  /** Whole records of the file, in their fields, so many at a time; any more are blank. */
  records(pieces: readonly Uint8Array[]): (count: number, verdict: string) => MadeText {
    const records = Buffer.concat(this.#rewrite(pieces))
    const delimiter = Buffer.from(this.#delimiter)
    const walker = new FieldWalker({ delimiter, quoteByte: quote, escapeByte: -1, lineEnd: 'lf' })
    walker.begin(records)
    let done = 0
    return (count, verdict) => {
      const cell = Buffer.from(csvLine(['', verdict], { lineTerminator: '\n' }, this.#delimiter).trimEnd())
      const parts: Uint8Array[] = []
      let left = count
      while (left > 0 && walker.advance()) {
        const { end, isQuoted, endsRecord } = walker
        if (!endsRecord) continue
        const to = isQuoted ? end + 1 : end
        const next = records.indexOf(lineFeed, to) + 1
        parts.push(records.subarray(done, to), cell, records.subarray(to, next))
        done = next
        left--
      }
      return this.#finish(left === 0 ? parts : [...parts, this.blank(left)])
    }
  }

  async text({ byteOffset, byteLength }: Pick<Reject, 'byteOffset' | 'byteLength'>): Promise<string> {
    return this.#decode(await this.#read(byteOffset, byteLength), true)
  }

  /** A record as the only cell. Bytes that are no text in the encoding of the file are shown as U+FFFD. */
  async *raw(place: Pick<Reject, 'byteOffset' | 'byteLength'>, verdict: string): AsyncGenerator<Uint8Array> {
    const end = `"${this.#end(verdict)}`
    if (place.byteLength === 0) yield Buffer.from(`"${end}`)
    let isFirst = true
    for await (const { bytes, isLast } of bytePieces(this.#read, place)) {
      const decoded = this.#decode(bytes, isLast)
      const text = escaped(isLast ? decoded.replace(/[\r\n]+$/, '') : decoded) + (isLast ? end : '')
      yield isFirst ? this.#finish([Buffer.from(`"${text}`)]) : Buffer.from(text)
      isFirst = false
    }
  }

  /** The empty cells of a row whose first cell is written, and its verdict. */
  #end(verdict: string): string {
    const { columns, dialect } = this.#receipt
    const end = lineEndOf(dialect)
    return `${this.#delimiter.repeat(Math.max(1, columns.length))}"${escaped(verdict)}"${end}`
  }
}

function escaped(text: string): string {
  return text.replaceAll('"', '""')
}

function unusedName(name: string, names: readonly string[]): string {
  const others = new Set(names)
  for (let i = 2, other = name; ; other = `${name}_${i++}`) if (!others.has(other)) return other
}
