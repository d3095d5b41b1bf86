// Scheduled scrub: reads all stored data periodically, at a bounded rate, and compares it with the receipts, so that
// damage is found while there still is a backup.

import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { ScrubMeter } from '../../core/meter.ts'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { type StoredFile, storedFiles } from '../../core/stored-files.ts'
import { hashStream } from '../../io/hashing/hash-stream.ts'
import { type Clock, createPace, systemClock } from '../../io/pace.ts'
import type { Store } from '../../store/store.ts'

export interface ScrubOptions {
  readonly store: Pick<Store, 'idsAfter' | 'receipt' | 'read' | 'saveState' | 'savedState'>
  /** From the start of one scrub to the start of the next. Milliseconds; Infinity for never. */
  readonly everyMs: number
  readonly bytesPerSecondMax: number
  readonly logger: Log
  readonly meter: ScrubMeter
  readonly clock?: Clock
}

/** Progress of a scrub, so that a restart can continue it. */
interface Progress {
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Ids up to this one are done; null if all are. */
  readonly after: string | null
  readonly datasets: number
  readonly damagedFiles: number
}

const stateName = 'scrub.json'
const noProgress: Progress = { startedAt: Number.NEGATIVE_INFINITY, after: null, datasets: 0, damagedFiles: 0 }
/** How often we check whether a scrub is due. Milliseconds. */
const lookEveryMs = 60_000
/** How often progress is stored. Milliseconds. */
const keepEveryMs = 10_000

/** Starts a scrub when one is due or was left unfinished; until disposed. */
export function startScrub(options: ScrubOptions): AsyncDisposable {
  if (options.everyMs === Number.POSITIVE_INFINITY) return { [Symbol.asyncDispose]: async () => {} }
  const stop = new AbortController()
  const running = scrubForever(options, stop.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

async function scrubForever(options: ScrubOptions, signal: AbortSignal): Promise<void> {
  const { clock = systemClock, everyMs, logger } = options
  while (!signal.aborted) {
    try {
      await scrubIfDue(options, clock, signal)
    } catch (error) {
      if (signal.aborted) return
      // It continues where it was once the storage can be read again.
      logger.warn({ err: error }, 'scrub is interrupted')
    }
    await clock.sleep(Math.min(lookEveryMs, everyMs), signal).catch(() => {})
  }
}

async function scrubIfDue(options: ScrubOptions, clock: Clock, signal: AbortSignal): Promise<void> {
  const { store, everyMs } = options
  const kept = parseProgress(await store.savedState(stateName))
  const isDue = Date.now() - kept.startedAt >= everyMs
  if (kept.after === null && !isDue) return
  const progress = kept.after === null ? { ...noProgress, startedAt: Date.now(), after: '' } : kept
  await scrubFrom(options, clock, progress, signal)
}

async function scrubFrom(options: ScrubOptions, clock: Clock, from: Progress, signal: AbortSignal): Promise<void> {
  const { store, logger, meter, bytesPerSecondMax } = options
  const pace = createPace(bytesPerSecondMax, clock)
  const counted = async (bytes: number, one: AbortSignal) => {
    meter.read(bytes)
    await pace(bytes, one)
  }
  let progress = from
  let keptAtMs = clock.now()
  for (const id of store.idsAfter(from.after ?? '')) {
    const damages = await scrubDataset({ store, pace: counted }, id, signal)
    for (const { file, detail } of damages) {
      meter.damaged()
      logger.error({ datasetId: id, file, detail }, 'scrub found a damaged file')
    }
    const { datasets, damagedFiles } = progress
    progress = { ...progress, after: id, datasets: datasets + 1, damagedFiles: damagedFiles + damages.length }
    if (clock.now() - keptAtMs < keepEveryMs) continue
    keptAtMs = clock.now()
    await saveProgress(store, progress)
  }
  const { datasets, damagedFiles, startedAt } = progress
  await saveProgress(store, { ...progress, after: null })
  meter.finished(Date.now())
  logger.info({ datasets, damagedFiles, startedAt: new Date(startedAt).toISOString() }, 'scrub has finished')
}

/** If it cannot be stored, a restart starts over, which is no reason to end a scrub. */
async function saveProgress(store: ScrubOptions['store'], progress: Progress): Promise<void> {
  await store.saveState(stateName, Buffer.from(JSON.stringify(progress))).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error
  })
}

function parseProgress(kept: Buffer | null): Progress {
  // Only `keepProgress` writes under this name, and its checksum is right.
  return kept === null ? noProgress : (JSON.parse(kept.toString()) as Progress)
}

/** A stored file that differs from what was stored. */
export interface DamagedFile {
  /** As in the dataset: `original`, `data/part-00000.parquet`, `receipt.json`. */
  readonly file: string
  /** What was found, and what was expected. */
  readonly detail: string
}

interface ScrubTools {
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
  if (bytes !== wantedBytes) return { file, detail: `${bytes} bytes, expected ${wantedBytes}` }
  return sha256 === wanted ? null : { file, detail: `SHA-256 ${sha256}, expected ${wanted}` }
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
