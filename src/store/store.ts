// Store: where datasets and upload records are kept. Everything outside this folder sees this interface only.
import type { Readable } from 'node:stream'
import type { Receipt, Upload } from '../core/receipt.ts'

/** A private directory in which a dataset is put together. Gone when disposed, unless it was published. */
export interface Draft extends AsyncDisposable {
  /** Local path; `original`, `data/` and `rejects/` in it are kept on publish, everything else is not. */
  readonly dir: string
}

export type DatasetFile = string // path below the dataset, `/`-separated: `original`, `data/part-00000.parquet`

export interface ListQuery {
  /** At most this many, newest first. */
  readonly limit: number
  /** Opaque; from the last page. */
  readonly after: string | null
  /** Only datasets whose file name contains this, without regard to case; null for all. */
  readonly name: string | null
}

export interface Store {
  /** Begins a dataset: makes an empty private directory with `data/` and `rejects/` in it. @throws DISK_FULL, STORE_FAILED */
  draft(): Promise<Draft>
  /**
   * Makes a finished draft the dataset `receipt.id`. When it resolves, the dataset survives a crash and power loss;
   * before, nothing of it is visible; after a failure it is absent or whole, never in between. The files named by the
   * receipt must be closed; they are synced here. Resolves to false, and keeps nothing, when the dataset exists already.
   * @throws {ServiceError} DISK_FULL, STORE_FAILED
   */
  publish(draft: Draft, receipt: Receipt): Promise<boolean>
  /** Keeps the record of one arrival; durable when it resolves. */
  record(upload: Upload): Promise<void>
  /** The receipt, or null when there is no such dataset. Any text may be asked for. */
  receipt(id: string): Promise<Receipt | null>
  list(query: ListQuery): Promise<{ readonly receipts: readonly Receipt[]; readonly after: string | null }>
  /** Deletes a dataset: first invisible, then gone. False when there was none. Readers in flight finish. */
  remove(id: string): Promise<boolean>
  /** Bytes start … end-1 of a file of a dataset. @throws {ServiceError} DATASET_NOT_FOUND */
  read(id: string, file: DatasetFile, range?: { readonly start: number; readonly end: number }): Promise<Readable>
  /** A local path at which the file can be read while `use` runs; for engines that need files. */
  withLocal<Result>(
    id: string,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result>
  /** Free bytes for new data; Infinity where that is unknown. */
  freeBytes(): Promise<number>
  /** Throws when the store cannot be written to now: for readiness. */
  check(): Promise<void>
  /** Lets go of the lock. */
  close(): Promise<void>
}
