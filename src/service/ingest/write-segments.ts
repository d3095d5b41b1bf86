// Write segments: sorts the records of a file into segments of accepted ones and segments of rejects. Knows no types.
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Segment, SegmentLayout, SegmentPiece } from '../../convert/convert.ts'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { CsvRewriter } from '../../csv/csv-rewriter.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import type { Scanned, Scanner } from '../../reading/scanner/scanner.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { Corrector } from '../corrections/corrector.ts'
import type { RecordTally } from './record-tally.ts'
import { RejectLines, rejectLayout } from './reject-table.ts'

export interface CutterOptions {
  /** Segments are written to a folder of it; they are the receiver's to delete. */
  readonly draft: Pick<DraftFiles, 'dir' | 'folder'>
  readonly layout: SegmentLayout
  /** The first segment is closed at this size, because types are decided on it. Bytes. */
  readonly firstBytes: number
  /** All others, but for early ones that stand in the file. Bytes. */
  readonly segmentBytes: number
  /** The file itself, where segments may name places in it instead of having a copy; null where they may not. */
  readonly text: TextFile | null
  /** Where it has one byte a character and is not in UTF-8: for each byte the UTF-8, as segments have it. */
  readonly utf8OfBytes: Uint32Array | null
  /** Rewrites accepted records in `layout`; null when they are in it already. */
  readonly rewrite: CsvRewriter | null
  /** False when only the accepted records are wanted, on a second pass. */
  readonly withRejects: boolean
  /** Puts corrected records in the places of rejects; null where there are none. Disposed here. */
  readonly corrector: Corrector | null
  /** Asked at the end of the chunks: true when no more segments are wanted, not even of what is left over. */
  readonly isDuplicate: () => boolean
}

/** The file whose records are cut. */
export interface TextFile {
  readonly path: string
  /** Where the first chunk begins in it. */
  readonly startOffset: number
  /** Resolves when what was scanned so far can be read there. */
  flush(): Promise<void>
}

/** A finished, closed segment; `index` counts those of its kind from 0, in file order. */
export interface CutSegment {
  readonly kind: 'accepted' | 'rejected'
  readonly index: number
  readonly segment: Segment
  /** Some of its records, from all over it; only of a long first segment whose records stand in the file. */
  readonly sample?: Segment
}

/**
 * Scans chunks and writes segments, cut at record ends. Yields at least one accepted segment, be it empty, so that a file
 * without records still has its columns. Segments not yet given out are deleted when the caller stops early.
 */
export async function* cutSegments(
  chunks: AsyncIterable<readonly BorrowedBytes[]>,
  scanner: Pick<Scanner, 'push' | 'end'>,
  options: CutterOptions,
  tally: RecordTally,
): AsyncGenerator<CutSegment> {
  await using accepted = new SegmentWriter('accepted', options.layout, options)
  await using rejected = new SegmentWriter('rejected', rejectLayout, options)

  const { rewrite, text } = options
  const rejectLines = new RejectLines()
  await using corrector = options.corrector
  let keptTo = text?.startOffset ?? 0
  const writeAsRead = async ({ pieces, accepted: records, rejects }: Scanned): Promise<void> => {
    await accepted.write(rewrite === null ? pieces : rewrite(pieces), records)
    if (options.withRejects && rejects.length > 0) await rejected.write([rejectLines.of(rejects)], rejects.length)
  }

  /** Null where there is nothing to wait for, as in most files. */
  const keepAsRead = (scanned: Scanned): Promise<void> | null => {
    tally.add(scanned)
    const { isVerbatim, pieces, consumedTo } = scanned
    const bytes = consumedTo - keptTo
    const byteOffset = keptTo
    keptTo = consumedTo
    if (text === null || rewrite !== null || !isVerbatim) return writeAsRead(scanned)
    const utf8Bytes = options.utf8OfBytes === null ? bytes : sumOfLengths(pieces)
    accepted.addPlace({ path: text.path, byteOffset, bytes }, scanned.accepted, utf8Bytes)
    return null
  }

  const correctAndKeep = async (corrector: Corrector, scanned: Scanned): Promise<void> => {
    for await (const one of corrector.correct(scanned)) await keepAsRead(one)
  }

  const keep = (scanned: Scanned): Promise<void> | null =>
    corrector === null ? keepAsRead(scanned) : correctAndKeep(corrector, scanned)

  for await (const slices of chunks) {
    for (const step of stepsOf(slices)) {
      const keeping = keep(scanner.push(step))
      if (keeping !== null) await keeping
      if (accepted.isFull) yield await accepted.cut()
      if (rejected.isFull) yield await rejected.cut()
    }
  }
  if (options.isDuplicate()) return
  await keep(scanner.end())
  await corrector?.end()
  accepted.takeTail()
  if (accepted.hasRecords || accepted.index === 0) yield await accepted.cut()
  if (rejected.hasRecords) yield await rejected.cut()
}

