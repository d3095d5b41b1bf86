// Ingest: bytes of a file become typed parts and rejects, in one pass where the guessed types hold. The order of steps is here.
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { ColumnFacts, Converter, Segment, SegmentLayout } from '../../convert/convert.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Note } from '../../core/notes.ts'
import type { Column, Part } from '../../core/receipt.ts'
import type { TableSchema } from '../../core/table-schema.ts'
import { type CsvRewriter, createCsvRewriter } from '../../csv/csv-rewriter.ts'
import { fileChunks } from '../../io/file-chunks.ts'
import { TaskLimiter } from '../../io/task-limiter.ts'
import { type DeclaredDialect, headBytesMax, type ReadHead, type Reading } from '../../reading/reading.ts'
import type { CreateScanner } from '../../reading/scanner/scanner.ts'
import { joinFacts, type LineOf } from '../../reading/types/infer-types.ts'
import { type Matched, matchSchema } from '../schema/match-schema.ts'
import type { UploadOptions } from '../schema/upload-options.ts'
import { type ArrivingFile, bufferHead } from '../upload/buffer-head.ts'
import { ConstraintFilter } from './constraint-filter.ts'
import { rejectColumns } from './reject-table.ts'
import { dataStart, scanOptions } from './scan-options.ts'
import { PartList, TypedParts } from './typed-parts.ts'
import { type Exclusion, Violations } from './violations.ts'
import { type CutSegment, cutSegments, RecordTally } from './write-segments.ts'

export interface IngestTools {
  readonly readHead: ReadHead
  readonly createScanner: CreateScanner
  readonly converter: Converter
  readonly segmentBytes: number
  readonly recordBytesMax: number
  /** Segments of one upload that are converted, or wait for it, at once. */
  readonly segmentsMax: number
}

/** A file that has been read: everything of the receipt but the upload itself. Its parts lie in the draft. */
export interface Loaded {
  readonly reading: Reading
  /** As stated; null where nothing was. */
  readonly schema: TableSchema | null
  readonly tally: RecordTally
  readonly columns: readonly Column[]
  readonly parts: readonly Part[]
  readonly rejectParts: readonly Part[]
  /** Doubts about the types. */
  readonly typeNotes: readonly Note[]
}

export interface IngestSource extends ArrivingFile {
  /** Directory of the draft, with `data/`, `rejects/` and `segments/` in it. */
  readonly dir: string
  readonly declared: UploadOptions
}

/**
 * Reads a file while it arrives. Types are guessed on the first segment and hold in most files; where a later value does
 * not fit, nothing is rejected: all columns are settled over all records and the parts are made again from the original.
 * Only where a value breaks what a client stated its record is rejected, and the parts are made again without it.
 *
 * @throws {ServiceError} NOT_CSV, NOT_READABLE, SCHEMA_MISMATCH, CONVERSION_FAILED, DISK_FULL, STORE_FAILED
 */
export async function ingest(source: IngestSource, tools: IngestTools, signal: AbortSignal): Promise<Loaded> {
  const { dialect, schema } = source.declared
  const judge = (head: Uint8Array, isWhole: boolean) => {
    const readAs = (declared: DeclaredDialect) => tools.readHead(head, isWhole, declared)
    return matchSchema(readAs(dialect), schema, dialect, readAs)
  }
  const { result: matched, from } = await bufferHead(source, headBytesMax, judge, signal)
  const { reading } = matched
  const first = new RecordTally()
  const pass = new Pass(source, matched, tools, signal)

  const rejects = new PartList(source.dir, 'rejects')
  const guess = await pass.guessAndConvert(from(reading.before.bytes), first, rejects)
  const { typed: settled, tally } = guess ?? (await pass.convertWithFinalTypes(first, rejects))
  const lineOf = lineOfRecord(reading, tally)
  return {
    reading,
    schema: schema?.table ?? null,
    tally,
    columns: settled.columns(tally.accepted, lineOf),
    parts: settled.parts.list(),
    rejectParts: rejects.list(),
    typeNotes: settled.notes(tally.accepted, lineOf),
  }
}

