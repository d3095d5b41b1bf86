// Original writer: writes the bytes of a file as they pass, and counts and hashes them. Knows nothing of CSV.
import { link } from 'node:fs/promises'
import { type BorrowedBytes, viewOf } from '../../core/borrowed-bytes.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { type Digest, type FileDigest, OwnDigest } from '../../io/hashing/file-digest.ts'
import { batchDigest } from '../../io/hashing/hash-thread.ts'
import type { DatasetFile, DraftFiles } from '../../store/store.ts'

/**
 * Syncing while the file arrives leaves little to sync at the end: the whole fsync took 0.3–0.5 s for 1 GB, all of it
 * waited for by the client (2 cores, ext4, 2026-11-20).
 */
const syncEveryBytes = 64 * 1024 * 1024

/** A smaller file is synced with the whole dataset, like small parts: a separate sync is one more wait for the disk. */
const syncedBytesMin = 1_048_576

/** The stored copy of one file while it arrives. Disposing releases it, finished or not. */
export interface Original extends AsyncDisposable {
  readonly path: string
  readonly bytes: number
  /** Of these, the bytes that can be read at `path`. */
  readonly readableBytes: number
  /** Appends; the caller may reuse the slices once this resolves. */
  write(slices: readonly BorrowedBytes[]): Promise<void>
  /** Resolves when what was written so far can be read at `path`. */
  flush(): Promise<void>
  /** Resolves when it is closed and, unless it is small, durable: publishing it syncs it in any case. */
  close(): Promise<void>
  /** Call once, after the end and a flush. */
  digest(): Promise<Digest>
}

/**
 * Passes the chunks on after writing them to a file of a draft, and reports its progress to the draft.
 *
 * @param ended Called once the whole file can be read; the end of the chunks waits for it.
 */
export async function* throughDraft(
  chunks: AsyncIterable<readonly BorrowedBytes[]>,
  original: Original,
  { draft, file }: { readonly draft: DraftFiles; readonly file: DatasetFile },
  ended: () => Promise<void>,
): AsyncGenerator<readonly BorrowedBytes[]> {
  for await (const slices of chunks) {
    await original.write(slices)
    draft.grew(file, original.readableBytes)
    yield slices
  }
  await original.flush()
  draft.grew(file, original.readableBytes)
  await ended()
}

/** Writes the original. */
export class OriginalWriter implements Original {
  readonly #writer: BufferedWriter
  /** Digest of the batches of the writer; null if the bytes are hashed as they arrive. */
  readonly #batchDigest: FileDigest | null
  readonly #ownDigest = new OwnDigest()

  private constructor(writer: BufferedWriter, digest: FileDigest | null) {
    this.#writer = writer
    this.#batchDigest = digest
  }

  /** @throws {ServiceError} DISK_FULL, STORE_FAILED */
  static async create(path: string): Promise<OriginalWriter> {
    const digest = batchDigest()
    return new OriginalWriter(await BufferedWriter.create(path, { syncEveryBytes, syncedBytesMin, digest }), digest)
  }

  get path(): string {
    return this.#writer.path
  }

  get bytes(): number {
    return this.#writer.bytes
  }

  get readableBytes(): number {
    return this.#writer.writtenBytes
  }

  write(slices: readonly BorrowedBytes[]): Promise<void> {
    if (this.#batchDigest === null) for (const slice of slices) this.#ownDigest.add(viewOf(slice))
    return this.#writer.write(slices)
  }

  flush(): Promise<void> {
    return this.#writer.flush()
  }

  /** Runs in parallel with the conversion of the last segments. */
  close(): Promise<void> {
    return this.#writer.close()
  }

  async digest(): Promise<Digest> {
    return await (this.#batchDigest ?? this.#ownDigest).end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]()
    this.#batchDigest?.[Symbol.dispose]()
  }
}

/**
 * Makes the file at `from`, which may still grow, the original at `path` by a second name. Where the file system does
 * not support that, the bytes are copied as they pass.
 *
 * @param from Durable by the time its last chunk is passed.
 */
export async function linkedOriginal(from: string, path: string): Promise<Original> {
  try {
    await link(from, path)
  } catch {
    return await OriginalWriter.create(path)
  }
  const own = new OwnDigest()
  let bytes = 0
  const write = async (slices: readonly BorrowedBytes[]) => {
    for (const slice of slices) {
      own.add(viewOf(slice))
      bytes += slice.length
    }
  }
  return {
    path,
    get bytes() {
      return bytes
    },
    get readableBytes() {
      return bytes
    },
    write,
    flush: async () => {},
    close: async () => {},
    digest: async () => own.end(),
    [Symbol.asyncDispose]: async () => {},
  }
}
