// S3 sweep: completes what a receipt names, and removes what none names, whichever process left it. Which objects belong:
// docs/decisions/object-storage.md.
import { storedFiles } from '../../core/stored-files.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { entryOf } from '../dataset-index.ts'
import { isDatasetId, isUploadId } from '../name-rules.ts'
import type { StoreLogger } from '../store.ts'
import {
  type Attempt,
  attemptPrefix,
  beganAt,
  fileKey,
  filesPrefix,
  indexEntryPrefix,
  indexKey,
  indexPrefix,
  isFileKey,
  movesFrom,
  movesPrefix,
  noteOf,
  type PublishFacts,
  pendingKey,
  pendingOf,
  pendingPrefix,
  probePrefix,
  publishOfEntry,
  receiptKey,
  recordKey,
  recordsPrefix,
} from './s3-keys.ts'
import type { S3Objects } from './s3-objects.ts'
import { type CommittedDataset, isNamed, type ReceiptObject, readReceipt, recordText } from './s3-receipts.ts'

/** An older attempt is abandoned: no upload takes this long. Milliseconds. */
export const attemptMsMax = 86_400_000
/** Files of a publish that was removed or replaced stay this long, for readers elsewhere. Milliseconds. */
export const removedMs = 3_600_000
const notesEveryMs = 60_000
const allEveryMs = 3_600_000

/** A receipt is larger, a tombstone smaller. Bytes. */
const tombstoneBytesMax = 300
const readsAtOnceMax = 16

