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

/** Upload records of a dataset, oldest first. */
export function recordsPrefix(id: string): string {
  return `datasets/${checkedId(id)}/uploads/`
}

export function recordKey({ id, datasetId }: Upload): string {
  assert(isUploadId(id), `'${id}' is no upload id`)
  return `${recordsPrefix(datasetId)}${id}.json`
}

export function fileKey(attempt: Attempt, file: string): string {
  assert(isDatasetFile(file), `a dataset cannot hold a file '${file}'`)
  return attemptPrefix(attempt) + file
}

/** Prefix of all files of an attempt, and of what was derived from them. */
export function attemptPrefix(attempt: Attempt): string {
  return `files/${attempt}/`
}

export function derivedKey(attempt: Attempt, name: string): string {
  return `${attemptPrefix(attempt)}derived/${plainName(name)}`
}

export function stateKey(name: string): string {
  return `state/${plainName(name)}`
}

export const pendingPrefix = 'pending/'

/**
 * Records an attempt whose files may have to be removed, for as long as that is possible. The object holds the id of
 * the dataset whose receipt may name the attempt; it is empty before there can be one.
 */
export function pendingKey(attempt: Attempt): string {
  return pendingPrefix + attempt
}

export function pendingOf(key: string): Attempt | null {
  const match = /^pending\/([0-9a-f-]{36})$/.exec(key)
  return match === null ? null : match[1]!
}

/** When an attempt began, in epoch milliseconds. */
export function beganAt(attempt: Attempt): number {
  return Number.parseInt(attempt.replace('-', '').slice(0, 12), 16)
}

export const indexPrefix = 'index/'
/** Longest file name in a key; a key holds 1,024 bytes. */
const nameBytesMax = 384

/**
 * The index consists of empty objects whose keys contain everything, so that listing them is enough. It has one for
 * each name under which the file of a dataset was sent, oldest dataset first. No segment of a key is empty: some
 * servers treat keys as paths.
 */
export function indexKey({ createdAt, id, owner, bytes }: Entry, number: number, name: string): string {
  const shown = Buffer.from(name).subarray(0, nameBytesMax).toString('base64url')
  return `${indexEntryPrefix({ createdAt, id })}${bytes}/o${Buffer.from(owner).toString('base64url')}/${number}-${shown}`
}

export function indexEntryPrefix({ createdAt, id }: Pick<Entry, 'createdAt' | 'id'>): string {
  return `${indexPrefix}${String(createdAt).padStart(14, '0')}-${checkedId(id)}/`
}

/** Where the entries begin of datasets made at a time, in epoch milliseconds, or later. */
export function indexKeyFrom(createdAt: number): string {
  return `${indexPrefix}${String(Math.max(0, createdAt)).padStart(14, '0')}`
}

/** Parses the keys of an index, in their order. Keys of another form are skipped. */
export function indexEntries(keys: readonly string[]): readonly Entry[] {
  const entries = new Map<string, Entry & { readonly names: string[] }>()
  for (const key of keys) {
    const match = /^index\/(\d{14})-([0-9a-f]{32})\/(\d+)\/o([\w-]*)\/\d+-([\w-]*)$/.exec(key)
    if (match === null) continue
    const [, createdAt, id = '', bytes, owner = '', name = ''] = match
    const entry = entries.get(id) ?? {
      createdAt: Number(createdAt),
      lastUploadAt: Number(createdAt),
      id,
      names: [],
      owner: Buffer.from(owner, 'base64url').toString(),
      bytes: Number(bytes),
    }
    if (entry.names.length < namesMax) entry.names.push(Buffer.from(name, 'base64url').toString().toLowerCase())
    entries.set(id, entry)
  }
  return [...entries.values()]
}

/** Name of a local copy. */
export function cacheName({ id, attempt }: { readonly id: string; readonly attempt: Attempt }, file: string): string {
  return `${id}-${attempt}-${file.replace('/', '-')}`
}

function checkedId(id: string): string {
  assert(isDatasetId(id), `'${id}' is no dataset id`)
  return id
}
