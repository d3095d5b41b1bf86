// Scrub dataset: reads every file of one stored dataset and compares it with the receipt. Knows no schedule.
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { type StoredFile, storedFiles } from '../../core/stored-files.ts'
import { hashStream } from '../../io/hashing/hash-stream.ts'
import type { Store } from '../../store/store.ts'

/** A stored file that differs from what was stored. */
export interface DamagedFile {
  /** As in the dataset: `original`, `data/part-00000.parquet`, `receipt.json`. */
  readonly file: string
  /** What was found, and what was expected. */
  readonly detail: string
}

export interface ScrubTools {
  readonly store: Pick<Store, 'receipt' | 'read'>
  /** Called after this many bytes were read; resolves when more may be read. */
  readonly pace: (bytes: number, signal: AbortSignal) => Promise<void>
}

/**
 * The damaged files of a dataset; none if it has been removed or replaced. Does not delay a deletion.
 * @throws {ServiceError} STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES: the state of the dataset is then unknown
 */
export async function scrubDataset(
  { store, pace }: ScrubTools,
  id: string,
  signal: AbortSignal,
): Promise<readonly DamagedFile[]> {
  const receipt = await store.receipt(id).catch(asDamage('receipt.json'))
  if (receipt === null) return []
  if ('detail' in receipt) return [receipt]
  const damages: DamagedFile[] = []
  for (const file of storedFiles(receipt)) {
    try {
      const damage = await scrubFile({ store, pace }, receipt, file, signal).catch(asDamage(file.file))
      if (damage !== null) damages.push(damage)
    } catch (error) {
      if (isServiceError(error, 'DATASET_NOT_FOUND')) return []
      throw error
    }
  }
  return damages
}

async function scrubFile(
  { store, pace }: ScrubTools,
  of: Receipt,
  { file, bytes: wantedBytes, sha256: wanted }: StoredFile,
  signal: AbortSignal,
): Promise<DamagedFile | null> {
  signal.throwIfAborted()
  await using source = await store.read(of, file)
  const { bytes, sha256 } = await hashStream(source, (chunk) => pace(chunk.length, signal)).catch((error) => {
    signal.throwIfAborted()
    throw toStoreError(error)
  })
  if (bytes !== wantedBytes) return { file, detail: `${bytes} bytes, wanted ${wantedBytes}` }
  return sha256 === wanted ? null : { file, detail: `SHA-256 ${sha256}, wanted ${wanted}` }
}

/** Error codes of one bad sector or one wrong file mode; other failures concern the whole storage. */
const unreadableCodes: ReadonlySet<unknown> = new Set(['EIO', 'EACCES', 'EPERM'])

/** The meaning of a failure for a file; rethrows failures that are not about the file. */
function asDamage(file: string): (error: unknown) => DamagedFile {
  return (error) => {
    const cause = error instanceof ServiceError ? error.cause : undefined
    const code = errorCode(cause)
    if (isServiceError(error, 'DATASET_DAMAGED')) {
      const other = cause instanceof Error && code === undefined ? cause.message : 'is not what was stored'
      return { file, detail: code === 'ENOENT' ? 'is missing' : other }
    }
    if (!isServiceError(error, 'STORE_FAILED') && !unreadableCodes.has(code)) throw error
    return { file, detail: `cannot be read: ${String(code)}` }
  }
}
