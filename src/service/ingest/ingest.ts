// Ingest: bytes of a file become typed parts and rejects, in one pass if the guessed types hold. The order of steps is here.
import type { Converter, Segment } from '../../columns/converter.ts'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { ColumnFacts } from '../../core/column-facts.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Note } from '../../core/notes.ts'
import type { Column, Part, VerbatimRun } from '../../core/receipt.ts'
import type { TableSchema } from '../../core/table-schema.ts'
import { type DeclaredDialect, headBytesMax, type Reading } from '../../reading/reading.ts'
import { scanOptionsOf } from '../../reading/scan-options.ts'
import { joinFacts } from '../../reading/types/infer-types.ts'
import { matchSchema, type SchemaMatch } from '../schema/match-schema.ts'
import { bufferHead } from './buffer-head.ts'
import { checkLayout, inOriginal, refusedCorrections } from './correction-file.ts'
import { equalNumberNotes } from './equal-number-notes.ts'
import type { Exclusions } from './exclusions.ts'
import { PartList } from './part-list.ts'
import { lineOfRecord, RecordTally } from './record-tally.ts'
import { rejectColumns } from './reject-table.ts'
import { RepeatedKeys } from './repeated-keys.ts'
import { hasOwnFile, type IngestSource, type IngestTools, SegmentSource } from './segment-source.ts'
import { type TypeBasis, TypedParts } from './typed-parts.ts'
import { VerbatimRuns } from './verbatim-runs.ts'
import { Violations } from './violations.ts'
import type { CutSegment } from './write-segments.ts'

/** A file that has been read: everything in the receipt but the upload itself. Its parts are in the draft. */
export interface IngestResult {
  readonly reading: Reading
  /** As declared; null if nothing was declared. */
  readonly schema: TableSchema | null
  readonly tally: RecordTally
  readonly columns: readonly Column[]
  readonly parts: readonly Part[]
  readonly rejectParts: readonly Part[]
  readonly verbatim: readonly VerbatimRun[]
  /** Checksums of the blocks of `parts`, then of `rejectParts`. */
  readonly checksums: readonly Buffer[]
  /** Doubts about the types. */
  readonly typeNotes: readonly Note[]
}

/**
 * Reads a file while it arrives. Types are guessed from the first segment and are right for most files. If a later
 * value does not fit, nothing is rejected: all columns are typed over all records, and those that change are written
 * again. Only a value that breaks a declared rule has its record rejected: no part has it, and the original is scanned once
 * more for where it is.
 *
 * @returns null if the last byte shows that the file is a duplicate
 * @throws {ServiceError} NOT_CSV, NOT_READABLE, SCHEMA_MISMATCH, CORRECTIONS_MISMATCH, CONVERSION_FAILED, DISK_FULL, STORE_FAILED
 * @throws {CorrectionsRefused} if corrected records break declared rules
 */
export async function ingest(
  source: IngestSource,
  tools: IngestTools,
  signal: AbortSignal,
): Promise<IngestResult | null> {
  const { dialect, schema } = source.declared
  const readAndMatch = (head: Uint8Array, isWhole: boolean) => {
    const readAs = (declared: DeclaredDialect) => tools.readHead(head, isWhole, declared)
    const matched = matchSchema(readAs(dialect), schema, dialect, readAs)
    const layout = scanOptionsOf(matched.reading, tools.recordBytesMax)
    // Done in here, where an error also ends the stream of the file.
    if (source.corrections !== null) checkLayout(source.corrections, layout)
    return { matched, layout }
  }
  const head = await bufferHead(source, headBytesMax, readAndMatch, signal)
  if (head === null) return null
  const { matched, layout } = head.result
  const { reading } = matched
  const runs = reading.before.gap === null ? new VerbatimRuns(layout.start.byteOffset, reading) : null
  const segments = new SegmentSource(source, matched, tools, signal)
  const pass = new Pass(source, matched, segments, tools.converter, signal)
  const first = new RecordTally([runs, segments.regularRuns].filter((one) => one !== null))
  source.progress.reads(reading, first)

  const rejects = new PartList(source.draft, 'rejects')
  const typed = await pass.guessAndConvert(head.from(reading.before.bytes), first, rejects)
  if (typed === null) return null
  await pass.leaveOutRepeated(typed)
  const tally = (await pass.rejectViolations(rejects)) ?? first
  checkCount(typed.parts.list(), tally)
  const lineOf = lineOfRecord(reading, tally)
  const { columns, notes } = typed.described(tally.accepted, lineOf)
  return {
    reading,
    schema: schema?.table ?? null,
    tally,
    columns,
    parts: typed.parts.list(),
    rejectParts: rejects.list(),
    // With records excluded or corrected, these are not the records that were scanned first.
    verbatim: tally === first && source.corrections === null ? (runs?.list() ?? []) : [],
    checksums: [...typed.parts.checksums(), ...rejects.checksums()],
    typeNotes: [
      ...notes,
      ...equalNumberNotes({
        columns,
        declared: matched.columns,
        factsOf: (column) => pass.factsOf(column),
        lineOf,
      }),
    ],
  }
}

