// Receipt file: a receipt as the text that is kept of it, with a version. Knows nothing of where it is kept.
import type { Receipt } from '../core/receipt.ts'

/** Raised when a change would make older programs misread the file; they then refuse it instead. */
const receiptVersion = 1

/** The text to keep, the same for the same receipt. */
export function formatReceipt(receipt: Receipt): string {
  return `${JSON.stringify({ version: receiptVersion, ...receipt })}\n`
}

/** Reads back what formatReceipt wrote for dataset `id`. @throws {Error} when the text is anything else. */
export function parseReceipt(text: string, id: string): Receipt {
  const { version, ...kept }: { version: unknown } & Partial<Receipt> = JSON.parse(text)
  // Those of the first version of this file say nothing of an owner: there was none.
  const receipt = { owner: '', ...kept }
  if (version !== receiptVersion) throw new Error(`receipt has version ${String(version)}, wanted ${receiptVersion}`)
  if (receipt.id !== id) throw new Error(`receipt is of dataset '${String(receipt.id)}', wanted '${id}'`)
  if (typeof receipt.createdAt !== 'number' || typeof receipt.file?.name !== 'string') {
    throw new Error('receipt lacks its time or its file name')
  }
  // Only formatReceipt writes this version under this id, and it was written whole: the rest has its shape too.
  return receipt as Receipt
}
