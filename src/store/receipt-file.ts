// Receipt file: a receipt as the text that is kept of it, with a version and a seal. Knows nothing of where it is kept.
import { createHash } from 'node:crypto'
import type { Receipt } from '../core/receipt.ts'

/** Raised when a change would make older programs misread the file; they then refuse it instead. */
const receiptVersion = 1

/** Every file of a dataset has its SHA-256 in the receipt; the receipt has its own, of the text behind it. */
const sealStart = '{"seal":"'
const sealed = /^\{"seal":"([0-9a-f]{64})",(.*)$/s
/** How receipts began before they were sealed. */
const unsealedStart = '{"version":'

/** The text to keep, the same for the same receipt. */
export function formatReceipt(receipt: Receipt): string {
  const text = JSON.stringify({ version: receiptVersion, ...receipt }).slice(1)
  return `${sealStart}${sealOf(text)}",${text}\n`
}

/** Reads back what formatReceipt wrote for dataset `id`. @throws {Error} when the text is anything else. */
export function parseReceipt(text: string, id: string): Receipt {
  const { version, seal: _, ...kept }: { version: unknown; seal?: unknown } & Partial<Receipt> = JSON.parse(text)
  // Those of the first version of this file say nothing of an owner: there was none.
  const receipt = { owner: '', ...kept }
  if (version !== receiptVersion) throw new Error(`receipt has version ${String(version)}, wanted ${receiptVersion}`)
  if (!text.startsWith(unsealedStart) && !text.startsWith(sealStart)) throw new Error('receipt begins with no seal')
  checkSeal(text)
  if (receipt.id !== id) throw new Error(`receipt is of dataset '${String(receipt.id)}', wanted '${id}'`)
  if (typeof receipt.createdAt !== 'number' || typeof receipt.file?.name !== 'string') {
    throw new Error('receipt lacks its time or its file name')
  }
  // Only formatReceipt writes this version under this id, and it was written whole: the rest has its shape too.
  return receipt as Receipt
}

/** Holds a text that begins with a seal against it; one without, as a client was sent it, passes. @throws {Error} */
export function checkSeal(text: string): void {
  if (!text.startsWith(sealStart)) return
  const [, seal, rest = ''] = sealed.exec(text) ?? []
  if (seal !== sealOf(rest.trimEnd())) throw new Error('receipt is not what its seal says: it has been changed')
}

function sealOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
