// Write segments: sorts the records of a file into segments of accepted records and of rejects. Knows no types.
import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Segment, SegmentLayout, SegmentPiece } from '../../columns/converter.ts'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { CsvRewriter } from '../../csv/csv-rewriter.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import type { Scanner, ScanResult } from '../../reading/scanner/scanner.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { Corrector } from './corrector.ts'
import type { RecordTally } from './record-tally.ts'
import { RejectLines, rejectLayout } from './reject-table.ts'
import { splitAfter } from './segment-form.ts'

export interface CutterOptions {
  /** Segments are written to a folder of the draft; the receiver deletes them. */
  readonly draft: Pick<DraftFiles, 'dir' | 'folder'>
  readonly layout: SegmentLayout
  /** Size of the first segment, on which types are decided. Bytes of records in UTF-8, as all sizes here. */
  readonly firstBytes: number
  /** Size of all others, except early ones that refer to the file. Bytes. */
  readonly segmentBytes: number
  /** The file itself: accepted segments refer to ranges of it where they can, instead of having a copy. */
  readonly text: TextFile
  /** If the file has one byte per character and is not in UTF-8: the UTF-8 for each byte, as in `Segment`. */
  readonly utf8OfBytes: Uint32Array | null
  /** Rewrites accepted records in `layout`; null if they are in it already. */
  readonly rewrite: CsvRewriter | null
  /** The kinds of records that are needed; segments of others are not made. */
  readonly keeps: readonly CutSegment['kind'][]
  /** Replaces rejects with corrected records; null if there are none. Disposed here. */
  readonly corrector: Corrector | null
  /** Called after the last chunk: true if no more segments are needed, not even for the remaining records. */
  readonly isDuplicate: () => boolean
}

/** The file whose records are cut. */
export interface TextFile {
  readonly path: string
  /** Offset of the first chunk in the file. */
  readonly startOffset: number
  /** Resolves when everything scanned so far can be read from the file. */
  flush(): Promise<void>
}

/** A finished, closed segment; `index` counts the segments of its kind from 0, in file order. */
export interface CutSegment {
  readonly kind: 'accepted' | 'rejected'
  readonly index: number
  readonly segment: Segment
  /** Some of its records, from all over it. Only for a long first segment. */
  readonly sample?: Segment
}

/**
 * Scans chunks and writes segments, each cut at the first record end at or after its size: whatever pieces the same
 * bytes arrive in, the segments are the same. If accepted segments are needed, yields at least one, even if it is empty,
 * so that a file without records still has its columns. If the caller stops early, segments not yet yielded are deleted.
 */
export function cutSegments(
  chunks: AsyncIterable<readonly BorrowedBytes[]>,
  scanner: Pick<Scanner, 'push' | 'end'>,
  options: CutterOptions,
  tally: Pick<RecordTally, 'add'>,
): AsyncGenerator<CutSegment> {
  return cutScanned(scansOf(chunks, scanner, options), options, tally)
}

async function* scansOf(
  chunks: AsyncIterable<readonly BorrowedBytes[]>,
  scanner: Pick<Scanner, 'push' | 'end'>,
  { isDuplicate }: CutterOptions,
): AsyncGenerator<Iterable<ScanResult>> {
  for await (const slices of chunks) yield scansOfSlices(slices, scanner)
  if (!isDuplicate()) yield [scanner.end()]
}