/** Tells on which line an accepted record (from 1) starts; only where every line of the data is an accepted record. */
function lineOfRecord({ before }: Reading, { accepted, lines }: RecordTally): LineOf | undefined {
  return lines - before.lines === accepted ? (record) => before.lines + record : undefined
}

/** What a pass over a file has made. */
interface Converted {
  readonly typed: TypedParts
  readonly tally: RecordTally
}

/** The ways of going over one file. Each ends with all its jobs ended. */
class Pass {
  readonly #source: IngestSource
  readonly #matched: Matched
  readonly #tools: IngestTools
  /** Ends the jobs of this pass when the caller goes away or one of them fails. */
  readonly #signal: AbortSignal
  readonly #stop = new AbortController()

  constructor(source: IngestSource, matched: Matched, tools: IngestTools, signal: AbortSignal) {
    this.#source = source
    this.#matched = matched
    this.#tools = tools
    this.#signal = AbortSignal.any([signal, this.#stop.signal])
  }

  /** Converts with types guessed on the first segment; null, and no part, when a later value did not fit. */
  async guessAndConvert(
    chunks: AsyncIterable<readonly Uint8Array[]>,
    tally: RecordTally,
    rejects: PartList,
  ): Promise<Converted | null> {
    let typed: Promise<TypedParts> | null = null
    let isMisfit = false
    const items = this.#cut(chunks, { tally, firstBytes: headBytesMax, withRejects: true })
    await this.#eachSegment(items, async (item) => {
      if (item.kind === 'rejected') return await this.#keepRejects(item, rejects)
      typed ??= this.#guess(item.segment)
      if (!isMisfit && !(await (await typed).convert(item, this.#tools.converter, this.#signal))) isMisfit = true
    })
    // The cutter gives at least one accepted segment, so `typed` is set; the compiler does not see assignments in closures.
    const result = await (typed as Promise<TypedParts> | null)
    if (result === null) throw new Error('Cannot settle types: no segment came, wanted at least one')
    if (!isMisfit) return { typed: result, tally }
    await result.parts.clear()
    return null
  }

  /**
   * Looks at every value first and converts then: passes over the original as it was kept. `first` is what the first pass
   * has counted, `rejects` what it rejected: both are made again where records break what is stated.
   */
  async convertWithFinalTypes(first: RecordTally, rejects: PartList): Promise<Converted> {
    const facts = this.#needsFacts() ? await this.#profileAll() : []
    const typed = this.#typed(facts, true)
    const violations = await this.#findViolations(typed)
    const isRejecting = violations.count > 0
    if (isRejecting) await rejects.clear()
    const tally = new RecordTally()
    const exclusions = isRejecting ? { exclusions: violations.exclusions(this.#matched.columns) } : {}
    await this.#eachSegment(this.#cutOriginal({ tally, withRejects: isRejecting, ...exclusions }), async (item) => {
      if (item.kind === 'rejected') return await this.#keepRejects(item, rejects)
      if (await typed.convert(item, this.#tools.converter, this.#signal)) return
      throw new ServiceError('CONVERSION_FAILED', {}, new Error('a value misfits the type settled over all values'))
    })
    return { typed, tally: isRejecting ? tally : first }
  }

  /** Finds the records that break what is stated; nothing is read where nothing is stated. */
  async #findViolations({ targets }: TypedParts): Promise<Violations> {
    const violations = new Violations(join(this.#source.dir, 'segments'))
    if (this.#matched.columns.every((column) => column === null)) return violations
    await this.#eachSegment(this.#cutOriginal(), async ({ index, segment }) => {
      const path = violations.path(index)
      const count = await this.#tools.converter.violations(segment, targets, path, this.#signal)
      violations.add(index, segment.records, count)
    })
    return violations
  }

  /** False where every type is stated. */
  #needsFacts(): boolean {
    return this.#matched.columns.some((column) => column === null || column.type === 'byValues')
  }

  async #guess(segment: Segment): Promise<TypedParts> {
    return this.#typed(this.#needsFacts() ? await this.#profile(segment) : [], false)
  }

  #typed(facts: readonly ColumnFacts[], isSettled: boolean): TypedParts {
    const { reading, columns } = this.#matched
    return new TypedParts(this.#source.dir, { names: reading.names, facts, declared: columns, isSettled })
  }

  async #keepRejects(item: CutSegment, rejects: PartList): Promise<void> {
    await rejects.convert(item, rejectColumns, this.#tools.converter, this.#signal)
  }

  async #profileAll(): Promise<readonly ColumnFacts[]> {
    const factsBySegment: (readonly ColumnFacts[])[] = []
    await this.#eachSegment(this.#cutOriginal(), async ({ index, segment }) => {
      factsBySegment[index] = await this.#profile(segment)
    })
    return factsBySegment.reduce((joined, next) => joined.map((one, i) => joinFacts(one, next[i] ?? one)))
  }

  /** Runs a job a segment, in bounded number, and deletes each segment after its job. */
  async #eachSegment(items: AsyncIterable<CutSegment>, job: (item: CutSegment) => Promise<void>): Promise<void> {
    const jobs = new TaskLimiter(this.#tools.segmentsMax)
    try {
      for await (const item of items) {
        await jobs.add(() => job(item).finally(() => unlink(item.segment.path)))
      }
      await jobs.drain()
    } catch (error) {
      this.#stop.abort(error)
      throw error
    } finally {
      await jobs.settle()
    }
  }

  #profile(segment: Segment): Promise<readonly ColumnFacts[]> {
    return this.#tools.converter.profile(segment, this.#signal)
  }

  #cut(chunks: AsyncIterable<readonly Uint8Array[]>, cut: Cut): AsyncGenerator<CutSegment> {
    const { reading } = this.#matched
    const { segmentBytes, recordBytesMax } = this.#tools
    const { tally = new RecordTally(), firstBytes = segmentBytes, withRejects = false, exclusions } = cut
    const layout = { ...reading, start: dataStart(reading) }
    const scanner = this.#tools.createScanner(scanOptions(layout, recordBytesMax))
    const dir = join(this.#source.dir, 'segments')
    const options = { dir, ...segmentForm(reading), firstBytes, segmentBytes, withRejects }
    if (exclusions === undefined) return cutSegments(chunks, scanner, options, tally)
    const filter = new ConstraintFilter(scanner, exclusions, reading.before.bytes)
    return cutSegments(filter.steps(chunks), filter, options, tally)
  }

  #cutOriginal(cut: Cut = {}): AsyncGenerator<CutSegment> {
    return this.#cut(fileChunks(this.#source.originalPath, this.#matched.reading.before.bytes, this.#signal), cut)
  }
}

/** How a pass cuts a file. Unless said otherwise, nothing is counted, dropped, or kept of rejects. */
interface Cut {
  readonly tally?: RecordTally
  readonly firstBytes?: number
  readonly withRejects?: boolean
  readonly exclusions?: AsyncIterable<Exclusion>
}

/**
 * How segments are arranged: as the file is, except where the delimiter is not ASCII or quotes are escaped by another
 * character than themselves. There engines do not agree on what an escape before any other character means (DuckDB 1.5.6
 * drops it, in unquoted fields too), so such records are given to the converter with commas and quotes doubled.
 */
function segmentForm({ dialect, width }: Reading): { layout: SegmentLayout; rewrite: CsvRewriter | null } {
  const { delimiter, quoteChar, escapeChar, lineTerminator } = dialect
  if (escapeChar !== null || delimiter > '\x7f') {
    const end = lineTerminator === '\r' ? '\r\n' : lineTerminator
    const layout = { width, delimiter: ',', quote: '"', escape: null, lineTerminator: end }
    return { layout, rewrite: createCsvRewriter(dialect) }
  }
  const layout = { width, delimiter: delimiter.charAt(0), quote: quoteChar, escape: null, lineTerminator }
  return { layout, rewrite: null }
}
