// Upload: sends one file as a form, waits for 100 Continue first, and reads the response whenever it arrives. Knows no terminal.
import { createHash, type Hash, randomUUID } from 'node:crypto'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { ClientError } from './client-error.ts'
import { answerOf, type Http, idleMsMax, jsonOf, successOf } from './http.ts'
import { type Attempts, type RetryRules, withRetries } from './retry.ts'
import { readReceipt, type SentReceipt } from './uploaded-receipt.ts'

/** A file to be sent, or a stream of unknown length. */
export interface OutgoingFile {
  readonly name: string
  /** Null for a stream, which is sent chunked. */
  readonly bytes: number | null
  /** Returns the bytes from the first on, `bytes` of them if that is known. A stream can be opened once. */
  open(): AsyncIterable<Uint8Array>
  /** What is declared about the file, as JSON text by part name: `dialect`, `schema`. Sent before the file. */
  readonly declared: ReadonlyMap<string, string>
}

/** The progress of an upload; changes while it is sent. */
export interface Sending extends Attempts {
  phase: 'asking' | 'sending' | 'waiting' | 'done'
  sentBytes: number
}

export interface SentFile {
  readonly receipt: SentReceipt
  /** The answer as received. */
  readonly json: unknown
}

/** A server that does not support `Expect` ignores it: after this time the body is sent anyway (RFC 9110 10.1.1). */
const continueMsMax = 1_000

/**
 * Sends a file and resolves to its receipt. It is sent again if that may help: the same bytes are the same
 * dataset, so nothing is kept twice. The receipt's SHA-256 is that of the bytes sent.
 *
 * @throws {ClientError} and what reading the file throws.
 */
export async function sendFile(
  http: Http,
  file: OutgoingFile,
  rules: RetryRules,
  sending: Sending,
  signal: AbortSignal,
): Promise<SentFile> {
  // What was read of an opened stream is gone.
  const mayRepeat = () => file.bytes !== null || sending.phase === 'asking'
  const sent = await withRetries(() => sendOnce(http, file, sending, signal), rules, sending, signal, mayRepeat)
  sending.phase = 'done'
  return sent
}

async function sendOnce(http: Http, file: OutgoingFile, sending: Sending, signal: AbortSignal): Promise<SentFile> {
  sending.phase = 'asking'
  sending.sentBytes = 0
  const frame = frameOf(file)
  const request = http.begin({ method: 'POST', path: '/qas/uploadCsv', headers: frame.headers }, signal)
  const answered = answerOf(request, http.url, signal)
  // It may reject while the body is being sent, before anyone awaits it.
  answered.catch(() => {})
  try {
    const hash = createHash('sha256')
    await sendBody(request, frame, file, hash, sending)
    const json = await jsonOf(await successOf(await answered, signal), signal)
    const receipt = readReceipt(json)
    if (receipt.file.sha256 === hash.digest('hex')) return { receipt, json }
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

/** As browsers write it (WHATWG HTML, multipart form data): a quote and line ends as `%hh`, everything else as UTF-8. */
function escapedName(name: string): string {
  return name.replaceAll(/["\r\n]/g, (letter) => encodeURIComponent(letter)).replaceAll('\0', '')
}

/** Writes the body, once the server wants it, until it is whole or an answer has come. */
async function sendBody(
  request: ClientRequest,
  { before, behind }: Frame,
  file: OutgoingFile,
  hash: Hash,
  sending: Sending,
): Promise<void> {
  const gate = new Gate(request)
  request.flushHeaders()
  await gate.wait('continue', continueMsMax)
  if (gate.isClosed) return
  sending.phase = 'sending'
  request.write(before)
  const chunks = file.open()[Symbol.asyncIterator]()
  for (let next = await gate.race(chunks.next()); next?.done === false; next = await gate.race(chunks.next())) {
    hash.update(next.value)
    sending.sentBytes += next.value.length
    if (!request.write(next.value) && !(await gate.wait('drain', idleMsMax))) {
      request.destroy(new Error('the server took nothing for 60 s'))
    }
  }
  // An endless stream may never yield another chunk: it is abandoned.
  if (gate.isClosed) void chunks.return?.()
  if (gate.isClosed) return
  if (file.bytes !== null && sending.sentBytes !== file.bytes) {
    throw new Error(`Cannot send ${file.name}: it became shorter while it was read`)
  }
  request.end(behind)
  sending.phase = 'waiting'
}

/** Waits for what starts the body, and notices what ends the request: an answer, early or not, or a failure. */
class Gate {
  isClosed = false
  readonly #request: ClientRequest
  #wake: (isOpen: boolean) => void = () => {}

  constructor(request: ClientRequest) {
    this.#request = request
    const close = () => {
      this.isClosed = true
      this.#wake(true)
    }
    request.once('response', (_answer: IncomingMessage) => close())
    request.once('close', close)
    request.once('error', close)
  }

  /** The value, or null once nothing more is to be sent. */
  race<Value>(promise: Promise<Value>): Promise<Value | null> {
    if (this.isClosed) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(null)
      promise.then(resolve, reject)
    })
  }

  /** Resolves on that event or when nothing more is to be sent; to false after `msMax`. */
  wait(event: 'continue' | 'drain', msMax: number): Promise<boolean> {
    if (this.isClosed) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(false), msMax)
      const onEvent = () => this.#wake(true)
      this.#wake = (isOpen) => {
        clearTimeout(timer)
        this.#request.off(event, onEvent)
        resolve(isOpen)
      }
      this.#request.once(event, onEvent)
    })
  }
}
