// S3 receipts: the object that makes a dataset exist, with its receipt and the attempt that has its files; and where these are.

import { ServiceError } from '../../core/errors.ts'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { isDatasetFile, isDatasetId } from '../name-rules.ts'
import { formatReceipt, ofPublish, parseReceipt } from '../receipt-file.ts'
import type { DatasetFile, Published } from '../store.ts'
import { type Attempt, attemptPrefix, fileKey, receiptKey } from './s3-keys.ts'
import { S3Objects, type S3Options } from './s3-objects.ts'

/** A dataset as its receipt object describes it. */
export interface Committed {
  readonly id: string
  /** The attempt that has its files. */
  readonly attempt: Attempt
  readonly receipt: Receipt
  /** ETag of the receipt object. */
  readonly etag: string
}

/** True if this receipt object is of the publish that is meant: each has another ETag. */
export function isOf({ publish }: Published, { etag }: Pick<Committed, 'etag'>): boolean {
  return publish === undefined || publish === etag
}

/** The receipt objects of a bucket. */
export class S3Receipts {
  readonly #objects: S3Objects
  readonly #onMissing: (id: string) => void

  constructor(objects: S3Objects, onMissing: (id: string) => void) {
    this.#objects = objects
    this.#onMissing = onMissing
  }

  /** The receipt object, readable or not; null if there is none. */
  async head(id: string): Promise<{ readonly committed: Committed | null; readonly etag: string } | null> {
    if (!isDatasetId(id)) return null
    const found = await this.#objects.get(receiptKey(id))
    if (found === null) {
      this.#onMissing(id)
      return null
    }
    try {
      return { committed: parseCommit(found.body, id, found.etag), etag: found.etag }
    } catch {
      return { committed: null, etag: found.etag }
    }
  }

  /** @throws {ServiceError} DATASET_DAMAGED if the receipt cannot be read */
  async committed(id: string): Promise<Committed | null> {
    const head = await this.head(id)
    if (head !== null && head.committed === null) throw new ServiceError('DATASET_DAMAGED', { name: 'receipt.json' })
    return head?.committed ?? null
  }

  /** The publish that is meant, which may have these files. @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  async existing(of: Published, ...files: readonly DatasetFile[]): Promise<Committed> {
    const committed = files.every(isDatasetFile) ? await this.committed(of.id) : null
    if (committed === null || !isOf(of, committed)) throw new ServiceError('DATASET_NOT_FOUND', { id: of.id })
    return committed
  }

  /** The object of a stored file. @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  async file(of: Published, file: DatasetFile) {
    const { attempt, etag } = await this.existing(of, file)
    const key = fileKey(attempt, file)
    const found = await this.#objects.head(key)
    // Removed or replaced since.
    const check = () => this.existing({ id: of.id, publish: etag })
    if (found !== null) return { key, check, ...found }
    await check()
    throw new ServiceError('DATASET_DAMAGED', { name: file })
  }
}

/** The body of a receipt object: the attempt on the first line, then the receipt in the format of every store. */
export function formatCommit(attempt: Attempt, receipt: Receipt): Buffer {
  return Buffer.from(`${attempt}\n${formatReceipt(receipt)}`)
}

/** Reads back what formatCommit wrote for dataset `id`. @throws {Error} if the body is anything else */
export function parseCommit(body: Buffer, id: string, etag: string): Committed {
  const text = body.toString()
  const end = text.indexOf('\n')
  const attempt = text.slice(0, end)
  if (!/^[0-9a-f-]{36}$/.test(attempt)) throw new Error('receipt does not begin with an attempt')
  return { id, attempt, receipt: ofPublish(parseReceipt(text.slice(end + 1), id), etag), etag }
}

/** The body of an upload record. */
export function recordText(upload: Upload): Buffer {
  return Buffer.from(`${JSON.stringify({ version: 1, ...upload })}\n`)
}

/** Reads back what recordText wrote. */
export function parseRecord(body: Buffer): Upload {
  return JSON.parse(body.toString()) as Upload // only recordText() writes this
}

/** A dataset and the prefix of its files. */
export interface Located {
  readonly receipt: Receipt
  /** Ends with a slash. */
  readonly url: string
}

/** Attempts whose ids have this prefix, at most `limit`. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function locateInBucket(options: S3Options, idPrefix: string, limit: number): Promise<readonly Located[]> {
  const objects = new S3Objects(options)
  try {
    const found: Located[] = []
    for await (const key of objects.list(`datasets/${idPrefix}`)) {
      const id = key.split('/')[1] ?? ''
      if (key !== receiptKey(id)) continue
      const object = await objects.get(key)
      if (object === null) continue
      const { receipt, attempt } = parseCommit(object.body, id, object.etag)
      found.push({ receipt, url: `s3://${options.bucket}/${options.prefix}${attemptPrefix(attempt)}` })
      if (found.length === limit) break
    }
    return found
  } finally {
    objects.close()
  }
}
