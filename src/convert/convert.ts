// Convert: what turning accepted records into typed Parquet promises. Implementations live beside this file.
import type { ColumnFacts, ValueClass } from '../core/column-facts.ts'
import type { ColumnType, Part } from '../core/receipt.ts'

export type { ColumnFacts }

/** A file of accepted records only, strict in one dialect, UTF-8, no header, cut at record ends. */
export interface Segment {
  readonly path: string
  readonly records: number
  readonly bytes: number
  readonly layout: SegmentLayout
}

/** All that is to know to read a segment: nothing is detected. Quote and escape as in RFC 4180 unless given otherwise. */
export interface SegmentLayout {
  readonly width: number
  readonly delimiter: string
  readonly quote: string | null
  /** Null where a quote is doubled. */
  readonly escape: string | null
  readonly lineTerminator: '\n' | '\r\n' | '\r'
}

/** A column as it is to be written. Values that are one of nullWords become null. */
export interface TargetColumn {
  readonly name: string
  readonly type: ColumnType
  readonly nullWords: readonly string[]
  /** Classes that the values of a text column are to be of, beside null words: another one is a misfit. All, if absent. */
  readonly classes?: readonly ValueClass[]
}

export type ConvertResult =
  | {
      readonly kind: 'part'
      readonly part: Omit<Part, 'file'>
      /** Nulls by column, in column order. */
      readonly nulls: readonly number[]
    }
  /** Some value does not fit its column's type: nothing was written. */
  | { readonly kind: 'misfit' }

export interface Converter {
  /** Reads a segment and tells what each column allows, in column order. */
  profile(segment: Segment, signal: AbortSignal): Promise<readonly ColumnFacts[]>
  /**
   * Writes a segment as one Parquet file, records in order; the caller makes it durable. Every value keeps its exact meaning:
   * a value that would not is a misfit.
   * @throws {ServiceError} CONVERSION_FAILED when the count of records differs from the segment's, or the child died.
   * @throws {ServiceError} DISK_FULL when there is no space.
   */
  convert(
    segment: Segment,
    columns: readonly TargetColumn[],
    toPath: string,
    signal: AbortSignal,
  ): Promise<ConvertResult>
  /** Ends the children; running jobs fail. */
  close(): Promise<void>
}

/** Reads Parquet parts back. Values that JSON would bend (long integers, decimals, dates) come as text. */
export interface PartReader {
  /** Records offset … offset+limit-1 over the parts in order, as arrays in column order. Fast at any offset. */
  rows(
    parts: readonly { readonly path: string; readonly records: number }[],
    columns: readonly string[],
    offset: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly unknown[])[]>
  /**
   * Writes records offset … offset+limit-1 of one part as JSON lines: objects with their members in column order. A file
   * at `toPath` is replaced.
   */
  lines(
    path: string,
    columns: readonly string[],
    window: { readonly offset: number; readonly limit: number },
    toPath: string,
    signal: AbortSignal,
  ): Promise<void>
  /** Writes all parts, in order, as one Parquet file. */
  merge(parts: readonly { readonly path: string }[], toPath: string, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
