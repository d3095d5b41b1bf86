// Growing file: yields the bytes of a file that is still being written, from its first byte on, as they become readable.
import type { FileHandle } from 'node:fs/promises'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { unlessAborted } from '../../io/turns/unless-aborted.ts'

const readBytes = 262_144

/** How many bytes of a file can be read, and whether more will follow. */
export class Growth {
  #readableBytes: number
  #isWhole: boolean
  #waiting = Promise.withResolvers<void>()

  constructor(readableBytes: number, isWhole: boolean) {
    this.#readableBytes = readableBytes
    this.#isWhole = isWhole
  }

  get readableBytes(): number {
    return this.#readableBytes
  }

  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Number of bytes readable now; it never decreases. */
  grow(readableBytes: number, isWhole = false): void {
    if (readableBytes <= this.#readableBytes && isWhole === this.#isWhole) return
    this.#readableBytes = Math.max(readableBytes, this.#readableBytes)
    this.#isWhole = isWhole
    this.#waiting.resolve()
    this.#waiting = Promise.withResolvers()
  }

  /** Resolves when it changes. @throws the reason of `signal` if that is aborted first */
  async change(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#waiting.promise, signal)
  }
}

/** Ends when the file is whole. Each slice is valid until the next is requested. The caller closes the file. */
export async function* growingFile(
  file: FileHandle,
  growth: Growth,
  signal: AbortSignal,
): AsyncGenerator<readonly BorrowedBytes[]> {
  let buffer: Buffer<ArrayBuffer> | null = null
  try {
    for (let position = 0; ; ) {
      signal.throwIfAborted()
      if (position < growth.readableBytes) {
        buffer ??= Buffer.allocUnsafeSlow(readBytes)
        const { bytesRead } = await file.read(
          buffer,
          0,
          Math.min(buffer.length, growth.readableBytes - position),
          position,
        )
        if (bytesRead === 0) throw new Error(`Cannot read an upload on disk: it has ${position} bytes, wanted more`)
        position += bytesRead
        yield [buffer.subarray(0, bytesRead)]
      } else if (growth.isWhole) return
      else {
        // Many wait at the same time, most of them for long.
        buffer?.buffer.transfer(0)
        buffer = null
        await growth.change(signal)
      }
    }
  } finally {
    buffer?.buffer.transfer(0)
  }
}
