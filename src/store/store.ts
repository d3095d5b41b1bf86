// Store: where datasets, with their upload records, are kept. Everything outside this folder sees this interface only.
import type { ByteStream } from '../core/byte-stream.ts'
import type { Receipt, Upload } from '../core/receipt.ts'
import type { StoredFile } from '../core/stored-files.ts'
import type { ReadBytes } from '../io/read-bytes.ts'
import type { Spools } from './spool.ts'

export type {
  SharedSpools,
  Spool,
  SpoolFacts,
  SpoolSight,
  SpoolState,
  Spools,
  SpoolWriter,
} from './spool.ts'

/** A private directory in which a dataset is put together. Gone when disposed, unless it was published. */
/** For parts of rejects; for what is not kept; and for upload records, which the store itself writes. */
export type DraftFolder = 'rejects' | 'segments' | 'uploads'

export interface Draft extends AsyncDisposable {
  /** Absolute local path. On publish the files the receipt names are kept, everything else is not. */
  readonly dir: string
  /**
   * The path of a directory in it, which is made when it is first asked for: most uploads need neither. `data` is always there.
   * @throws {ServiceError} DISK_FULL, STORE_FAILED
   */
  folder(name: DraftFolder): Promise<string>
  /**
   * Says that the first bytes of a file are there and stay as they are, so that a store that keeps them elsewhere can carry
   * them there while the rest is written. What is never said is carried on publish.
   */
  grew(file: DatasetFile, bytes: number): void
  /** Says that a file is there whole. To be said again where it has been written anew. */
  finished(file: DatasetFile): void
}

/** What those who write files into a draft need of it. */
export type DraftFiles = Pick<Draft, 'dir' | 'folder' | 'grew' | 'finished'>

/** Path below the dataset, `/`-separated: `original`, `text`, `corrections`, `checksums`, or a file right in `data/` or `rejects/`. */
export type DatasetFile = string

/** Reads of one stored file. */
export interface StoredReads extends AsyncDisposable {
  readonly read: ReadBytes
}

/** Changes whenever the bytes of a file may have changed. */
export interface FileStamp {
  readonly bytes: number
  /** Opaque; equal only for the same file, not written to since. */
  readonly version: string
}

export interface ListQuery {
  /** At most this many, newest first. */
  readonly limit: number
  /** Opaque; from the last page. */
  readonly after: string | null
  /** Only datasets of this owner. */
  readonly owner: string
  /** Only datasets that came under a file name which contains this, without regard to case; null for all. At most 20 names of a dataset count, the first ones. */
  readonly name: string | null
  /** Only datasets whose id begins with this, in lower case; all unless given. */
  readonly idPrefix?: string | undefined
}

export interface ListedShared {
  readonly name: string
  /** Another one for other bytes. */
  readonly version: string
  /** By the clock of the store. Epoch milliseconds. */
  readonly changedAt: number
}

