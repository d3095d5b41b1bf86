// S3 keys: the layout of a bucket. Sends nothing.
import assert from 'node:assert/strict'
import type { Upload } from '../../core/receipt.ts'
import { type Entry, namesMax } from '../dataset-index.ts'
import { isDatasetFile, isDatasetId, isUploadId, plainName } from '../name-rules.ts'

/**
 * An attempt to make a dataset: a UUID version 7 of the time at which it began, and the prefix of its files. It is
 * random, so that two attempts never write the same object, and known before the id of the dataset is.
 */
export type Attempt = string

/** The parts of a URL such as `s3://bucket/some/prefix`; the prefix is empty or ends with a slash. */
export function bucketOf(url: string): { readonly bucket: string; readonly prefix: string } {
  const [bucket = '', ...path] = url.slice('s3://'.length).split('/').filter(Boolean)
  return { bucket, prefix: path.map((segment) => `${segment}/`).join('') }
}

/** The object that makes a dataset exist. */
export function receiptKey(id: string): string {
  return `datasets/${checkedId(id)}/receipt.json`
}

/** A dataset as the keys of what belongs to it need it. */
export interface PublishFacts {
  readonly id: string
  /** The attempt that has its files. */
  readonly attempt: Attempt
  /** The attempt that made the dataset; repairs keep it, and its upload records. */
  readonly since: Attempt
  /** By the clock of the bucket. Epoch milliseconds. */
  readonly publishedAt: number
}

/** Upload records of a dataset, oldest first. */
export function recordsPrefix({ id, since }: Pick<PublishFacts, 'id' | 'since'>): string {
  return `datasets/${checkedId(id)}/uploads/${since}/`
}

export function recordKey(of: Pick<PublishFacts, 'id' | 'since'>, { id }: Upload): string {
  assert(isUploadId(id), `'${id}' is no upload id`)
  return `${recordsPrefix(of)}${id}.json`
}

export function fileKey(attempt: Attempt, file: string): string {
  assert(isDatasetFile(file), `a dataset cannot hold a file '${file}'`)
  return attemptPrefix(attempt) + file
}

export const filesPrefix = 'files/'
/** Objects with which a start tries the server. */
export const probePrefix = 'probe/'

/** Prefix of all files of an attempt, and of what was derived from them. */
export function attemptPrefix(attempt: Attempt): string {
  return `${filesPrefix}${attempt}/`
}

/** True for keys that only `fileKey` makes, so that other applications can use the bucket. */
export function isFileKey(key: string): boolean {
  const [, attempt = '', file = ''] = /^files\/([^/]*)\/(.*)$/.exec(key) ?? []
  return isUploadId(attempt) && isDatasetFile(file)
}

export function derivedKey(attempt: Attempt, name: string): string {
  return `${attemptPrefix(attempt)}derived/${plainName(name)}`
}

export function stateKey(name: string): string {
  return `state/${plainName(name)}`
}

export const movesPrefix = 'moves/'

/** Tells other processes that a dataset has been put in the trash or taken out: they read its receipt. */
export function moveKey(id: string, at: number): string {
  return `${movesFrom(at)}-${checkedId(id)}`
}

/** Where the moves begin of this time, in epoch milliseconds, or later. */
export function movesFrom(at: number): string {
  return `${movesPrefix}${String(Math.max(0, at)).padStart(14, '0')}`
}

/** The dataset of a move; null for keys of another form. */
export function movedId(key: string): string | null {
  return /^moves\/\d{14}-([0-9a-f]{32})$/.exec(key)?.[1] ?? null
}

export const pendingPrefix = 'pending/'

/**
 * A note on an attempt whose files may have to be removed, for as long as that is possible. Empty before there can be a
 * receipt that names it; then the id of the dataset; once it is to be removed, with `publishedAt`, see `noteOf`.
 */
export function pendingKey(attempt: Attempt): string {
  return pendingPrefix + attempt
}

export function pendingOf(key: string): Attempt | null {
  const match = /^pending\/([0-9a-f-]{36})$/.exec(key)
  return match === null ? null : match[1]!
}

