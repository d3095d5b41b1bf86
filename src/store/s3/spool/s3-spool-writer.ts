// S3 spool writer: sends the bytes of one request to a bucket as they arrive, in chunks. Does not know about other writers.
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { BorrowedBytes } from '../../../core/borrowed-bytes.ts'
import { throwStoreError } from '../../../core/storage-error.ts'
import { BufferedWriter } from '../../../io/buffered-writer.ts'
import { readFully } from '../../../io/read-bytes.ts'
import type { SpoolState, SpoolWriter } from '../../spool.ts'
import { partBytes, withPart } from '../part-buffers.ts'
import type { S3Objects } from '../s3-objects.ts'
import { type Chunk, chunkName, chunksPrefix, type KeptChange } from './kept-spool.ts'

export interface SpoolWriting {
  readonly objects: S3Objects
  readonly path: string
  readonly id: string
  readonly epoch: number
  /** Size of the upload so far, and the chunks that hold it. */
  readonly bytes: number
  readonly chunks: readonly Chunk[]
  /** Whether all bytes from an offset on are at `path`. */
  readonly isLocal: (offset: number) => boolean
  readonly commit: (change: KeptChange) => Promise<SpoolState>
  readonly ended: () => void
}

/** Small chunks are joined with at least as many bytes, so that each byte is sent a few times at most. */
const joinedRatio = 2

let chunkNumber = 0

/** @throws {ServiceError} STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED */
export async function openSpoolWriter(writing: SpoolWriting): Promise<SpoolWriter> {
  await using opened = new AsyncDisposableStack()
  opened.defer(async () => writing.ended())
  // The bucket makes it durable, not the disk.
  const bytes = opened.use(await BufferedWriter.resume(writing.path, writing.bytes, { syncEveryBytes: null }))
  const file = opened.use(await open(writing.path, 'r').catch(throwStoreError))
  return new S3SpoolWriter(writing, bytes, file, opened.move())
}

class S3SpoolWriter implements SpoolWriter {
  readonly #writing: SpoolWriting
  readonly #bytes: BufferedWriter
  readonly #file: FileHandle
  readonly #opened: AsyncDisposableStack
  /** All of the upload, up to `#sentBytes`. */
  readonly #chunks: Chunk[]
  #sentBytes: number
  /** Names of chunks that cannot be part of the upload, or no longer are. */
  readonly #spare = new Set<string>()
  #sending: Promise<void> = Promise.resolve()
  #last: Promise<unknown> = Promise.resolve()

  constructor(writing: SpoolWriting, bytes: BufferedWriter, file: FileHandle, opened: AsyncDisposableStack) {
    this.#writing = writing
    this.#bytes = bytes
    this.#file = file
    this.#opened = opened
    this.#chunks = [...writing.chunks]
    this.#sentBytes = writing.bytes
  }

  get bytes(): number {
    return this.#bytes.bytes
  }

  get readableBytes(): number {
    return this.#bytes.writtenBytes
  }

  write(slices: readonly BorrowedBytes[]): Promise<void> {
    return this.#afterLast(async () => {
      await this.#bytes.write(slices)
      while (this.#bytes.bytes - this.#sentBytes >= partBytes) await this.#sendPart()
    })
  }

  flush(): Promise<void> {
    return this.#afterLast(() => this.#bytes.flush())
  }

  commit(change: Partial<Pick<SpoolState, 'expectedBytes' | 'isComplete'>> = {}): Promise<SpoolState> {
    return this.#afterLast(async () => {
      await this.#bytes.flush()
      await this.#sending
      const joined = this.#bytes.bytes > this.#sentBytes ? await this.#sendRest() : []
      // Even if this fails, the upload may include these from now on.
      this.#spare.clear()
      const state = await this.#writing.commit({ ...change, bytes: this.#sentBytes, chunks: [...this.#chunks] })
      for (const { name } of joined) this.#spare.add(name)
      await this.#deleteSpare()
      return state
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#afterLast(async () => {
      await this.#sending.catch(() => {})
      await this.#deleteSpare()
      await this.#opened.disposeAsync()
    })
  }

  /** Begins to send a part once the one before is stored, while more bytes arrive. */
  async #sendPart(): Promise<void> {
    await this.#bytes.flush()
    await this.#sending
    const offset = this.#sentBytes
    this.#sentBytes += partBytes
    this.#sending = this.#send(offset, partBytes).then((chunk) => void this.#chunks.push(chunk))
    this.#sending.catch(() => {})
  }

  /**
   * Sends the bytes beyond the last whole part, together with small chunks right before them; returns those, which are
   * no longer needed.
   */
  async #sendRest(): Promise<readonly Chunk[]> {
    const end = this.#bytes.bytes
    let offset = this.#sentBytes
    let first = this.#chunks.length
    for (let before = this.#chunks.at(-1); before !== undefined; before = this.#chunks[first - 1]) {
      const isSmall = before.bytes <= joinedRatio * (end - offset) && end - offset + before.bytes <= partBytes
      if (!isSmall || !this.#writing.isLocal(offset - before.bytes)) break
      offset -= before.bytes
      first -= 1
    }
    const chunk = await this.#send(offset, end - offset)
    this.#sentBytes = end
    return this.#chunks.splice(first, this.#chunks.length, chunk)
  }

  async #send(offset: number, bytes: number): Promise<Chunk> {
    const { objects, id, epoch } = this.#writing
    chunkNumber += 1
    const name = chunkName(offset, epoch, chunkNumber)
    this.#spare.add(name)
    return await withPart(bytes, async (body) => {
      const read = await readFully(this.#file, body, offset)
      if (read !== bytes) throw new Error(`Cannot send chunk: ${read} bytes are on disk, wanted ${bytes}`)
      await objects.put(chunksPrefix(id) + name, body)
      return { name, bytes, crc: crc32(body) }
    })
  }

  /** What cannot be deleted now is deleted with the upload. */
  async #deleteSpare(): Promise<void> {
    const keys = [...this.#spare].map((name) => chunksPrefix(this.#writing.id) + name)
    this.#spare.clear()
    if (keys.length > 0) await this.#writing.objects.delete(keys).catch(() => {})
  }

  #afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}
