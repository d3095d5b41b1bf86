// Store: where datasets and their upload records are kept. Everything outside this folder uses only this interface.
import type { ByteStream } from '../core/byte-stream.ts'
import type { Log } from '../core/log.ts'
import type { Receipt, Upload } from '../core/receipt.ts'
import type { ReadBytes } from '../io/read-bytes.ts'
import type { Spools } from './spool/spool.ts'

export type { Spool, SpoolFacts, SpoolState, Spools, SpoolWriter } from './spool/spool.ts'

/** For rejects; for files that are not kept; and for upload records, which the store itself writes. */
export type DraftFolder = 'rejects' | 'segments' | 'uploads'

/** A private directory in which a dataset is put together. Disposing removes it, unless it was published. */
export interface Draft extends AsyncDisposable {
  /** Absolute local path. Publishing keeps the files that the receipt names, and nothing else. */
  readonly dir: string
  /**
   * The path of a directory in it, which is created on demand, since most uploads need neither. `data` always exists.
   * @throws {ServiceError} DISK_FULL, STORE_FAILED
   */
  folder(name: DraftFolder): Promise<string>
  /**
   * Declares that the first bytes of a file are final, so that a store that keeps files elsewhere can send them while
   * the rest is written. Anything not declared is sent on publish.
   */
  grew(file: DatasetFile, bytes: number): void
  /** Declares a file complete. Call it again if the file is rewritten. */
  finished(file: DatasetFile): void
}

/** What code that writes files into a draft needs of it. */
export type DraftFiles = Pick<Draft, 'dir' | 'folder' | 'grew' | 'finished'>

/**
 * Path below the dataset, `/`-separated: `original`, `text`, `corrections`, `checksums`, or a file directly in `data/`
 * or `rejects/`.
 */
export type DatasetFile = string

/**
 * A dataset as someone has read it, such as its receipt from the store. Whatever is done with it concerns that publish
 * alone: after a removal, the same bytes sent again or a repair, it is not found. Without `publish`, whichever is there.
 */
export type DatasetVersion = Pick<Receipt, 'id' | 'publish'>

/** Reads of one stored file. */
export interface StoredReads extends AsyncDisposable {
  readonly read: ReadBytes
}

/** Changes whenever the bytes of a file may have changed. */
export interface FileStamp {
  readonly bytes: number
  /** Opaque; equal only for the same file without writes in between. */
  readonly version: string
}

export type ListSort = 'createdAt' | 'name' | 'rows' | 'rejects' | 'bytes'

export interface ListOrder {
  readonly by: ListSort | 'trashedAt'
  readonly isDescending: boolean
}

export interface ListQuery {
  /** At most this many. */
  readonly limit: number
  /** Opaque; from the previous page in the same order. */
  readonly after: string | null
  /** Newest first unless given. */
  readonly order?: ListOrder | undefined
  /** Those in the trash instead of all others. */
  readonly isTrash?: boolean
  /** Only datasets of this owner. */
  readonly owner: string
  /**
   * Only datasets sent under a file name that contains this, ignoring case; null for all. At most the first 20 names of
   * a dataset count.
   */
  readonly name: string | null
  /** Only datasets whose id begins with this, in lower case; all unless given. */
  readonly idPrefix?: string | undefined
  /** Only datasets with this in a file name or in the name of a column. */
  readonly search?: string | undefined
  /** Only versions of the file with this SHA-256. */
  readonly origin?: string | undefined
  /** Only datasets that this key or token was the first to send. */
  readonly sender?: string | undefined
  /** Epoch milliseconds. */
  readonly createdSince?: number | undefined
  /** Only datasets with rejects that have not been dismissed. */
  readonly hasOpenRejects?: boolean | undefined
  /** Only the newest version of each file. */
  readonly isLatestVersion?: boolean | undefined
}

/** What a list shows of a dataset besides its receipt. */
export interface ListedState {
  /** Epoch milliseconds; null if it is not in the trash. */
  readonly trashedAt: number | null
  readonly isDismissed: boolean
  /** How many datasets of its owner are made of the same file, itself included. */
  readonly versions: number
}

export interface ListedDataset extends ListedState {
  readonly receipt: Receipt
}

