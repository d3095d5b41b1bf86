// Column converter: the interface to turn accepted records into typed Parquet.
import type { ColumnFacts, ValueClass } from '../core/column-facts.ts'
import type { DeclaredValues } from '../core/declared-values.ts'
import type { ColumnType, Part } from '../core/receipt.ts'
import type { TextJob } from '../csv/csv-form.ts'

/** Accepted records only, strict in one dialect, UTF-8, without a header, split at record ends. */
export interface Segment {
  /** A file of the records; with `pieces`, of those that are in no other file, if there are any. */
  readonly path: string
  /** Where the records are, in order; each piece has whole records. Absent if all of them are in `path`. */
  readonly pieces?: readonly SegmentPiece[]
  /**
   * If pieces are in another file that is not in UTF-8: the UTF-8 for each byte value, as in
   * `reading/encoding/single-byte`.
   */
  readonly utf8OfBytes?: Uint32Array
  readonly records: number
  /** Number of their bytes in UTF-8. */
  readonly bytes: number
  readonly layout: SegmentLayout
}

/** Some bytes of a file. The last record of the file may lack its line end. */
export interface SegmentPiece {
  readonly path: string
  readonly byteOffset: number
  readonly bytes: number
}

/** The format of records: strict RFC 4180 in UTF-8, each with a line end; quotes are doubled. Nothing is detected. */
export interface SegmentLayout {
  readonly width: number
  /** One ASCII character. */
  readonly delimiter: string
  /** One ASCII character; null if nothing is quoted. */
  readonly quote: string | null
  /** After `\n` and `\r\n`, records may end with either. */
  readonly lineTerminator: '\n' | '\r\n' | '\r'
}

/** A column to write. Values among `nullWords` become null. */
export interface TargetColumn {
  readonly name: string
  readonly type: ColumnType
  readonly nullWords: readonly string[]
  /** How to read and check the values, if a client declared it; overrides everything else. */
  readonly declared?: DeclaredValues
  /** Classes that the values of a text column may have, besides null words: others are type mismatches. All if absent. */
  readonly classes?: readonly ValueClass[]
  /** Its texts may be compressed in less time to somewhat more bytes. */
  readonly fastCompression?: boolean
}

/** A Parquet file written from a segment. */
export interface ConvertedPart {
  readonly part: Omit<Part, 'file'>
  /** Nulls by column, in column order. */
  readonly nulls: readonly number[]
  /** Checksums of its blocks, as from `checksumsOfFile`. */
  readonly checksums: Buffer
}

/** A part written earlier from the same segment: what need not be written again. */
export interface OlderColumns {
  readonly path: string
  /** For each column its position in the older part, from 0; null if it is to be written. */
  readonly kept: readonly (number | null)[]
}

export type ConvertResult =
  | (SegmentFacts & { readonly kind: 'part' } & ConvertedPart)
  /** Some value does not fit its column's type. */
  | (SegmentFacts & {
      readonly kind: 'typeMismatch'
      /** For each column the first record with such a value, from 1 and without violations; null if all fit. */
      readonly typeMismatches: readonly (number | null)[]
      /** What was written nevertheless; absent if nothing was. It has only the columns in `isWritten`. */
      readonly rest?: ConvertedPart & { readonly isWritten: readonly boolean[] }
    })

interface SegmentFacts {
  /** Facts as from `profile`; meaningless for columns that were copied. */
  readonly facts: readonly ColumnFacts[]
  /** Records that break declared rules: no part has them, and no facts count them. */
  readonly violations: number
}

/** What a conversion may also use and make. */
export interface ConvertOptions {
  readonly older?: OlderColumns
  /**
   * A file for the records that break declared rules: a line of JSON each, a `Violation`, in order, compressed with
   * gzip. It is not created if there are none. Without it, they are only counted.
   */
  readonly violationsPath?: string
  readonly keys?: KeyOptions
}

/** Keys that no two records may share. */
export interface KeyOptions {
  /** The columns of each, all of them declared. */
  readonly columns: readonly (readonly number[])[]
  /** 128 bits, the same for all segments, that nobody can know before. */
  readonly secret: readonly [bigint, bigint]
  /** The file for the hashes of the keys of a segment. */
  readonly path: string
  /** The records that repeat a key have been found: they are left out, and nothing is hashed. */
  readonly areFound: boolean
}

/** The keys of all segments. */
export interface RepeatsJob {
  /** The files of the hashes, in the order of the segments, and the records before each. */
  readonly segments: readonly { readonly path: string; readonly before: number }[]
  /** Keys in memory at once, about. */
  readonly keysMax?: number
}

export interface Repeats {
  /** For each segment, how often its records repeat keys. */
  readonly counts: readonly number[]
  /** The numbers of the first records with each of these keys, in the whole file, ascending; some may occur twice. */
  readonly firsts: Float64Array
}

export interface Converter {
  /**
   * Reads a segment and returns the facts of each column, in column order, about the records that break no declared
   * rule: `declared` has those of each column.
   */
  profile(
    segment: Segment,
    signal: AbortSignal,
    declared?: readonly (DeclaredValues | undefined)[],
  ): Promise<readonly ColumnFacts[]>
  /**
   * Writes a segment as one Parquet file, records in order; the caller makes it durable. Every value keeps its exact
   * meaning; a value that would not is a type mismatch. Records that break declared rules are left out. Columns may be copied
   * from an older part.
   * @throws {ServiceError} CONVERSION_FAILED if the number of records differs from the segment's, or its thread was lost.
   * @throws {ServiceError} DISK_FULL if there is no space.
   */
  convert(
    segment: Segment,
    columns: readonly TargetColumn[],
    toPath: string,
    signal: AbortSignal,
    options?: ConvertOptions,
  ): Promise<ConvertResult>
  /** Finds the records that repeat a key. */
  findRepeats(job: RepeatsJob, signal: AbortSignal): Promise<Repeats>
  /** Writes records as text. Uploads and downloads take turns. @throws {ServiceError} as `convert` */
  writeText(job: TextJob, signal: AbortSignal): Uint8Array | Promise<Uint8Array>
  /** Ends the threads; running jobs fail. */
  close(): Promise<void>
}
