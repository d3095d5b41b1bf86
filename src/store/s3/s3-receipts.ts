// S3 receipts: the object that makes a dataset exist, with its receipt and the attempt that has its files; and where these are.
import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { isDatasetFile, isDatasetId, isUploadId } from '../name-rules.ts'
import { formatReceipt, ofPublish, parseReceipt } from '../receipt-file.ts'
import type { DatasetFile, DatasetVersion } from '../store.ts'
import { type Attempt, attemptPrefix, fileKey, type PublishFacts, receiptKey } from './s3-keys.ts'
import { S3Objects, type S3Options, type SmallObject } from './s3-objects.ts'

/** A dataset as its receipt object describes it. */
export interface CommittedDataset extends PublishFacts {
  readonly receipt: Receipt
  /** Number of uploads of its bytes since: so each version of the object has another ETag. */
  readonly renewals: number
  /** The record of the upload that published it. */
  readonly upload: Upload
  /** When it was put in the trash, by the clock of the bucket; null if it is not there. Epoch milliseconds. */
  readonly trashedAt: number | null
}

/** A receipt object. */
export interface ReceiptObject {
  readonly etag: string
  /** Of the last publish, repair or renewal. Epoch milliseconds, by the clock of the bucket. */
  readonly modifiedAt: number
  /** The attempt that it names; another text if it is unreadable. */
  readonly attempt: Attempt
  /** Null if it is unreadable. */
  readonly facts: PublishFacts | null
  /** Null if it is unreadable, or of a removed dataset. */
  readonly committed: CommittedDataset | null
  /** The dataset has been removed. */
  readonly isTombstone: boolean
}

/** A receipt this young need not be renewed: many uploads at once write it once. Milliseconds. */
const renewedMsMax = 1_000

/** True if this receipt object is of the publish that is meant. */
export function isOf({ publish }: DatasetVersion, { attempt }: Pick<CommittedDataset, 'attempt'>): boolean {
  return publish === undefined || publish === attempt
}

/** The receipt objects of a bucket. */
export class S3Receipts {
  readonly #objects: S3Objects
  readonly #onMissing: (id: string, trashedAt: number | null) => void

  /** @param onMissing Called with a dataset that turns out to be gone, or in the trash since a time. */
  constructor(objects: S3Objects, onMissing: (id: string, trashedAt: number | null) => void) {
    this.#objects = objects
    this.#onMissing = onMissing
  }

