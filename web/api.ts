// API: requests to the service, with the key of this tab. Knows the routes; knows no view.

/** The error record of the service, or a lost connection (status 0). */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Note {
  readonly code: string
  readonly message: string
  readonly lines?: readonly number[]
  readonly column?: string
}

export interface Column {
  readonly name: string
  readonly type: string
  readonly nulls: number
  readonly why: string
}

export interface Reject {
  readonly record: number
  readonly line: number
  readonly byteOffset: number
  readonly byteLength: number
  readonly column: number | null
  readonly reason: string
  readonly message: string
  readonly text?: string
  readonly base64?: string
}

/** What the page reads of a receipt. */
export interface Receipt {
  readonly id: string
  readonly duplicate?: boolean
  readonly createdAt: number
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string }
  readonly encoding: { readonly name: string; readonly bom: boolean }
  readonly dialect: {
    readonly delimiter: string
    readonly quoteChar: string | null
    readonly lineTerminator: string
    readonly header: boolean
  }
  readonly records: {
    readonly total: number
    readonly accepted: number
    readonly rejected: number
    readonly header: number
    readonly blank: number
    readonly skipped: number
  }
  readonly columns: readonly Column[]
  readonly rejects: { readonly count: number; readonly reasons: Readonly<Record<string, number>> }
  readonly evidence: Readonly<Record<string, string>>
  readonly notes: readonly Note[]
}

/** A receipt in the list. */
export type ListedReceipt = Pick<Receipt, 'id' | 'createdAt' | 'file' | 'records'>

export interface RowPage {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly total?: number
  readonly truncated?: boolean
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

function authorization(): Record<string, string> {
  const key = currentKey()
  return key === null ? {} : { authorization: `Bearer ${key}` }
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...init, headers: { ...init.headers, ...authorization() } })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, String(error))
  }
  if (!response.ok) throw await failureOf(response)
  return response
}

async function failureOf(response: Response): Promise<ApiError> {
  const record: unknown = await response.json().catch(() => null)
  return new ApiError(response.status, messageOf(record) ?? response.statusText)
}

/** The message of an error record; null for anything else. */
function messageOf(record: unknown): string | null {
  if (typeof record !== 'object' || record === null || !('message' in record)) return null
  return String(record.message)
}

async function json<Value>(path: string, init?: RequestInit): Promise<Value> {
  return (await (await request(path, init)).json()) as Value // the shape that the service documents
}

const datasets = '/qas/datasets'

export function listDatasets(name: string, after: string | null, signal: AbortSignal) {
  const query = new URLSearchParams({ limit: '50', ...(name !== '' && { name }), ...(after !== null && { after }) })
  return json<{ readonly datasets: readonly ListedReceipt[]; readonly after: string | null }>(`${datasets}?${query}`, {
    signal,
  })
}

export function getReceipt(id: string, signal: AbortSignal): Promise<Receipt> {
  return json(`${datasets}/${id}`, { signal })
}

export async function deleteDataset(id: string): Promise<void> {
  await request(`${datasets}/${id}`, { method: 'DELETE' })
}

export function getRows(id: string, offset: number, limit: number, signal: AbortSignal): Promise<RowPage> {
  return json(`${datasets}/${id}/rows?offset=${offset}&limit=${limit}`, { signal })
}

export function getRejects(id: string, offset: number, limit: number, signal: AbortSignal) {
  return json<{ readonly total: number; readonly rejects: readonly Reject[] }>(
    `${datasets}/${id}/rejects?offset=${offset}&limit=${limit}`,
    { signal },
  )
}

export interface ColumnStatistics {
  readonly column_name: string
  readonly column_type: string
  readonly column_statistics: {
    readonly nan_count: number
    readonly nan_proportion: number
    readonly n_unique?: number
    readonly min?: unknown
    readonly max?: unknown
    readonly mean?: unknown
    readonly median?: unknown
    readonly histogram?: { readonly hist: readonly number[]; readonly bin_edges: readonly unknown[] } | null
    readonly frequencies?: Readonly<Record<string, number>>
    readonly approximate?: readonly string[]
  }
}

export function getProfile(id: string, signal: AbortSignal) {
  return json<{ readonly num_examples: number; readonly statistics: readonly ColumnStatistics[] }>(
    `${datasets}/${id}/profile`,
    { signal },
  )
}

export function runQuery(id: string, sql: string, signal: AbortSignal): Promise<RowPage> {
  return json(`${datasets}/${id}/query`, postJson({ sql }, signal))
}

export function readAgain(id: string, dialect: object, signal: AbortSignal): Promise<Receipt> {
  return json(`${datasets}/${id}/readings`, postJson({ dialect }, signal))
}

function postJson(body: object, signal: AbortSignal): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal }
}

/** The address of something below a dataset, for links and commands. */
export function datasetAddress(id: string, below = ''): string {
  return `${location.origin}${datasets}/${id}${below}`
}

/** Downloads with the key of this tab; without a key a plain link does the same and needs no memory. */
export async function download(path: string, fileName: string): Promise<void> {
  const blob = await (await request(path)).blob()
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}

export interface UploadProgress {
  readonly sentBytes: number
  readonly totalBytes: number
}

/** Sends a file. XMLHttpRequest, because fetch does not report how much has been sent. */
export function uploadFile(
  file: File,
  onProgress: (progress: UploadProgress) => void,
  signal: AbortSignal,
): Promise<Receipt> {
  return new Promise((resolve, reject) => {
    const transfer = new XMLHttpRequest()
    transfer.open('POST', '/qas/uploadCsv')
    for (const [name, value] of Object.entries(authorization())) transfer.setRequestHeader(name, value)
    transfer.responseType = 'json'
    transfer.upload.onprogress = ({ loaded, total }) => onProgress({ sentBytes: loaded, totalBytes: total })
    transfer.onload = () => {
      if (transfer.status === 200) resolve(transfer.response as Receipt)
      else reject(new ApiError(transfer.status, messageOf(transfer.response) ?? transfer.statusText))
    }
    transfer.onerror = () => reject(new ApiError(0, 'connection lost'))
    transfer.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => transfer.abort(), { once: true })
    const form = new FormData()
    form.append('file', file, file.name)
    transfer.send(form)
  })
}
