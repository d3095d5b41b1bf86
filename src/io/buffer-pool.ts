// Buffer pool: memory shared by all writers, with one bound. Knows nothing of files.
import { availableParallelism } from 'node:os'

/**
 * Small writes are expensive: 1 GB in pieces of 64 KiB took 0.9–1.4 CPU s, in pieces of 256 KiB and more 0.3–0.7 (2 cores,
 * ext4, 2026-11-20).
 */
const batchBytesUsual = 262_144
/** 8 MB: an upload uses eight at once, or two once half are in use, so eight uploads do not slow each other down. */
const batchCountUsual = 32

/** Collects bytes in a batch. */
export interface BufferHolder {
  /** Starts writing what has been collected, so that its batch is returned soon. */
  spill(): void
}

/**
 * A bounded number of batches for any number of holders. If all are in use, further holders wait in order of arrival, and
 * the batch that has been filling longest is written out before it is full, so a stalled holder does not keep memory from
 * the others.
 */
export class BufferPool {
  readonly #memory: ArrayBufferLike
  readonly #batchBytes: number
  readonly #batchCount: number
  /** Number of batches never used so far: they are taken once no other is free. */
  #unmade: number
  readonly #free: Buffer[] = []
  readonly #waiting: ((batch: Buffer) => void)[] = []
  /** In the order in which they started to fill. */
  readonly #gathering = new Set<BufferHolder>()
  readonly #coming = new Set<Buffer>()

  /** @param memory For all batches. The system provides it page by page, on first use. */
  constructor(memory: ArrayBufferLike, batchBytes = batchBytesUsual) {
    this.#memory = memory
    this.#batchBytes = batchBytes
    this.#batchCount = Math.floor(memory.byteLength / batchBytes)
    this.#unmade = this.#batchCount
  }

  /** Resolves to a batch as soon as one is free; put bytes into it immediately, then call `gather`. */
  take(): Promise<Buffer> | Buffer {
    const batch = this.#free.pop() ?? this.#make()
    if (batch !== null) return batch
    const { promise, resolve } = Promise.withResolvers<Buffer>()
    this.#waiting.push(resolve)
    this.#press()
    return promise
  }

  /** True while half of the batches are unused: then a holder need not write each batch as soon as it is full. */
  get isAmple(): boolean {
    return 2 * (this.#unmade + this.#free.length) >= this.#batchCount
  }

  /** From now on, the pool may call `holder.spill()`. */
  gather(holder: BufferHolder): void {
    this.#gathering.add(holder)
    this.#press()
  }

  /** The holder has stopped filling its batch and will return it without being asked. */
  spilling(holder: BufferHolder, batch: Buffer): void {
    this.#gathering.delete(holder)
    this.#coming.add(batch)
  }

  /** Takes back a batch. */
  give(batch: Buffer): void {
    this.#coming.delete(batch)
    const next = this.#waiting.shift()
    if (next === undefined) this.#free.push(batch)
    else next(batch)
  }

  /** Ensures that for every waiting holder a batch is being written out. */
  #press(): void {
    for (const holder of this.#gathering) {
      if (this.#waiting.length <= this.#coming.size) return
      holder.spill()
    }
  }

  #make(): Buffer | null {
    if (this.#unmade === 0) return null
    this.#unmade -= 1
    return Buffer.from(this.#memory, this.#unmade * this.#batchBytes, this.#batchBytes)
  }
}

/** Whether a thread hashes originals: with fewer cores, it would compete with threads that are just as busy. */
const hasHashThread = availableParallelism() >= 3

/** Memory of `bufferPool`. Shared only if a thread reads it: V8 copies into shared memory in 1.5 times the time. */
export const bufferMemory = new (hasHashThread ? SharedArrayBuffer : ArrayBuffer)(batchCountUsual * batchBytesUsual)

/** One per process. */
export const bufferPool = new BufferPool(bufferMemory)
