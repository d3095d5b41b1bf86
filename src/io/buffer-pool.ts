// Buffer pool: the memory in which everything that is being written is gathered, one bound for all. Knows nothing of files.

/**
 * Small writes cost: 1 GB in pieces of 64 KiB took 0.9–1.4 CPU s, in pieces of 256 KiB and more 0.3–0.7 (2 cores, ext4,
 * 2026-11-20).
 */
const batchBytesUsual = 262_144
/** 8 MB: one upload uses four at once, so that eight do not feel each other. */
const batchCountUsual = 32

/** Gathers bytes in a batch. */
export interface BufferHolder {
  /** Starts to write what it has gathered, so that its batch comes back soon. */
  spill(): void
}

/**
 * A bounded number of batches for any number of holders. When all are in use, the next holders wait in order of arrival, and
 * the batch that has been gathering longest is written out before it is full: so a holder whose bytes have stopped keeps no
 * memory from the others.
 */
export class BufferPool {
  readonly #batchBytes: number
  /** Not made yet: batches are made when first needed, and kept. */
  #unmade: number
  readonly #free: Buffer[] = []
  readonly #waiting: ((batch: Buffer) => void)[] = []
  /** In the order in which they began to gather. */
  readonly #gathering = new Set<BufferHolder>()
  /** Batches that are being written. */
  readonly #coming = new Set<Buffer>()

  constructor(batchCount = batchCountUsual, batchBytes = batchBytesUsual) {
    this.#unmade = batchCount
    this.#batchBytes = batchBytes
  }

  /** Gives a batch as soon as there is one; put bytes into it at once, and call `gather` then. */
  take(): Promise<Buffer> | Buffer {
    const batch = this.#free.pop() ?? this.#make()
    if (batch !== null) return batch
    const { promise, resolve } = Promise.withResolvers<Buffer>()
    this.#waiting.push(resolve)
    this.#press()
    return promise
  }

  /** From now on the holder may be asked to spill. */
  gather(holder: BufferHolder): void {
    this.#gathering.add(holder)
    this.#press()
  }

  /** The holder does not gather any more: its batch will be given back without being asked for. */
  spilling(holder: BufferHolder, batch: Buffer): void {
    this.#gathering.delete(holder)
    this.#coming.add(batch)
  }

  /** Takes a batch back. */
  give(batch: Buffer): void {
    this.#coming.delete(batch)
    const next = this.#waiting.shift()
    if (next === undefined) this.#free.push(batch)
    else next(batch)
  }

  /** Ensures that a batch is on its way for every waiting holder. */
  #press(): void {
    for (const holder of this.#gathering) {
      if (this.#waiting.length <= this.#coming.size) return
      holder.spill()
    }
  }

  #make(): Buffer | null {
    if (this.#unmade === 0) return null
    this.#unmade -= 1
    return Buffer.allocUnsafeSlow(this.#batchBytes)
  }
}

/** One for the process, as its memory is. */
export const bufferPool = new BufferPool()
