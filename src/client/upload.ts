// Upload: sends one file as a form, waits for 100 Continue first, and reads the response whenever it arrives. Knows no terminal.
import { createHash, randomUUID } from 'node:crypto'
import { ClientError } from './client-error.ts'
import { jsonOf, successOf } from './http.ts'
import { sendBody, type Transfer } from './request-body.ts'
import { readAs, type SentReceipt, shapes } from './response-shapes.ts'
import { withRetries } from './retry.ts'

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

/**
 * Sends a file and resolves to its receipt. Retries if that may help: the same bytes make the same dataset, so nothing
 * is stored twice. The receipt's SHA-256 is that of the bytes sent.
 *
 * @throws {ClientError} and any error of reading the file.
 */
export async function sendFile(transfer: Transfer, file: OutgoingFile): Promise<SentReceipt> {
  const { rules, sending, signal } = transfer
  // What was read of an opened stream is lost.
  const mayRepeat = () => file.bytes !== null || sending.phase === 'asking'
  const sent = await withRetries(() => sendOnce(transfer, file), rules, sending, signal, mayRepeat)
  sending.phase = 'done'
  return sent
}

async function sendOnce(transfer: Transfer, file: OutgoingFile): Promise<SentReceipt> {
  const { sending, signal } = transfer
  sending.phase = 'asking'
  sending.sentBytes = 0
  const { headers, ...frame } = frameOf(file)
  const hash = createHash('sha256')
  const onChunk = (chunk: Uint8Array) => hash.update(chunk)
  const body = { ...frame, name: file.name, bytes: file.bytes, open: () => file.open(), onChunk }
  return await sendBody(transfer, { method: 'POST', path: '/qas/uploadCsv', headers }, body, async (pending) => {
    const receipt = readAs(shapes.receipt, await jsonOf(await successOf(await pending, signal), signal))
    if (receipt.file.sha256 === hash.digest('hex')) return receipt
    throw ClientError.of('wrong', 'The server received other bytes than were sent (SHA-256 differs)')
  })
}

function frameOf({ name, bytes, declared }: OutgoingFile) {
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
