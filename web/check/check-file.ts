// Check file: reads a file exactly as the service does, with the same code, and predicts its receipt. Nothing is sent.
import { PatternError } from '../../src/columns/patterns/count-elements.ts'
import { createColumnWriter } from '../../src/columns/writer/create-column-writer.ts'
import type { Violation } from '../../src/core/declared-values.ts'
import { evidenceInWords } from '../../src/core/evidence/evidence.ts'
import { shownNote } from '../../src/core/notes.ts'
import type { Column, Reject } from '../../src/core/receipt.ts'
import type { ReadBytes } from '../../src/io/read-bytes.ts'
import { concatBytes } from '../../src/reading/bytes/platform-bytes.ts'
import { createHeadReader } from '../../src/reading/head-reader.ts'
import { readHead } from '../../src/reading/read-head.ts'
import { type DeclaredDialect, headBytesMax, type Reading } from '../../src/reading/reading.ts'
import { dataStart, scanOptions } from '../../src/reading/scan-options.ts'
import { createFileScanner } from '../../src/reading/scanner/file-scanner.ts'
import type { ScanResult } from '../../src/reading/scanner/scanner.ts'
import { shownReject } from '../../src/reading/scanner/shown-reject.ts'
import { createScanner } from '../../src/reading/scanner/wasm-scanner.ts'
import {
  columnFormat,
  columnTypeName,
  type Decision,
  decideTypes,
  type LineOf,
} from '../../src/reading/types/infer-types.ts'
import { typeNotes } from '../../src/reading/types/type-notes.ts'
import { readTexts } from '../../src/service/dataset/record-text.ts'
import { equalNumberNotes } from '../../src/service/ingest/equal-number-notes.ts'
import { footerNotes } from '../../src/service/ingest/footer-notes.ts'
import { recordNotes } from '../../src/service/ingest/record-notes.ts'
import { lineOfRecord, RecordTally, recordCounts, rejectFacts } from '../../src/service/ingest/record-tally.ts'
import { segmentForm } from '../../src/service/ingest/segment-form.ts'
import { declaredTarget } from '../../src/service/schema/declared-column.ts'
import { matchSchema, type SchemaMatch } from '../../src/service/schema/match-schema.ts'
import { readDeclaredSchema } from '../../src/service/schema/parse-schema.ts'
import { refuse } from '../../src/service/schema/schema-error.ts'
import { PreviewRows } from './preview-rows.ts'
import {
  type CheckOptions,
  type CheckProgress,
  listedRejectsMax,
  type Misfits,
  misfitValuesMax,
  type ProvisionalReceipt,
} from './provisional.ts'

/** The source of a file's text. */
export interface CheckSource {
  /** The chunks of the text in order, from its beginning; each belongs to the receiver until the next is requested. */
  chunks(): AsyncIterable<Uint8Array>
  /** Reads at any position of the text; null if it can be read only from front to back. */
  readonly read: ReadBytes | null
}

/** The service's default for `--max-record-size`. Bytes. */
const recordBytesMax = 16_777_216
/** The receipt shows this many bytes of each reject. */
const rejectTextBytesMax = 800

const createScannerOf = createFileScanner(createScanner)
const readLongHead = createHeadReader(readHead, createScannerOf)

/** @throws {ServiceError} NOT_CSV, NOT_READABLE, BAD_PARAMETER, as the service would report. */
export async function checkFile(
  source: CheckSource,
  { dialect, schema, scope }: CheckOptions,
  onProgress: (progress: CheckProgress) => void = () => {},
): Promise<ProvisionalReceipt> {
  const chunks = source.chunks()[Symbol.asyncIterator]()
  try {
    const head = await readStart(chunks)
    const readAs = (declared: DeclaredDialect) => readLongHead(head.bytes, head.isWhole, declared)
    const declared = schema === null ? null : readDeclaredSchema(schema)
    const check = checkOf(matchSchema(readAs(dialect), declared, dialect, readAs))
    const { before } = check.reading
    let bytes = head.bytes.length
    check.push(head.bytes.subarray(before.bytes))
    if (scope === 'head' && !head.isWhole) return await check.receipt(source, headBytesMax, false)
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      check.push(next.value)
      bytes += next.value.length
      const { accepted, rejected } = check.tally
      onProgress({ bytes, accepted, rejected, positions: rejectFacts(check.tally, bytes).positions })
    }
    check.end()
    return await check.receipt(source, bytes, true)
  } finally {
    await chunks.return?.()
  }
}

/** At least headBytesMax, unless the file ends before. */
async function readStart(chunks: AsyncIterator<Uint8Array>): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const parts: Uint8Array[] = []
  let length = 0
  // One byte more shows whether something follows.
  while (length <= headBytesMax) {
    const next = await chunks.next()
    if (next.done === true) return { bytes: concatBytes(parts), isWhole: true }
    parts.push(next.value.slice())
    length += next.value.length
  }
  return { bytes: concatBytes(parts), isWhole: false }
}

/** @throws {ServiceError} BAD_PARAMETER for a pattern that is none. */
function checkOf(matched: SchemaMatch): Check {
  try {
    return new Check(matched)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw refuse('constraints.pattern', error.message, 'a regular expression that RE2 accepts')
  }
}

class Check {
  readonly reading: Reading
  readonly tally = new RecordTally()
  readonly #scanner: ReturnType<typeof createScannerOf>
  readonly #rewrite: ReturnType<typeof segmentForm>['rewrite']
  readonly #writer: ReturnType<typeof createColumnWriter>
  readonly #preview: PreviewRows
  readonly #rejects: Reject[] = []
  readonly #declared: SchemaMatch['columns']
  readonly #misfits: MisfitTally

