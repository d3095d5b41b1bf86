// Buffer head: lets the beginning of a file be judged before the rest of it is read. Meanwhile it waits on disk, not in memory.
import { open } from 'node:fs/promises'
import { fileChunks } from '../../io/file-chunks.ts'

/** A file that arrives and is kept on the way. */
export interface ArrivingFile {
  /** Its bytes in slices, valid until the next ones are asked for. */
  readonly chunks: AsyncIterable<readonly Uint8Array[]>
  /** Where it is kept; when `chunks` has ended, all of it can be read there. */
  readonly originalPath: string
  /** Resolves when what `chunks` has given so far can be read there. */
  flush(): Promise<void>
}

export interface BufferedHead<Result> {
  readonly result: Result
  /** The file from an offset in its head on, once; to be read to its end or returned. */
  from(byteOffset: number): AsyncGenerator<readonly Uint8Array[]>
}

/** The head of a small file is not read back: it would take longer than the rest of the work on it. Bytes. */
const heldBytesMax = 65_536
/** Nor held is one that comes in drips: four hundred slow clients would fill twenty megabytes before they are done. */
const heldSlicesMax = 16

/**
 * Reads until `bytesMax` bytes have come or the file ends, and gives `read` as many of them at most, valid while it runs.
 * One head is in memory at a time, whatever the number of uploads; they are judged without a pause anyway.
 */
export async function bufferHead<Result>(
  file: ArrivingFile,
  bytesMax: number,
  read: (head: Uint8Array, isWhole: boolean) => Result,
  signal: AbortSignal,
): Promise<BufferedHead<Result>> {
  const iterator = file.chunks[Symbol.asyncIterator]()
  try {
    const start = new FileStart()
    let isWhole = false
    while (start.bytes < bytesMax && !isWhole) {
      const next = await iterator.next()
      if (next.done) isWhole = true
      else for (const slice of next.value) start.add(slice)
    }
    const { bytes, held } = start
    if (held !== null) return { result: read(held, isWhole), from: (at) => inFront([[held.subarray(at)]], iterator) }
    await file.flush()
    const result = await headBuffer.read(file.originalPath, Math.min(bytes, bytesMax), (head) => read(head, isWhole))
    return { result, from: (at) => inFront(fileChunks(file.originalPath, at, signal, bytes), iterator) }
  } catch (error) {
    await iterator.return?.()
    throw error
  }
}

/** What has come of a file: the bytes themselves while they are few, then only how many. */
class FileStart {
  bytes = 0
  #slices = 0
  #buffer: Buffer | null = Buffer.alloc(0)

  add(slice: Uint8Array): void {
    const before = this.bytes
    this.bytes += slice.length
    this.#slices += 1
    if (this.bytes > heldBytesMax || this.#slices > heldSlicesMax) this.#buffer = null
    if (this.#buffer === null) return
    // One buffer that grows, never a list: a client may send single bytes, and each would take much more than itself.
    if (this.bytes > this.#buffer.length) {
      const roomy = Buffer.allocUnsafeSlow(Math.max(2 * before, this.bytes))
      this.#buffer.copy(roomy, 0, 0, before)
      this.#buffer = roomy
    }
    this.#buffer.set(slice, before)
  }

  /** All that has come; null when that is too much to be held. */
  get held(): Uint8Array | null {
    return this.#buffer?.subarray(0, this.bytes) ?? null
  }
}

/** Where heads are read back, one after the other, into the same memory. */
class HeadBuffer {
  #buffer = Buffer.alloc(0)
  #last: Promise<unknown> = Promise.resolve()

  read<Result>(path: string, bytes: number, read: (head: Uint8Array) => Result): Promise<Result> {
    const mine = this.#last.then(async () => {
      if (this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafeSlow(bytes)
      await using file = await open(path, 'r')
      for (let at = 0; at < bytes; ) {
        const { bytesRead } = await file.read(this.#buffer, at, bytes - at, at)
        if (bytesRead === 0) throw new Error(`Cannot read the head of a file: it has ${at} bytes, wanted ${bytes}`)
        at += bytesRead
      }
      return read(this.#buffer.subarray(0, bytes))
    })
    this.#last = mine.catch(() => {})
    return mine
  }
}

const headBuffer = new HeadBuffer()

/** Chunks, and then what an iterator still has. */
async function* inFront(
  first: Iterable<readonly Uint8Array[]> | AsyncIterable<readonly Uint8Array[]>,
  iterator: AsyncIterator<readonly Uint8Array[]>,
): AsyncGenerator<readonly Uint8Array[]> {
  try {
    yield* first
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}
