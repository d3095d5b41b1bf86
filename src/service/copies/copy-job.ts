// Copy job: one copy from its request to its end, and its line in the journal. Knows no database.
import { createHash } from 'node:crypto'
import type { CopyRequest, CopyStatus } from '../../core/copies/copy-status.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { Published } from '../../store/store.ts'
import { tableNameOf } from './copy-request.ts'

/** What the journal records about a copy. */
export interface Begun {
  readonly datasetId: string
  readonly createdAt: number
  readonly request: CopyRequest
}

export interface Job extends Begun {
  /** Of an upload to copy, the name of its request. */
  readonly id: string
  readonly isUpload: boolean
  /** True if its dataset was uploaded again meanwhile. */
  isWantedAgain: boolean
  request: CopyRequest
  status: CopyStatus
  /** The publish that was read last; before that, whichever is there. */
  of: Published
  /** Resolves once a crash cannot lose it. */
  recorded: Promise<void>
}

export function jobOf(begun: Begun): Job {
  const { createdAt, request } = begun
  const beginning = { state: 'waiting', tries: 0, records: null, problem: null } as const
  const status = { ...request, ...beginning, createdAt, updatedAt: createdAt }
  const ofClient = { isUpload: false, isWantedAgain: false, recorded: Promise.resolve() }
  return { ...begun, id: idOf(begun), status, of: { id: begun.datasetId }, ...ofClient }
}

/** The table of an upload is named after its file, unless its target has one. */
export function nameTable(job: Job, { file }: Pick<Receipt, 'file'>): void {
  if (job.request.table !== '') return
  const table = tableNameOf(file.name)
  job.request = { ...job.request, table }
  job.status = { ...job.status, table }
}

/** The same for the same copy. */
function idOf({ datasetId, request: { to, table, mode, key } }: Begun): string {
  return createHash('sha256')
    .update(JSON.stringify([datasetId, to, table, mode, key]))
    .digest('hex')
}

export function lineOf({ datasetId, createdAt, request }: Begun): string {
  return JSON.stringify({ datasetId, createdAt, request })
}

/** Lines that this service wrote; a damaged one is skipped. */
export function readLine(line: string, begun: Map<string, string>): void {
  try {
    const read = JSON.parse(line) as Begun | { readonly ended: string }
    if ('ended' in read) begun.delete(read.ended)
    else begun.set(idOf(read), line)
  } catch {}
}
