// API: requests to the service, with the key of this tab. Knows the routes; knows no view.
import type { CorrectionRule } from '../src/core/correction-rules.ts'
import type { EvidenceInWords } from '../src/core/evidence/evidence.ts'
import type { ShownNote } from '../src/core/notes.ts'
import type { RejectPreview, Receipt as StoredReceipt } from '../src/core/receipt.ts'
import type { Caller, CorrectionOutcome, RowPage } from '../src/core/responses.ts'
import type { UploadStatus } from '../src/core/upload-status.ts'
import type {
  LabelStatistics,
  NullStatistics,
  NumericStatistics,
  ColumnStatistics as StoredStatistics,
} from '../src/engine/part-reader.ts'
import { sharedState } from './shared-state.ts'

/** An error whose message is a sentence for the user, in the language of the page. */
export class UserFacingError extends Error {}

/** The error record of the service, or a lost connection (status 0). */
export class ApiError extends Error {
  readonly status: number
  /** Fully qualified, as in the record; empty if there is none. */
  readonly exception: string
  /** What was seen, by name: known of errors found on this machine. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, exception = '', details = {}) {
    super(message)
    this.status = status
    this.exception = exception
    this.details = details
  }
}

/** A receipt as the service sends it. */
export interface Receipt
  extends Omit<StoredReceipt, 'evidence' | 'notes' | 'publish' | 'checksums' | 'verbatim' | 'owner'> {
  readonly notes: readonly ShownNote[]
  readonly duplicate?: boolean
  /** Name of the key that sent it. */
  readonly sender?: string
  /** The upload that the receipt answers. */
  readonly upload?: { readonly id: string }
  readonly evidence: EvidenceInWords
}

/** What a tab of a dataset shows. */
export interface TabProps {
  readonly receipt: Receipt
  /** What the tab keeps in the address. */
  readonly query: string
}

/** Buckets of equal size that have rejects, by their index. Absent in older receipts. */
export interface RejectPositions {
  readonly bucketBytes: number
  readonly at: readonly number[]
}

export interface ListPage {
  readonly datasets: readonly ListedDataset[]
  /** Of all entries, on this page or not. */
  readonly total: number
  /** Cursor of the next page; null after the last one. */
  readonly after: string | null
}

/** A dataset in the list, or in the trash. Older ones lack what is optional. */
export interface ListedDataset extends Pick<Receipt, 'id' | 'createdAt' | 'file' | 'records' | 'corrections'> {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rejects?: { readonly positions?: RejectPositions; readonly dismissed?: true }
  /** Name of the key that sent it. */
  readonly sender?: string
  /** The file whose version it is, and in which way. */
  readonly origin?: {
    readonly id: string
    readonly kind: 'detected' | 'dialect' | 'schema' | 'corrected'
    readonly versions: number
  }
  readonly trashedAt?: number
  readonly erasesAt?: number
}

const keyName = 'api-key'

/** The key of this tab; null for none. It never leaves the tab except as a request header. */
export function currentKey(): string | null {
  return sessionStorage.getItem(keyName)
}

export function setKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(keyName)
  else sessionStorage.setItem(keyName, key)
}

/** Authenticates the page to the service. */
export function authorization(): Record<string, string> {
  const key = currentKey()
  return key === null ? {} : { authorization: `Bearer ${key}` }
}

/** Whether the service answered when it was asked last. */
export const reach = sharedState({ isAnswering: true })

interface Request extends RequestInit {
  readonly headers?: Readonly<Record<string, string>>
}

/** @throws {ApiError} Also rejects with the reason of the signal. */
export async function request(path: string, init: Request = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...init, headers: { ...init.headers, ...authorization() } })
  } catch (error) {
    if (init.signal?.aborted) throw error
    reach.change({ isAnswering: false })
    throw new ApiError(0, String(error))
  }
  if (!reach.current().isAnswering) reach.change({ isAnswering: true })
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response)
  return response
}

/** The error described by an error record; for any other body, by its status. */
export function errorOf(record: unknown, { status, statusText }: Pick<Response, 'status' | 'statusText'>): ApiError {
  if (typeof record !== 'object' || record === null || !('message' in record))
    return new ApiError(status, `${status} ${statusText}`)
  return new ApiError(status, String(record.message), 'exception' in record ? String(record.exception) : '')
}

async function json<Value>(path: string, init?: Request): Promise<Value> {
  return (await (await request(path, init)).json()) as Value // the shape that the service documents
}

export function getCaller(): Promise<Caller> {
  return json('/qas/caller')
}

export const datasets = '/qas/datasets'
export const trash = '/qas/trash'

export type ListQuery = Readonly<Record<string, string>>

/** @param query Parameters of the route. */
export function listDatasets(query: ListQuery, signal: AbortSignal, path = datasets): Promise<ListPage> {
  return json(`${path}?${new URLSearchParams(query)}`, { signal })
}