function checkCount(parts: readonly Part[], { accepted }: RecordTally): void {
  const records = parts.reduce((sum, part) => sum + part.records, 0)
  if (records === accepted) return
  const cause = new Error(`the parts have ${records} records, expected ${accepted}`)
  throw new ServiceError('CONVERSION_FAILED', {}, cause)
}

/** The ways to process one file. Each ends with all its jobs ended. */
class Pass {
  readonly #source: IngestSource
  readonly #matched: SchemaMatch
  readonly #converter: Converter
  /** Aborted when the caller disconnects. */
  readonly #signal: AbortSignal
  readonly #segments: SegmentSource
  /** Facts about the accepted values of each segment. */
  readonly #facts: (readonly ColumnFacts[])[] = []
  readonly #violations: Violations
  readonly #repeatedKeys: RepeatedKeys

  constructor(
    source: IngestSource,
    matched: SchemaMatch,
    segments: SegmentSource,
    converter: Converter,
    signal: AbortSignal,
  ) {
    this.#source = source
    this.#matched = matched
    this.#segments = segments
    this.#converter = converter
    this.#signal = signal
    this.#repeatedKeys = new RepeatedKeys(source.draft.dir, matched.keys)
    this.#violations = new Violations(source.draft.dir, matched.columns, this.#repeatedKeys)
  }

