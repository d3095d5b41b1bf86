// Scanner: decides what a record is. It takes the bytes after the header as they arrive and returns accepted bytes and rejects.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { HeaderGap, Reject, RunawayRule } from '../../core/receipt.ts'
import type { UnusualLineEnd } from '../encoding/line-end-coder.ts'

export interface ScanOptions {
  /** One ASCII byte. */
  readonly delimiter: number
  /** One ASCII byte; null if nothing is quoted. */
  readonly quote: number | null
  /**
   * The byte that escapes a quote; null if quotes are doubled; `nothing` if they are neither, so that a quote closes its
   * field only before a delimiter or line end.
   */
  readonly escape: number | 'nothing' | null
  /** The escape, or that there is none, was declared: see "Declared escape" in record-rules.ts. */
  readonly isEscapeDeclared?: boolean
  /** Quotes may also be doubled beside an escape. */
  readonly doublesToo?: boolean
  /** A record that begins with this byte is skipped; null for none. */
  readonly comment: number | null
  /** Except a line that has `width` fields, if that is more than one. */
  readonly keepsWideComments?: boolean
  /** Blanks right after a delimiter are not part of the value. */
  readonly skipInitialSpace: boolean
  /** `cr` only for files whose records end with a lone CR; `lf` for LF and CRLF, which may be mixed; `crlf` for CRLF alone. */
  readonly lineEnd: 'lf' | 'cr' | 'crlf'
  /** Fields of a record, at least 1. */
  readonly width: number
  /** A record on one line with fewer fields is readable: the missing ones are empty. */
  readonly padsShort?: boolean
  /** When to suspect a value over several lines, see "Runaway quotes" in record-rules.ts; absent for never. */
  readonly runaway?: RunawayRule
  /** A longer record becomes one reject, `record_too_long`, of any length. Bytes. */
  readonly recordBytesMax: number
  /** Reports where each reject stands among what is accepted: `mark`. */
  readonly marksRejects?: boolean
  /** Position of the first byte pushed. */
  readonly start: {
    readonly byteOffset: number
    /** Records before it. */
    readonly records: number
    /** Physical lines before it. */
    readonly lines: number
  }
}

/** Options of a scanner for a file in its own encoding, with any code unit but a surrogate as delimiter. */
export interface FileScanOptions extends ScanOptions {
  /** As in the receipt: a WHATWG name, or one of those that the service adds. */
  readonly encoding: string
  /** Read as CR LF, with `lf` as the line end; absent if the file has no such line ends. */
  readonly unusualLineEnd?: UnusualLineEnd
  /** Header records with other records above them: they are skipped. */
  readonly gap?: HeaderGap
}

/** It has the numbers of its message instead of the text, since a file may have one per record; see shownReject. */
export interface ScannedReject extends Omit<Reject, 'message'> {
  /** The number in its message, see rejectTable. */
  readonly detail: number
  /** The expected number in its message, see wantedOf. */
  readonly wanted: number
  /** Replaces the usual message. */
  readonly ownMessage?: string
  /** Offset in the original of the byte after its line end. */
  readonly endOffset: number
  /** Where it stands among what is accepted, if requested. */
  readonly mark?: RejectMark
}

/** Blank records that follow one another, or a skipped one: a comment. */
export interface IgnoredRange {
  readonly kind: 'blank' | 'skipped'
  /** Offsets in the original, line ends included. */
  readonly byteOffset: number
  readonly endOffset: number
  readonly count: number
  /** The physical line on which it starts. */
  readonly line: number
  /** Readable records of the file before it, excluded ones too. */
  readonly readable: number
}

/** Position of a reject among accepted records. */
export interface RejectMark {
  /** Number of `pieces` before it, which together are whole records. */
  readonly pieces: number
  /** Readable records of the file before it, excluded ones too. */
  readonly readable: number
}

/** A value of several lines that read as records of the table. */
export interface RunawayValue {
  /** The physical line on which its record starts. */
  readonly line: number
  /** Physical lines of that record. */
  readonly lineCount: number
  /** True if they were read as records, false if the value was kept. */
  readonly isSplit: boolean
}