  /** The receipt object of a dataset, readable or not; null if there is none, or it is in the trash. */
  async head(id: string): Promise<ReceiptObject | null> {
    const found = await readReceipt(this.#objects, id)
    const trashedAt = found?.committed?.trashedAt ?? null
    if (found !== null && !found.isTombstone && trashedAt === null) return found
    if (isDatasetId(id)) this.#onMissing(id, trashedAt)
    return null
  }

  /** The same of the publish that is meant; null if it is not there. */
  async of(of: DatasetVersion): Promise<ReceiptObject | null> {
    const found = await this.head(of.id)
    return found !== null && isOf(of, found) ? found : null
  }

  /** A dataset in the trash, since a time if one is given; null if it is not there. */
  async trashed(id: string, trashedAt?: number): Promise<(ReceiptObject & { committed: CommittedDataset }) | null> {
    const found = await readReceipt(this.#objects, id)
    const { committed } = found ?? {}
    if (!found || !committed || committed.trashedAt === null) return null
    return trashedAt === undefined || trashedAt === committed.trashedAt ? { ...found, committed } : null
  }

  /** @throws {ServiceError} DATASET_DAMAGED if the receipt cannot be read */
  async committed(id: string): Promise<CommittedDataset | null> {
    const head = await this.head(id)
    if (head !== null && head.committed === null) throw new ServiceError('DATASET_DAMAGED', { name: 'receipt.json' })
    return head?.committed ?? null
  }

  /** The publish that is meant, which may have these files. @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  async existing(of: DatasetVersion, ...files: readonly DatasetFile[]): Promise<CommittedDataset> {
    const committed = files.every(isDatasetFile) ? await this.committed(of.id) : null
    if (committed === null || !isOf(of, committed)) throw new ServiceError('DATASET_NOT_FOUND', { id: of.id })
    return committed
  }

  /** Writes a receipt object in the place of the one that was read, or of none; false if it is another one by now. */
  async put(id: string, body: Buffer, before: ReceiptObject | null): Promise<boolean> {
    const key = receiptKey(id)
    const absent = { kind: 'absent' } as const
    const condition = before === null ? absent : ({ kind: 'same', etag: before.etag } as const)
    if ((await this.#objects.put(key, body, condition)) === null) return false
    // A server may compare the tombstone for its removal, and then remove what has just taken its place.
    if (!before?.isTombstone || (await this.#objects.head(key)) !== null) return true
    return (await this.#objects.put(key, body, absent)) !== null
  }

  /** Begins the age of a publish anew; the receipt object, or null if it is not there. */
  async renew(of: DatasetVersion): Promise<ReceiptObject | null> {
    for (;;) {
      const found = await this.of(of)
      if (found === null) return null
      const { committed, modifiedAt } = found
      if (committed === null || this.#objects.now() - modifiedAt < renewedMsMax) return found
      await this.put(of.id, formatCommit({ ...committed, renewals: committed.renewals + 1 }), found)
    }
  }

  /** The object of a stored file. @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  async file(of: DatasetVersion, file: DatasetFile) {
    const { attempt } = await this.existing(of, file)
    const key = fileKey(attempt, file)
    const found = await this.#objects.head(key)
    // Removed or replaced since.
    const check = () => this.existing({ id: of.id, publish: attempt })
    if (found !== null) return { key, check, ...found }
    await check()
    throw new ServiceError('DATASET_DAMAGED', { name: file })
  }
}

/** The receipt object of a dataset, or what marks it as removed; null if there is neither. `id` may be any text. */
export async function readReceipt(objects: Pick<S3Objects, 'get'>, id: string): Promise<ReceiptObject | null> {
  const found = isDatasetId(id) ? await objects.get(receiptKey(id)) : null
  return found && parseCommit(found, id)
}

/** True if the receipt names this attempt, or may do so: a damaged one may name any. */
export function isNamed({ attempt }: Pick<PublishFacts, 'attempt'>, found: ReceiptObject | null): boolean {
  return found !== null && !found.isTombstone && (found.attempt === attempt || !isUploadId(found.attempt))
}

/** The body of a receipt object: the attempt, the facts of the publish, then the receipt in the format of every store. */
export function formatCommit({ attempt, receipt, ...of }: CommittedDataset): Buffer {
  const { since, publishedAt, renewals, upload, trashedAt } = of
  const facts = { since, publishedAt, renewals, upload, ...(trashedAt !== null && { trashedAt }) }
  return Buffer.from(`${attempt}\n${JSON.stringify(facts)}\n${formatReceipt(receipt)}`)
}

/** What takes the place of the receipt object of a dataset that is removed; always another one. */
export function formatTombstone({ attempt, facts }: ReceiptObject): Buffer {
  const { since = attempt, publishedAt = 0 } = facts ?? {}
  return Buffer.from(`${attempt}\n${JSON.stringify({ since, publishedAt, removal: randomUUID() })}\n`)
}

/** Reads back what formatCommit or formatTombstone wrote for dataset `id`. */
function parseCommit({ body, etag, modifiedAt }: SmallObject, id: string): ReceiptObject {
  const [attempt = '', line = '', ...rest] = body.toString().split('\n')
  const found = { etag, modifiedAt, attempt, facts: null as PublishFacts | null, committed: null, isTombstone: false }
  if (!isUploadId(attempt)) return { ...found, attempt: etag }
  try {
    // It is of formatCommit() or formatTombstone().
    const { since, publishedAt, renewals, upload, removal, trashedAt = null } = JSON.parse(line)
    found.facts = { id, attempt, since, publishedAt }
    if (removal !== undefined) return { ...found, isTombstone: true }
    const receipt = ofPublish(parseReceipt(rest.join('\n'), id), attempt)
    return { ...found, committed: { ...found.facts, renewals, upload, receipt, trashedAt } }
  } catch {
    return found
  }
}

/** The body of an upload record. */
export function recordText(upload: Upload): Buffer {
  return Buffer.from(`${JSON.stringify({ version: 1, ...upload })}\n`)
}

/** A dataset and the prefix of its files. */
export interface LocatedDataset {
  readonly receipt: Receipt
  /** Ends with a slash. */
  readonly url: string
}

/** Attempts whose ids have this prefix, at most `limit`. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function locateInBucket(
  options: S3Options,
  idPrefix: string,
  limit: number,
): Promise<readonly LocatedDataset[]> {
  const objects = new S3Objects(options)
  try {
    const found: LocatedDataset[] = []
    for await (const key of objects.list(`datasets/${idPrefix}`)) {
      const id = key.split('/')[1] ?? ''
      if (key !== receiptKey(id)) continue
      const object = await readReceipt(objects, id)
      if (object === null || object.isTombstone || object.committed?.trashedAt) continue
      if (object.committed === null) throw new Error(`receipt of dataset '${id}' is damaged`)
      const { receipt, attempt } = object.committed
      found.push({ receipt, url: `s3://${options.bucket}/${options.prefix}${attemptPrefix(attempt)}` })
      if (found.length === limit) break
    }
    return found
  } finally {
    objects.close()
  }
}
