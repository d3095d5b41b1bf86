// Part reader: the interface to read Parquet parts back: rows, lines, statistics, comparisons.
/** Statistics of the values of a column, in the terms of the Hugging Face dataset viewer. */
export interface ColumnStatistics {
  readonly column_name: string
  readonly column_type: 'int' | 'float' | 'bool' | 'string_label' | 'string_text' | 'datetime'
  readonly column_statistics: NullStatistics & (NumericStatistics | LabelStatistics)
}

export interface NullStatistics {
  /** Records without a value. */
  readonly nan_count: number
  readonly nan_proportion: number
}

/**
 * Of numbers; of the lengths of texts, in characters; of dates and times, as text. Integers beyond 2^53 are text. Null
 * if no record has a value; `std` also if only one has.
 */
export interface NumericStatistics extends NullStatistics {
  readonly min: number | string | null
  readonly max: number | string | null
  readonly mean: number | string | null
  readonly median: number | string | null
  /** Standard deviation of a sample; for dates and times, a duration. */
  readonly std: number | string | null
  /** A bin ends before the next begins; the last one includes its end. */
  readonly histogram: { readonly hist: readonly number[]; readonly bin_edges: readonly (number | string)[] } | null
  /** Number of different values. */
  readonly n_unique: number
  /** How far `n_unique` may be off, as a fraction of it; absent if it is exact. */
  readonly n_unique_error?: number
  readonly q25: number | string | null
  readonly q75: number | string | null
  /** Names of the members above that are approximate. */
  readonly approximate: readonly string[]
}

/** Statistics of few different texts, and of booleans. */
export interface LabelStatistics {
  readonly n_unique?: number
  readonly no_label_count?: number
  readonly no_label_proportion?: number
  readonly frequencies: Readonly<Record<string, number>>
}

/** Where lines go, and how they are written. */
export interface LinesTarget {
  readonly toPath: string
  /**
   * Null for JSON lines: objects with their members in column order. Else CSV with this delimiter and without a header:
   * dates in ISO 8601, points in numbers, nothing for null and `""` for an empty text. Unless
   * `quotesTexts`, a null alone in its record is `""`, too.
   */
  readonly csvDelimiter: string | null
  /**
   * Texts are quoted even where that is unnecessary, so that no line can be read as anything but values. For CSV only.
   */
  readonly quotesTexts?: boolean
}

/** What records have in a column of text. */
export interface RowMatch {
  readonly column: string
  readonly value: string
}

/** Reads Parquet parts back. Values that JSON cannot hold exactly (long integers, decimals, dates) are text. */
export interface PartReader {
  /** Records offset … offset+limit-1 of all parts in order, as arrays in column order. Fast at any offset. */
  rows(
    parts: readonly { readonly path: string; readonly records: number }[],
    columns: readonly string[],
    offset: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly unknown[])[]>
  /** The same, but only records whose value in a column is this text. Reads that column of every part. */
  matchingRows(
    parts: readonly { readonly path: string }[],
    columns: readonly string[],
    match: RowMatch,
    window: { readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly (readonly unknown[])[]>
  /**
   * Writes records offset … offset+limit-1 of one part, or all records of some, as lines to `target.toPath`, replacing
   * its content. A part without limits is written in less time than in pieces.
   */
  lines(
    paths: readonly string[],
    columns: readonly string[],
    window: { readonly offset: number; readonly limit: number } | null,
    target: LinesTarget,
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Returns statistics of columns, in that order. Exact for up to 100,000 records; beyond that, figures that would need
   * all values at once are approximate. Other jobs run in between.
   */
  measure(
    parts: readonly { readonly path: string; readonly records: number }[],
    columns: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly ColumnStatistics[]>
  /**
   * Compares the records of one part with records offset, offset+1, … of all `parts`, whose columns have the same names.
   * Returns the first value, or the first column's type, that differs, counted from 0.
   */
  difference(
    part: { readonly path: string; readonly records: number },
    parts: readonly { readonly path: string; readonly records: number }[],
    columns: readonly string[],
    offset: number,
    signal: AbortSignal,
  ): Promise<{ readonly record: number; readonly column: number } | null>
  /** @throws {ServiceError} if no child can be started */
  check(): Promise<void>
  close(): Promise<void>
}
