// Verified files: the stored files of a dataset, each as it was kept or not at all. Knows nothing of what they hold.
import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type ByteStream, byteStream } from '../../core/byte-stream.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Part, Receipt } from '../../core/receipt.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { linkOrCopy } from '../../io/link-or-copy.ts'
import type { Store } from '../../store/store.ts'
import type { ByteRange } from '../service.ts'

/** A file of a dataset, and what its bytes must be. */
export type KnownFile = Pick<Part, 'file' | 'bytes' | 'sha256'>

export function originalOf({ file }: Receipt): KnownFile {
  return { file: 'original', bytes: file.bytes, sha256: file.sha256 }
}

/** All files that a receipt names. */
function knownFiles(receipt: Receipt): readonly KnownFile[] {
  return [originalOf(receipt), ...receipt.parts, ...receipt.rejects.parts]
}

/** Files that can be read for as long as they are wanted; given back when disposed. */
export interface ReadableFiles extends AsyncDisposable {
  /** The local path of one of them, which is whole and right. @throws {ServiceError} DATASET_DAMAGED */
  path(known: KnownFile): Promise<string>
}

/** Files that stay readable when the dataset is deleted meanwhile. */
export interface SharedFiles extends ReadableFiles {
  /** A private local directory, for what is made of them. */
  readonly dir: string
}

/** How many files are known to be right, at most: some 200 bytes each. */
const checksMax = 20_000
const readBytesAtOnce = 1_048_576

export class VerifiedFiles {
  readonly #store: Store
  /** By dataset, file and the stamp that any change of the file would change; oldest first. */
  readonly #checks = new Map<string, Promise<void>>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * All bytes of a file. The last of them are held back until all are known to be right, so that nobody ever takes wrong
   * bytes for the whole: the stream fails with DATASET_DAMAGED instead.
   * @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED
   */
  async read(id: string, known: KnownFile): Promise<ByteStream> {
    const source = await this.#open(id, known, { start: 0, end: known.bytes })
    return byteStream(wholeOrFailing(source, known), () => source[Symbol.asyncDispose]())
  }

  /** Bytes of a file that is right as a whole. @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  async readRange(id: string, known: KnownFile, range: ByteRange): Promise<ByteStream> {
    await this.withLocal(id, [known], async () => {})
    return this.#open(id, known, range)
  }

  /** Local paths of files that are right, while `use` runs. @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  withLocal<Result>(
    id: string,
    files: readonly KnownFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    return this.#store.withLocal(
      id,
      files.map(({ file }) => file),
      async (paths) => {
        for (const [i, known] of files.entries()) await this.#check(id, known, paths[i] ?? known.file)
        return use(paths)
      },
    )
  }

  /** The files for as long as a client takes: a deletion neither waits for that nor ends it. @throws {ServiceError} DATASET_NOT_FOUND */
  async share(id: string, files: readonly KnownFile[]): Promise<SharedFiles> {
    const draft = await this.#store.draft()
    const pathOf = ({ file }: KnownFile) =>
      join(draft.dir, 'segments', posix.basename(posix.dirname(file)) + posix.basename(file))
    try {
      const names = files.map(({ file }) => file)
      await this.#store.withLocal(id, names, async (paths) => {
        for (const [i, known] of files.entries()) {
          await linkOrCopy(paths[i] ?? known.file, pathOf(known)).catch((error) => {
            throw isMissing(error) ? damaged(known, error) : error
          })
        }
      })
    } catch (error) {
      await draft[Symbol.asyncDispose]()
      throw error
    }
    return {
      dir: draft.dir,
      path: async (known) => {
        await this.#check(id, known, pathOf(known))
        return pathOf(known)
      },
      [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose](),
    }
  }

  /**
   * The same where nothing is to be made of them on disk: a storage that cannot be written to, from which nothing can be
   * deleted either, gives them where they are. @throws {ServiceError} DATASET_NOT_FOUND
   */
  async shareToRead(id: string, files: readonly KnownFile[]): Promise<ReadableFiles> {
    try {
      return await this.share(id, files)
    } catch (error) {
      if (!isServiceError(error, 'STORE_UNAVAILABLE')) throw error
    }
    const names = files.map(({ file }) => file)
    const paths = await this.#store.withLocal(id, names, async (local) => local)
    const pathByName = new Map(names.map((name, i) => [name, paths[i]]))
    return {
      path: async (known) => {
        const path = pathByName.get(known.file) ?? known.file
        await this.#check(id, known, path)
        return path
      },
      [Symbol.asyncDispose]: async () => {},
    }
  }

  /**
   * The files of a dataset that are missing or no longer what was kept; none where all of them can be used. For whoever
   * is about to promise that a dataset is there, such as the answer to a duplicate.
   *
   * @param depth `sizes` takes one stat a file and finds what is missing or of another length. `bytes` also reads every
   *   file and compares it with the receipt: about a second for a GB.
   * @throws {ServiceError} DATASET_NOT_FOUND, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  async damagedFiles(receipt: Receipt, depth: 'sizes' | 'bytes'): Promise<readonly KnownFile[]> {
    const files = knownFiles(receipt)
    const names = files.map(({ file }) => file)
    return await this.#store.withLocal(receipt.id, names, async (paths) => {
      const damages: KnownFile[] = []
      for (const [i, known] of files.entries()) {
        const path = paths[i] ?? known.file
        const check = depth === 'sizes' ? checkSize(known, path) : checkWhole(known, path)
        const isWhole = await check.then(() => true, orRethrow)
        if (!isWhole) damages.push(known)
      }
      return damages
    })
  }

  async #open(id: string, known: KnownFile, range: ByteRange): Promise<ByteStream> {
    try {
      return await this.#store.read(id, known.file, range)
    } catch (error) {
      throw isMissing(error) ? damaged(known, error) : error
    }
  }

  /** Reads a file once for each change of it; those who ask at the same time wait for the same reading. */
  async #check(id: string, known: KnownFile, path: string): Promise<void> {
    const key = `${id} ${known.file} ${await stampOf(known, path)}`
    const before = this.#checks.get(key)
    if (before !== undefined) return before
    const check = checkWhole(known, path)
    this.#checks.set(key, check)
    check.catch(() => this.#checks.delete(key))
    const [oldest] = this.#checks.keys()
    if (this.#checks.size > checksMax && oldest !== undefined) this.#checks.delete(oldest)
    return check
  }
}

