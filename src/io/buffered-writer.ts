// Buffered writer: appends slices to a file in a few large writes. Knows nothing of what the bytes mean.
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'
import { throwStoreError } from '../core/storage-error.ts'
import { type BufferHolder, type BufferPool, bufferPool } from './buffer-pool.ts'
import { OpenFile } from './files/open-file.ts'
import type { FileDigest } from './hashing/file-digest.ts'
import { backgroundSyncs } from './turns/semaphore.ts'

export interface BufferedWriterOptions {
  /**
   * Number of bytes after which a sync is started in the background, so that little is left to sync at the end. The
   * file is also synced on close. Null for files that need not be durable.
   */
  readonly syncEveryBytes: number | null
  /** A file with fewer bytes is not synced on close, because its caller syncs it later; default 0. */
  readonly syncedBytesMin?: number
  /** Defaults to the pool of the process. */
  readonly pool?: BufferPool
  /** Is given each batch once it is complete. */
  readonly digest?: FileDigest | null
}

/**
 * Full batches of a large file that are written with one call, while the pool has enough: handing a call to another
 * thread and being notified of its end takes longer than the copy. For 400 MB, this saved the receiving thread and the
 * writing threads 35 ms each (of 1,030 and 180; 2 × Intel Xeon, 2026-11-22).
 */
const gatheredMax = 4
/** The first bytes of a file, up to this number, are written soon, since others look at them. */
const gatheredFrom = 8_388_608

/** A complete batch: nothing more is added to it. */
interface FullBatch {
  readonly batch: Buffer
  readonly bytes: number
  /** Resolves when it has been hashed; null if nobody waits for that. */
  readonly hashed: Promise<void> | null
}

/**
 * Appends to one new file. Some batches fill while others are being written; when all are in use, appending waits,
 * which is the backpressure. Memory: up to eight batches of a pool while bytes arrive, two while it has few left, none
 * if no bytes arrive and other writers need them.
 */
export class BufferedWriter implements AsyncDisposable, BufferHolder {
  readonly path: string
  /** Length of the file once everything appended is written. */
  bytes: number
  readonly #file: OpenFile
  readonly #options: BufferedWriterOptions
  readonly #pool: BufferPool
  #gathered: FullBatch[] = []
  #batch: Buffer | null = null
  #batchLength = 0
  #writing: Promise<void> = Promise.resolve()
  #syncing: Promise<void> = Promise.resolve()
  #unsyncedBytes = 0
  #hasFailed = false
  #isClosed = false
  /** Offset at which the next batch is written. */
  #position: number

  private constructor(path: string, file: OpenFile, at: number, options: BufferedWriterOptions) {
    this.path = path
    this.bytes = at
    this.#position = at
    this.#file = file
    this.#options = options
    this.#pool = options.pool ?? bufferPool
  }

  /** @throws {ServiceError} DISK_FULL, STORE_FAILED; also if the file exists. */
  static async create(path: string, options: BufferedWriterOptions): Promise<BufferedWriter> {
    const file = await OpenFile.create(path, 0o600).catch(throwStoreError)
    return new BufferedWriter(path, file, 0, options)
  }

  /**
   * Continues a file after its first `at` bytes; anything after them is cut off. @throws {ServiceError} STORE_FAILED
   */
  static async resume(path: string, at: number, options: BufferedWriterOptions): Promise<BufferedWriter> {
    const file = await OpenFile.open(path, 'r+').catch(throwStoreError)
    try {
      await file.truncate(at)
    } catch (error) {
      await file.close()
      throwStoreError(error)
    }
    return new BufferedWriter(path, file, at, options)
  }

  /** Number of bytes that can be read from the file now. */
  get writtenBytes(): number {
    return this.#position
  }

