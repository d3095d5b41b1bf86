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
  /**
   * Absolute local path of the bytes, those that came before this process had it only after `fetch`; there may be more than
   * `state.bytes` while a writer is at work.
   */
  readonly path: string
  /** After so many bytes an offset is worth being made durable while more come. */
  readonly commitEveryBytes: number
  /** Aborted, with UPLOAD_TAKEN_OVER, once it is known that another process has it. Nothing can be changed here any more. */
  readonly lost: AbortSignal
  /** Resolves when all bytes of `state` can be read at `path`. @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED */
  fetch(signal: AbortSignal): Promise<void>
  /** Asks whether this process still has it. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  isOurs(): Promise<boolean>
  /** From now on other processes see this, some seconds later: a value of JSON, at most 64 KB of which are shown. */
  reports(status: () => { readonly version: number }): void
  /**
   * Says that its dataset is being written: from now on other processes neither take nor cancel it while this one is alive.
   * @throws {ServiceError} UPLOAD_TAKEN_OVER, STORE_UNAVAILABLE, STORE_FAILED
   */
  seal(): Promise<void>
  /** Leaves it to whoever goes on with it, and removes what is here of it alone. Without other processes nothing is done. */
  release(): Promise<void>
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
  /** How several processes share them; null where this one has them all. */
  readonly shared: SharedSpools | null
}

/** An upload as any process sees it. */
export interface SpoolSight {
  readonly facts: SpoolFacts
  readonly state: SpoolState
  /** Changes with every change of it, also of who is at work on it. */
  readonly version: string
  /** A process is at work on it, or was until it died. */
  readonly isHeld: boolean
  /** That process was this one, before it was started again. */
  readonly wasOurs: boolean
  /** Its dataset is being written. */
  readonly isSealed: boolean
  /** What was reported last; null for nothing. */
  readonly status: unknown
}

/**
 * Uploads of a store that several processes use. Each is changed by one process at a time: whoever takes it ends the right
 * of the one before, which learns of it with its next change at the latest.
 */
export interface SharedSpools {
  /** After so long without a change, whoever is at work on an upload counts as dead. Milliseconds. */
  readonly leaseMs: number
  /** Ids and versions of all. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  list(): Promise<ReadonlyMap<string, string>>
  /** Any text may be asked for; null where there is none. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  look(id: string): Promise<SpoolSight | null>
  /** Makes it this process's; null when it has changed since. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED, DISK_FULL */
  take(seen: SpoolSight): Promise<Spool | null>
}
