// Column writer: the interface to turn accepted records into one typed Parquet part. Its implementation is beside it.
import type { ColumnFacts } from '../core/column-facts.ts'
import type { ColumnType } from '../core/receipt.ts'
import type { RowGroup } from './parquet-format.ts'

/** How records are arranged: strictly as in RFC 4180, in UTF-8, each with a line end; quotes are doubled. */
export interface RecordLayout {
  readonly width: number
  /** One ASCII character. */
  readonly delimiter: string
  /** One ASCII character; null where nothing is quoted. */
  readonly quote: string | null
  /** After `\n` and `\r\n`, records may end with either. */
  readonly lineTerminator: '\n' | '\r\n' | '\r'
}

/** A column as it is to be written. */
export interface WriterColumn {
  readonly name: string
  /** Null where only facts are wanted: then no part is written. */
  readonly type: ColumnType | null
  /** Of the null words that are known, those that are null in this column. Texts have none. */
  readonly nullWords: readonly string[]
  /** Which column of the older part this one is, from 0: its pages are copied, and its values are not read. */
  readonly kept?: number
  /** Its texts may be compressed by how they begin and end alone: a third of the time for at most half as much again. */
  readonly byEnds?: boolean
}

/** A part of the same records that this writer has written before. */
export interface OlderPart {
  readonly bytes: number
  /** Bytes of it, to be used before the next call. */
  read(byteOffset: number, count: number): Uint8Array
}

export interface ColumnWriterOptions {
  readonly layout: RecordLayout
  readonly columns: readonly WriterColumn[]
  /** Takes the bytes of the part in order; they are to be used before it returns. */
  readonly sink: (bytes: Uint8Array) => void
  /** Bytes that are held at once; more are only for a record that is longer. 8 MiB unless given. */
  readonly windowBytes?: number
  /** Most records of a row group; 61,440 unless given. */
  readonly rowGroupRecords?: number
  /** Most bytes of records of a row group of more than one record; 1.5 MB unless given. */
  readonly rowGroupBytes?: number
  /** Where the columns are that are kept. */
  readonly older?: OlderPart
}

/** Takes records as bytes, cut anywhere, and writes a part. After an error it is of no more use. */
export interface ColumnWriter {
  /**
   * Room for at most `bytesMax` bytes, to be read into without a copy; valid until the next call.
   *
   * @throws {MalformedRecordsError}
   */
  room(bytesMax: number): Uint8Array
  /**
   * The first `count` bytes of the room that was given last hold what follows.
   *
   * @throws {MalformedRecordsError}
   */
  filled(count: number): void
  /**
   * Copies bytes in.
   *
   * @throws {MalformedRecordsError}
   */
  push(bytes: Uint8Array): void
  /**
   * The same of bytes with another encoding, one byte a character.
   *
   * @param utf8OfBytes For each byte its UTF-8: the bytes, the first lowest, and in the highest eight bits their number, at
   * most three.
   * @throws {MalformedRecordsError}
   */
  pushEncoded(bytes: Uint8Array, utf8OfBytes: Uint32Array): void
  /**
   * Writes what is left, and the footer. A last record without a line end is one with it.
   *
   * @throws {MalformedRecordsError}
   */
  end(): WrittenColumns
  /** Lets others use the memory; to be called in the end, whatever happened. */
  close(): void
}

export interface WrittenColumns {
  readonly records: number
  /** Of the part; null where none was written, since no column has a type that fits: what the sink got is of no use. */
  readonly bytes: number | null
  /** For each column the first record, from 1, with a value that does not fit its type; null where all do. */
  readonly misfits: readonly (number | null)[]
  /** For each column whether the part has it: where it has a type and no misfit. Their order is that of the others. */
  readonly isWritten: readonly boolean[]
  /** About every value of every column that is not kept, whatever became of the part. */
  readonly facts: readonly ColumnFacts[]
  /** Records without a value, for each column: empty fields and null words. Of kept ones as the older part says. */
  readonly nulls: readonly number[]
  /** Where the columns that are written lie in the part, with least and greatest values; empty where there is none. */
  readonly rowGroups: readonly RowGroup[]
}

/** The bytes are not records of the layout: a mistake of the caller. */
export class MalformedRecordsError extends Error {}
