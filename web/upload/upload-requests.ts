// Upload requests: sends files to the service: small ones in one request, others by tus, which can continue after a break.
import type { DeclaredDialect } from '../../src/reading/reading.ts'
import { ApiError, authorization, errorOf, type Receipt, request } from '../api.ts'
import { ensureReadable } from './chosen-files.ts'

const path = '/qas/uploads'
const tus = { 'tus-resumable': '1.0.0' }

interface SendOptions {
  /** Bytes of the body so far. */
  readonly onSent: (bytes: number) => void
  readonly signal: AbortSignal
}

/** What the user says about a file. */
export interface Declarations {
  readonly dialect: DeclaredDialect
  readonly schema: object | null
}

/** As the parts of a form, or as metadata. */
function textsOf({ dialect, schema }: Declarations) {
  return {
    ...(Object.keys(dialect).length > 0 && { dialect: JSON.stringify(dialect) }),
    ...(schema !== null && { schema: JSON.stringify(schema) }),
  }
}

/** Sends a file, with its declarations, in one request. @throws {Unreadable} */
export async function sendWhole(file: File, declared: Declarations, options: SendOptions): Promise<Receipt> {
  const form = new FormData()
  for (const [name, text] of Object.entries(textsOf(declared))) form.append(name, text)
  form.append('file', file, file.name)
  const transfer = { method: 'POST', path: '/qas/uploadCsv', headers: {}, file, body: form }
  return (await transferred(transfer, options)) as Receipt // the shape that the service documents
}

/** Begins an upload to which bytes are added later. @returns its id. */
export async function beginUpload(file: File, declared: Declarations, signal: AbortSignal): Promise<string> {
  const texts = {
    filename: file.name,
    ...(file.type !== '' && { filetype: file.type }),
    ...textsOf(declared),
  }
  const metadata = Object.entries(texts).map(([name, text]) => `${name} ${base64(text)}`)
  const headers = { ...tus, 'upload-length': String(file.size), 'upload-metadata': metadata.join(',') }
  const response = await request(path, { method: 'POST', headers, signal })
  return response.headers.get('location')?.split('/').at(-1) ?? ''
}

/** Number of durable bytes of an upload. */
export async function uploadOffset(id: string, signal: AbortSignal): Promise<number> {
  const response = await request(`${path}/${id}`, { method: 'HEAD', headers: tus, signal })
  return Number(response.headers.get('upload-offset'))
}

/** Adds the bytes from the offset on; after an error, part of them may have been added. @throws {Unreadable} */
export function addBytes(id: string, file: File, offset: number, options: SendOptions): Promise<unknown> {
  const headers = {
    ...tus,
    'upload-offset': String(offset),
    'content-type': 'application/offset+octet-stream',
  }
  const body = file.slice(offset)
  return transferred({ method: 'PATCH', path: `${path}/${id}`, headers, file, body }, options)
}

interface Transfer {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The file that the body is read from. */
  readonly file: File
  readonly body: FormData | Blob
}

/** XMLHttpRequest, because fetch does not report upload progress. */
function transferred(
  { method, path: to, headers, file, body }: Transfer,
  { onSent, signal }: SendOptions,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const transfer = new XMLHttpRequest()
    transfer.open(method, to)
    for (const [name, value] of Object.entries({ ...headers, ...authorization() }))
      transfer.setRequestHeader(name, value)
    transfer.responseType = 'json'
    transfer.upload.onprogress = ({ loaded }) => onSent(loaded)
    transfer.onload = () => {
      if (transfer.status >= 200 && transfer.status < 300) resolve(transfer.response)
      else reject(errorOf(transfer.response, transfer))
    }
    // Browsers report a file that they cannot read like a broken connection.
    transfer.onerror = () => ensureReadable(file).then(() => reject(new ApiError(0, 'connection lost')), reject)
    transfer.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => transfer.abort(), { once: true })
    transfer.send(body)
  })
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
