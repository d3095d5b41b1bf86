// Record tally: counts the records of a file as they are scanned, and keeps the first and last rejects. Knows no files.
import { FirstOf } from '../../core/first-of.ts'
import { noteLinesMax } from '../../core/notes.ts'
import {
  firstRejectsMax,
  type RecordCounts,
  type Reject,
  type RejectPositions,
  rejectBucketsMax,
} from '../../core/receipt.ts'
import { type RejectReason, rejectReasons } from '../../core/reject-reasons.ts'
import type { Reading } from '../../reading/reading.ts'
import type { RunawayValue, ScannedReject, ScanResult } from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'
import type { LineOf } from '../../reading/types/infer-types.ts'
import type { VerbatimRuns } from './verbatim-runs.ts'

/** With this many last rejects, a footer can be distinguished from a broken file. */
const lastRejectsMax = 6
/** At most this many values that look like records are remembered of each kind. */
const firstRunawaysMax = 10
/** At most this many lines of repaired records are named. */
const firstRepairedMax = 3

type Counts = Partial<Record<RejectReason, number>>

/** Counts rejects by where they begin. The length of the text is not known yet, so the ranges double as it is read. */
class RejectBuckets {
  #bucketBytes = 1
  #byRange = new Map<number, Counts>()

  add({ byteOffset, reason }: Pick<ScannedReject, 'byteOffset' | 'reason'>): void {
    this.#cover(byteOffset + 1)
    this.#count(Math.floor(byteOffset / this.#bucketBytes), reason, 1)
  }

  /** For a text of this many bytes. */
  of(bytes: number): RejectPositions {
    this.#cover(bytes)
    const buckets = [...this.#byRange].map(([at, reasons]) => ({ at, reasons })).toSorted((a, b) => a.at - b.at)
    return { bucketBytes: this.#bucketBytes, buckets }
  }

  #cover(bytes: number): void {
    while (bytes > rejectBucketsMax * this.#bucketBytes) {
      this.#bucketBytes *= 2
      const narrower = this.#byRange
      this.#byRange = new Map()
      for (const [at, counts] of narrower)
        for (const reason of rejectReasons) if (counts[reason]) this.#count(at >> 1, reason, counts[reason])
    }
  }

  #count(at: number, reason: RejectReason, count: number): void {
    const counts = this.#byRange.get(at) ?? {}
    counts[reason] = (counts[reason] ?? 0) + count
    this.#byRange.set(at, counts)
  }
}

/** What a pass over a file has counted so far. */
export class RecordTally {
  accepted = 0
  blank = 0
  skipped = 0
  /** Lines of comments. */
  readonly comments = new FirstOf<number>(noteLinesMax)
  rejected = 0
  /** Bytes of records that are not accepted, with their line ends. */
  readonly bytes = { blank: 0, skipped: 0, rejected: 0 }
  readonly reasons: Counts = {}
  readonly buckets = new RejectBuckets()
  readonly first: Reject[] = []
  /** At most lastRejectsMax. */
  last: readonly ScannedReject[] = []
  /** Lines on which repaired records start. */
  readonly repaired = new FirstOf<number>(firstRepairedMax)
  /** Values whose lines look like records: those read as records, and those kept as values. */
  readonly runaways = {
    split: new FirstOf<RunawayValue>(firstRunawaysMax),
    kept: new FirstOf<RunawayValue>(firstRunawaysMax),
  }
  /** Lines on which records start whose quotes are escaped differently from the file's. */
  readonly otherEscapes = new FirstOf<number>(noteLinesMax)
  /** Blank lines at the end of the file that are records without a value. */
  emptyAtEnd = 0
  /** Physical lines of the file so far. */
  lines = 0
  readonly #runs: readonly Pick<VerbatimRuns, 'add'>[]

  /** @param runs Gets all that is scanned. */
  constructor(runs: readonly Pick<VerbatimRuns, 'add'>[] = []) {
    this.#runs = runs
  }

  add(scanned: ScanResult): void {
    for (const runs of this.#runs) runs.add(scanned)
    this.accepted += scanned.accepted
    const { emptyAtEnd = 0, emptyAtEndBytes = 0 } = scanned
    this.emptyAtEnd += emptyAtEnd
    this.blank += emptyAtEnd
    this.bytes.blank += emptyAtEndBytes
    for (const { kind, byteOffset, endOffset, count, line } of scanned.ignored) {
      this[kind] += count
      this.bytes[kind] += endOffset - byteOffset
      if (kind === 'skipped') this.comments.add(line)
    }
    for (const { byteOffset, endOffset } of scanned.rejects) this.bytes.rejected += endOffset - byteOffset
    this.rejected += scanned.rejects.length
    this.lines = scanned.lines
    this.repaired.addAll(scanned.repairedLines)
    for (const one of scanned.runaways) this.runaways[one.isSplit ? 'split' : 'kept'].add(one)
    this.otherEscapes.addAll(scanned.otherEscapeLines)
    if (scanned.rejects.length === 0) return
    this.last = [...this.last, ...scanned.rejects.slice(-lastRejectsMax)].slice(-lastRejectsMax)
    for (const reject of scanned.rejects) {
      this.reasons[reject.reason] = (this.reasons[reject.reason] ?? 0) + 1
      this.buckets.add(reject)
    }
    const unshown = firstRejectsMax - this.first.length
    if (unshown > 0) this.first.push(...scanned.rejects.slice(0, unshown).map(shownReject))
  }
}

export type CountedRecords = Pick<RecordCounts, 'blank' | 'skipped' | 'accepted' | 'rejected'>

/** The rejects of a text of this many bytes, as its receipt shows them. */
export function rejectFacts({ rejected, reasons, buckets }: RecordTally, bytes: number) {
  return { count: rejected, reasons, ...(rejected > 0 && { positions: buckets.of(bytes) }) }
}

/** The counts of a file: before its data, and of its data. */
export function recordCounts(before: Reading['before'], counted: CountedRecords): RecordCounts {
  const { accepted, rejected } = counted
  const { header, blank, skipped } = before
  const counts = { header, blank: blank + counted.blank, skipped: skipped + counted.skipped, accepted, rejected }
  return { total: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts }
}

/**
 * Returns the line on which an accepted record (from 1) starts, provided every line of the data is an accepted record.
 */
export function lineOfRecord(
  { before }: Pick<Reading, 'before'>,
  { accepted, emptyAtEnd, lines }: RecordTally,
): LineOf | undefined {
  return lines - before.lines === accepted + emptyAtEnd ? (record) => before.lines + record : undefined
}
