// Scanner: decides what a record is. It takes the bytes after the header as they arrive and gives back accepted bytes and rejects.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { HeaderGap, Reject, RunawayRule } from '../../core/receipt.ts'
import type { UnusualLineEnd } from '../encoding/line-end-coder.ts'

export interface ScanOptions {
  /** One ASCII byte. */
  readonly delimiter: number
  /** One ASCII byte, or null where nothing is quoted. */
  readonly quote: number | null
  /**
   * The byte that escapes a quote; null where a quote is doubled; `nothing` where it is neither, so that a quote closes its
   * field only before a delimiter or line end.
   */
  readonly escape: number | 'nothing' | null
  /** A record that begins with this byte is skipped; null for none. */
  readonly comment: number | null
  /** Unless it is on one line and has `width` fields, several. */
  readonly keepsWideComments?: boolean
  /** Blanks right after a delimiter belong to the arrangement, not to the value. */
  readonly skipInitialSpace: boolean
  /** `cr` only for files whose records end with a lone CR; `lf` takes LF and CRLF, mixed too. */
  readonly lineEnd: 'lf' | 'cr'
  /** Fields of a record, at least 1. */
  readonly width: number
  /** A record on one line with fewer fields is readable: those it lacks are empty. */
  readonly padsShort?: boolean
  /** When a value over several lines is doubted, see "Runaway quotes" in record-rules.ts; absent where none is. */
  readonly runaway?: RunawayRule
  /** A longer record becomes one reject, `record_too_long`, of whatever length it has. Bytes. */
  readonly recordBytesMax: number
  /** Where the first byte pushed stands in the original. */
  readonly start: {
    readonly byteOffset: number
    /** Records before it. */
    readonly records: number
    /** Physical lines before it. */
    readonly lines: number
  }
}

/** Options of a scanner that takes a file in its own encoding, and as delimiter any code unit that is no surrogate. */
export interface FileScanOptions extends ScanOptions {
  /** As in the receipt: a WHATWG name, or one of those the service adds. */
  readonly encoding: string
  /** Read as CR LF, `lf` being the line end; absent where the file has no such line ends. */
  readonly unusualLineEnd?: UnusualLineEnd
  /** Header records with other records above them: they are passed over. */
  readonly gap?: HeaderGap
}

export interface ScannedReject extends Reject {
  /** The number its message names, see rejectMessage. */
  readonly detail: number
}

/** A value of several lines that read as records of the table. */
export interface RunawayValue {
  /** The physical line on which its record starts. */
  readonly line: number
  /** Physical lines of that record. */
  readonly lineCount: number
  /** True when they were read as records, false when the value was kept. */
  readonly isSplit: boolean
}

/** What one push has consumed. The arrays are the receiver's to keep, the bytes are not. */
export interface Scanned {
  /**
   * The accepted records, in file order, each with its line end: whole records together, though a piece may end inside one.
   * Most are slices of the pushed chunk, valid as long as that is; odd but readable records are written clean, in the same
   * dialect. All are valid until the next call of the scanner only.
   */
  readonly pieces: readonly Uint8Array[]
  /**
   * True when the pieces are just the bytes of the file from the last `consumedTo` to this one; a line end that the last
   * record of the file lacks is added.
   */
  readonly isVerbatim: boolean
  readonly accepted: number
  /** Lines on which accepted records start that had one quote too many, see record-rules.ts. */
  readonly repairedLines: readonly number[]
  readonly runaways: readonly RunawayValue[]
  readonly blank: number
  /** Comment records. */
  readonly skipped: number
  /** The lines they are on. */
  readonly skippedLines: readonly number[]
  readonly rejects: readonly ScannedReject[]
  /** Offset in the original before which every byte is consumed. */
  readonly consumedTo: number
  /** Physical lines before that offset, from the beginning of the file. */
  readonly lines: number
}

export interface Scanner {
  /**
   * Tells which readable records are to be rejected all the same, as `constraint`: by their number, from 1, among all
   * records that would be accepted, repaired ones too. Ascending, over all calls; each has to be told before the last byte of
   * its record is pushed. The reject's `detail` is that number.
   */
  exclude(ordinals: readonly number[]): void
  /** Takes the next bytes of the file, any number; gives what they consumed. Memory stays below a few recordBytesMax. */
  push(chunk: BorrowedBytes): Scanned
  /** Settles what is left, with or without a final line end. */
  end(): Scanned
}

export type CreateScanner = (options: FileScanOptions) => Scanner