/** The note on a publish that is to be removed. */
export function noteOf({ id, publishedAt }: Pick<PublishFacts, 'id' | 'publishedAt'>): Buffer {
  return Buffer.from(`${id} ${publishedAt}`)
}

/** When an attempt began, in epoch milliseconds. */
export function beganAt(attempt: Attempt): number {
  return Number.parseInt(attempt.replace('-', '').slice(0, 12), 16)
}

export const indexPrefix = 'index/'
/** Longest file name in a key; a key holds 1,024 bytes. */
const nameBytesMax = 336

/**
 * The index consists of empty objects whose keys contain everything, so that listing them is enough. It has one for
 * each name under which the file of a dataset was sent, in the order of publishing. No segment of a key is empty: some
 * servers treat keys as paths.
 */
export function indexKey(of: PublishFacts, { createdAt, owner, bytes }: Entry, number: number, name: string): string {
  const shown = Buffer.from(name.toLowerCase().normalize('NFC')).subarray(0, nameBytesMax).toString('base64url')
  const shownOwner = Buffer.from(owner).toString('base64url')
  return `${indexEntryPrefix(of)}${createdAt}/${bytes}/o${shownOwner}/${number}-${shown}`
}

export function indexEntryPrefix({ id, attempt, publishedAt }: Omit<PublishFacts, 'since'>): string {
  return `${indexKeyFrom(publishedAt)}-${checkedId(id)}/${attempt}/`
}

/** Where the entries begin of datasets published at a time, in epoch milliseconds, or later. */
export function indexKeyFrom(publishedAt: number): string {
  return `${indexPrefix}${String(Math.max(0, publishedAt)).padStart(14, '0')}`
}

const indexPattern = /^index\/(\d{14})-([0-9a-f]{32})\/([0-9a-f-]{36})\/(\d+)\/(\d+)\/o([\w-]*)\/\d+-([\w-]*)$/

/** The publish of an index entry; null for keys of another form. */
export function publishOfEntry(key: string): Omit<PublishFacts, 'since'> | null {
  const [, publishedAt, id = '', attempt = ''] = indexPattern.exec(key) ?? []
  return publishedAt === undefined ? null : { id, attempt, publishedAt: Number(publishedAt) }
}

/** What only a receipt says. */
const unread = { trashedAt: null, isDismissed: false, facts: null }

/** What the keys of one publish say; its last upload is the publish. */
export interface ListedEntry extends Entry {
  readonly names: string[]
  readonly attempt: Attempt
}

/**
 * Parses the keys of an index, in their order. Keys of another form are skipped; of several publishes of one dataset,
 * the last one counts.
 */
export function indexEntries(keys: readonly string[]): readonly ListedEntry[] {
  const entries = new Map<string, ListedEntry>()
  for (const key of keys) {
    const match = indexPattern.exec(key)
    if (match === null) continue
    const [, publishedAt, id = '', attempt = '', createdAt, bytes, owner = '', name = ''] = match
    const known = entries.get(id)
    const isSame = known?.attempt === attempt
    const entry = isSame
      ? known
      : {
          ...unread,
          createdAt: Number(createdAt),
          lastUploadAt: Number(publishedAt),
          id,
          attempt,
          names: [] as string[],
          owner: Buffer.from(owner, 'base64url').toString(),
          bytes: Number(bytes),
        }
    if (entry.names.length < namesMax)
      entry.names.push(Buffer.from(name, 'base64url').toString().toLowerCase().normalize('NFC'))
    entries.set(id, entry)
  }
  return [...entries.values()]
}

/** Name of a local copy. */
export function cacheName({ id, attempt }: { readonly id: string; readonly attempt: Attempt }, file: string): string {
  return `${cachePrefix({ id, attempt })}${file.replace('/', '-')}`
}

/** Prefix of the names of all local copies of a publish. */
export function cachePrefix({ id, attempt }: { readonly id: string; readonly attempt: Attempt }): string {
  return `${id}-${attempt}-`
}

function checkedId(id: string): string {
  assert(isDatasetId(id), `'${id}' is no dataset id`)
  return id
}
