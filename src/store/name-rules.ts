// Name rules: which texts may become part of a path or key. Everything else names nothing. Knows nothing of stores.

/** True for 32 lower-case hex digits, the form of every dataset id. */
export function isDatasetId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

/** True for the names under which something made of a dataset is kept, such as `profile-1.json`. */
export function isPlainName(text: string): boolean {
  return /^[a-z][0-9a-z.-]{0,63}$/.test(text)
}

/** True for the paths a dataset can have files at: `original`, `text`, `checksums`, `data/part-00000.parquet`, `rejects/part-00000.parquet`. */
export function isDatasetFile(text: string): boolean {
  return text.length <= 128 && /^(?:original|text|checksums|(?:data|rejects)\/[0-9a-z][0-9a-z.-]*)$/.test(text)
}
