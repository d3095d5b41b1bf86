// Stored files: the files of a dataset, as listed in its receipt. Knows nothing of where they are.
import type { Part, Receipt } from './receipt.ts'

/** A file of a dataset, with its expected size and hash. */
export type StoredFile = Pick<Part, 'file' | 'bytes' | 'sha256'>

export function originalOf({ file }: Pick<Receipt, 'file'>): StoredFile {
  return { file: 'original', bytes: file.bytes, sha256: file.sha256 }
}

/** The file that record positions refer to: the decompressed text of a compressed original, else the original itself. */
export function textOf({ file }: Pick<Receipt, 'file'>): StoredFile {
  if (file.compression === undefined) return originalOf({ file })
  const { bytes, sha256 } = file.compression
  return { file: 'text', bytes, sha256 }
}

/** The file of all corrections; null if there are none. */
export function correctionsOf({ corrections }: Pick<Receipt, 'corrections'>): StoredFile | null {
  if (corrections === undefined) return null
  const { bytes, sha256 } = corrections
  return { file: 'corrections', bytes, sha256 }
}

/** The original, if its text is another file, and corrections if there are any, in this order. */
export function receivedFiles(receipt: Pick<Receipt, 'file' | 'corrections'>): readonly StoredFile[] {
  const text = receipt.file.compression === undefined ? [] : [textOf(receipt)]
  const corrections = correctionsOf(receipt)
  return [originalOf(receipt), ...text, ...(corrections === null ? [] : [corrections])]
}

/** The original, the parts and the parts of rejects, in this order. */
export function contentFiles(receipt: Receipt): readonly StoredFile[] {
  return [...receivedFiles(receipt), ...receipt.parts, ...receipt.rejects.parts]
}

/** Every file of a dataset except the receipt itself. */
export function storedFiles(receipt: Receipt): readonly StoredFile[] {
  const { checksums } = receipt
  return [...contentFiles(receipt), ...(checksums === null ? [] : [checksums])]
}
