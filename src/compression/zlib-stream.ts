// Zlib stream: feeds a decompression stream of Node a slice at a time, and yields its output no faster than it is consumed.
import type { InflateRaw, ZstdDecompress } from 'node:zlib'
import { releaseChunk } from '../core/byte-stream.ts'

/** How a compressed file ended. */
export interface StreamEnd {
  /** True if the file ends before its compressed data does. */
  readonly isCut: boolean
  /** Bytes after the compressed data. */
  readonly trailingBytes: number
}

export const cut: StreamEnd = { isCut: true, trailingBytes: 0 }

/** Maximum output of a stream at once, in bytes. */
export const outputBytes = 65_536

/** The result of feeding a stream. */
export interface FeedResult {
  /** Bytes of the slice that belong to this stream; fewer than all once it has ended. */
  readonly bytes: number
  readonly isEnded: boolean
}

/** The stream's error, with Node's code for it. */
export class ZlibError extends Error {
  override readonly name = 'ZlibError'
  readonly code: string | undefined

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/**
 * One compressed stream. There are two reasons not to read it with `for await`: a slice of 64 KB can become gigabytes,
 * so the next write waits until all of it is taken; and output before an error is not lost.
 */
export class ZlibStream {
  readonly #stream: InflateRaw | ZstdDecompress
  #error: ZlibError | null = null
  #isEnded = false
  #wake: () => void = () => {}

  constructor(stream: InflateRaw | ZstdDecompress) {
    this.#stream = stream
    const wake = () => this.#wake()
    stream.on('readable', wake)
    stream.on('end', () => {
      this.#isEnded = true
      wake()
    })
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#error = new ZlibError(error)
      wake()
    })
  }

  /** Yields the decompressed bytes. @throws {ZlibError} once everything before the error has been yielded */
  async *write(slice: Uint8Array): AsyncGenerator<Uint8Array, FeedResult> {
    const before = this.#stream.bytesWritten
    let isDone = false
    // A thread may still read it when the caller gives up and the slice's memory is freed, which ended the process.
    const own = Uint8Array.from(slice)
    this.#stream.write(own, () => {
      releaseChunk(own)
      isDone = true
      this.#wake()
    })
    yield* this.#output(() => isDone)
    // A stream at its end accepts no more, and shows that only once its readers have seen everything.
    const bytes = this.#stream.bytesWritten - before
    return { bytes, isEnded: bytes < slice.length }
  }

  /** Yields the rest if no bytes follow. @throws {ZlibError} if the stream was not at its end */
  async *end(): AsyncGenerator<Uint8Array, void> {
    this.#stream.end()
    yield* this.#output(() => false)
  }

  close(): void {
    this.#stream.destroy()
  }

  async *#output(isDone: () => boolean): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const bytes: Buffer | null = this.#stream.read()
      if (bytes !== null) {
        yield bytes
        continue
      }
      if (this.#error !== null) throw this.#error
      if (this.#isEnded || isDone()) return
      await woken
    }
  }
}
