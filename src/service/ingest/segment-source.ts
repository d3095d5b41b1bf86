// Segment source: cuts a file into segments, while it arrives and again from where it is stored, and runs a job for each of
// them. Knows no types.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Converter, Segment } from '../../columns/converter.ts'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { fileChunks } from '../../io/chunks/file-chunks.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { headBytesMax, type ReadHead, type Reading } from '../../reading/reading.ts'
import { scanOptionsOf } from '../../reading/scan-options.ts'
import type { CreateScanner, FileScanOptions } from '../../reading/scanner/scanner.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { SchemaMatch } from '../schema/match-schema.ts'
import type { UploadOptions } from '../schema/upload-options.ts'
import type { ArrivingFile } from './buffer-head.ts'
import { ConstraintFilter } from './constraint-filter.ts'
import { type CorrectionFile, excludedAsWell, readCorrections } from './correction-file.ts'
import { CorrectedOrdinals, Corrector } from './corrector.ts'
import type { Exclusions } from './exclusions.ts'
import { recordReader } from './record-of-text.ts'
import { RecordTally } from './record-tally.ts'
import { excludingScans, RegularRuns } from './regular-runs.ts'
import { placedForm } from './segment-form.ts'
import type { UploadProgress } from './upload-progress.ts'
import { type CutSegment, cutScanned, cutSegments } from './write-segments.ts'

export interface IngestTools {
  readonly readHead: ReadHead
  readonly createScanner: CreateScanner
  readonly converter: Converter
  readonly segmentBytes: number
  readonly recordBytesMax: number
  /** Segments of one upload that are converted at once. */
  readonly segmentsMax: number
}

export interface IngestSource extends ArrivingFile {
  readonly draft: DraftFiles
  readonly declared: UploadOptions
  /** Receives the progress of the reading. */
  readonly progress: UploadProgress
  /** Null if every record is read as it is. */
  readonly corrections: CorrectionFile | null
}

/** How a pass splits a file. By default nothing is counted or excluded. */
interface Cut {
  readonly keeps: readonly CutSegment['kind'][]
  readonly tally?: Pick<RecordTally, 'add'>
  readonly exclusions?: Exclusions
  /** All is scanned, and no place taken from an earlier pass. */
  readonly isAnew?: boolean
}

export class SegmentSource {
  readonly #source: IngestSource
  readonly #reading: Reading
  readonly #layout: FileScanOptions
  readonly #tools: IngestTools
  readonly #signal: AbortSignal
  /** Null if the file is not read in segments as it is, or nothing is declared. */
  readonly regularRuns: RegularRuns | null
  /** Numbers of corrected records, from the first pass, which rejects nothing because of declared rules. */
  readonly corrected: CorrectedOrdinals
  #isCounted = false

  constructor(source: IngestSource, { reading, columns }: SchemaMatch, tools: IngestTools, signal: AbortSignal) {
    this.#source = source
    this.#reading = reading
    this.#layout = scanOptionsOf(reading, tools.recordBytesMax)
    this.#tools = tools
    this.#signal = signal
    this.corrected = new CorrectedOrdinals(join(source.draft.dir, 'corrected-ordinals'))
    const isAsItIs = reading.encoding.name === 'utf-8' && reading.before.gap === null && source.corrections === null
    const hasRuns = isAsItIs && placedForm(reading).rewrite === null && columns.some((column) => column !== null)
    this.regularRuns = hasRuns ? new RegularRuns(this.#layout.start) : null
  }

  /**
   * Runs a job for each segment, a bounded number at a time. After its job, the file of a segment is deleted. Ends
   * early for a duplicate.
   */
  async each(
    items: Iterable<CutSegment> | AsyncIterable<CutSegment>,
    job: (item: CutSegment, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { isDuplicate } = this.#source
    const unwanted = new AbortController()
    async function* untilDuplicate() {
      yield* items
      if (isDuplicate()) unwanted.abort()
    }
    await forEachLimit(untilDuplicate(), this.#tools.segmentsMax, async (item, failed) => {
      try {
        await job(item, AbortSignal.any([this.#signal, failed, unwanted.signal]))
      } catch (error) {
        if (!unwanted.signal.aborted) throw error
      } finally {
        if (hasOwnFile(item.segment)) await rm(item.segment.path, { force: true })
      }
    })
  }

  /** The records of a file while it arrives. */
  arriving(chunks: AsyncIterable<readonly BorrowedBytes[]>, cut: Cut): AsyncGenerator<CutSegment> {
    const [reading, layout] = [this.#reading, this.#layout]
    const { segmentBytes, createScanner } = this.#tools
    const { tally = new RecordTally(), keeps, exclusions = null, isAnew = false } = cut
    const { draft, isDuplicate, textPath, corrections } = this.#source
    const flush = () => this.#source.flush()
    const text = { path: textPath, startOffset: reading.before.bytes, flush }
    // The same in every pass: how a dataset is split must not depend on how often it was read.
    const sizes = { firstBytes: headBytesMax, segmentBytes, keeps, isDuplicate, text }
    const corrector = corrections && this.#corrector(corrections)
    const options = { draft, ...placedForm(reading), ...sizes, corrector }
    if (corrections === null && exclusions !== null) {
      const runs = isAnew ? [] : (this.regularRuns?.list() ?? [])
      const chunks = (from: number, end: number) => fileChunks(textPath, from, this.#signal, end)
      return cutScanned(excludingScans({ layout, createScanner, runs, exclusions, chunks }), options, tally)
    }
    const excluded = corrections === null ? null : excludedAsWell(corrections.path, exclusions)
    const scanner = createScanner({ ...layout, marksRejects: excluded !== null })
    if (excluded === null) return cutSegments(chunks, scanner, options, tally)
    const filter = new ConstraintFilter(scanner, excluded, reading.before.bytes)
    return cutSegments(filter.steps(chunks), filter, options, tally)
  }

  #corrector({ path }: CorrectionFile): Corrector {
    // The first pass counts over the whole file; a later one, which may exclude records, counts nothing.
    const ordinals = this.#isCounted ? null : this.corrected
    this.#isCounted = true
    return new Corrector(readCorrections(path), recordReader(this.#tools.createScanner, this.#layout), ordinals)
  }

  /** The records of the stored original. */
  stored(cut: Cut): AsyncGenerator<CutSegment> {
    return this.arriving(fileChunks(this.#source.textPath, this.#reading.before.bytes, this.#signal), cut)
  }
}

/** False if all its records are in another file. */
export function hasOwnFile({ path, pieces }: Segment): boolean {
  return pieces === undefined || pieces.some((piece) => piece.path === path)
}