/** What one push has consumed. The receiver may keep the arrays, but not the bytes. */
export interface ScanResult {
  /**
   * The accepted records, in file order, each with its line end: whole records in total, though a piece may end inside one.
   * Most are slices of the pushed chunk, valid as long as that is; readable records that are not strict are normalized, in
   * the same dialect. All are valid only until the next call of the scanner.
   */
  readonly pieces: readonly Uint8Array[]
  /**
   * True if the pieces are exactly the bytes of the file from the last `consumedTo` to this one, each in UTF-8 where the
   * file has another encoding with one byte a character; a missing line end of the last record is added.
   */
  readonly isVerbatim: boolean
  /**
   * False if the pieces have no CR, not even in values, and no LF without a CR before it, except for an added line end.
   * Absent if unknown.
   */
  readonly hasReturn?: boolean
  readonly hasLoneFeed?: boolean
  readonly accepted: number
  /** Lines on which repaired records start, those with one quote too many, see record-rules.ts. */
  readonly repairedLines: readonly number[]
  /** Lines on which accepted records start whose quotes are escaped in another way than the file's. */
  readonly otherEscapeLines: readonly number[]
  readonly runaways: readonly RunawayValue[]
  /** Number of records without a value in any field that no other accepted record follows: they count as blank. */
  readonly emptyAtEnd?: number
  readonly emptyAtEndBytes?: number
  /** Readable records that are consumed and held back so far: they are accepted, or excluded, if a record follows. */
  readonly held?: number
  /** Blank and skipped records, without those of `emptyAtEnd`. */
  readonly ignored: readonly IgnoredRange[]
  /** Bytes of a line end that the last piece has and the original lacks; absent for none. In UTF-8. */
  readonly addedBytes?: number
  readonly rejects: readonly ScannedReject[]
  /** Offset in the original up to which every byte is consumed. */
  readonly consumedTo: number
  /** Physical lines before that offset, from the beginning of the file. */
  readonly lines: number
}

/** What a scanner has found so far, on its way to a `Scanned`. */
export interface ScanState {
  isVerbatim: boolean
  hasReturn: boolean
  hasLoneFeed: boolean
  accepted: number
  readonly repairedLines: number[]
  readonly otherEscapeLines: number[]
  readonly runaways: RunawayValue[]
  readonly ignored: IgnoredRange[]
  addedBytes?: number
  readonly rejects: ScannedReject[]
}

export function emptyScanned({ lineEnd }: Pick<ScanOptions, 'lineEnd'>): ScanState {
  return {
    isVerbatim: true,
    hasReturn: lineEnd === 'cr',
    hasLoneFeed: lineEnd === 'cr',
    accepted: 0,
    repairedLines: [],
    otherEscapeLines: [],
    runaways: [],
    ignored: [],
    rejects: [],
  }
}

/** A result without records, to which its members are added. */
export function nothingScanned({ consumedTo, lines }: Pick<ScanResult, 'consumedTo' | 'lines'>): ScanResult {
  const { hasReturn: _, hasLoneFeed: __, ...none } = emptyScanned({ lineEnd: 'lf' })
  return { ...none, pieces: [], isVerbatim: false, consumedTo, lines }
}

/** Number of blank and skipped records. */
export function ignoredCount({ ignored, emptyAtEnd = 0 }: Pick<ScanResult, 'ignored' | 'emptyAtEnd'>): number {
  return ignored.reduce((sum, { count }) => sum + count, emptyAtEnd)
}

export interface Scanner {
  /**
   * Excludes readable records, which are then rejected with a reason of the kind `excluded`. They are given by their number, from 1, among all
   * records that would be accepted, repaired ones included; ascending over all calls, and each before the last byte of
   * its record is pushed. The reject's `detail` is that number.
   */
  exclude(ordinals: readonly number[]): void
  /** Pushes the next bytes of the file, any number; returns what they consumed. Memory stays below a few recordBytesMax. */
  push(chunk: BorrowedBytes): ScanResult
  /** Consumes the rest, with or without a final line end. */
  end(): ScanResult
}

export type CreateScanner = (options: FileScanOptions) => Scanner
