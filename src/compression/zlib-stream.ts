// Zlib stream: feeds one of Node's decompressing streams a slice at a time and gives what it makes of it, no faster than that is taken.
import type { InflateRaw, ZstdDecompress } from 'node:zlib'

/** How a compressed file ended. */
export interface Ending {
  /** True where the file ends before its compressed data does. */
  readonly isCut: boolean
  /** Bytes behind the compressed data that are none. */
  readonly trailingBytes: number
}

export const cut: Ending = { isCut: true, trailingBytes: 0 }

/** Bytes that a stream gives at once. */
export const outputBytes = 65_536

/** What came of feeding a stream. */
export interface Fed {
  /** Bytes of the slice that belong to this stream; fewer than all once it has ended. */
  readonly bytes: number
  readonly isEnded: boolean
}

/** What the stream found wrong, under Node's code for it. */
export class ZlibError extends Error {
  override readonly name = 'ZlibError'
  readonly code: string | undefined

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/**
 * One compressed stream. Reading it by hand and not with `for await` has two reasons: a slice of 64 KB can become
 * gigabytes, so the next write waits until all of it is taken; and what was made before an error is not lost with it.
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

  /** Gives what the next bytes decompress to. @throws {ZlibError} when all before it has been given */
  async *write(slice: Uint8Array): AsyncGenerator<Uint8Array, Fed> {
    const before = this.#stream.bytesWritten
    let isDone = false
    this.#stream.write(slice, () => {
      isDone = true
      this.#wake()
    })
    yield* this.#output(() => isDone)
    // A stream at its end takes no more, and says so in no other way before its readers have seen all of it.
    const bytes = this.#stream.bytesWritten - before
    return { bytes, isEnded: bytes < slice.length }
  }

  /** Gives what is left when no bytes follow. @throws {ZlibError} where the stream was not at its end */
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
