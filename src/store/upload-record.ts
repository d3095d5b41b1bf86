// Upload record: the small file that is kept of each arrival. Knows nothing of datasets.
import assert from 'node:assert/strict'
import type { Upload } from '../core/receipt.ts'
import { writeNewFile } from './fs/durable.ts'

const uploadIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What the record of an upload is called. */
export function recordName({ id }: Upload): string {
  assert(uploadIdPattern.test(id), `'${id}' is no upload id`)
  return `${id}.json`
}

/** Writes a record to a new file, and syncs it. Its name is not durable yet. */
export async function writeRecord(path: string, upload: Upload): Promise<void> {
  await writeNewFile(path, `${JSON.stringify({ version: 1, ...upload })}\n`)
}
