// Readable directory: the datasets of a data directory for a reader that takes no lock, since a service may own it.
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ByteStream, fileStream } from '../../core/byte-stream.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { isDatasetId } from '../name-rules.ts'
import { ofPublish } from '../receipt-file.ts'
import type { DatasetFile, DatasetVersion, Store } from '../store.ts'
import { isMissing } from './directory-identity.ts'
import { readReceipt, receiptName } from './fs-draft.ts'
import { type FsPaths, fsPaths } from './fs-paths.ts'

export class ReadableDirectory implements Pick<Store, 'receipt' | 'read'> {
  readonly #paths: FsPaths

  constructor(dataDir: string) {
    this.#paths = fsPaths(dataDir)
  }

  /** In ascending order. @throws {Error} if the directory cannot be read */
  async ids(): Promise<readonly string[]> {
    return (await readdir(this.#paths.datasets)).filter(isDatasetId).toSorted()
  }

  async receipt(id: string): Promise<Receipt | null> {
    const publish = await this.#publishOf(id)
    if (publish === null) return null
    const receipt = await readReceipt(this.#paths.dataset(id), id).catch((error: unknown) => error)
    if ((await this.#publishOf(id)) !== publish) return await this.receipt(id)
    if (receipt instanceof Error) throw damageOf(receiptName, receipt)
    return ofPublish(receipt as Receipt, publish) // rejections are errors
  }

  async read(of: DatasetVersion, file: DatasetFile): Promise<ByteStream> {
    const handle = await open(join(this.#paths.dataset(of.id), file), 'r').catch((error: unknown) => error)
    if ((await this.#publishOf(of.id)) === of.publish) {
      if (handle instanceof Error) throw damageOf(file, handle)
      return fileStream(handle as FileHandle, { start: 0, end: Number.POSITIVE_INFINITY }) // rejections are errors
    }
    if (!(handle instanceof Error)) await (handle as FileHandle).close()
    throw new ServiceError('DATASET_NOT_FOUND', { id: of.id })
  }

  /** Differs for each publish of a dataset; null if there is none. */
  async #publishOf(id: string): Promise<string | null> {
    return await stat(join(this.#paths.dataset(id), receiptName), { bigint: true }).then(
      ({ ino, mtimeNs }) => `${ino} ${mtimeNs}`,
      (error) => (isMissing(error) ? null : 'unreadable'),
    )
  }
}

/** The meaning of a failure for a file of a dataset that is there. */
function damageOf(name: DatasetFile, error: Error): ServiceError {
  const isDamage = errorCode(error) === undefined || isMissing(error)
  return isDamage ? new ServiceError('DATASET_DAMAGED', { name }, error) : toStoreError(error)
}