export interface ListPage {
  readonly datasets: readonly ListedDataset[]
  /** All that match, on any page. */
  readonly total: number
  readonly after: string | null
}

/** The datasets of one owner in total. */
export interface Usage {
  readonly datasets: number
  readonly bytes: number
}

/** A dataset in the trash, since a time in epoch milliseconds. */
export interface TrashedDataset {
  readonly id: string
  readonly owner: string
  readonly trashedAt: number
}

export interface DatasetChange {
  readonly id: string
  readonly owner: string
  readonly change: 'stored' | 'deleted' | 'trashed' | 'restored' | 'dismissed'
}

export type StoreLogger = Pick<Log, 'info' | 'warn'>

/** What an upload has made, as it is stored. */
export interface StoredUpload {
  readonly receipt: Receipt
  readonly upload: Upload
}

/**
 * Every method may throw a `ServiceError` of the storage: STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED, and
 * DISK_FULL if it writes. Any other code is named.
 */
export interface Store {
  /** Uploads that may arrive in several requests, on the disk of this process. */
  readonly spools: Spools
  /** Begins a dataset: creates a private directory with empty `data/`, `rejects/` and `segments/` in it. */
  draft(): Promise<Draft>
  /**
   * Turns a finished draft into the dataset `receipt.id`, with the record of its upload. Once it resolves, both survive
   * a crash and power loss; before that, nothing of the dataset is visible; after a failure it is absent or complete,
   * never in between. The files that the receipt names must be closed; their sizes are checked and they are synced
   * here. Resolves to false, and keeps nothing, if the dataset already exists. The draft is used up in any case.
   */
  publish(draft: Draft, receipt: Receipt, upload: Upload): Promise<boolean>
  /**
   * Replaces a damaged publish of the dataset `receipt.id` with a finished draft: as a whole, with the upload records
   * and the creation time of the damaged one. Readers find one of the two; so does the next start after a crash, and
   * certainly the new one once this has resolved. Waits for `withLocal` in progress. If the dataset was removed
   * meanwhile, the draft becomes a new one, and its upload is stored as new. Resolves to null, keeping nothing, if there
   * is another publish. The draft is used up in any case.
   */
  replace(draft: Draft, receipt: Receipt, upload: Upload, damaged: DatasetVersion): Promise<StoredUpload | null>
  /**
   * Keeps the record of one more upload of a dataset, no longer than the dataset; durable once it resolves. Each
   * dataset keeps its first record and the last 999. Keeps nothing if the dataset no longer exists.
   */
  record(upload: Upload): Promise<void>
  /**
   * The receipt; null if there is no such dataset. `id` may be any text.
   * @throws {ServiceError} DATASET_DAMAGED if the receipt is no longer what was stored
   */
  receipt(id: string): Promise<Receipt | null>
  /**
   * A page of datasets; of equal ones in the order, by id. A page may be shorter than the limit while datasets are being
   * removed or have damaged receipts; only `after: null` says that it was the last.
   * @throws {ServiceError} BAD_PARAMETER if `after` is not a cursor
   */
  list(query: ListQuery): Promise<ListPage>
  /** Calls `listener` with changes of datasets that this process makes or learns of, until disposed. */
  watch(listener: (change: DatasetChange) => void): Disposable
  /**
   * Marks the rejects of a publish as needing no more attention, or takes that back; a repair does, too. False if it is
   * not there.
   */
  dismiss(of: DatasetVersion, isDismissed: boolean): Promise<boolean>
  /**
   * Puts a publish in the trash: it is gone for everyone else, and still counted. Durable once it resolves. False if it
   * is not there.
   */
  trash(of: DatasetVersion): Promise<boolean>
  /** What is in the trash under this id, which may be any text; null if nothing is. */
  trashed(id: string): Promise<TrashedDataset | null>
  /** Takes a dataset out of the trash, as the publish that it was. Durable once it resolves. False if it is not there. */
  restore(of: TrashedDataset): Promise<boolean>
  /** Deletes a dataset in the trash, as `remove`. False if it is not there. */
  erase(of: TrashedDataset): Promise<boolean>
  /** The datasets in the trash that were put there, or last uploaded, before a time (epoch milliseconds), read in pages. */
  expiredTrash(trashedBefore: number, uploadedBefore: number): Iterable<TrashedDataset>
  /**
   * Deletes a publish: invisible immediately, durably gone once it resolves, which is after `withLocal` in progress.
   * Streams in progress continue. False if it is not there, or its last upload did not end before `uploadedBefore`
   * (epoch milliseconds): the comparison is part of the deletion.
   */
  remove(of: DatasetVersion, uploadedBefore?: number): Promise<boolean>
  /**
   * Counts the age of a publish from now, as an upload of its bytes is about to be recorded. False if it is not there.
   */
  renew(of: DatasetVersion): Promise<boolean>
  /**
   * Bytes start … end-1 of a file; read it to its end or dispose it.
   * @throws {ServiceError} DATASET_NOT_FOUND; DATASET_DAMAGED if the publish is there but lacks the file
   */
  read(
    of: DatasetVersion,
    file: DatasetFile,
    range?: { readonly start: number; readonly end: number },
  ): Promise<ByteStream>
  /**
   * Reads at any position of a file, until disposed; a deletion in the meantime does not end the reads.
   * @throws {ServiceError} DATASET_NOT_FOUND; DATASET_DAMAGED if the dataset exists but lacks the file
   */
  open(of: DatasetVersion, file: DatasetFile): Promise<StoredReads>
  /** The stamp of a file; null if it is missing. @throws {ServiceError} DATASET_NOT_FOUND */
  stamp(of: DatasetVersion, file: DatasetFile): Promise<FileStamp | null>
  /**
   * Local paths at which the files can be read while `use` runs, which must not call this again for the dataset if its
   * files are local. If it fails with DATASET_DAMAGED, copies of files stored elsewhere are dropped, and fetched again
   * next time. @throws {ServiceError} DATASET_NOT_FOUND
   */
  withLocal<Result>(
    of: DatasetVersion,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result>
  /**
   * Keeps a result computed from a publish, which can be computed again: it may be lost without harm, and is removed
   * with it. An earlier result of that name is replaced as a whole or not at all. Keeps nothing if that publish is not
   * there.
   *
   * @param name Lower-case letters, digits, dots and hyphens; begins with a letter, at most 64 characters.
   */
  keep(of: DatasetVersion, name: string, bytes: Uint8Array): Promise<void>
  /** Exactly what was kept under that name; null if there is nothing, or it was damaged. */
  kept(of: DatasetVersion, name: string): Promise<Buffer | null>
  /** The names under which something is kept that begin with this. */
  keptNames(of: DatasetVersion, prefix: string): Promise<readonly string[]>
  /**
   * Keeps what the service must remember besides datasets. A crash may lose it, but never tears it.
   *
   * @param name As for `keep`.
   */
  saveState(name: string, bytes: Uint8Array): Promise<void>
  /** What was last kept under that name; null if there is nothing, or it was damaged. */
  savedState(name: string): Promise<Buffer | null>
  /** The owner of a dataset, even if its receipt is damaged; null if there is none. `id` may be any text. */
  ownerOf(id: string): Promise<string | null>
  /** The publish that is there, even if its receipt is damaged; null if there is none. `id` may be any text. */
  published(id: string): Promise<DatasetVersion | null>
  /**
   * True if a dataset is certainly gone, or never was there: what is damaged or cannot be read is not, and a removal in
   * progress, which a crash may undo, is waited for.
   */
  isGone(id: string): Promise<boolean>
  /** True for a dataset that `usage` counts. */
  isCounted(id: string): boolean
  /** Learns what other processes have published: once it resolves, everything that existed at the call is counted. */
  catchUp(): Promise<void>
  /** The current total of an owner's datasets, originals and parts: of all, or of those in the trash. */
  usage(owner: string, isTrash?: boolean): Usage
  /** Ids of all datasets after one, ascending, read in pages. */
  idsAfter(id: string): Iterable<string>
  /** Ids of all datasets whose last upload ended before a time (epoch milliseconds), oldest first, read in pages. */
  olderThan(uploadedBefore: number): Iterable<string>
  /** Free bytes for new data; Infinity if unknown. */
  freeBytes(): Promise<number>
  /** Throws if the store cannot be written to now: for readiness. */
  check(): Promise<void>
  /** Releases the lock. */
  close(): Promise<void>
}