  /** Appends; the caller may reuse the slices once this resolves. */
  async write(slices: readonly BorrowedBytes[]): Promise<void> {
    for (const slice of slices) {
      for (let from = 0; from < slice.length; ) {
        const batch = this.#batch ?? this.#own(await this.#takeFree())
        const count = Math.min(slice.length - from, batch.length - this.#batchLength)
        batch.set(slice.subarray(from, from + count), this.#batchLength)
        this.#batchLength += count
        this.bytes += count
        from += count
        this.#pool.gather(this)
        // The pool may already have had it written.
        if (this.#batch === null || this.#batchLength < batch.length) continue
        this.#collect(batch)
        if (this.#gathersMore) continue
        await this.#writing
        this.spill()
      }
    }
  }

  /** Starts writing what has been collected. If that fails, the next write, flush or close fails. */
  spill(): void {
    const batches = this.#takeGathered()
    if (batches.length === 0) return
    this.#writing = this.#writing.then(() => this.#writeWhole(batches)).finally(() => this.#release(batches))
    this.#writing.catch(() => {
      this.#hasFailed = true
    })
  }

  /** Resolves when everything appended can be read from the file. */
  async flush(): Promise<void> {
    this.spill()
    await this.#writing
  }

  /** Resolves when everything appended is durable. */
  async sync(): Promise<void> {
    await this.flush()
    await this.#syncing
    await this.#file.datasync().catch(throwStoreError)
  }

  /** Writes the rest and closes; the file is durable if it was opened with `syncEveryBytes` and has `syncedBytesMin`. */
  async close(): Promise<void> {
    try {
      await this.flush()
      await this.#syncing
      const { syncEveryBytes, syncedBytesMin = 0 } = this.#options
      if (syncEveryBytes !== null && this.bytes >= syncedBytesMin) await this.#file.sync().catch(throwStoreError)
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#release(this.#takeGathered())
    await Promise.allSettled([this.#writing, this.#syncing])
    await this.#file.close()
  }

  get #gathersMore(): boolean {
    return this.#gathered.length < gatheredMax && this.bytes >= gatheredFrom && this.#pool.isAmple
  }

  #collect(batch: Buffer): void {
    const bytes = this.#batchLength
    this.#batch = null
    this.#gathered.push({ batch, bytes, hashed: this.#options.digest?.add(batch.subarray(0, bytes)) ?? null })
  }

  /** The collected bytes, as slices of their batches. */
  #takeGathered(): readonly FullBatch[] {
    if (this.#batch !== null) this.#collect(this.#batch)
    const batches = this.#gathered
    this.#gathered = []
    for (const { batch } of batches) this.#pool.spilling(this, batch)
    return batches
  }

  #release(batches: readonly FullBatch[]): void {
    for (const { batch, hashed } of batches) {
      if (hashed === null) this.#pool.give(batch)
      else void hashed.then(() => this.#pool.give(batch))
    }
  }

  async #takeFree(): Promise<Buffer> {
    if (this.#hasFailed) await this.#writing
    return await this.#pool.take()
  }

  /**
   * Makes a batch the current one. Its first bytes follow in the same synchronous step: the pool may have the current
   * batch written, and take it, at any await.
   */
  #own(batch: Buffer): Buffer {
    if (this.#isClosed) {
      this.#pool.give(batch)
      throw new Error('Cannot write: the file is closed')
    }
    this.#batch = batch
    this.#batchLength = 0
    return batch
  }

  async #writeWhole(batches: readonly FullBatch[]): Promise<void> {
    const slices = batches.map(({ batch, bytes }) => batch.subarray(0, bytes))
    await this.#file.writeSlices(slices, this.#position).catch(throwStoreError)
    const count = batches.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#position += count
    this.#unsyncedBytes += count
    const { syncEveryBytes } = this.#options
    if (syncEveryBytes === null || this.#unsyncedBytes < syncEveryBytes) return
    this.#unsyncedBytes = 0
    await this.#syncing
    this.#syncing = backgroundSyncs.run(() => this.#file.datasync()).catch(throwStoreError)
    this.#syncing.catch(() => {})
  }
}
