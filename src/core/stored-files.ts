// Stored files: the files that a dataset is made of, as its receipt names them. Knows nothing of where they are.
import type { Part, Receipt } from './receipt.ts'

/** A file of a dataset, and what its bytes must be. */
export type StoredFile = Pick<Part, 'file' | 'bytes' | 'sha256'>

export function originalOf({ file }: Receipt): StoredFile {
  return { file: 'original', bytes: file.bytes, sha256: file.sha256 }
}

/** The original, the parts and the parts of rejects, in this order. */
export function contentFiles(receipt: Receipt): readonly StoredFile[] {
  return [originalOf(receipt), ...receipt.parts, ...receipt.rejects.parts]
}

/** Every file of a dataset but the receipt itself. */
export function storedFiles(receipt: Receipt): readonly StoredFile[] {
  const { checksums } = receipt
  return [...contentFiles(receipt), ...(checksums === null ? [] : [checksums])]
}
