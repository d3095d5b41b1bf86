// Upload: sends one file as a form, waits for 100 Continue first, and reads the response whenever it arrives. Knows no terminal.
import { createHash, randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { ClientError } from './client-error.ts'
import { answerOf, type Http, jsonOf, successOf } from './http.ts'
import { writeBody } from './request-body.ts'
import { readAs, type SentReceipt, shapes } from './response-shapes.ts'
import { type Attempts, type RetryRules, withRetries } from './retry.ts'

/** A file to send, or a stream of unknown length. */
export interface OutgoingFile {
  readonly name: string
  /** Null for a stream, which is sent chunked. */
  readonly bytes: number | null
  /** Returns the bytes from this offset on, up to `bytes` if that is known. A stream can be opened once, at 0. */
  open(from?: number): AsyncIterable<Uint8Array>
  /** Declarations about the file, as JSON text by part name: `dialect`, `schema`. Sent before the file. */
  readonly declared: ReadonlyMap<string, string>
}

/** The progress of an upload; changes while it is sent. */
export interface Sending extends Attempts {
  phase: 'asking' | 'sending' | 'waiting' | 'done'
  /** Bytes of the file, from its first byte. */
  sentBytes: number
  /** Of these, sent before this process began. */
  skippedBytes: number
}

/**
 * Sends a file and resolves to its receipt. Retries if that may help: the same bytes make the same dataset, so nothing
 * is stored twice. The receipt's SHA-256 is that of the bytes sent.
 *
 * @throws {ClientError} and any error of reading the file.
 */
export async function sendFile(
  http: Http,
  file: OutgoingFile,
  rules: RetryRules,
  sending: Sending,
  signal: AbortSignal,
): Promise<SentReceipt> {
  // What was read of an opened stream is lost.
  const mayRepeat = () => file.bytes !== null || sending.phase === 'asking'
  const sent = await withRetries(() => sendOnce(http, file, sending, signal), rules, sending, signal, mayRepeat)
  sending.phase = 'done'
  return sent
}

async function sendOnce(http: Http, file: OutgoingFile, sending: Sending, signal: AbortSignal): Promise<SentReceipt> {
  sending.phase = 'asking'
  sending.sentBytes = 0
  const frame = frameOf(file)
  const request = http.begin({ method: 'POST', path: '/qas/uploadCsv', headers: frame.headers }, signal)
  const answered = answerOf(request, http.url, signal)
  // It may reject while the body is being sent, before anyone awaits it.
  answered.catch(() => {})
  try {
    const hash = createHash('sha256')
    const isWhole = await writeBody(request, {
      ...frame,
      name: file.name,
      bytes: file.bytes,
      open: () => file.open(),
      onBegin: () => {
        sending.phase = 'sending'
      },
      onChunk: (chunk) => {
        hash.update(chunk)
        sending.sentBytes += chunk.length
      },
    })
    if (isWhole) sending.phase = 'waiting'
    const receipt = readAs(shapes.receipt, await jsonOf(await successOf(await answered, signal), signal))
    if (receipt.file.sha256 === hash.digest('hex')) return receipt
    throw new ClientError({
      kind: 'wrong',
      message: 'The server received other bytes than were sent (SHA-256 differs)',
    })
  } catch (error) {
    request.destroy()
    throw error
  }
}

interface Frame {
  readonly headers: OutgoingHttpHeaders
  readonly before: Buffer
  readonly behind: Buffer
}

function frameOf({ name, bytes, declared }: OutgoingFile): Frame {
  const boundary = `csv-upload-${randomUUID()}`
  const parts = [...declared].map(
    ([part, json]) => `--${boundary}\r\nContent-Disposition: form-data; name="${part}"\r\n\r\n${json}\r\n`,
  )
  const disposition = `form-data; name="file"; filename="${escapedName(name)}"`
  const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/csv\r\n\r\n`
  const before = Buffer.from(parts.join('') + head)
  const behind = Buffer.from(`\r\n--${boundary}--\r\n`)
  const length =
    bytes === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': before.length + bytes + behind.length }
  const type = `multipart/form-data; boundary=${boundary}`
  return { headers: { 'content-type': type, expect: '100-continue', ...length }, before, behind }
}

/** As browsers write it (WHATWG HTML, multipart form data): quotes and line ends as `%hh`, everything else as UTF-8. */
function escapedName(name: string): string {
  return name.replaceAll(/["\r\n]/g, (letter) => encodeURIComponent(letter)).replaceAll('\0', '')
}
