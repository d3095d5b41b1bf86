// Reading: what the head of a file decides about the rest. Knows nothing of uploads, stores or converters.
import type { Note } from '../core/notes.ts'
import type { Dialect, Encoding, Evidence, HeaderGap, RunawayRule } from '../core/receipt.ts'

/** What a client stated about its file; absent members are to be detected. */
export interface DeclaredDialect {
  readonly delimiter?: string
  readonly quoteChar?: string | null
  readonly doubleQuote?: boolean
  readonly escapeChar?: string | null
  /** LF and CRLF are taken side by side whichever of them is stated. */
  readonly lineTerminator?: Dialect['lineTerminator']
  readonly header?: boolean
  readonly skipRows?: number
  /** Numbers, from 1, of the records that are the header, counted over all records of the file; none where it is empty. */
  readonly headerRows?: readonly number[]
  /** What stands between the values of several header records in a name; a blank unless stated. */
  readonly headerJoin?: string
  readonly commentChar?: string | null
  readonly skipInitialSpace?: boolean
  /** A record on one line may lack fields at its end: they are empty. The widest record of the head has them all. */
  readonly padShortRecords?: boolean
  readonly encoding?: string
}

export interface EqualTexts {
  readonly texts: readonly [string, string]
  readonly lines: readonly number[]
}

/** How a file is read: decided on its head, the same for the whole file. */
export interface Reading {
  readonly encoding: Encoding
  readonly dialect: Dialect
  /** Fields of a record, at least 1. */
  readonly width: number
  /** Column names, `width` many, unique without regard to case, never empty. */
  readonly names: readonly string[]
  /** The header's fields as they stand in the file, before names were made unique; null without a header. */
  readonly headerFields: readonly string[] | null
  /** Header, title, comment and blank records that are not scanned, and where scanning starts. */
  readonly before: {
    /** Those of the gap too. */
    readonly header: number
    readonly skipped: number
    readonly blank: number
    /** Physical lines before the first record that is scanned. */
    readonly lines: number
    /** Bytes before that record, byte order mark included. */
    readonly bytes: number
    /** Bytes before the first record below the header. */
    readonly headerEnd: number
    /** The header, where records that are no titles stand above it; null where none do. */
    readonly gap: HeaderGap | null
    /** Lines of comments among what is not scanned; at most noteLinesMax of `comments`. */
    readonly commentLines: readonly number[]
    readonly comments: number
  }
  /** A line that begins with the comment character and has the width is a record: the character was detected, not declared. */
  readonly keepsWideComments: boolean
  /** Null where no value over several lines can read as records. */
  readonly runaway: RunawayRule | null
  readonly evidence: Evidence
  /** One a column: different texts of the head that are the same number, and their lines; null where there are none. */
  readonly equalNumbers: readonly (EqualTexts | null)[]
  /** Doubts a careful reader would raise, for the receipt. */
  readonly notes: readonly Note[]
}

/** Bytes of the beginning of a file that a Reading is decided on: the whole file when it is shorter. */
export const headBytesMax = 1_048_576

/**
 * Columns of a table. A converter takes about 115 KB of memory a column, 1.0 GB for these, because DuckDB works on 2,048
 * records at once, and its time grows faster than the columns: 10,000 took 85 s for 80 MB. The statement that converts them
 * has 1.1 MB. With 16,384 a converter ran out of its 2 GB (DuckDB 1.5.6, 2 cores, 2026-11-20).
 */
export const columnsMax = 8_192

/** Decides how a file is read, from its first bytes. @throws {ServiceError} NOT_CSV, NOT_READABLE */
export type ReadHead = (head: Uint8Array, isWholeFile: boolean, declared?: DeclaredDialect) => Reading
