// File-system index: opens the index of a data directory, repairs it where it may be wrong, and rebuilds it if it
// cannot be trusted. The receipts, not the index, are the truth. Why: docs/decisions/dataset-index.md.
import { lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../core/storage-error.ts'
import { fileMode, removeTree } from '../../io/files/durable.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { withoutChecksum } from '../checksum-line.ts'
import { DatasetIndex, dismissedName, type Entry, entryOf, removeIndex } from '../dataset-index.ts'
import { isDatasetId } from '../name-rules.ts'
import type { StoreLogger } from '../store.ts'
import { hasReceipt, readReceipt } from './fs-draft.ts'
import { type FsPaths, trashPlaceOf } from './fs-paths.ts'
import { lastUploadOf, namesOfRecords } from './fs-records.ts'

/** Raised when the table changes: an old index is then rebuilt. */
const indexVersion = '4'
const atOnceMax = 32
/** Entries that are added to the index in one transaction. */
const batchSize = 1_000

/**
 * Up to this many datasets, a start reads every receipt: that takes a third of a second, and finds changes made by
 * hand.
 */
const readAllMaxUsual = 5_000

/**
 * Opens the index and removes everything unfinished: everything below `incoming/`, and directories of datasets without
 * a receipt. Logs what it found and removed.
 */
export async function openIndex(
  paths: FsPaths,
  logger: StoreLogger,
  readAllMax: number = readAllMaxUsual,
): Promise<DatasetIndex> {
  const unfinished = (await readdir(paths.incoming)).map((name) => join(paths.incoming, name))
  await forEachLimit(unfinished, atOnceMax, removeTree)
  const places = { ...paths, inTrash: await readTrash(paths) }
  const { index, found } = await openAndUpdate(await openKept(paths, readAllMax, logger), places, logger)
  for (const { id, error } of found.damaged) {
    logger.warn({ id, error }, 'cannot read receipt: dataset is kept but not shown')
  }
  const removed = unfinished.length + found.leftovers
  logger.info({ datasets: index.size, damaged: found.damaged.length, removed }, 'opened data directory')
  return index
}

interface Places extends FsPaths {
  /** When each dataset in the trash was put there. */
  readonly inTrash: ReadonlyMap<string, number>
}

/** What is in the trash; what has been published anew since is removed. */
async function readTrash(paths: FsPaths): Promise<Places['inTrash']> {
  const inTrash = new Map<string, number>()
  const places = (await readdir(paths.trash)).flatMap((name) => trashPlaceOf(name) ?? [])
  for (const place of places.toSorted((a, b) => b.trashedAt - a.trashedAt)) {
    const { id, trashedAt } = place
    if (inTrash.has(id) || (await hasReceipt(paths.dataset(id), id))) await removeTree(paths.trashed(place))
    else inTrash.set(id, trashedAt)
  }
  return inTrash
}

/** Every id in the directory of datasets, or in the trash. */
async function idsIn({ datasets, inTrash }: Places): Promise<Set<string>> {
  return new Set([...(await readdir(datasets)).filter(isDatasetId), ...inTrash.keys()])
}

/**
 * An index and what its update found. If the directory holds other datasets than both, a new index is built; a new one
 * differs only while somebody else changes the directory.
 */
async function openAndUpdate(
  kept: StoredIndex | null,
  paths: Places,
  logger: StoreLogger,
): Promise<{ readonly index: DatasetIndex; readonly found: ScannedReceipts }> {
  const index = kept?.index ?? (await createIndex(paths, logger))
  try {
    const found = await update(index, paths, await unsureIds(kept, paths))
    const inDirectory = (await idsIn(paths)).size
    const isComplete = inDirectory === index.size + found.damaged.length
    if (isComplete || kept === null) {
      index.complete()
      await markOpen(index, paths, logger)
    }
    if (isComplete) return { index, found }
    const counts = { inDirectory, inIndex: index.size, damaged: found.damaged.length }
    if (kept === null) {
      logger.warn(counts, 'the new index does not have every dataset of the directory: has it just been changed?')
      return { index, found }
    }
    logger.warn(counts, 'the index does not have every dataset of the directory: it is built again')
  } catch (error) {
    index[Symbol.dispose]()
    throw error
  }
  index[Symbol.dispose]()
  return await openAndUpdate(null, paths, logger)
}

/**
 * Marks on disk that the index is in use. If the mark cannot be made durable, the files are removed: the next start
 * makes new ones.
 */
async function markOpen(index: DatasetIndex, paths: FsPaths, logger: StoreLogger): Promise<void> {
  try {
    index.setMeta('version', indexVersion)
    index.setMeta('state', `open ${await bootId()} ${await identityOf(paths)}`)
  } catch (error) {
    logger.warn({ error }, 'cannot make the index durable: the next start rebuilds it')
    removeIndex(paths.index)
  }
}

/** Closes an index so that the next start can trust it. */
export async function closeIndex(index: DatasetIndex, paths: FsPaths): Promise<void> {
  try {
    index.setMeta('state', `closed ${await identityOf(paths)} ${await changedAt(paths)}`)
  } catch {
    // Without this mark, the next start checks the index more closely.
  }
  index[Symbol.dispose]()
}

interface StoredIndex {
  readonly index: DatasetIndex
  /** The mark that was written when the index was closed or opened. */
  readonly state: string
}

/** The existing index; null if it cannot be trusted or is not needed. */
async function openKept(paths: FsPaths, readAllMax: number, logger: StoreLogger): Promise<StoredIndex | null> {
  let index: DatasetIndex | null = null
  try {
    // Otherwise SQLite would create one.
    await stat(paths.index)
    index = DatasetIndex.open(paths.index)
    const state = index.meta('state') ?? ''
    const identity = await identityOf(paths)
    // After a power loss, the last changes or parts of the index may be missing; the age of a copy is unknown.
    const isTrusted = state.startsWith(`closed ${identity} `) || state === `open ${await bootId()} ${identity}`
    if (isTrusted && index.meta('version') === indexVersion && index.size > readAllMax) return { index, state }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') logger.warn({ error }, 'cannot use the index: it is built again')
  }
  index?.[Symbol.dispose]()
  return null
}

async function createIndex(paths: FsPaths, logger: StoreLogger): Promise<DatasetIndex> {
  removeIndex(paths.index)
  try {
    await writeFile(paths.index, '', { flag: 'wx', mode: fileMode })
    return DatasetIndex.createEmpty(paths.index)
  } catch (error) {
    logger.warn({ error }, 'cannot write the index: it is kept in memory, and the next start rebuilds it')
    removeIndex(paths.index)
    return DatasetIndex.createEmpty(':memory:')
  }
}

/** Datasets about which only their receipts are reliable. */
async function unsureIds(kept: StoredIndex | null, paths: Places): Promise<readonly string[]> {
  if (kept === null) return [...(await idsIn(paths))]
  const { index, state } = kept
  const unsure = new Set(index.unsureIds())
  const isUnchanged = state === `closed ${await identityOf(paths)} ${await changedAt(paths)}`
  if (!isUnchanged) for (const id of await differences(index, paths)) unsure.add(id)
  return [...unsure]
}

/** Ids that are either in the index or in the directory, but not in both. */
async function differences(index: DatasetIndex, paths: Places): Promise<readonly string[]> {
  const inDirectory = await idsIn(paths)
  const inIndexOnly = index.ids().filter((id) => !inDirectory.delete(id))
  return [...inIndexOnly, ...inDirectory]
}

/** The result of reading receipts. */
interface ScannedReceipts {
  /** Directories without a receipt, which were removed. */
  leftovers: number
  /** Datasets whose receipt cannot be read: damaged, or written by a later version. Every start checks them again. */
  readonly damaged: { readonly id: string; readonly error: unknown }[]
}

/** Makes the index entries of these datasets agree with their receipts. */
async function update(index: DatasetIndex, paths: Places, ids: readonly string[]): Promise<ScannedReceipts> {
  const found: ScannedReceipts = { leftovers: 0, damaged: [] }
  let batch: { readonly id: string; readonly entry: Entry | null; readonly names: readonly string[] }[] = []
  const write = () => {
    const read = batch
    batch = []
    index.together(() => {
      for (const { id, entry, names } of read) {
        index.delete(id)
        if (entry !== null) index.add(entry)
        for (const name of names) index.addName(id, name)
      }
    })
  }
  await forEachLimit(ids, atOnceMax, async (id) => {
    const trashedAt = paths.inTrash.get(id) ?? null
    const dir = trashedAt === null ? paths.dataset(id) : paths.trashed({ id, trashedAt })
    try {
      const known = { ...entryOf(await readReceipt(dir, id)), ...(await lastUploadOf(dir)) }
      const entry = { ...known, trashedAt, isDismissed: await isDismissedIn(dir, known) }
      const names = await namesOfRecords(dir)
      // After the last await: `write` replaces the batch meanwhile.
      batch.push({ id, entry, names })
    } catch (error) {
      batch.push({ id, entry: null, names: [] })
      const stats = await lstat(dir).catch(() => null)
      // A link may lead to a disk that is not there now.
      if (errorCode(error) === 'ENOENT' && !stats?.isSymbolicLink()) {
        index.markSure(id)
        if (stats !== null) {
          found.leftovers += 1
          await removeTree(dir)
        }
      } else {
        found.damaged.push({ id, error })
        index.markUnsure(id)
      }
    }
    if (batch.length >= batchSize) write()
  })
  write()
  return found
}

async function isDismissedIn(dir: string, { facts }: Entry): Promise<boolean> {
  if (!facts?.rejectCount) return false
  const kept = await readFile(join(dir, 'derived', dismissedName)).catch(() => null)
  return kept !== null && withoutChecksum(kept)?.toString() === 'true'
}

/** Identifies the directory that the index belongs to: a copy has another one. */
async function identityOf({ datasets }: FsPaths): Promise<string> {
  const { dev, ino } = await stat(datasets, { bigint: true })
  return `${dev}-${ino}`
}

/** When a dataset was last added, removed or renamed. */
async function changedAt({ datasets, trash }: FsPaths): Promise<string> {
  const [one, other] = await Promise.all([datasets, trash].map((path) => stat(path, { bigint: true })))
  return `${one?.mtimeNs} ${other?.mtimeNs}`
}

/** Differs after each boot of the system; where the system does not report one, it never equals any other. */
async function bootId(): Promise<string> {
  return await readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
    (text) => text.trim(),
    () => `unknown-${process.hrtime.bigint()}`,
  )
}
