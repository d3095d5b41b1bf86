// Stored files: the files that a dataset is made of, as its receipt names them. Knows nothing of where they are.
import type { Part, Receipt } from './receipt.ts'

/** A file of a dataset, and what its bytes must be. */
export type StoredFile = Pick<Part, 'file' | 'bytes' | 'sha256'>

export function originalOf({ file }: Pick<Receipt, 'file'>): StoredFile {
  return { file: 'original', bytes: file.bytes, sha256: file.sha256 }
}

/** The file in which records have their places: what a compressed original was decompressed to, or the original itself. */
export function textOf({ file }: Pick<Receipt, 'file'>): StoredFile {
  if (file.compression === undefined) return originalOf({ file })
  const { bytes, sha256 } = file.compression
  return { file: 'text', bytes, sha256 }
}

/** The original and, where it is another file, its text, in this order. */
export function receivedFiles(receipt: Pick<Receipt, 'file'>): readonly StoredFile[] {
  return [originalOf(receipt), ...(receipt.file.compression === undefined ? [] : [textOf(receipt)])]
}

/** What was received, the parts and the parts of rejects, in this order. */
export function contentFiles(receipt: Receipt): readonly StoredFile[] {
  return [...receivedFiles(receipt), ...receipt.parts, ...receipt.rejects.parts]
}

/** Every file of a dataset but the receipt itself. */
export function storedFiles(receipt: Receipt): readonly StoredFile[] {
  const { checksums } = receipt
  return [...contentFiles(receipt), ...(checksums === null ? [] : [checksums])]
}