/** Small objects that every process on a store sees at once. Names are segments of letters, digits, `.`, `_` and `-`, with `/` between. */
export interface SharedObjects {
  /**
   * Durable when it resolves. Gives its version; null, and nothing is written, where the object that is there is of another
   * version than `before`, which is null for none. Without `before` it is written whatever is there.
   * @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
   */
  write(name: string, bytes: Uint8Array, before?: string | null): Promise<string | null>
  /** Null where there is none. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  get(name: string): Promise<{ readonly bytes: Buffer; readonly version: string } | null>
  /** Those whose names begin so, in order of names. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  list(namePrefix: string): AsyncIterable<ListedShared>
  /** Those that are not there are no failure. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  delete(names: readonly string[]): Promise<void>
}

/** The two methods of a pino logger a store uses. */
export interface StoreLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** Where engines find what is stored. Each URL is one of a directory, and ends with a slash. */
export interface StoreUrls {
  /** Of the Parquet parts of a dataset. @throws {ServiceError} DATASET_NOT_FOUND, STORE_UNAVAILABLE, STORE_FAILED */
  parts(id: string): Promise<string>
  /** Of shared objects whose names begin with `directory/`. */
  shared(directory: string): string
}

/** Local copies of files that are elsewhere, kept up to a number of bytes and no longer than their dataset. */
export interface LocalCopies {
  /** True if a file need not be fetched. */
  has(id: string, file: DatasetFile): boolean
  /** Slices of a part, the one that was used last at the end. */
  slices(id: string, part: StoredFile): readonly SliceCopy[]
  /** The path of a slice, until disposed; it is written where it is not there. Without `bytes` null where it is not there. */
  use(
    id: string,
    part: StoredFile,
    slice: SliceCopy,
    bytes?: Uint8Array,
  ): Promise<(Disposable & { readonly path: string }) | null>
}

/** Some records of a part as a file of its own. */
export interface SliceCopy {
  /** Its first record among those of the part. */
  readonly from: number
  readonly records: number
  /** Of the file. */
  readonly bytes: number
  readonly sha256: string
}

export interface Store {
  /** Uploads that come in several requests. */
  readonly spools: Spools
  /** What several processes on the store say to each other; null where there can be one only. */
  readonly shared: SharedObjects | null
  /** Null where engines cannot read. */
  readonly urls: StoreUrls | null
  /** Null where all files are local. */
  readonly copies: LocalCopies | null
  /**
   * Begins a dataset: makes a private directory with empty `data/`, `rejects/` and `segments/` in it.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  draft(): Promise<Draft>
  /**
   * Makes a finished draft the dataset `receipt.id`, with the record of its arrival. When it resolves, both survive a crash
   * and power loss; before, nothing of the dataset is visible; after a failure it is absent or whole, never in between.
   * The files named by the receipt must be closed; they are checked for their byte counts and synced here. Resolves to
   * false, and keeps nothing, when the dataset exists already. The draft is used up in any case.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  publish(draft: Draft, receipt: Receipt, upload: Upload): Promise<boolean>
  /**
   * Puts a finished draft in the place of the dataset `receipt.id`, which is damaged: as a whole, with the upload records of
   * the damaged one, and as old as that. A crash leaves one of them, and the new one for certain when it resolves. Waits
   * for `withLocal` in progress. Resolves to the receipt as it is stored; to null, and keeps nothing, when there is no such
   * dataset. The draft is used up in any case.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  replace(draft: Draft, receipt: Receipt, upload: Upload): Promise<Receipt | null>
  /**
   * Keeps the record of one more arrival of a dataset, with the dataset and no longer than it; durable when it resolves. Of
   * each dataset the first record and the last 999 are kept. Keeps nothing when there is no such dataset any more.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  record(upload: Upload): Promise<void>
  /**
   * The receipt, or null when there is no such dataset. Any text may be asked for.
   * @throws {ServiceError} DATASET_DAMAGED where the receipt is no longer what was kept; STORE_UNAVAILABLE,
   *   TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  receipt(id: string): Promise<Receipt | null>
  /**
   * A page of receipts, newest first by `createdAt`, then by id. A page may be shorter than the limit while datasets are
   * being removed or have damaged receipts; only `after: null` says that it was the last.
   * @throws {ServiceError} BAD_PARAMETER when `after` is no cursor; STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES
   */
  list(query: ListQuery): Promise<{ readonly receipts: readonly Receipt[]; readonly after: string | null }>
  /**
   * Deletes a dataset: invisible at once, durably gone when it resolves, so it waits for `withLocal` in progress.
   * Streams in flight finish. False when there was none.
   */
  remove(id: string): Promise<boolean>
  /**
   * Bytes start … end-1 of a file; to be read to its end or disposed.
   * @throws {ServiceError} DATASET_NOT_FOUND; DATASET_DAMAGED where the dataset is there and lacks the file
   */
  read(id: string, file: DatasetFile, range?: { readonly start: number; readonly end: number }): Promise<ByteStream>
  /**
   * Reads at any position of a file, until disposed; a deletion meanwhile does not end them.
   * @throws {ServiceError} DATASET_NOT_FOUND; DATASET_DAMAGED where the dataset is there and lacks the file
   */
  open(id: string, file: DatasetFile): Promise<StoredReads>
  /** What a file looks like from outside; null where it is missing. @throws {ServiceError} DATASET_NOT_FOUND */
  stamp(id: string, file: DatasetFile): Promise<FileStamp | null>
  /** Local paths at which the files can be read while `use` runs. @throws {ServiceError} DATASET_NOT_FOUND */
  withLocal<Result>(
    id: string,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result>
  /**
   * Keeps what was made of a dataset and can be made again: it may be lost, without harm, and goes with its dataset. What
   * was kept under that name before is replaced whole or not at all. Keeps nothing when there is no such dataset.
   *
   * @param name Lower-case letters, digits, dots and hyphens; begins with a letter, at most 64 characters.
   * @throws {ServiceError} DISK_FULL, STORE_FAILED
   */
  keep(id: string, name: string, bytes: Uint8Array): Promise<void>
  /** What was kept under that name, exactly; null when there is nothing, or it was damaged. @throws {ServiceError} STORE_FAILED */
  kept(id: string, name: string): Promise<Buffer | null>
  /**
   * Keeps what the service has to remember beside datasets. It may be lost by a crash; it is never torn.
   *
   * @param name As of `keep`.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
   */
  keepState(name: string, bytes: Uint8Array): Promise<void>
  /** What was last kept under that name; null when there is nothing, or it was damaged. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  keptState(name: string): Promise<Buffer | null>
  /** Whose dataset it is, also where its receipt is damaged; null when there is none. Any text may be asked for. */
  ownerOf(id: string): Promise<string | null>
  /** True for a dataset that `usage` counts. */
  isCounted(id: string): boolean
  /**
   * Learns what other processes have published: what was there when this was called is counted when it resolves.
   * @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
   */
  catchUp(): Promise<void>
  /** What the datasets of an owner come to now, originals and parts. */
  usage(owner: string): { readonly datasets: number; readonly bytes: number }
  /** Ids of datasets made before a time (epoch milliseconds), the oldest first, at most `limit`. */
  olderThan(createdBefore: number, limit: number): readonly string[]
  /** Free bytes for new data; Infinity where that is unknown. */
  freeBytes(): Promise<number>
  /**
   * Throws when the store cannot be written to now: for readiness.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  check(): Promise<void>
  /** Lets go of the lock. */
  close(): Promise<void>
}