export function getReceipt(id: string, signal: AbortSignal): Promise<Receipt> {
  return json(`${datasets}/${id}`, { signal })
}

export const trashDataset = (id: string) => request(`${datasets}/${id}?trash`, { method: 'DELETE' })
export const dismissDataset = (id: string) => request(`${datasets}/${id}/dismissal`, { method: 'POST' })
export const undismissDataset = (id: string) => request(`${datasets}/${id}/dismissal`, { method: 'DELETE' })
export const restoreDataset = (id: string) => request(`${trash}/${id}/restore`, { method: 'POST' })
export const eraseTrashed = (id: string) => request(`${trash}/${id}`, { method: 'DELETE' })

/** Bytes that decide how a file is read, and one that shows whether more follow. */
const headBytes = 1_048_577

/** The beginning of the original, as a file. */
export async function getHead(id: string, name: string, signal: AbortSignal): Promise<File> {
  const range = { range: `bytes=0-${headBytes - 1}` }
  return new File([await (await request(`${datasets}/${id}/original`, { signal, headers: range })).blob()], name)
}

export function getRows(id: string, offset: number, limit: number, signal: AbortSignal): Promise<RowPage> {
  return json(`${datasets}/${id}/rows?offset=${offset}&limit=${limit}`, { signal })
}

/** @param reason Null for all. */
export function getRejects(id: string, reason: string | null, offset: number, limit: number, signal: AbortSignal) {
  const only = reason === null ? '' : `&reason=${reason}`
  return json<{ readonly total: number; readonly rejects: readonly RejectPreview[] }>(
    `${datasets}/${id}/rejects?offset=${offset}&limit=${limit}${only}`,
    { signal },
  )
}

export type ColumnStatistics = Pick<StoredStatistics, 'column_name' | 'column_type'> & {
  readonly column_statistics: Partial<NumericStatistics & LabelStatistics> & NullStatistics
}

export function getProfile(id: string, signal: AbortSignal) {
  return json<{ readonly num_examples: number; readonly statistics: readonly ColumnStatistics[] }>(
    `${datasets}/${id}/profile`,
    { signal },
  )
}

/** @param limit The most rows, if there are more. */
export function runQuery(id: string, sql: string, signal: AbortSignal, limit?: number): Promise<RowPage> {
  return json(`${datasets}/${id}/query`, postJson({ sql, limit }, signal))
}

/** @param schema Null to detect all types. */
export function readAgain(id: string, dialect: object, schema: object | null, signal: AbortSignal): Promise<Receipt> {
  return json(`${datasets}/${id}/readings`, postJson({ dialect, ...(schema !== null && { schema }) }, signal))
}

/** The receipt of the corrected dataset, and the outcome of the texts. */
export interface CorrectedReceipt extends Receipt {
  readonly corrected: CorrectionOutcome
}

/** A text that replaces a reject, or a rule that mends many. */
export type CorrectionLine =
  | { readonly record: number; readonly text: string; readonly byteOffset: number }
  | CorrectionRule

export function sendCorrections(id: string, lines: readonly CorrectionLine[]): Promise<CorrectedReceipt> {
  return json(`${datasets}/${id}/corrections`, postLines(lines))
}

/** What they would do; nothing is stored. */
export function previewCorrections(id: string, lines: readonly CorrectionLine[], signal: AbortSignal) {
  return json<CorrectionOutcome>(`${datasets}/${id}/corrections/preview`, { ...postLines(lines), signal })
}

function postLines(lines: readonly object[]): Request {
  const body = lines.map((one) => `${JSON.stringify(one)}\n`).join('')
  return { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body }
}

/** The file of `rejects.csv`, edited elsewhere. */
export function sendRejectsFile(id: string, file: File): Promise<CorrectedReceipt> {
  const body = new FormData()
  body.append('file', file, file.name)
  return json(`${datasets}/${id}/corrections`, { method: 'POST', body })
}

function postJson(body: object, signal: AbortSignal): Request {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal }
}

export function getUpload(id: string): Promise<UploadStatus> {
  return json(`/qas/uploads/${id}`)
}

export const cancelUpload = (id: string) => request(`/qas/uploads/${id}`, { method: 'DELETE' })

/** The address of something below a dataset, for links and commands. */
export function datasetAddress(id: string, below = ''): string {
  return `${location.origin}${datasets}/${id}${below}`
}

/** Downloads with the key of this tab; without a key a plain link does the same and needs no memory. */
export async function download(path: string, fileName: string): Promise<void> {
  await save(await request(path), fileName)
}

/** Downloads the result of a query in a media type. */
export async function downloadQuery(
  id: string,
  sql: string,
  accept: string,
  fileName: string,
  signal: AbortSignal,
): Promise<void> {
  const { headers, ...init } = postJson({ sql }, signal)
  await save(await request(`${datasets}/${id}/query`, { ...init, headers: { ...headers, accept } }), fileName)
}

async function save(response: Response, fileName: string): Promise<void> {
  const blob = await response.blob()
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
