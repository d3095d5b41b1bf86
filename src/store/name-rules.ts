// Name rules: which texts may become part of a path or key. Knows nothing of stores.
import assert from 'node:assert/strict'

/** True for 32 lower-case hex digits, the form of every dataset id. */
export function isDatasetId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

/** True for a UUID in lower case, the form of every id of an upload. */
export function isUploadId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** True for names of derived files, such as `profile-1.json`. */
function isPlainName(text: string): boolean {
  return /^[a-z][0-9a-z.-]{0,63}$/.test(text)
}

/** True for the paths that files of a dataset can have: `original`, `text`, `corrections`, `checksums`, `data/part-00000.parquet`, `rejects/part-00000.parquet`. */
export function isDatasetFile(text: string): boolean {
  return (
    text.length <= 128 && /^(?:original|text|corrections|checksums|(?:data|rejects)\/[0-9a-z][0-9a-z.-]*)$/.test(text)
  )
}

/** @throws {AssertionError} if the name could lead elsewhere */
export function plainName(name: string): string {
  assert(isPlainName(name), `'${name}' is no name to keep anything under`)
  return name
}