function sumOfLengths(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** Bytes scanned before it is asked again whether a segment is full: however much arrives at once, no segment is larger by more. */
const stepBytes = 65_536

function* stepsOf(slices: readonly BorrowedBytes[]): Generator<BorrowedBytes> {
  for (const slice of slices) {
    for (let from = 0; from < slice.length; from += stepBytes) yield slice.subarray(from, from + stepBytes)
  }
}

/**
 * Those behind the first segment are small, so that the columns of a file of a few megabytes are written while it arrives, and
 * by all threads at its end: one of 4.2 MB takes 34 instead of 40 ms (2 × Intel Xeon, 2026-11-22). With the last step a
 * segment is one row group, see src/columns/wasm-column-writer.ts.
 */
const earlyBytes = 1_572_864 - stepBytes
const earlyCount = 3

/** Bytes at which a segment of accepted records behind the first one is closed: early ones, then twice as many each time. */
function acceptedBytes(index: number, { text, segmentBytes }: CutterOptions): number {
  // A file of its own is made for SQL, which takes nearly as long for a small one.
  return text === null ? segmentBytes : Math.min(segmentBytes, earlyBytes * 2 ** Math.max(0, index - earlyCount))
}

/**
 * What follows a full segment and is less, up to the end of the file, belongs to it: a part of its own takes some 1.5 ms of
 * CPU, whatever is in it. Only where the records stand in the file. Bytes.
 */
const tailBytes = 262_144
/** Where segments are small, so is what may belong to one. */
const tailsPerSegmentMin = 4

/** Of the steps of a first segment, every so many are its sample. */
const sampledSteps = 7
/** A segment of fewer samples has none: it is soon looked at as a whole. */
const samplesMin = 4

/** Places of records, and what is in them. */
class Places {
  readonly pieces: SegmentPiece[] = []
  records = 0
  bytes = 0

  /** Joins it to the last one where it follows that. */
  add(piece: SegmentPiece, records: number, utf8Bytes: number): void {
    const last = this.pieces.at(-1)
    if (last?.path === piece.path && last.byteOffset + last.bytes === piece.byteOffset) {
      this.pieces[this.pieces.length - 1] = { ...last, bytes: last.bytes + piece.bytes }
    } else this.pieces.push(piece)
    this.records += records
    this.bytes += utf8Bytes
  }

  addAll({ pieces, records, bytes }: Places): void {
    for (const piece of pieces) this.add(piece, 0, 0)
    this.records += records
    this.bytes += bytes
  }
}

class SegmentWriter implements AsyncDisposable {
  /** Of the segment that is being written. */
  index = 0
  readonly #kind: CutSegment['kind']
  readonly #layout: SegmentLayout
  readonly #options: CutterOptions
  #writer: BufferedWriter | null = null
  /** Where the records are that came so far: in the file itself, or in that of the segment. */
  #places = new Places()
  /** Those that came since it is full. */
  #tail = new Places()
  #steps = 0
  readonly #sample = new Places()

  constructor(kind: CutSegment['kind'], layout: SegmentLayout, options: CutterOptions) {
    this.#kind = kind
    this.#layout = layout
    this.#options = options
  }

  get hasRecords(): boolean {
    return this.#places.records > 0
  }

  /** True when it is to be cut. */
  get isFull(): boolean {
    const tailMin = Math.min(tailBytes, acceptedBytes(this.index, this.#options) / tailsPerSegmentMin)
    return this.#isFilled && (this.#writer !== null || this.#tail.bytes >= tailMin)
  }

  get #isFilled(): boolean {
    const { firstBytes, segmentBytes } = this.#options
    if (this.#kind === 'rejected') return this.#places.bytes >= segmentBytes
    return this.#places.bytes >= (this.#isFirst ? firstBytes : acceptedBytes(this.index, this.#options))
  }

  get #isFirst(): boolean {
    return this.#kind === 'accepted' && this.index === 0
  }

  /** Records that stand in the file as they are; no file of the segment's own is made for them. */
  addPlace(piece: SegmentPiece, records: number, utf8Bytes: number): void {
    if (piece.bytes === 0) return
    if (this.#isFilled) {
      this.#tail.add(piece, records, utf8Bytes)
      return
    }
    if (this.#isFirst && this.#steps++ % sampledSteps === 0) this.#sample.add(piece, records, utf8Bytes)
    this.#places.add(piece, records, utf8Bytes)
  }

  async write(pieces: readonly Uint8Array[], records: number): Promise<void> {
    if (pieces.length === 0) return
    this.takeTail()
    this.#writer ??= await this.#open()
    const byteOffset = this.#writer.bytes
    await this.#writer.write(pieces)
    const { path } = this.#writer
    const bytes = this.#writer.bytes - byteOffset
    this.#places.add({ path, byteOffset, bytes }, records, bytes)
  }

  /** What came since it is full is part of it. */
  takeTail(): void {
    this.#places.addAll(this.#tail)
    this.#tail = new Places()
  }

  async cut(): Promise<CutSegment> {
    const { text, utf8OfBytes } = this.#options
    const { records, bytes } = this.#places
    const hasPlaces = this.#places.pieces.some(({ path }) => path === text?.path)
    const writer = hasPlaces ? this.#writer : (this.#writer ?? (await this.#open()))
    await writer?.close()
    if (hasPlaces) await text?.flush()
    const path = writer?.path ?? this.#path
    const encoded = utf8OfBytes === null ? {} : { utf8OfBytes }
    const pieces = hasPlaces ? { pieces: this.#places.pieces, ...encoded } : {}
    const segment = { path, ...pieces, records, bytes, layout: this.#layout }
    const hasSample = this.#isFirst && this.#sample.bytes > 0 && bytes >= samplesMin * this.#sample.bytes
    const sample = hasSample ? { sample: { path, ...this.#sample, ...encoded, layout: this.#layout } } : {}
    this.#writer = null
    this.#places = this.#tail
    this.#tail = new Places()
    return { kind: this.#kind, index: this.index++, segment, ...sample }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#writer === null) return
    await this.#writer[Symbol.asyncDispose]()
    await unlink(this.#writer.path)
  }

  get #path(): string {
    return join(this.#options.draft.dir, 'segments', `${this.#kind}-${String(this.index).padStart(5, '0')}.csv`)
  }

  async #open(): Promise<BufferedWriter> {
    await this.#options.draft.folder('segments')
    return await BufferedWriter.create(this.#path, { syncEveryBytes: null })
  }
}
