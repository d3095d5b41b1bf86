// Receipt file: a receipt as text, with a version and a checksum. Knows nothing of where it is stored.
import { createHash } from 'node:crypto'
import type { Receipt } from '../core/receipt.ts'

/** Raised when a change would make older programs misread the file; they refuse it instead. */
const receiptVersion = 1

/** Every file of a dataset has its SHA-256 in the receipt; the receipt has its own, over the text after it. */
const start = '{"checksum":"'
const parts = /^\{"checksum":"([0-9a-f]{64})",(.*)$/s

/** The text to store, always the same for the same receipt. */
export function formatReceipt(receipt: Receipt): string {
  const text = JSON.stringify({ version: receiptVersion, ...receipt }).slice(1)
  return `${start}${checksumOf(text)}",${text}\n`
}

/** Reads back what formatReceipt wrote for dataset `id`. @throws {Error} if the text is anything else. */
export function parseReceipt(text: string, id: string): Receipt {
  const { version, checksum, ...receipt }: { version: unknown; checksum?: unknown } & Partial<Receipt> =
    JSON.parse(text)
  if (version !== receiptVersion) throw new Error(`receipt has version ${String(version)}, expected ${receiptVersion}`)
  if (checksum === undefined) throw new Error('receipt has no checksum')
  verifyChecksum(text)
  if (receipt.id !== id) throw new Error(`receipt is of dataset '${String(receipt.id)}', expected '${id}'`)
  if (typeof receipt.createdAt !== 'number' || typeof receipt.file?.name !== 'string') {
    throw new Error('receipt lacks its time or its file name')
  }
  // Only formatReceipt writes this version under this id, and the checksum matched: so it has the right shape.
  return receipt as Receipt
}

/** The receipt, with the publish that it was read from. */
export function ofPublish(receipt: Receipt, publish: string): Receipt {
  return Object.defineProperty(receipt, 'publish', { value: publish })
}

/** Compares a stored receipt with its checksum; a receipt as sent to clients has none and passes. @throws {Error} */
export function verifyChecksum(text: string): void {
  if (!/^\s*\{\s*"checksum"/.test(text)) return
  const [, checksum, rest = ''] = parts.exec(text) ?? []
  if (checksum !== checksumOf(rest.trimEnd()))
    throw new Error('receipt does not match its checksum: it has been changed')
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
