// Dataset checksums: writes and reads the file with a dataset's block checksums. Knows which range is of which file.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Receipt } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { contentFiles, type StoredFile } from '../../core/stored-files.ts'
import { OpenFile } from '../../io/files/open-file.ts'
import { checksumsLength } from '../../io/hashing/block-checksums.ts'
import type { DatasetVersion, Store } from '../../store/store.ts'
import { damaged, FileBlocks } from './file-blocks.ts'

const checksumsName = 'checksums'
/** Bytes of recently read checksums that are cached: those of 64 GB. */
const cacheBytesMax = 4_194_304

/**
 * Writes the checksums of all files, in the order of `contentFiles`, into a draft.
 * Returns null, and writes nothing, if every file is a single block.
 * @throws {ServiceError} DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
 */
export async function writeChecksums(dir: string, checksums: readonly Buffer[]): Promise<StoredFile | null> {
  const bytes = Buffer.concat(checksums)
  if (bytes.length === 0) return null
  await writeNewFile(join(dir, checksumsName), bytes).catch(throwStoreError)
  return { file: checksumsName, bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') }
}

async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await OpenFile.create(path, 0o600)
  await file.write(bytes, 0)
}

/** Reads stored checksums, and caches the most recent ones. */
export class DatasetChecksums {
  readonly #store: Pick<Store, 'read'>
  /** Checksums by their SHA-256, the most recently used last. */
  readonly #cache = new Map<string, Buffer>()
  #cacheBytes = 0

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store
  }

  /** The expected checksums of a file's blocks. @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  async blocksOf(receipt: Receipt, file: StoredFile): Promise<FileBlocks> {
    const length = checksumsLength(file.bytes)
    const { checksums } = receipt
    if (length === 0) return new FileBlocks(file, Buffer.alloc(0))
    if (checksums === null) throw new Error(`Cannot verify '${file.file}': the receipt names no checksums`)
    const start = positionOf(receipt, file)
    const all = await this.#read(receipt, checksums)
    if (all.length < start + length) throw damaged(checksums, `'${checksums.file}' has no place for '${file.file}'`)
    return new FileBlocks(file, all.subarray(start, start + length))
  }

  async #read(of: DatasetVersion, checksums: StoredFile): Promise<Buffer> {
    const { sha256, bytes: length } = checksums
    const cached = this.#cache.get(sha256)
    if (cached !== undefined) {
      this.#cache.delete(sha256)
      this.#cache.set(sha256, cached)
      return cached
    }
    const bytes = Buffer.concat(
      await Array.fromAsync(await this.#store.read(of, checksums.file, { start: 0, end: length })),
    )
    const seen = hash('sha256', bytes, 'hex')
    if (seen !== sha256) throw damaged(checksums, `'${checksums.file}' has SHA-256 ${seen}, expected ${sha256}`)
    this.#keep(sha256, bytes)
    return bytes
  }

  #keep(sha256: string, bytes: Buffer): void {
    if (this.#cache.has(sha256) || bytes.length > cacheBytesMax) return
    this.#cache.set(sha256, bytes)
    this.#cacheBytes += bytes.length
    for (const [oldest, old] of this.#cache) {
      if (this.#cacheBytes <= cacheBytesMax) break
      this.#cache.delete(oldest)
      this.#cacheBytes -= old.length
    }
  }
}

/** Offset at which the checksums of a file begin. */
function positionOf(receipt: Receipt, { file }: StoredFile): number {
  let position = 0
  for (const one of contentFiles(receipt)) {
    if (one.file === file) return position
    position += checksumsLength(one.bytes)
  }
  throw new Error(`Cannot verify '${file}': the receipt does not name it`)
}
