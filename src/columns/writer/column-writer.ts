// Column writer: what is passed to it, and what it returns.
import type { ColumnFacts } from '../../core/column-facts.ts'
import type { DeclaredValues, RepeatedKey, Violation } from '../../core/declared-values.ts'
import type { ColumnType } from '../../core/receipt.ts'
import type { SegmentLayout } from '../converter.ts'
import type { RowGroup } from '../parquet/parquet-format.ts'

/** A column to be written. */
export interface WriterColumn {
  readonly name: string
  /** Null if only facts are requested: then no part is written. */
  readonly type: ColumnType | null
  /** Of the known null words, those that are null in this column. Texts and declared columns have none. */
  readonly nullWords: readonly string[]
  /** How its texts are read and which rules its values must satisfy, if a client declared it. */
  readonly declared?: DeclaredValues
  /** The position of this column in the older part, from 0: its pages are copied, and its values are not read. */
  readonly kept?: number
  /**
   * Its texts may be compressed by their beginnings and ends alone: a third of the time for at most half as many bytes
   * again.
   */
  readonly fastCompression?: boolean
}

/** A part of the same records that this writer has written before. */
export interface OlderPart {
  readonly bytes: number
  /** Bytes of it; use them before the next call. */
  read(byteOffset: number, count: number): Uint8Array
}

export interface ColumnWriterOptions {
  readonly layout: SegmentLayout
  readonly columns: readonly WriterColumn[]
  /** Receives the bytes of the part in order, and must use them before it returns. */
  readonly sink: (bytes: Uint8Array) => void
  /** Bytes held at once, unless one record is longer; default 8 MiB. */
  readonly windowBytes?: number
  /** Most records in a row group; default 61,440. */
  readonly rowGroupRecords?: number
  /** Most bytes of records in a row group of more than one record; default 1.5 MB. */
  readonly rowGroupBytes?: number
  /** The part from which columns are copied. */
  readonly older?: OlderPart
  /** Receives the first rule that each record breaks, in the order of the records. */
  readonly onViolation?: (violation: Violation) => void
  readonly keys?: WriterKeys
}

/** Keys that no two records may share. */
export interface WriterKeys {
  /** The columns of each, all of them declared. */
  readonly columns: readonly (readonly number[])[]
  /** Of the hashes of keys, which are the same in all writers with the same secret. */
  readonly secret: readonly [bigint, bigint]
  /** Receives the hashes of the records that break no rule, in chunks. */
  readonly onEntries: (chunk: Uint32Array) => void
  /** The key that a record (from 1) repeats: it breaks a rule. Null if that is not known yet: then there are hashes. */
  readonly repeated: ((record: number) => RepeatedKey | null) | null
}

export interface WrittenColumns {
  /** Records read. */
  readonly records: number
  /** Those of them that break a declared rule: they are in no part, and in no facts. */
  readonly violations: number
  /** The part; null if none was written because the type of no column fits: what the sink received is then useless. */
  readonly bytes: number | null
  /**
   * For each column the first record, from 1 and without those that break rules, with a value that does not fit its type;
   * null if all fit.
   */
  readonly typeMismatches: readonly (number | null)[]
  /** For each column whether the part has it: if it has a type and no type mismatch. Their order is that of the others. */
  readonly isWritten: readonly boolean[]
  /** Facts about every value of every column that is not copied, whatever becomes of the part. */
  readonly facts: readonly ColumnFacts[]
  /**
   * For each column the number of records without a value: empty fields and null words. For copied columns, as the
   * older part states.
   */
  readonly nulls: readonly number[]
  /** Where the written columns are in the part, with least and greatest values; empty if there is no part. */
  readonly rowGroups: readonly RowGroup[]
}

/** The bytes are not records in the layout, which is an error of the caller. */
export class MalformedRecordsError extends Error {}
