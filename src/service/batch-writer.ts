// Batch writer: appends slices to a file in few large writes. Knows nothing of what the bytes mean.
import { type FileHandle, open } from 'node:fs/promises'
import { keepError } from './keep-error.ts'

/**
 * Small writes cost: 1 GB in pieces of 64 KiB took 0.9–1.4 CPU s, in pieces of 256 KiB and more 0.3–0.7 (2 cores, ext4,
 * 2026-11-20).
 */
const batchBytes = 512 * 1024

export interface BatchWriterOptions {
  /**
   * Bytes after which what was written is made durable in the background, so that little is left to sync at the end;
   * null for files that need not last. The file is then synced on close too.
   */
  readonly syncEveryBytes: number | null
}

/** Appends to one new file. One write is under way at a time; a second batch waits for it: that is the back-pressure. */
export class BatchWriter implements AsyncDisposable {
  readonly path: string
  bytes = 0
  readonly #handle: FileHandle
  readonly #syncEveryBytes: number | null
  #batch: Uint8Array[] = []
  #batchBytes = 0
  #writing: Promise<void> = Promise.resolve()
  #syncing: Promise<void> = Promise.resolve()
  #unsyncedBytes = 0
  #closed = false

  private constructor(path: string, handle: FileHandle, options: BatchWriterOptions) {
    this.path = path
    this.#handle = handle
    this.#syncEveryBytes = options.syncEveryBytes
  }

  /** @throws {ServiceError} DISK_FULL, STORE_FAILED; also for an existing file. */
  static async create(path: string, options: BatchWriterOptions): Promise<BatchWriter> {
    const handle = await open(path, 'wx', 0o600).catch(keepError)
    return new BatchWriter(path, handle, options)
  }

  /** Appends; the slices must not be changed until the writer is closed. Resolves when there is room for more. */
  async write(slices: readonly Uint8Array[]): Promise<void> {
    for (const slice of slices) {
      this.#batch.push(slice)
      this.#batchBytes += slice.length
      this.bytes += slice.length
    }
    if (this.#batchBytes >= batchBytes) await this.#startBatch()
  }

  /** Resolves when all that was given can be read from the file. */
  async flush(): Promise<void> {
    await this.#startBatch()
    await this.#writing
  }

  /** Writes the rest and closes; the file is durable when it was opened with `syncEveryBytes`. */
  async close(): Promise<void> {
    try {
      await this.flush()
      await this.#syncing
      if (this.#syncEveryBytes !== null) await this.#handle.sync().catch(keepError)
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.allSettled([this.#writing, this.#syncing])
    await this.#handle.close()
  }

  async #startBatch(): Promise<void> {
    await this.#writing
    const batch = this.#batch
    if (batch.length === 0) return
    const length = this.#batchBytes
    this.#batch = []
    this.#batchBytes = 0
    this.#writing = this.#writeWhole(batch, length)
    // The next batch, flush or close meets the failure; until then it must not count as unhandled.
    this.#writing.catch(() => {})
  }

  async #writeWhole(batch: Uint8Array[], length: number): Promise<void> {
    let { bytesWritten } = await this.#handle.writev(batch).catch(keepError)
    // A full disk or a signal may cut a write short: the rest is written from one buffer.
    if (bytesWritten < length) {
      const whole = Buffer.concat(batch)
      while (bytesWritten < length) {
        bytesWritten += (await this.#handle.write(whole, bytesWritten).catch(keepError)).bytesWritten
      }
    }
    this.#unsyncedBytes += length
    if (this.#syncEveryBytes === null || this.#unsyncedBytes < this.#syncEveryBytes) return
    this.#unsyncedBytes = 0
    await this.#syncing
    this.#syncing = this.#handle.datasync().catch(keepError)
    this.#syncing.catch(() => {})
  }
}