/** What a change of the file would change. A second name of it changes ctime, so that is left out. */
async function stampOf(known: KnownFile, path: string): Promise<string> {
  const { dev, ino, size, mtimeMs } = await statOf(known, path)
  return `${dev} ${ino} ${size} ${mtimeMs}`
}

function statOf(known: KnownFile, path: string): Promise<Stats> {
  return stat(path).catch((error) => {
    throw isMissing(error) ? damaged(known, error) : toStoreError(error)
  })
}

async function checkWhole(known: KnownFile, path: string): Promise<void> {
  await checkSize(known, path)
  const source = createReadStream(path, { highWaterMark: readBytesAtOnce })
  for await (const _ of wholeOrFailing(source, known));
}

async function checkSize(known: KnownFile, path: string): Promise<void> {
  const { size } = await statOf(known, path)
  if (size !== known.bytes) throw damaged(known, new Error(`'${known.file}' has ${size} bytes, wanted ${known.bytes}`))
}

/** False for damage; any other failure says nothing about the file. */
function orRethrow(error: unknown): false {
  if (isServiceError(error, 'DATASET_DAMAGED')) return false
  throw error
}

/** Whatever comes last of a file that is as long as it should be is held back until all of it is known to be right. */
async function* wholeOrFailing(source: AsyncIterable<Uint8Array>, known: KnownFile): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  let last: Uint8Array | null = null
  try {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      if (bytes < known.bytes) yield chunk
      else last = chunk
    }
  } catch (error) {
    throw toStoreError(error)
  }
  const sha256 = hash.digest('hex')
  if (sha256 !== known.sha256) {
    throw damaged(known, new Error(`'${known.file}' has SHA-256 ${sha256}, wanted ${known.sha256}`))
  }
  if (last !== null) yield last
}

function isMissing(error: unknown): boolean {
  return errorCode(error instanceof ServiceError ? error.cause : error) === 'ENOENT'
}

/** The cause makes it an error in the log, and not only an answer. */
function damaged({ file }: KnownFile, cause: unknown): ServiceError {
  return new ServiceError('DATASET_DAMAGED', { name: file }, cause)
}
