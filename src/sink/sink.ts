// Sink: the interface to a database that datasets are copied into. Its implementation, for PostgreSQL, is beside this file.
import type { ByteStream } from '../core/byte-stream.ts'
import type { CopyMode } from '../core/copies/copy-status.ts'
import type { Column } from '../core/receipt.ts'

/** One dataset for one table. */
export interface CopyOrder {
  readonly datasetId: string
  /** SHA-256 of its original: corrections and other readings of a file share it. */
  readonly fileSha256: string
  /** The owner of the dataset. */
  readonly owner: string
  readonly table: string
  /** True if the operator has named the table, so that copies of all owners go there. */
  readonly isSharedTable: boolean
  readonly mode: CopyMode
  readonly key: readonly string[]
  readonly columns: readonly Pick<Column, 'name' | 'type'>[]
  readonly records: number
}

/**
 * Opens the records of a dataset as CSV lines without a header, as `PartReader` writes them, texts in quotes. An error
 * while opening or reading them is not a failure of the database.
 */
export type CopySource = () => Promise<ByteStream>

export interface Sink {
  /**
   * Copies all records or none. Copies nothing, and reads nothing, if they are already in the table: an earlier try
   * whose response was lost counts.
   *
   * @throws {SinkError}, and what reading the records throws
   */
  copy(order: CopyOrder, source: CopySource, signal: AbortSignal): Promise<void>
}

/** A failure of the database. The message is for the owner, and names no host; `cause` is for the log. */
export class SinkError extends Error {
  override readonly name = 'SinkError'
  /** True if a later try may succeed. */
  readonly isTransient: boolean

  constructor(message: string, isTransient: boolean, cause?: unknown) {
    super(message, { cause })
    this.isTransient = isTransient
  }
}
