// Buffer head: reads the beginning of a file before the rest of it is processed. The bytes wait on disk, not in memory.
import { closeSync, openSync } from 'node:fs'
import { type BorrowedBytes, viewOf } from '../../core/borrowed-bytes.ts'
import { fileChunks } from '../../io/chunks/file-chunks.ts'
import { prepend } from '../../io/chunks/prepend.ts'
import { readFullySync } from '../../io/read-bytes.ts'

/** The text of a file, which is written to disk while it arrives. */
export interface ArrivingFile {
  readonly chunks: AsyncIterable<readonly BorrowedBytes[]>
  /** Path of the text, which can be read completely once `chunks` has ended. */
  readonly textPath: string
  /** Resolves when everything yielded by `chunks` can be read there. */
  flush(): Promise<void>
  /** True once `chunks` has ended and the file has turned out to be stored already: it needs no further work. */
  readonly isDuplicate: () => boolean
}

export interface BufferedHead<Result> {
  readonly result: Result
  /** The file from an offset in its head on. Call it once, and read the result to its end or return it. */
  from(byteOffset: number): AsyncIterable<readonly BorrowedBytes[]>
}

/** The head of a small file is not read back from disk: that would take longer than all other work on it. Bytes. */
const heldBytesMax = 65_536
/** A head that arrives in small pieces is not held either: four hundred slow clients would take twenty megabytes. */
const heldSlicesMax = 16

/**
 * Reads until `bytesMax` bytes have arrived or the file ends, and passes at most that many to `read`, valid while it
 * runs. One head is in memory at a time, whatever the number of uploads: reading it is synchronous anyway.
 *
 * @returns null for a duplicate that ends within the head.
 */
export async function bufferHead<Result>(
  file: ArrivingFile,
  bytesMax: number,
  read: (head: Uint8Array, isWhole: boolean) => Result,
  signal: AbortSignal,
): Promise<BufferedHead<Result> | null> {
  const iterator = file.chunks[Symbol.asyncIterator]()
  try {
    const start = new FileStart()
    let isWhole = false
    while (start.bytes < bytesMax && !isWhole) {
      const next = await iterator.next()
      if (next.done) isWhole = true
      else for (const slice of next.value) start.add(slice)
    }
    if (isWhole && file.isDuplicate()) return null
    const { bytes, held } = start
    if (held !== null) return { result: read(held, isWhole), from: (at) => prepend([[held.subarray(at)]], iterator) }
    await file.flush()
    const result = readHead(file.textPath, Math.min(bytes, bytesMax), (head) => read(head, isWhole))
    return { result, from: (at) => prepend(fileChunks(file.textPath, at, signal, bytes), iterator) }
  } catch (error) {
    await iterator.return?.()
    throw error
  }
}

/** The beginning of a file: the bytes themselves while they are few, then only their number. */
class FileStart {
  bytes = 0
  #slices: Uint8Array[] | null = []

  add(slice: BorrowedBytes): void {
    this.bytes += slice.length
    if (this.bytes > heldBytesMax || this.#slices?.length === heldSlicesMax) this.#slices = null
    this.#slices?.push(Buffer.from(viewOf(slice)))
  }

  /** All bytes so far; null if they are too many to hold. */
  get held(): Uint8Array | null {
    return this.#slices && Buffer.concat(this.#slices)
  }
}

/**
 * Heads are read back one after the other, into the same memory. This happens on this thread: they have just been
 * written, and handing a call to another thread takes longer than the call.
 */
let headBuffer = Buffer.alloc(0)

function readHead<Result>(path: string, bytes: number, read: (head: Uint8Array) => Result): Result {
  if (headBuffer.length < bytes) headBuffer = Buffer.allocUnsafeSlow(bytes)
  const head = headBuffer.subarray(0, bytes)
  const file = openSync(path, 'r')
  try {
    const count = readFullySync(file, head, 0)
    if (count < bytes) throw new Error(`Cannot read the head of a file: it has ${count} bytes, expected ${bytes}`)
  } finally {
    closeSync(file)
  }
  return read(head)
}
