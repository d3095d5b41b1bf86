// Response shapes: the members that each response must have, and their types. The rest is passed on unchanged.
import type { CopyStatus } from '../core/copies/copy-status.ts'
import type { Note, Severity, ShownNote } from '../core/notes.ts'
import type { Receipt, RejectPreview } from '../core/receipt.ts'
import type { Caller, CorrectionOutcome, RowPage } from '../core/responses.ts'
import { type UploadStatus, uploadPhases } from '../core/upload-status.ts'
import { ClientError, type ErrorRecord, type Failure } from './client-error.ts'
import { hasMembers, type MemberTypes } from './members.ts'

/** A receipt: the members that the client reads. */
export interface SentReceipt
  extends Pick<
    Receipt,
    'id' | 'createdAt' | 'file' | 'encoding' | 'records' | 'columns' | 'rejects' | 'parts' | 'corrections'
  > {
  readonly notes: readonly (Note & Partial<ShownNote>)[]
  /** Absent from earlier versions of the service. */
  readonly verdict?: Severity
  /** Absent if the receipt is not the response to an upload. */
  readonly duplicate?: boolean
  readonly upload?: { readonly durationMs: number; readonly outcome?: string | null }
  /** The outcome of corrections, in the response to them. */
  readonly corrected?: CorrectionOutcome
}

/** The progress of an upload. */
export interface SentStatus
  extends Pick<
    UploadStatus,
    'id' | 'createdAt' | 'updatedAt' | 'phase' | 'fileName' | 'bytes' | 'records' | 'datasetId' | 'outcome'
  > {
  readonly error: ErrorRecord | null
}

/** One page of a list. */
export interface ListPage {
  readonly datasets?: readonly unknown[]
  readonly uploads?: readonly unknown[]
  /** Where the next page begins; absent or null on the last one. */
  readonly after?: unknown
}

interface Shape<_Value> {
  readonly members: MemberTypes
  /** What a response without them is. */
  readonly problem: string
}

function shape<Value>(problem: string, members: MemberTypes): Shape<Value> {
  return { problem, members }
}

const whichServer = 'is this the right server?'

export const shapes = {
  receipt: shape<SentReceipt>(`it is not a receipt; ${whichServer}`, {
    id: 'string',
    'file.name': 'string',
    'file.bytes': 'number',
    'file.sha256': 'string',
    'records.accepted': 'number',
    'records.rejected': 'number',
    'records.total': 'number',
    'rejects.count': 'number',
    columns: 'array',
    parts: 'array',
  }),
  corrected: shape<CorrectionOutcome>('it is not the outcome of corrections', {
    sent: 'number',
    firstRefused: 'array',
  }),
  status: shape<SentStatus>(`it is not the status of an upload; ${whichServer}`, {
    id: 'string',
    createdAt: 'number',
    phase: uploadPhases,
    'bytes.received': 'number',
  }),
  datasets: shape<ListPage>('it is not a list of datasets', { datasets: 'array' }),
  uploads: shape<ListPage>('it is not a list of uploads', { uploads: 'array' }),
  rows: shape<RowPage>('it has no rows', { columns: 'array', rows: 'array' }),
  rejects: shape<{ readonly total: number; readonly rejects: readonly RejectPreview[] }>('it has no rejects', {
    total: 'number',
    rejects: 'array',
  }),
  profile: shape<{ readonly statistics: readonly unknown[] }>('it has no statistics', { statistics: 'array' }),
  copy: shape<CopyStatus>('it is not a copy', { state: 'string', table: 'string' }),
  copies: shape<{ readonly copies: readonly unknown[] }>('it is not a copy', { copies: 'array' }),
  caller: shape<Caller>('it describes no caller', {
    scopes: 'array',
    bytes: 'object',
    datasets: 'object',
    limits: 'object',
  }),
} as const

/**
 * The response itself. One with these members comes from the service, which sends the others too.
 *
 * @throws {ClientError} wrong, if it lacks one
 */
export function readAs<Value>({ members, problem }: Shape<Value>, response: unknown): Value {
  if (hasMembers(response, members)) return response as Value
  throw ClientError.of('wrong', `Cannot read the response: ${problem}`)
}

/** Why an upload did not become a dataset. */
export function failureOf({ id, phase, error }: SentStatus): Failure {
  if (error === null) return { kind: 'wrong', message: `Cannot finish upload '${id}': it is ${phase}` }
  return { kind: 'refused', status: error.status, message: error.message, record: error, retryAfterMs: null }
}
