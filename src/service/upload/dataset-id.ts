// Dataset id: the same bytes read the same way are the same dataset, so its id is derived from both.
import { createHash } from 'node:crypto'
import type { UploadOptions } from '../schema/upload-options.ts'

/** Raised if the same file would be read differently than before, so that old datasets stay what they are. */
const readingVersion = 3

export interface Identity {
  /** Lower-case hex. */
  readonly sha256: string
  readonly declared: UploadOptions
  /** Owner of the dataset; empty without authentication. */
  readonly owner: string
}

/** 32 lower-case hex digits. */
export function datasetId({ sha256, declared, owner }: Identity): string {
  const dialect = Object.entries(declared.dialect).sort(([a], [b]) => (a < b ? -1 : 1))
  const schema = declared.schema === null ? [] : [declared.schema.table]
  return createHash('sha256')
    .update(JSON.stringify([readingVersion, sha256, dialect, owner, ...schema]))
    .digest('hex')
    .slice(0, 32)
}

/** The id of a corrected dataset: the same corrections of the same records are the same dataset. */
export function correctedId(uncorrectedId: string, { sha256 }: { readonly sha256: string }): string {
  return createHash('sha256')
    .update(JSON.stringify(['corrections', uncorrectedId, sha256]))
    .digest('hex')
    .slice(0, 32)
}