/** The same for what a scanner has found; each is valid until the next is taken. */
export async function* cutScanned(
  scans: AsyncIterable<Iterable<ScanResult>>,
  options: CutterOptions,
  tally: Pick<RecordTally, 'add'>,
): AsyncGenerator<CutSegment> {
  await using accepted = new SegmentWriter('accepted', options.layout, options)
  await using rejected = new SegmentWriter('rejected', rejectLayout, options)

  const { rewrite, text } = options
  const keepsAccepted = options.keeps.includes('accepted')
  const keepsRejected = options.keeps.includes('rejected')
  const rejectLines = new RejectLines()
  await using corrector = options.corrector
  let keptTo = text.startOffset
  const keepAsRead = async (scanned: ScanResult): Promise<void> => {
    tally.add(scanned)
    const { isVerbatim, pieces: read, accepted: count, rejects, consumedTo } = scanned
    const place = rewrite === null && isVerbatim ? { byteOffset: keptTo, bytes: consumedTo - keptTo } : null
    keptTo = consumedTo
    if (keepsAccepted) {
      const pieces = rewrite === null ? read : rewrite(read)
      await accepted.add({ pieces, count, bytes: sumOfLengths(pieces), place })
    }
    if (!keepsRejected || rejects.length === 0) return
    const lines = rejectLines.of(rejects)
    await rejected.add({ pieces: [lines], count: rejects.length, bytes: lines.length, place: null })
  }

  const keep = async (scanned: ScanResult): Promise<void> => {
    if (corrector === null) await keepAsRead(scanned)
    else for await (const one of corrector.correct(scanned)) await keepAsRead(one)
  }

  for await (const some of scans) {
    for (const scanned of some) {
      await keep(scanned)
      while (accepted.isReady) yield await accepted.cut()
      while (rejected.isReady) yield await rejected.cut()
    }
  }
  if (options.isDuplicate()) return
  await corrector?.end()
  await accepted.joinRemainder()
  while (accepted.hasRecords || (keepsAccepted && accepted.index === 0)) yield await accepted.cut()
  while (rejected.hasRecords) yield await rejected.cut()
}