/** Sweeps now and every minute, and everything each hour, until disposed. */
export function startSweeps(objects: S3Objects, logger: StoreLogger): Disposable {
  const dueAt = new Map<Attempt, number>()
  let allAt = Number.NEGATIVE_INFINITY
  const sweepOnce = async () => {
    const isAll = performance.now() - allAt >= allEveryMs
    if (isAll) allAt = performance.now()
    try {
      const removed = isAll
        ? await sweep(objects, objects.now(), dueAt)
        : await sweepNotes(objects, objects.now(), dueAt)
      if (removed > 0) logger.info({ removed }, 'removed what unfinished uploads and removed datasets had left')
    } catch (error) {
      logger.warn({ error }, 'cannot remove what unfinished uploads and removed datasets have left: tried again later')
    }
  }
  let running = sweepOnce()
  const timer = setInterval(() => {
    running = running.then(sweepOnce)
  }, notesEveryMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Completes and removes whatever is due at a time, in epoch milliseconds by the clock of the bucket. Returns the number
 * of attempts, entries and uploads that were removed.
 */
export async function sweep(objects: S3Objects, now: number, dueAt?: Map<Attempt, number>): Promise<number> {
  const noted = await sweepNotes(objects, now, dueAt)
  for await (const keys of objects.listPages(movesPrefix)) {
    const old = keys.filter((key) => key < movesFrom(now - attemptMsMax))
    await objects.delete(old)
    if (old.length < keys.length) break
  }
  const { strays, incomplete, unnoted } = await survey(objects, false)
  for (const one of incomplete) await complete(objects, one)
  // Where they cannot be removed, tombstones stay.
  if (objects.deletesIfMatch) for (const one of unnoted) await objects.put(pendingKey(one.attempt), noteOf(one))
  for (const prefix of strays) await deleteAll(objects, prefix)
  const multiparts = await objects.abortMultiparts(
    now - attemptMsMax,
    (key) => isFileKey(key) || key.startsWith(probePrefix),
  )
  return noted + strays.length + multiparts
}

/** @param dueAt When attempts are looked at again, so that each is not every time. */
async function sweepNotes(objects: S3Objects, now: number, dueAt = new Map<Attempt, number>()): Promise<number> {
  let removed = 0
  const before = new Map(dueAt)
  dueAt.clear()
  for await (const key of objects.list(pendingPrefix)) {
    const attempt = pendingOf(key)
    if (attempt === null) continue
    const known = before.get(attempt) ?? now
    const due = known > now ? known : await sweepNote(objects, attempt, now)
    if (due === null) removed += 1
    else dueAt.set(attempt, due)
  }
  return removed
}

/** Returns when to look again; null once nothing is left. */
async function sweepNote(objects: S3Objects, attempt: Attempt, now: number): Promise<number | null> {
  const note = await objects.get(pendingKey(attempt))
  if (note === null) return null
  const [id = '', publishedAt] = note.body.toString().split(' ')
  const isRemoved = publishedAt !== undefined
  const found = await readReceipt(objects, id)
  const isOfTombstone = found?.isTombstone === true && found.attempt === attempt
  const removedAt = Math.max(note.modifiedAt, isOfTombstone ? found.modifiedAt : 0)
  const due = isRemoved ? removedAt + removedMs : beganAt(attempt) + attemptMsMax
  if (isNamed({ attempt }, found)) {
    // Its removal may be about to begin.
    if (isRemoved && now < due) return due
    if (found?.committed) await complete(objects, found.committed)
    return found?.committed ? null : due
  }
  if (isRemoved) {
    const of = { id, attempt, publishedAt: Number(publishedAt) }
    await removeEntries(objects, isOfTombstone ? (found.facts ?? of) : of)
  }
  if (now < due) return isRemoved ? due : now
  await deleteAll(objects, attemptPrefix(attempt))
  if (isOfTombstone) await objects.deleteSame(receiptKey(id), found.etag)
  await objects.delete([pendingKey(attempt)])
  return null
}

/**
 * Writes what is derived from a receipt: its index entry, with other names under which it was sent, and its upload
 * record. If it is not in its place any more then, what was written is removed.
 */
export async function complete(
  objects: S3Objects,
  of: CommittedDataset,
  otherNames: readonly string[] = [],
): Promise<void> {
  const entry = entryOf(of.receipt)
  const names = [...new Set([...entry.names, ...otherNames])]
  for (const [number, name] of names.entries()) await objects.put(indexKey(of, entry, number, name), nothing)
  await putRecord(objects, of)
  const found = await readReceipt(objects, of.id)
  if (isNamed(of, found)) await objects.delete([pendingKey(of.attempt)])
  else await removeEntries(objects, { ...of, since: keepsRecords(of, found) ? undefined : of.since })
}

/** Writes the record of the upload that made a publish. */
export async function putRecord(objects: S3Objects, of: CommittedDataset): Promise<void> {
  await objects.put(recordKey(of, of.upload), recordText(of.upload))
}

/** True if a repair has taken the place of a publish: it has its upload records. */
function keepsRecords({ since }: PublishFacts, found: ReceiptObject | null): boolean {
  return found !== null && !found.isTombstone && found.facts?.since === since
}

/** Removes the index entries of a publish that is gone, and the upload records of its dataset. */
export async function removeEntries(
  objects: S3Objects,
  of: Omit<PublishFacts, 'since'> & { readonly since?: Attempt | undefined },
): Promise<void> {
  await deleteAll(objects, indexEntryPrefix(of))
  if (of.since !== undefined) await deleteAll(objects, recordsPrefix({ id: of.id, since: of.since }))
}

/** Removes the files of an attempt that no receipt names, and never will, then the note on it. */
export async function sweepAttempt(objects: S3Objects, attempt: Attempt): Promise<void> {
  await deleteAll(objects, attemptPrefix(attempt))
  await objects.delete([pendingKey(attempt)])
}

async function deleteAll(objects: S3Objects, prefix: string): Promise<void> {
  for await (const keys of objects.listPages(prefix)) await objects.delete(keys)
}

/** What does not agree with the receipts. */
export interface Survey {
  /** Prefixes of what no receipt names and no note mentions: index entries, upload records, files. */
  readonly strays: readonly string[]
  /** Publishes whose index entry or upload record is missing. */
  readonly incomplete: readonly CommittedDataset[]
  /** Removed datasets without the note that has them swept. */
  readonly unnoted: readonly PublishFacts[]
  /** Attempts with a note: uploads in progress, and what is removed within an hour. */
  readonly notes: number
}

/** What is listed of one dataset. Some 300 bytes. */
interface ListedDataset {
  /** Size of the receipt object; 0 if there is none. */
  bytes: number
  readonly entries: Omit<PublishFacts, 'since'>[]
  readonly sinces: Set<Attempt>
}

/**
 * Compares while others publish and remove: what derives from a receipt is listed before the receipt is read, and
 * attempts are never used twice, so what no receipt names then, none ever will.
 *
 * @param readAll Reads every receipt, instead of those alone whose dataset does not look consistent in the lists.
 * @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
 */
export async function survey(objects: S3Objects, readAll: boolean): Promise<Survey> {
  const startedAt = objects.now()
  const attempts = new Set<Attempt>()
  for await (const attempt of objects.listFolders(filesPrefix)) if (isUploadId(attempt)) attempts.add(attempt)
  const noted = new Set<Attempt>()
  for await (const key of objects.list(pendingPrefix)) noted.add(pendingOf(key) ?? '')
  const byId = await listDatasets(objects)
  const found = { strays: [] as string[], incomplete: [] as CommittedDataset[], unnoted: [] as PublishFacts[] }
  let isUncertain = false
  const named = new Set<Attempt>()
  const toRead: [string, ListedDataset][] = []
  for (const one of byId) {
    const attempt = readAll ? null : consistent(one[1])
    if (attempt !== null && attempts.has(attempt)) named.add(attempt)
    else toRead.push(one)
  }
  await forEachLimit(toRead, readsAtOnceMax, async ([id, { entries, sinces }]) => {
    const receipt = await readReceipt(objects, id)
    const facts = receipt?.facts ?? null
    if (receipt !== null && facts === null) {
      isUncertain = true
      return
    }
    const isThere = facts !== null && !receipt?.isTombstone
    if (isThere) named.add(facts.attempt)
    // Without a file, it may be that a bit of the name has flipped.
    if (isThere && !attempts.has(facts.attempt) && facts.publishedAt < startedAt) isUncertain = true
    for (const entry of entries)
      if (!isThere || entry.attempt !== facts.attempt) found.strays.push(indexEntryPrefix(entry))
    for (const since of sinces) if (!isThere || since !== facts.since) found.strays.push(recordsPrefix({ id, since }))
    const isListed = entries.some((entry) => entry.attempt === facts?.attempt) && sinces.has(facts?.since ?? '')
    if (receipt?.committed && !isListed) found.incomplete.push(receipt.committed)
    if (receipt?.isTombstone && facts !== null && !noted.has(facts.attempt)) found.unnoted.push(facts)
  })
  const left = [...attempts].filter((one) => !named.has(one) && !noted.has(one))
  // No file is removed for what the lists say alone.
  if (left.length > 0 && !readAll) return await survey(objects, true)
  if (!isUncertain) found.strays.push(...left.map(attemptPrefix))
  return { ...found, strays: [...new Set(found.strays)], notes: noted.size }
}

/** What a bucket holds, compared with its receipts. */
export interface BucketCheck {
  readonly datasets: number
  /** Attempts that a note mentions: uploads in progress, and what is removed within an hour. */
  readonly notes: number
  /** Marks of removed datasets without a note: a sweep writes it, unless the server cannot remove them. */
  readonly tombstones: number
  /** Keys or prefixes that neither a receipt nor a note names. */
  readonly unnamed: readonly string[]
  /** What a receipt names that is not there. */
  readonly missing: readonly string[]
}

/** Compares everything in a bucket with its receipts, and changes nothing. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function checkBucket(objects: S3Objects): Promise<BucketCheck> {
  const { strays, incomplete, unnoted, notes } = await survey(objects, true)
  const unnamed = [...strays]
  const missing = incomplete.map(({ id }) => `entry or upload record of ${id}`)
  let datasets = 0
  for await (const id of objects.listFolders('datasets/')) {
    const found = await readReceipt(objects, id)
    if (found === null || found.isTombstone) continue
    datasets += 1
    const { committed, attempt } = found
    if (committed === null) missing.push(`a readable ${receiptKey(id)}`)
    const named = new Set((committed ? storedFiles(committed.receipt) : []).map(({ file }) => fileKey(attempt, file)))
    for await (const key of objects.list(attemptPrefix(attempt)))
      if (!named.delete(key) && !key.startsWith(`${attemptPrefix(attempt)}derived/`)) unnamed.push(key)
    missing.push(...named)
  }
  return { datasets, notes, tombstones: unnoted.length, unnamed, missing }
}

/** The attempt of a dataset whose receipt certainly names it, so far as lists show. */
function consistent({ bytes, entries: [entry, ...others], sinces }: ListedDataset): Attempt | null {
  if (entry === undefined || bytes <= tombstoneBytesMax || sinces.size !== 1 || !sinces.has(entry.attempt)) return null
  return others.every(({ attempt }) => attempt === entry.attempt) ? entry.attempt : null
}

async function listDatasets(objects: S3Objects): Promise<Map<string, ListedDataset>> {
  const byId = new Map<string, ListedDataset>()
  const of = (id: string) => {
    const listed = byId.get(id) ?? { bytes: 0, entries: [], sinces: new Set() }
    byId.set(id, listed)
    return listed
  }
  for await (const key of objects.list(indexPrefix)) {
    const entry = publishOfEntry(key)
    if (entry !== null && of(entry.id).entries.at(-1)?.attempt !== entry.attempt) of(entry.id).entries.push(entry)
  }
  for await (const { key, bytes } of objects.listSizes('datasets/')) {
    const [, id = '', kind, since = ''] = key.split('/')
    if (!isDatasetId(id)) continue
    if (kind === 'receipt.json') of(id).bytes = bytes
    if (kind === 'uploads' && isUploadId(since)) of(id).sinces.add(since)
  }
  return byId
}

const nothing = Buffer.alloc(0)
