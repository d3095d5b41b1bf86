// Uploaded receipt: the members of a receipt that the client reads. The rest is passed on unchanged.
import type { Note } from '../core/notes.ts'
import type { Column, RecordCounts, RejectReason } from '../core/receipt.ts'
import { ClientError } from './client-error.ts'

/** The members that every receipt has had from the first version on; a server may send more. */
export interface SentReceipt {
  readonly id: string
  /** Absent if the receipt is not the response to an upload. */
  readonly duplicate?: boolean
  readonly upload?: { readonly durationMs: number; readonly outcome?: string | null }
  readonly createdAt: number
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string }
  readonly encoding: { readonly name: string }
  readonly records: RecordCounts
  readonly columns: readonly Column[]
  readonly rejects: { readonly count: number; readonly reasons: Readonly<Partial<Record<RejectReason, number>>> }
  readonly parts: readonly SentPart[]
  readonly notes: readonly Note[]
  /** Absent if nothing was corrected. */
  readonly corrections?: {
    readonly of: string
    readonly count: number
    readonly bytes: number
    readonly sha256: string
  }
  /** The outcome of corrections, in the response to them. */
  readonly corrected?: {
    readonly sent: number
    readonly unchanged: number
    readonly refused: number
    readonly firstRefused: readonly { readonly record: number; readonly reason: string; readonly message: string }[]
  }
}

export interface SentPart {
  readonly file: string
  readonly bytes: number
  readonly records: number
  readonly sha256: string
}

/** Parses a response as a receipt. @throws {ClientError} wrong, if it lacks required members */
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
    message: 'Cannot read the response: it is not a receipt; is this the right server?',
  })
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