function sumOfLengths(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** Bytes scanned at once: if a record among them is rewritten, all of them are copied. */
const stepBytes = 65_536

function* scansOfSlices(slices: readonly BorrowedBytes[], scanner: Pick<Scanner, 'push'>): Generator<ScanResult> {
  for (const slice of slices) {
    for (let from = 0; from < slice.length; from += stepBytes)
      yield scanner.push(slice.subarray(from, from + stepBytes))
  }
}

/**
 * The segments after the first are small, so that the columns of a file of a few megabytes are written while it
 * arrives, and by all threads at its end: 4.2 MB take 34 ms instead of 40 (2 × Intel Xeon, 2026-11-22). With a last
 * record of up to 64 KB, a segment is one row group, see src/columns/writer/wasm-column-writer.ts.
 */
const earlyBytes = 1_572_864 - 65_536
const earlyCount = 3

/** Size of an accepted segment after the first: `earlyBytes` at first, then twice as many each time. */
function acceptedBytes(index: number, { segmentBytes }: CutterOptions): number {
  return Math.min(segmentBytes, earlyBytes * 2 ** Math.max(0, index - earlyCount))
}

/**
 * A shorter remainder at the end of the file belongs to the last full segment, because a separate part takes some
 * 1.5 ms of CPU, whatever its size. Bytes.
 */
const remainderBytes = 262_144
/** If segments are small, so is the remainder that may belong to one. */
const remaindersPerSegmentMin = 4

/** The sample of a first segment has the records that begin in every seventh of its stretches of this length. Bytes. */
const sampledBytes = 65_536
const sampledEvery = 7
/** A segment shorter than this many samples has none: it is soon read as a whole. */
const samplesMin = 4

/** Whole records that follow one another. */
interface Records {
  /** Their bytes in UTF-8. */
  readonly pieces: readonly Uint8Array[]
  readonly count: number
  /** Total length of the pieces. */
  readonly bytes: number
  /** Where they are in the file; null if they must be written. */
  readonly place: Omit<SegmentPiece, 'path'> | null
}

const noRecords: Records = { pieces: [], count: 0, bytes: 0, place: null }

/** Splits records after the first that ends at or after `bytesMin` bytes. */
function splitRecords(records: Records, bytesMin: number, layout: SegmentLayout, isUtf8: boolean): [Records, Records] {
  if (records.bytes <= bytesMin || records.count === 1) return [records, noRecords]
  const split = splitAfter(records.pieces, layout, (_, bytes) => bytes >= bytesMin)
  if (split === null || split.bytes === records.bytes) return [records, noRecords]
  const { before, after, bytes, records: count } = split
  const { place } = records
  const placeBytes = isUtf8 ? bytes : split.characters
  const first = place && { ...place, bytes: placeBytes }
  const rest = place && { byteOffset: place.byteOffset + placeBytes, bytes: place.bytes - placeBytes }
  return [
    { pieces: before, count, bytes, place: first },
    { pieces: after, count: records.count - count, bytes: records.bytes - bytes, place: rest },
  ]
}

/** Ranges of records, and their totals. */
class Places {
  readonly pieces: SegmentPiece[] = []
  records = 0
  bytes = 0

  /** Joins the piece to the last one if it directly follows. */
  add(piece: SegmentPiece, records: number, utf8Bytes: number): void {
    const last = this.pieces.at(-1)
    if (last?.path === piece.path && last.byteOffset + last.bytes === piece.byteOffset) {
      this.pieces[this.pieces.length - 1] = { ...last, bytes: last.bytes + piece.bytes }
    } else this.pieces.push(piece)
    this.records += records
    this.bytes += utf8Bytes
  }
}

/** A segment to which records are added. */
class OpenSegment {
  readonly path: string
  /** It ends with the first record end at or after this size. */
  readonly bytesMin: number
  /** Where its records are: in the file itself, or in the segment's own file. */
  readonly places = new Places()
  /** Null if the segment has no sample. */
  readonly sample: Places | null
  /** Null while it needs no file of its own. */
  writer: BufferedWriter | null = null

  constructor(path: string, bytesMin: number, hasSample: boolean) {
    this.path = path
    this.bytesMin = bytesMin
    this.sample = hasSample ? new Places() : null
  }

  get isFull(): boolean {
    return this.places.bytes >= this.bytesMin
  }

  /** Size up to which records are added in the same way. */
  get nextBytes(): number {
    if (this.sample === null) return this.bytesMin
    const stretches = this.#isSampled ? 1 : sampledEvery
    const length = stretches * sampledBytes
    return Math.min(this.bytesMin, (Math.floor(this.places.bytes / length) + 1) * length)
  }

  add(piece: SegmentPiece, { count, bytes }: Records): void {
    if (this.#isSampled) this.sample?.add(piece, count, bytes)
    this.places.add(piece, count, bytes)
  }

  get #isSampled(): boolean {
    return Math.floor(this.places.bytes / sampledBytes) % sampledEvery === 0
  }
}

class SegmentWriter implements AsyncDisposable {
  /** Index of the segment that is cut next. */
  index = 0
  readonly #kind: CutSegment['kind']
  readonly #layout: SegmentLayout
  readonly #options: CutterOptions
  /** At least one; all but the last are full. */
  readonly #open: OpenSegment[] = []

  constructor(kind: CutSegment['kind'], layout: SegmentLayout, options: CutterOptions) {
    this.#kind = kind
    this.#layout = layout
    this.#options = options
    this.#begin()
  }

  get hasRecords(): boolean {
    return (this.#open[0]?.places.records ?? 0) > 0
  }

  /** True if the next segment has all its records. */
  get isReady(): boolean {
    const next = this.#open[1]
    return next !== undefined && next.places.bytes >= this.#remainderMin(this.index)
  }

  async add(records: Records): Promise<void> {
    const { path } = this.#options.text
    for (const [segment, share] of this.#shares(records)) {
      const piece = share.place && { path, ...share.place }
      segment.add(piece ?? (await this.#append(segment, share.pieces, share.bytes)), share)
    }
  }

  /** Writes bytes to the segment's own file; returns where they are. */
  async #append(segment: OpenSegment, pieces: readonly Uint8Array[], bytes: number): Promise<SegmentPiece> {
    segment.writer ??= await this.#create(segment)
    const byteOffset = segment.writer.bytes
    await segment.writer.write(pieces)
    return { path: segment.path, byteOffset, bytes }
  }

  /** Splits records among segments. */
  *#shares(records: Records): Generator<readonly [OpenSegment, Records]> {
    const isUtf8 = this.#options.utf8OfBytes === null
    for (let rest = records; rest.bytes > 0; ) {
      const segment = this.#open.at(-1) ?? this.#begin()
      const [share, more] = splitRecords(rest, segment.nextBytes - segment.places.bytes, this.#layout, isUtf8)
      yield [segment, share]
      rest = more
      if (segment.isFull) this.#begin()
    }
  }

  /** At the end of the file, makes a short remainder part of the last full segment. */
  async joinRemainder(): Promise<void> {
    const [last, rest] = this.#open.slice(-2)
    if (last === undefined || rest === undefined) return
    const { bytes, records, pieces } = rest.places
    if (bytes >= this.#remainderMin(this.index + this.#open.length - 2)) return
    this.#open.pop()
    await rest.writer?.close()
    const own = rest.writer && (await readFile(rest.path))
    for (const piece of pieces) {
      const slice =
        piece.path === rest.path ? own?.subarray(piece.byteOffset, piece.byteOffset + piece.bytes) : undefined
      last.places.add(slice === undefined ? piece : await this.#append(last, [slice], slice.length), 0, 0)
    }
    last.places.records += records
    last.places.bytes += bytes
    if (own !== null) await unlink(rest.path)
  }

  async cut(): Promise<CutSegment> {
    const { text, utf8OfBytes } = this.#options
    const open = this.#open.shift() ?? this.#begin()
    const { path, places, sample: some } = open
    const { records, bytes } = places
    const hasPlaces = places.pieces.some((piece) => piece.path === text.path)
    if (!hasPlaces) open.writer ??= await this.#create(open)
    await open.writer?.close()
    if (hasPlaces) await text.flush()
    const encoded = utf8OfBytes === null ? {} : { utf8OfBytes }
    const pieces = hasPlaces ? { pieces: places.pieces, ...encoded } : {}
    const segment = { path, ...pieces, records, bytes, layout: this.#layout }
    const hasSample = some !== null && some.bytes > 0 && bytes >= samplesMin * some.bytes
    const sample = hasSample ? { sample: { path, ...some, ...encoded, layout: this.#layout } } : {}
    return { kind: this.#kind, index: this.index++, segment, ...sample }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { writer } of this.#open) {
      if (writer === null) continue
      await writer[Symbol.asyncDispose]()
      await unlink(writer.path)
    }
  }

  /** A remainder of at least this many bytes after a segment is a segment of its own. */
  #remainderMin(index: number): number {
    if (this.#kind === 'rejected') return 0
    return Math.min(remainderBytes, acceptedBytes(index, this.#options) / remaindersPerSegmentMin)
  }

  #begin(): OpenSegment {
    const { draft, firstBytes, segmentBytes } = this.#options
    const index = this.index + this.#open.length
    const path = join(draft.dir, 'segments', `${this.#kind}-${String(index).padStart(5, '0')}.csv`)
    const isFirst = this.#kind === 'accepted' && index === 0
    const bytesMin =
      this.#kind === 'rejected' ? segmentBytes : isFirst ? firstBytes : acceptedBytes(index, this.#options)
    const segment = new OpenSegment(path, bytesMin, isFirst)
    this.#open.push(segment)
    return segment
  }

  async #create({ path }: OpenSegment): Promise<BufferedWriter> {
    await this.#options.draft.folder('segments')
    return await BufferedWriter.create(path, { syncEveryBytes: null })
  }
}
