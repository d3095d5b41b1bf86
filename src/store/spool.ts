// Spool: the bytes of an upload that may come in several requests, durable up to a known offset. Interface only.
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'

/** What is fixed when an upload begins. */
export interface SpoolFacts {
  /** A UUID in lower case. */
  readonly id: string
  /** Empty without authentication. */
  readonly owner: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Whatever else its reader has to know, as a value of JSON; at most 4 MB. */
  readonly details: unknown
}

/** How far an upload has come. Whatever is read from here survives a crash and power loss. */
export interface SpoolState {
  /** How many bytes are there; the next one has this offset. */
  readonly bytes: number
  /** How many there will be; null while that is unknown. */
  readonly expectedBytes: number | null
  /** All bytes are there, and none can be added. */
  readonly isComplete: boolean
  /** Epoch milliseconds of the last change. */
  readonly changedAt: number
}

/** One upload. Nothing of it is held in memory but facts and state. */
export interface Spool {
  readonly facts: SpoolFacts
  readonly state: SpoolState
  /** Absolute local path of the bytes; there may be more than `state.bytes` while a writer is at work. */
  readonly path: string
  /**
   * Opens it for more bytes, after those of `state`; one writer at a time.
   * @throws {ServiceError} STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  open(): Promise<SpoolWriter>
  /** Removes it, durably when it resolves. A second name of its file, such as an original, stays. */
  remove(): Promise<void>
}

/** Adds bytes to a spool. Calls may overlap; they are carried out one after the other. Disposing drops what is not committed. */
export interface SpoolWriter extends AsyncDisposable {
  /** Of the whole spool: those committed before, and those given since. */
  readonly bytes: number
  /** Of them, those that can be read at the path of the spool. */
  readonly readableBytes: number
  /** Appends; the slices are the caller's again when it resolves. @throws {ServiceError} DISK_FULL, STORE_FAILED */
  write(slices: readonly BorrowedBytes[]): Promise<void>
  /** Resolves when all that was given can be read at the path of the spool. */
  flush(): Promise<void>
  /**
   * Makes all that was given durable, and then the state that says so. After a failure that is no full disk the spool takes
   * no more bytes until the store is opened again, because it is unknown what a failed sync has lost.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
   */
  commit(change?: Partial<Pick<SpoolState, 'expectedBytes' | 'isComplete'>>): Promise<SpoolState>
}

/** The uploads of a store that are not finished. */
export interface Spools {
  /** Begins one; durable when it resolves. @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED */
  create(facts: SpoolFacts, expectedBytes: number | null): Promise<Spool>
  /** Those that were found when the store was opened, in order of creation. */
  readonly found: readonly Spool[]
}
