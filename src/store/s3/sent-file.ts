// Sent file: sends one local file to object storage, a large one in parts, even while it is still being written.
import { type FileHandle, open } from 'node:fs/promises'
import { throwStoreError } from '../../core/storage-error.ts'
import { readFully } from '../../io/read-bytes.ts'
import { Semaphore } from '../../io/turns/semaphore.ts'
import type { S3Multipart, S3Objects } from './s3-objects.ts'

/** Parts of one file that are sent at once; the memory for parts bounds those of all files. */
const partsAtOnceMax = 2

/** The destination of a file. */
export interface Destination {
  readonly objects: S3Objects
  /** Called before the first byte is sent. */
  readonly key: () => Promise<string>
  /** Aborted when the file is no longer needed. */
  readonly signal: AbortSignal
}

/**
 * A file on its way. Until `finish` resolves, nothing exists under its key; after that, all of it. Disposing abandons
 * it.
 */
export class SentFile implements AsyncDisposable {
  readonly #to: Destination
  readonly #path: string
  #file: Promise<FileHandle> | null = null
  #multipart: Promise<S3Multipart> | null = null
  /** Number of bytes that can be read. */
  #readableBytes = 0
  #isWhole = false
  /** Start of the first part that was never sent. */
  #next = 0
  /** Start of parts that could not be sent. */
  readonly #failed: number[] = []
  readonly #running = new Set<Promise<void>>()
  /** The error of a part that is not sent again. */
  #failure: unknown = null
  /** After a failure, nothing is sent until this many bytes can be read. */
  #restBytes = 0

  constructor(to: Destination, path: string) {
    this.#to = to
    this.#path = path
  }

  /**
   * Begins to send the readable bytes, in whole parts. A part that fails is sent again when there are more bytes, and by
   * `finish`.
   */
  grow(readableBytes: number): void {
    this.#readableBytes = Math.max(readableBytes, this.#readableBytes)
    if (this.#readableBytes >= this.#restBytes) this.#start()
  }

  /**
   * Sends the rest of a file of this size. May be called again after a failure.
   * @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED, also if the file has another size
   */
  async finish(bytes: number): Promise<void> {
    const { size } = await (await this.#opened()).stat().catch(throwStoreError)
    if (size !== bytes) throw new Error(`Cannot store file: it has ${size} bytes, expected ${bytes}`)
    if (this.#multipart === null && bytes <= partBytes) {
      const { objects, key, signal } = this.#to
      const to = await key()
      return await this.#withBytes(0, bytes, (part) => objects.put(to, part, undefined, signal))
    }
    this.#failure = null
    this.#readableBytes = bytes
    this.#isWhole = true
    for (this.#start(); this.#running.size > 0; this.#start()) await Promise.race(this.#running)
    this.#to.signal.throwIfAborted()
    if (this.#failure !== null) throw this.#failure
    await (await this.#multipart)?.complete()
    this.#multipart = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Otherwise the end of a running part would start the next one, for which the file would be opened again.
    this.#isWhole = true
    this.#failure ??= new Error('Cannot send file: it was abandoned')
    await Promise.all(this.#running)
    // If this fails, a sweep removes it.
    await this.#multipart?.then((one) => one.abort()).catch(() => {})
    await this.#file?.then((one) => one.close()).catch(() => {})
    this.#multipart = null
    this.#file = null
  }

  /** Sends parts, as many at once as allowed. */
  #start(): void {
    while (this.#running.size < partsAtOnceMax && this.#hasPart()) {
      const from = this.#failed.shift() ?? this.#next
      const bytes = Math.min(partBytes, this.#readableBytes - from)
      this.#next = Math.max(this.#next, from + bytes)
      const isLastTry = this.#isWhole
      const running = this.#send(from, bytes)
        .catch((error: unknown) => {
          this.#failed.push(from)
          if (isLastTry) this.#failure = error
          else this.#restBytes = this.#readableBytes + partBytes
        })
        .finally(() => {
          this.#running.delete(running)
          if (!this.#isWhole) this.grow(0)
        })
      this.#running.add(running)
    }
  }

  #hasPart(): boolean {
    if (this.#to.signal.aborted) return false
    if (!this.#isWhole) return this.#failed.length > 0 || this.#readableBytes - this.#next >= partBytes
    return this.#failure === null && (this.#failed.length > 0 || this.#next < this.#readableBytes)
  }

  async #send(from: number, bytes: number): Promise<void> {
    this.#multipart ??= this.#to.key().then((key) => this.#to.objects.multipart(key))
    const multipart = await this.#multipart.catch((error) => {
      this.#multipart = null
      throw error
    })
    await this.#withBytes(from, bytes, (part) => multipart.add(1 + from / partBytes, part, this.#to.signal))
  }

  async #withBytes(from: number, bytes: number, send: (part: Buffer) => Promise<unknown>): Promise<void> {
    await withPart(bytes, async (part) => {
      this.#to.signal.throwIfAborted()
      const read = await readFully(await this.#opened(), part, from)
      if (read !== bytes) throw new Error(`Cannot store file: it has ${from + read} bytes, expected ${from + bytes}`)
      await send(part)
    })
  }

  async #opened(): Promise<FileHandle> {
    this.#file ??= open(this.#path, 'r').catch(throwStoreError)
    return await this.#file
  }
}

/** Bytes of a part. S3 allows 10,000 parts, so this is enough for 80 GB. */
export const partBytes = 8_388_608
/** Memory for parts, that all uploads share: 32 MB. */
const partMemory = new Semaphore(4)
const idle: Buffer[] = []
/** A file smaller than this does not wait for large ones. Bytes. */
const ownBytesMax = 65_536

/** Number of parts that wait for memory. */
export const waitingParts = () => partMemory.waitingCount

/** Calls `use` with a buffer of this many bytes, at most a part; its content is arbitrary. */
async function withPart<Result>(bytes: number, use: (part: Buffer) => Promise<Result>): Promise<Result> {
  if (bytes <= ownBytesMax) return await use(Buffer.allocUnsafeSlow(bytes))
  return await partMemory.run(async () => {
    const part = idle.pop() ?? Buffer.allocUnsafeSlow(partBytes)
    try {
      return await use(part.subarray(0, bytes))
    } finally {
      idle.push(part)
    }
  })
}
