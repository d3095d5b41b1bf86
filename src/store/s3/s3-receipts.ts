// S3 receipts: the object that makes a dataset exist, with its receipt and the attempt that has its files; and where these are.

import type { Receipt, Upload } from '../../core/receipt.ts'
import { formatReceipt, parseReceipt } from '../receipt-file.ts'
import { type Attempt, attemptPrefix, receiptKey } from './s3-keys.ts'
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
  return { id, attempt, receipt: parseReceipt(text.slice(end + 1), id), etag }
}

/** The body of an upload record. */
export function recordText(upload: Upload): Buffer {
  return Buffer.from(`${JSON.stringify({ version: 1, ...upload })}\n`)
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
