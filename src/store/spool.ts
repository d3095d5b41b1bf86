// Spool: the bytes of an upload that may arrive in several requests, durable up to a known offset. Interface only.
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'

/** Facts that are fixed when an upload begins. */
export interface SpoolFacts {
  /** A UUID in lower case. */
  readonly id: string
  /** Empty without authentication. */
  readonly owner: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Anything else that the reader needs, as a JSON value; at most 4 MB. */
  readonly details: unknown
}

/** The progress of an upload. Everything in it survives a crash and power loss. */
export interface SpoolState {
  /** Number of bytes so far, and the offset of the next one. */
  readonly bytes: number
  /** Expected total; null while it is unknown. */
  readonly expectedBytes: number | null
  /** All bytes have arrived, and none can be added. */
  readonly isComplete: boolean
  /** Epoch milliseconds of the last change. */
  readonly changedAt: number
}

/** One upload. Only its facts and state are held in memory. */
export interface Spool {
  readonly facts: SpoolFacts
  readonly state: SpoolState
  /**
   * Absolute local path of the bytes. Those that arrived before this process took it are there only after `fetch`;
   * while a writer is active, there may be more than `state.bytes`.
   */
  readonly path: string
  /** After this many bytes, it is worth making an offset durable while more arrive. */
  readonly commitEveryBytes: number
  /**
   * Aborted, with UPLOAD_TAKEN_OVER, once it is known that another process has taken it. Nothing can be changed here
   * any more.
   */
  readonly lost: AbortSignal
  /** Resolves when all bytes of `state` can be read at `path`. @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED */
  fetch(signal: AbortSignal): Promise<void>
  /** Asks whether it still belongs to this process. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  isOurs(): Promise<boolean>
  /**
   * Shares this status with other processes from now on, some seconds late: a JSON value, of which at most 64 KB are
   * shown.
   */
  reports(status: () => { readonly version: number }): void
  /**
   * Marks its dataset as being written: from now on, other processes neither take nor cancel it while this one is
   * alive.
   * @throws {ServiceError} UPLOAD_TAKEN_OVER, STORE_UNAVAILABLE, STORE_FAILED
   */
  seal(): Promise<void>
  /** Leaves it to the next process, and removes what only this one needed. Without other processes, does nothing. */
  release(): Promise<void>
  /**
   * Opens it for more bytes, after those of `state`; one writer at a time.
   * @throws {ServiceError} STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  open(): Promise<SpoolWriter>
  /** Removes it, durably once it resolves. A second name of its file, such as an original, stays. */
  remove(): Promise<void>
}

/** Appends bytes to a spool. Calls may overlap; they run one after the other. Disposing drops uncommitted bytes. */
export interface SpoolWriter extends AsyncDisposable {
  /** Size of the whole spool: bytes committed before and bytes added since. */
  readonly bytes: number
  /** The part of it that can be read at the path of the spool. */
  readonly readableBytes: number
  /** Appends; the caller may reuse the slices once this resolves. @throws {ServiceError} DISK_FULL, STORE_FAILED */
  write(slices: readonly BorrowedBytes[]): Promise<void>
  /** Resolves when everything added can be read at the path of the spool. */
  flush(): Promise<void>
  /**
   * Makes everything added durable, and then the state that includes it. After a failure other than a full disk, the
   * spool accepts no more bytes until the store is opened again, because it is unknown what a failed sync has lost.
   * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
   */
  commit(change?: Partial<Pick<SpoolState, 'expectedBytes' | 'isComplete'>>): Promise<SpoolState>
}

/** The unfinished uploads of a store. */
export interface Spools {
  /**
   * Begins one; durable once it resolves. @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES,
   * STORE_FAILED
   */
  create(facts: SpoolFacts, expectedBytes: number | null): Promise<Spool>
  /** Those found when the store was opened, in order of creation. */
  readonly found: readonly Spool[]
  /** How several processes share them; null if this process has them all. */
  readonly shared: SharedSpools | null
}

/** An upload as any process sees it. */
export interface SpoolSight {
  readonly facts: SpoolFacts
  readonly state: SpoolState
  /** Changes whenever anything about it changes, including who is working on it. */
  readonly version: string
  /** A process is working on it, or was until it died. */
  readonly isHeld: boolean
  /** That process was this one, before it was restarted. */
  readonly wasOurs: boolean
  /** Its dataset is being written. */
  readonly isSealed: boolean
  /** The status reported last; null for none. */
  readonly status: unknown
}

/**
 * Uploads of a store that several processes use. Each is changed by one process at a time: taking it ends the claim of
 * the previous process, which notices at its next change at the latest.
 */
export interface SharedSpools {
  /** A process that has changed nothing for this long counts as dead. Milliseconds. */
  readonly leaseMs: number
  /** Ids and versions of all. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  list(): Promise<ReadonlyMap<string, string>>
  /** The upload of any text as id; null if there is none. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  look(id: string): Promise<SpoolSight | null>
  /**
   * Takes it for this process; null if it has changed since. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED,
   * DISK_FULL
   */
  take(seen: SpoolSight): Promise<Spool | null>
}
