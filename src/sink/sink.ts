// Sink: the interface to a database that datasets are copied into. Implementations live beside this file.
import type { ByteStream } from '../core/byte-stream.ts'
import type { CopyMode } from '../core/copies/copy-status.ts'
import type { Column } from '../core/receipt.ts'

/** One dataset for one table. */
export interface CopyOrder {
  readonly datasetId: string
  /** Whose dataset it is. */
  readonly owner: string
  readonly table: string
  /** True where the operator has named the table, so that copies of all owners go there. */
  readonly isSharedTable: boolean
  readonly mode: CopyMode
  readonly key: readonly string[]
  readonly columns: readonly Pick<Column, 'name' | 'type'>[]
  readonly records: number
}

export interface Sink {
  /**
   * Copies the records, all or none. Copies nothing, and reads nothing, where they are in the table already: an earlier try
   * whose answer was lost counts.
   *
   * @param open Opens the records as CSV lines without a header, as `PartReader` writes them, texts in quotes.
   * @throws {SinkError}, and what reading the records throws
   */
  copy(order: CopyOrder, open: () => Promise<ByteStream>, signal: AbortSignal): Promise<void>
}

/** A failure of the database. The message is for its owner, and names no host; `cause` is for the log. */
export class SinkError extends Error {
  override readonly name = 'SinkError'
  /** The same may go well later. */
  readonly isTransient: boolean

  constructor(message: string, isTransient: boolean, cause?: unknown) {
    super(message, { cause })
    this.isTransient = isTransient
  }
}
