// Buffer pool: the memory in which everything that is being written is gathered, one bound for all. Knows nothing of files.

/**
 * Small writes cost: 1 GB in pieces of 64 KiB took 0.9–1.4 CPU s, in pieces of 256 KiB and more 0.3–0.7 (2 cores, ext4,
 * 2026-11-20).
 */
const batchBytesUsual = 262_144
/** 8 MB: one upload uses four at once, so that eight do not feel each other. */
const batchCountUsual = 32

/** Whoever gathers bytes in a batch. */
export interface BufferHolder {
  /** Begins to write what it has gathered, so that its batch comes back soon. */
  spill(): void
}

/**
 * A bounded number of batches for any number of holders. Where all are in use, whoever wants one waits in order of arrival,
 * and the batch that has been gathered in longest is written out before it is full: so a holder to whom nothing comes any
 * more keeps no memory from the others.
 */
export class BufferPool {
  readonly #batchBytes: number
  /** Not made yet: they are made when they are first needed, and kept. */
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

  /** Gives a batch as soon as there is one; bytes are to be put into it at once, and `gather` is to be called then. */
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

  /** Sees to it that a batch is on its way for everyone who waits. */
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

/** Memory is the process's, and so is this. */
export const bufferPool = new BufferPool()
