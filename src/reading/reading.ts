// Reading: what the head of a file decides about the rest. Knows nothing of uploads or stores.

import type { Evidence } from '../core/evidence/evidence.ts'
import type { Note } from '../core/notes.ts'
import type { Dialect, Encoding, HeaderGap, RunawayRule } from '../core/receipt.ts'

/** What a client declared about its file; absent members are detected. */
export interface DeclaredDialect {
  readonly delimiter?: string
  readonly quoteChar?: string | null
  readonly doubleQuote?: boolean
  readonly escapeChar?: string | null
  /** LF and CRLF may be mixed whichever of them is declared. */
  readonly lineTerminator?: Dialect['lineTerminator']
  readonly header?: boolean
  readonly skipRows?: number
  /** Numbers, from 1, of the header records, counted over all records of the file; empty for no header. */
  readonly headerRows?: readonly number[]
  /** Joins the values of several header records to a name; a blank by default. */
  readonly headerJoin?: string
  readonly commentChar?: string | null
  readonly skipInitialSpace?: boolean
  /** Pads a single-line record that lacks fields at its end with empty ones. The widest record of the head sets the width. */
  readonly padShortRecords?: boolean
  readonly encoding?: string
  /** The names of a schema: a first record of just these is the header, and has the width of the table. */
  readonly names?: readonly string[]
}

/** How a file is read: decided on its head, the same for the whole file. */
export interface Reading {
  readonly encoding: Encoding
  readonly dialect: Dialect
  /** Fields of a record, at least 1. */
  readonly width: number
  /** Column names, `width` many, unique ignoring case, never empty. */
  readonly names: readonly string[]
  /** The header's fields as in the file, before names were made unique; null without a header. */
  readonly headerFields: readonly string[] | null
  /** Header, title, comment and blank records that are not scanned, and where scanning starts. */
  readonly before: {
    /** Including those of the gap. */
    readonly header: number
    readonly skipped: number
    readonly blank: number
    /** Physical lines before the first record that is scanned. */
    readonly lines: number
    /** Bytes before that record, byte order mark included. */
    readonly bytes: number
    /** Bytes before the first record below the header. */
    readonly headerEnd: number
    /** The header, if records that are not titles are above it; null otherwise. */
    readonly gap: HeaderGap | null
    /** Lines of the comments that are not scanned; at most noteLinesMax of `comments`. */
    readonly commentLines: readonly number[]
    readonly comments: number
    /** Bytes of those that are not scanned, by class; those before the first record are skipped. */
    readonly classBytes: Readonly<Record<'header' | 'blank' | 'skipped', number>>
  }
  /** A line that begins with the comment character and has the width is a record: the character was detected, not declared. */
  readonly keepsWideComments: boolean
  /** Null if no value over several lines can read as records. */
  readonly runaway: RunawayRule | null
  readonly evidence: Evidence
  /** Doubts that a careful reader would raise, for the receipt. */
  readonly notes: readonly Note[]
}

/** Bytes at the beginning of a file on which a Reading is decided: the whole file if it is shorter. */
export const headBytesMax = 1_048_576

/**
 * Columns of a table. To read them back, DuckDB takes up to 300 KB of memory a column, because it processes 2,048 records
 * at once.
 */
export const columnsMax = 8_192

/** Decides how a file is read, from its first bytes. @throws {ServiceError} NOT_CSV, NOT_READABLE, BAD_PARAMETER */
export type ReadHead = (head: Uint8Array, isWholeFile: boolean, declared?: DeclaredDialect) => Reading
