// Buffered writer: appends slices to a file in few large writes. Knows nothing of what the bytes mean.
import { type FileHandle, open } from 'node:fs/promises'
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'
import { throwStoreError } from '../core/storage-error.ts'
import { type BufferHolder, type BufferPool, bufferPool } from './buffer-pool.ts'

export interface BufferedWriterOptions {
  /**
   * Bytes after which what was written is made durable in the background, so that little is left to sync at the end;
   * null for files that need not last. The file is then synced on close too.
   */
  readonly syncEveryBytes: number | null
  /** Defaults to the pool of the process. */
  readonly pool?: BufferPool
}

/**
 * Appends to one new file. It fills one batch while another is being written: a third waits, which is the back-pressure.
 * Memory: two batches of a pool while bytes come, none when they stay away and others want it.
 */
export class BufferedWriter implements AsyncDisposable, BufferHolder {
  readonly path: string
  /** Given so far, whether written or not. */
  bytes = 0
  readonly #handle: FileHandle
  readonly #syncEveryBytes: number | null
  readonly #pool: BufferPool
  #batch: Buffer | null = null
  #batchLength = 0
  #writing: Promise<void> = Promise.resolve()
  #syncing: Promise<void> = Promise.resolve()
  #unsyncedBytes = 0
  #hasFailed = false
  #isClosed = false

  private constructor(path: string, handle: FileHandle, options: BufferedWriterOptions) {
    this.path = path
    this.#handle = handle
    this.#syncEveryBytes = options.syncEveryBytes
    this.#pool = options.pool ?? bufferPool
  }

  /** @throws {ServiceError} DISK_FULL, STORE_FAILED; also for an existing file. */
  static async create(path: string, options: BufferedWriterOptions): Promise<BufferedWriter> {
    const handle = await open(path, 'wx', 0o600).catch(throwStoreError)
    return new BufferedWriter(path, handle, options)
  }

  /** Appends; the slices are the caller's again when it resolves. */
  async write(slices: readonly BorrowedBytes[]): Promise<void> {
    for (const slice of slices) {
      for (let from = 0; from < slice.length; ) {
        const batch = this.#batch ?? (await this.#takeBatch())
        const count = Math.min(slice.length - from, batch.length - this.#batchLength)
        batch.set(slice.subarray(from, from + count), this.#batchLength)
        this.#batchLength += count
        this.bytes += count
        from += count
        this.#pool.gather(this)
        if (this.#batchLength < batch.length) continue
        await this.#writing
        this.spill()
      }
    }
  }

  /** Starts to write what is gathered. If that fails, the next write, flush or close fails. */
  spill(): void {
    const batch = this.#batch
    if (batch === null) return
    this.#batch = null
    this.#pool.spilling(this, batch)
    const gathered = batch.subarray(0, this.#batchLength)
    this.#writing = this.#writing.then(() => this.#writeWhole(gathered)).finally(() => this.#pool.give(batch))
    this.#writing.catch(() => {
      this.#hasFailed = true
    })
  }

  /** Resolves when all that was given can be read from the file. */
  async flush(): Promise<void> {
    this.spill()
    await this.#writing
  }

  /** Writes the rest and closes; the file is durable when it was opened with `syncEveryBytes`. */
  async close(): Promise<void> {
    try {
      await this.flush()
      await this.#syncing
      if (this.#syncEveryBytes !== null) await this.#handle.sync().catch(throwStoreError)
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const batch = this.#batch
    if (batch !== null) {
      this.#batch = null
      this.#pool.spilling(this, batch)
      this.#pool.give(batch)
    }
    await Promise.allSettled([this.#writing, this.#syncing])
    await this.#handle.close()
  }

  async #takeBatch(): Promise<Buffer> {
    if (this.#hasFailed) await this.#writing
    const batch = await this.#pool.take()
    if (this.#isClosed) {
      this.#pool.give(batch)
      throw new Error('Cannot write: the file is closed')
    }
    this.#batch = batch
    this.#batchLength = 0
    return batch
  }

  async #writeWhole(batch: Uint8Array): Promise<void> {
    // A full disk or a signal may cut a write short.
    for (let from = 0; from < batch.length; ) {
      from += (await this.#handle.write(batch, from).catch(throwStoreError)).bytesWritten
    }
    this.#unsyncedBytes += batch.length
    if (this.#syncEveryBytes === null || this.#unsyncedBytes < this.#syncEveryBytes) return
    this.#unsyncedBytes = 0
    await this.#syncing
    this.#syncing = this.#handle.datasync().catch(throwStoreError)
    this.#syncing.catch(() => {})
  }
}