  constructor({ reading, columns: declared }: SchemaMatch) {
    this.reading = reading
    this.#declared = declared
    this.#misfits = new MisfitTally(declared.length)
    this.#scanner = createScannerOf(scanOptions({ ...reading, start: dataStart(reading) }, recordBytesMax))
    const { layout, rewrite } = segmentForm(reading)
    this.#rewrite = rewrite
    this.#preview = new PreviewRows(layout)
    const columns = reading.names.map((name, i) => {
      const values = declared[i]?.values
      return { name, type: null, nullWords: [], ...(values && { declared: values }) }
    })
    const onViolation = (violation: Violation) => this.#misfits.add(violation)
    this.#writer = createColumnWriter({ layout, columns, sink: () => {}, onViolation })
  }

  push(bytes: Uint8Array): void {
    this.#consume(this.#scanner.push(bytes))
  }

  end(): void {
    this.#consume(this.#scanner.end())
  }

  async receipt({ read }: CheckSource, bytes: number, isWhole: boolean): Promise<ProvisionalReceipt> {
    const { facts, nulls, violations } = this.#writer.end()
    this.#writer.close()
    const { reading, tally } = this
    const lineOf = lineOfRecord(reading, tally)
    const decisions = decideTypes(facts, lineOf, reading.dialect.delimiter)
    const declared = this.#declared
    const targets = declared.map((column, i) => column && declaredTarget(column, facts[i]!, lineOf))
    const columns = reading.names.map((name, i) => {
      const target = targets[i]
      if (target) return columnOf(target, name, nulls[i]!, target.values.missing)
      const { nullWords } = decisions[i]!
      const found = facts[i]!
      const wordCount = nullWords.reduce((sum, word) => sum + (found.nullWords[word] ?? 0), 0)
      return columnOf(decisions[i]!, name, found.nulls + wordCount, nullWords)
    })
    const counted = { ...tally, accepted: tally.accepted - violations, rejected: tally.rejected + violations }
    const end = { bytes, reading, lines: tally.lines, lastRejects: tally.last }
    const rejects = this.#rejects
    return {
      isWhole,
      bytes,
      encoding: reading.encoding,
      dialect: reading.dialect,
      records: recordCounts(reading.before, counted),
      columns,
      rejects: {
        ...rejectFacts(tally, bytes),
        count: counted.rejected,
        reasons: { ...tally.reasons, ...(violations > 0 && { constraint: violations }) },
        first:
          read === null
            ? rejects.map((reject) => ({ ...reject, text: null }))
            : await readTexts(read, reading.encoding.name, rejects, rejectTextBytesMax),
      },
      evidence: evidenceInWords(reading.evidence),
      notes: [
        ...reading.notes,
        ...recordNotes(reading, tally),
        ...typeNotes(
          reading.names,
          reading.names.map((_, i) => targets[i] ?? decisions[i]!),
          '',
        ),
        ...equalNumberNotes({ columns, declared, factsOf: (i) => facts[i] ?? null, lineOf }),
        ...(isWhole && read !== null ? await footerNotes({ read, ...end }) : []),
      ].map(shownNote),
      misfits: this.#misfits.list(tally.accepted, lineOf),
      rows: this.#preview.rows,
    }
  }

  #consume(scanned: ScanResult): void {
    this.tally.add(scanned)
    this.#rejects.push(...scanned.rejects.slice(0, listedRejectsMax - this.#rejects.length).map(shownReject))
    const pieces = this.#rewrite === null ? scanned.pieces : this.#rewrite(scanned.pieces)
    this.#preview.add(pieces)
    for (const piece of pieces) this.#writer.push(piece)
  }
}

function columnOf(
  { type, why }: Pick<Decision, 'type' | 'why'>,
  name: string,
  nulls: number,
  nullWords: readonly string[],
): Column {
  const format = columnFormat(type)
  return {
    name,
    type: columnTypeName(type),
    ...(format !== undefined && { format }),
    nulls,
    ...(nullWords.length > 0 && { nullWords }),
    why,
  }
}

/** Parts of the file in which a column is marked at most once. */
const partsMax = 100
const misfitLinesMax = 3
/** Records of which the places are kept for each column. */
const placesMax = 10_000

class MisfitTally {
  readonly #columns: { count: number; values: Map<string, number[]>; records: number[] }[]

  constructor(width: number) {
    this.#columns = Array.from({ length: width }, () => ({ count: 0, values: new Map(), records: [] }))
  }

  add({ column, record, value }: Violation): void {
    const of = this.#columns[column]
    if (of === undefined) return
    of.count += 1
    if (of.records.length < placesMax) of.records.push(record)
    const records = of.values.get(value)
    if (records !== undefined && records.length < misfitLinesMax) records.push(record)
    else if (records === undefined && of.values.size < misfitValuesMax) of.values.set(value, [record])
  }

  list(total: number, lineOf: LineOf | undefined): readonly Misfits[] {
    return this.#columns.flatMap(({ count, values, records }, column) => {
      if (count === 0) return []
      const at = [...new Set(records.map((record) => Math.floor((partsMax * record) / (total + 1)) / partsMax))]
      const shown = Array.from(values, ([value, of]) => ({ value, lines: lineOf ? of.map(lineOf) : [] }))
      return [{ column, count, values: shown, at }]
    })
  }
}
