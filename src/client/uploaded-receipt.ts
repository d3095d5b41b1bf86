// Uploaded receipt: what the client reads of a receipt as the service sends it. The rest is passed on as it came.
import type { Note } from '../core/notes.ts'
import type { Column, RecordCounts, RejectReason } from '../core/receipt.ts'
import { ClientError } from './client-error.ts'

/** The members that every receipt has had since there are any; a server may send more. */
export interface SentReceipt {
  readonly id: string
  /** Absent where the receipt is not the answer to an upload. */
  readonly duplicate?: boolean
  readonly upload?: { readonly durationMs: number }
  readonly createdAt: number
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string }
  readonly encoding: { readonly name: string }
  readonly records: RecordCounts
  readonly columns: readonly Column[]
  readonly rejects: { readonly count: number; readonly reasons: Readonly<Partial<Record<RejectReason, number>>> }
  readonly parts: readonly SentPart[]
  readonly notes: readonly Note[]
}

export interface SentPart {
  readonly file: string
  readonly bytes: number
  readonly records: number
  readonly sha256: string
}

/** Takes an answer for a receipt. @throws {ClientError} wrong, where it lacks what a receipt has */
export function readReceipt(value: unknown): SentReceipt {
  const { id, file, records, rejects, columns, parts } = members(value)
  const { accepted, rejected, total } = members(records)
  const { name, bytes, sha256 } = members(file)
  const isReceipt =
    [id, name, sha256].every((one) => typeof one === 'string') &&
    [bytes, accepted, rejected, total, members(rejects).count].every((one) => typeof one === 'number') &&
    Array.isArray(columns) &&
    Array.isArray(parts)
  // A response with these members comes from the service, which sends the others too.
  if (isReceipt) return value as SentReceipt
  throw new ClientError({
    kind: 'wrong',
    message: 'Cannot read the answer: it is no receipt; is this the right server?',
  })
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
