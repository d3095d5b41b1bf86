// Scrub: compares every file of every dataset with its receipt. Only reads and takes no lock, since a service may own the directory.
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode } from '../../core/storage-error.ts'
import { type StoredFile, storedFiles } from '../../core/stored-files.ts'
import { hashStream } from '../../io/hashing/hash-stream.ts'
import { isDatasetId } from '../name-rules.ts'
import { parseReceipt } from '../receipt-file.ts'
import { receiptName } from './fs-draft.ts'

/** A file that differs from what was stored. `detail` states what was found and what was expected. */
export interface Damage {
  readonly id: string
  /** Below the dataset: `original`, `text`, `data/part-00000.parquet`, `receipt.json`. */
  readonly file: string
  readonly detail: string
}

/** Progress, to be polled. */
export interface ScrubProgress {
  datasets: number
  files: number
  bytes: number
}

const readBytesAtOnce = 1_048_576

/**
 * Yields each damaged file as it is found. A dataset that is removed or replaced meanwhile is skipped, as is a directory without a
 * receipt; files in `derived/` have their own checksums and are recomputed. Memory does not grow with the files.
 * @throws {Error} if the directory cannot be read
 */
export async function* scrub(dataDir: string, progress: ScrubProgress, signal: AbortSignal): AsyncGenerator<Damage> {
  const datasetsDir = join(dataDir, 'datasets')
  for (const id of (await readdir(datasetsDir)).filter(isDatasetId).toSorted()) {
    const dir = join(datasetsDir, id)
    const before = await publishOf(dir)
    const damages = await Array.fromAsync(scrubDataset(dir, id, progress, signal))
    if (before !== null && (await publishOf(dir)) === before) yield* damages
  }
}

async function* scrubDataset(
  dir: string,
  id: string,
  progress: ScrubProgress,
  signal: AbortSignal,
): AsyncGenerator<Damage> {
  let receipt: Receipt
  try {
    receipt = parseReceipt(await readFile(join(dir, receiptName), 'utf8'), id)
  } catch (error) {
    yield { id, file: receiptName, detail: messageOf(error) }
    return
  } finally {
    progress.files += 1
    progress.datasets += 1
  }
  for (const stored of storedFiles(receipt)) {
    const detail = await problemOf(join(dir, stored.file), stored, progress, signal)
    if (detail !== null) yield { id, file: stored.file, detail }
  }
}

/** The problem with a file; null if there is none. */
async function problemOf(
  path: string,
  { bytes, sha256 }: StoredFile,
  progress: ScrubProgress,
  signal: AbortSignal,
): Promise<string | null> {
  progress.files += 1
  try {
    const { size } = await stat(path)
    if (size !== bytes) return `${size} bytes, wanted ${bytes}`
    const seen = await hashStream(createReadStream(path, { highWaterMark: readBytesAtOnce, signal }), (chunk) => {
      progress.bytes += chunk.length
    })
    return seen.sha256 === sha256 ? null : `SHA-256 ${seen.sha256}, wanted ${sha256}`
  } catch (error) {
    signal.throwIfAborted()
    return messageOf(error)
  }
}

/** Differs for each publish of a dataset; null if there is none. */
async function publishOf(dir: string): Promise<string | null> {
  return await stat(join(dir, receiptName), { bigint: true }).then(
    ({ ino, mtimeNs }) => `${ino} ${mtimeNs}`,
    (error) => (errorCode(error) === 'ENOENT' ? null : 'unreadable'),
  )
}

/** The message without the path, which the caller already knows. */
function messageOf(error: unknown): string {
  const code = errorCode(error)
  if (typeof code === 'string') return code === 'ENOENT' ? 'is missing' : `cannot be read: ${code}`
  return error instanceof Error ? error.message : String(error)
}