  /**
   * Converts with types guessed from the first segment. If a later value does not fit, types are decided from the
   * values seen so far, and once all are seen, columns written in another type are written again. Null for a duplicate.
   */
  async guessAndConvert(
    chunks: AsyncIterable<readonly BorrowedBytes[]>,
    tally: RecordTally,
    rejects: PartList,
  ): Promise<TypedParts | null> {
    const guess: { made: Promise<Guess> | null; fits: boolean } = { made: null, fits: true }
    /** As long as all of them are ranges of the original, they need not be cut again: 14 % of the CPU time. */
    let ranges: CutSegment[] | null = []
    const items = this.#segments.arriving(chunks, { tally, keeps: ['accepted', 'rejected'] })
    await this.#segments.each(items, async (item, signal) => {
      if (item.kind === 'rejected') return await this.#recordRejects(item, rejects, signal)
      if (hasOwnFile(item.segment)) ranges = null
      ranges?.push(item)
      guess.made ??= this.#guess(item, signal)
      const { typed, converted } = await guess.made
      if (item === converted || (await this.#convert(typed, item, signal))) return
      guess.fits = false
      this.#decide(typed, false)
    })
    // Its jobs were aborted, including the guess.
    if (this.#source.isDuplicate()) return null
    const typed = (await guess.made)?.typed
    if (typed === undefined) throw new Error('Cannot decide types: no segment came, expected at least one')
    if (!guess.fits) await this.#convertChanged(typed, ranges ?? this.#acceptedAgain())
    return typed
  }

  /** Writes columns again that have another type than all values decide. */
  async #convertChanged(
    typed: TypedParts,
    items: Iterable<CutSegment> | AsyncIterable<CutSegment> = this.#acceptedAgain(),
  ): Promise<void> {
    this.#decide(typed, true)
    if (typed.areAsDecided(this.#facts)) return
    const keys = this.#repeatedKeys
    await this.#segments.each(items, async (item, signal) => {
      const { index, segment } = item
      const facts = this.#facts[index] ?? []
      const options = keys.areRepeated ? keys.options(index, segment.records) : {}
      if (!(await typed.convertChanged(item, facts, this.#converter, signal, options))) throwTypeMismatch()
    })
  }

  /**
   * Writes parts again without the records that repeat the key of an earlier one, and then all parts in which a column
   * has another type without these records.
   */
  async leaveOutRepeated(typed: TypedParts): Promise<void> {
    const keys = this.#repeatedKeys
    await keys.find(this.#converter, this.#signal)
    if (!keys.areRepeated) return
    await this.#segments.each(this.#acceptedAgain(), async (item, signal) => {
      if (keys.isAffected(item.index) && !(await this.#convert(typed, item, signal))) throwTypeMismatch()
    })
    if (this.#needsFacts()) await this.#convertChanged(typed)
  }

  /** The accepted records of the stored original. */
  #acceptedAgain(): AsyncGenerator<CutSegment> {
    return this.#segments.stored({ keeps: ['accepted'] })
  }

  /**
   * If records break declared rules, scans the stored original once more, to find where they are, and returns the
   * counts without them. `rejects` are replaced.
   */
  async rejectViolations(rejects: PartList): Promise<RecordTally | null> {
    if (this.#violations.count === 0) return null
    const { corrections } = this.#source
    const { corrected } = this.#segments
    const placed = (ones: Exclusions) => (corrections === null ? ones : inOriginal(ones, corrected))
    const { areRepeated } = this.#repeatedKeys
    if (areRepeated) {
      const exclusions = placed(this.#repeatedKeys.firsts())
      const scan = this.#segments.stored({ tally: this.#repeatedKeys, keeps: [], exclusions, isAnew: true })
      await this.#segments.each(scan, async () => {})
    }
    const found = () => this.#violations.exclusions(this.#signal)
    if (corrections !== null) await refusedCorrections(found(), corrected, corrections)
    await rejects.clear()
    const tally = new RecordTally()
    // Segments that were cut from other steps may lack places that the runs of the first pass need.
    const cut = { tally, keeps: ['rejected'], exclusions: placed(found()), isAnew: areRepeated } as const
    const items = this.#segments.stored(cut)
    await this.#segments.each(items, (item, signal) => this.#recordRejects(item, rejects, signal))
    return tally
  }

  /** False if every type is declared. */
  #needsFacts(): boolean {
    return this.#matched.columns.some((column) => column === null || column.type === 'byValues')
  }

  /** Guesses from all values of the first segment. A long one is converted by a sample first. */
  async #guess(item: CutSegment, signal: AbortSignal): Promise<Guess> {
    const { sample, segment } = item
    if (!this.#needsFacts()) return { typed: this.#typed([], false), converted: null }
    const profiled = await this.#profile(sample ?? segment, signal)
    if (sample === undefined) return { typed: this.#typed(profiled, false), converted: null }
    const typed = new TypedParts(this.#source.draft, this.#basis(profiled, false))
    await this.#convert(typed, item, signal)
    const facts = this.#facts[item.index] ?? []
    typed.decideFirst(this.#basis(facts, false))
    this.#source.progress.typed(typed.types())
    if (!(await typed.convertChanged(item, facts, this.#converter, signal))) throwTypeMismatch()
    return { typed, converted: item }
  }

  /** False if a value does not fit. */
  async #convert(typed: TypedParts, item: CutSegment, signal: AbortSignal): Promise<boolean> {
    const { index, segment } = item
    const options = {
      violationsPath: this.#violations.path(index),
      ...this.#repeatedKeys.options(index, segment.records),
    }
    const { kind, facts, violations } = await typed.convert(item, options, this.#converter, signal)
    this.#facts[index] = facts
    this.#violations.add(index, segment.records, violations)
    return kind === 'part'
  }

  #typed(facts: readonly ColumnFacts[], isFinal: boolean): TypedParts {
    const typed = new TypedParts(this.#source.draft, this.#basis(facts, isFinal))
    this.#source.progress.typed(typed.types())
    return typed
  }

  /** Decides types again from everything seen. */
  #decide(typed: TypedParts, isFinal: boolean): void {
    typed.decide(this.#basis(this.#joinedFacts(), isFinal))
    this.#source.progress.typed(typed.types())
  }

  #basis(facts: readonly ColumnFacts[], isFinal: boolean): TypeBasis {
    const { reading, columns } = this.#matched
    return { names: reading.names, facts, declared: columns, isFinal, delimiter: reading.dialect.delimiter }
  }

  async #recordRejects(item: CutSegment, rejects: PartList, signal: AbortSignal): Promise<void> {
    await rejects.convert(item, rejectColumns, this.#converter, signal)
  }

  /** Facts about all values of a column; null if nobody has examined them. */
  factsOf(column: number): ColumnFacts | null {
    const all = this.#facts.map((facts) => facts[column])
    return all.length === 0 ? null : (all.reduce((joined, next) => joined && next && joinFacts(joined, next)) ?? null)
  }

  /** Facts about all segments examined so far. */
  #joinedFacts(): readonly ColumnFacts[] {
    return this.#facts.reduce((joined, next) => joined.map((one, i) => joinFacts(one, next[i] ?? one)))
  }

  #profile(segment: Segment, signal: AbortSignal): Promise<readonly ColumnFacts[]> {
    const declared = this.#matched.columns.map((column) => column?.values)
    return this.#converter.profile(segment, signal, declared)
  }
}

/** Parts with the types of the first segment. */
interface Guess {
  readonly typed: TypedParts
  /** The first segment, if its part already exists. */
  readonly converted: CutSegment | null
}

function throwTypeMismatch(): never {
  const cause = new Error('a value does not fit the type that all values decided')
  throw new ServiceError('CONVERSION_FAILED', {}, cause)
}
