// Resumable upload: sends one file by tus, and after a break continues where the server left off. Knows no terminal.
import { createHash } from 'node:crypto'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFinished } from '../core/upload-status.ts'
import { ClientError, type Failure, isTransient } from './client-error.ts'
import { type Ask, idleMsMax, successOf } from './http.ts'
import { type SendProgress, sendBody, type Transfer } from './request-body.ts'
import { failureOf, readAs, type SentReceipt, type SentStatus, shapes } from './response-shapes.ts'
import { withRetries } from './retry.ts'
import type { OutgoingFile } from './upload.ts'

/** A file that can be read from any offset. */
export interface SeekableFile extends OutgoingFile {
  readonly bytes: number
}

export interface ResumeOptions {
  /** The id of an upload that was begun before; null to begin one. */
  readonly id: string | null
  /** Called when an upload begins: from then on it can be continued by its id. */
  onBegun(id: string): Promise<void>
  /** Without a response for this long, the connection is considered dead; default a minute. Milliseconds. */
  readonly responseMsMax?: number
}

const uploadsPath = '/qas/uploads'
const tus = { 'tus-resumable': '1.0.0' } as const
/** Declarations are sent in a header, of which servers accept 16 KB in total. */
const metadataLengthMax = 8_000
/** How long a server delays a response, at most. Seconds. */
const waitSeconds = 20

/** Codes that do not end the upload: its sender lacks a key, or another sender has it. */
const othersMatter = /\.Upload(?:TakenOver|OffsetMismatch)Exception$/

/** True if an upload that failed this way cannot be continued. */
export function endsUpload(failure: Failure): boolean {
  if (failure.kind === 'wrong') return true
  if (failure.kind !== 'refused' || isTransient(failure)) return false
  if (failure.status === 401 || failure.status === 403) return false
  return !othersMatter.test(failure.record?.exception ?? '')
}

/**
 * Sends a file, in as many requests as necessary, and resolves to its receipt; null if the server has no place
 * for another one, which may accept the whole file in one request. Attempts are counted from zero whenever the server has received more bytes.
 *
 * @throws {ClientError} and any error of reading the file.
 */
export async function sendResumable(
  transfer: Transfer,
  file: SeekableFile,
  resuming: ResumeOptions,
): Promise<SentReceipt | null> {
  if (metadataOf(file).length > metadataLengthMax) return null
  const { http, rules, sending, signal } = transfer
  if (resuming.id !== null) http.hasConnected = true
  const one = new ResumableSend(transfer, file, resuming)
  const sent = await withRetries(() => one.attempt(), rules, sending, signal)
  if (sent !== null) sending.phase = 'done'
  return sent
}

class ResumableSend {
  readonly #transfer: Transfer
  readonly #file: SeekableFile
  readonly #resuming: ResumeOptions
  readonly #sending: SendProgress
  readonly #responseMsMax: number
  readonly #hash: ReturnType<typeof fileHash>
  #id: string | null
  /** Number of bytes that the server is known to have. */
  #takenBytes = 0

  constructor(transfer: Transfer, file: SeekableFile, resuming: ResumeOptions) {
    this.#transfer = transfer
    this.#file = file
    this.#resuming = resuming
    this.#sending = transfer.sending
    this.#responseMsMax = resuming.responseMsMax ?? idleMsMax
    this.#hash = fileHash(file, transfer.signal)
    this.#id = resuming.id
  }

  async attempt(): Promise<SentReceipt | null> {
    this.#sending.phase = 'asking'
    if (this.#id !== null) {
      const offset = await this.#offset(this.#id)
      if (offset !== null) return await this.#sendFrom(this.#id, offset)
    }
    const id = await this.#begin()
    if (id === null) return null
    this.#id = id
    this.#takenBytes = 0
    await this.#resuming.onBegun(id)
    return await this.#sendFrom(id, 0)
  }

  /** Null if the server has no place for another one. */
  async #begin(): Promise<string | null> {
    const headers = {
      ...tus,
      'upload-length': this.#file.bytes,
      'upload-metadata': metadataOf(this.#file),
    }
    try {
      const response = await this.#ask({ method: 'POST', path: uploadsPath, headers, body: '' })
      // The address may differ behind a proxy; only the id counts.
      return /\/qas\/uploads\/([\w-]{1,100})$/.exec(response.headers.location ?? '')?.[1] ?? null
    } catch (error) {
      if (error instanceof ClientError && hasNoPlace(error.failure)) return null
      throw error
    }
  }

  /** The offset to continue at; null if the upload is gone. */
  async #offset(id: string): Promise<number | null> {
    try {
      const response = await this.#ask({ method: 'HEAD', path: `${uploadsPath}/${id}`, headers: tus })
      const offset = Number(response.headers['upload-offset'] ?? 'none')
      if (!Number.isSafeInteger(offset) || offset < 0 || offset > this.#file.bytes) {
        throw ClientError.of('wrong', 'Cannot continue the upload: the server names no offset')
      }
      if (offset > this.#takenBytes) this.#sending.attempt = 1
      this.#takenBytes = Math.max(offset, this.#takenBytes)
      return offset
    } catch (error) {
      if (!isGone(error)) throw error
      // A response to HEAD has no body with the reason.
      const status = await this.#status(id).catch((problem) => (isGone(problem) ? null : Promise.reject(problem)))
      if (status === null || status.phase === 'expired') return null
      throw new ClientError(failureOf(status))
    }
  }

  async #sendFrom(id: string, offset: number): Promise<SentReceipt> {
    const { bytes, name } = this.#file
    const sending = this.#sending
    if (!this.#hash.covers(offset)) sending.skippedBytes = offset
    sending.sentBytes = offset
    await this.#hash.readTo(offset)
    if (offset === bytes) return await this.#ended(id)
    const headers = {
      ...tus,
      'content-type': 'application/offset+octet-stream',
      'content-length': bytes - offset,
      'upload-offset': offset,
      expect: '100-continue',
    }
    const body = {
      before: new Uint8Array(),
      behind: new Uint8Array(),
      bytes: bytes - offset,
      name,
      open: () => this.#file.open(offset),
      onChunk: (chunk: Uint8Array, at: number) => this.#hash.add(at, chunk),
    }
    const ask = { method: 'PATCH', path: `${uploadsPath}/${id}`, headers } as const
    return await sendBody(this.#transfer, ask, body, (pending, request) => this.#finished(id, request, pending))
  }

  /** Waits for the end of an upload whose bytes have all arrived, and resolves to its receipt. */
  async #ended(id: string): Promise<SentReceipt> {
    this.#sending.sentBytes = this.#file.bytes
    this.#sending.phase = 'waiting'
    let status = await this.#status(id)
    while (!isFinished(status)) status = await this.#status(id)
    if (status.datasetId === null) throw new ClientError(failureOf(status))
    const receipt = readAs(shapes.receipt, await this.#json(`/qas/datasets/${status.datasetId}`))
    await this.#hash.readTo(this.#file.bytes)
    if (receipt.file.sha256 === this.#hash.digest()) return asAnswered(receipt, status)
    throw ClientError.of('wrong', 'The server received other bytes than the file has (SHA-256 differs)')
  }

  async #status(id: string): Promise<SentStatus> {
    return readAs(shapes.status, await this.#json(`${uploadsPath}/${id}`, { prefer: `wait=${waitSeconds}` }))
  }

  #json(path: string, headers: OutgoingHttpHeaders = {}): Promise<unknown> {
    return this.#inTime((signal) => this.#transfer.http.json({ method: 'GET', path, headers }, signal))
  }

  async #ask(ask: Ask): Promise<IncomingMessage> {
    return (await this.#inTime((signal) => this.#transfer.http.ask(ask, signal))).resume()
  }

  /** Converting may take long; but a silent connection may also be dead, and the upload may have ended. */
  async #finished(id: string, request: ClientRequest, pending: Promise<IncomingMessage>): Promise<SentReceipt> {
    for (;;) {
      const response = await Promise.race([pending, sleep(this.#responseMsMax, null, { ref: false })])
      if (response !== null) (await successOf(response, this.#transfer.signal)).resume()
      else if (!isFinished(await this.#status(id))) continue
      else request.destroy()
      return await this.#ended(id)
    }
  }

  async #inTime<Value>(action: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const late = AbortSignal.timeout(this.#responseMsMax)
    try {
      return await action(AbortSignal.any([this.#transfer.signal, late]))
    } catch (error) {
      this.#transfer.signal.throwIfAborted()
      if (!late.aborted) throw error
      const seconds = this.#responseMsMax / 1_000
      throw ClientError.of('cut', `Cannot get an answer: none came within ${seconds} s`, error)
    }
  }
}

/** The hash of a file. Each byte is hashed once, however often it is sent. */
function fileHash(file: SeekableFile, signal: AbortSignal) {
  const hash = createHash('sha256')
  let bytes = 0
  const add = (offset: number, chunk: Uint8Array) => {
    const isNew = offset + chunk.length > bytes
    if (!isNew) return
    hash.update(chunk.subarray(bytes - offset))
    bytes = offset + chunk.length
  }
  return {
    add,
    covers: (offset: number) => bytes >= offset,
    /** Reads the bytes before an offset that have not been hashed yet. */
    async readTo(offset: number): Promise<void> {
      if (bytes >= offset) return
      let at = bytes
      for await (const chunk of file.open(at)) {
        signal.throwIfAborted()
        const taken = chunk.subarray(0, offset - at)
        add(at, taken)
        at += taken.length
        if (at >= offset) return
      }
    },
    digest: () => hash.copy().digest('hex'),
  }
}

/** The receipt of a dataset, with the members that the response to an upload in one request has as well. */
function asAnswered({ id, ...facts }: SentReceipt, status: SentStatus): SentReceipt {
  const { fileName, createdAt: receivedAt, updatedAt, outcome } = status
  const upload = { id: status.id, fileName, receivedAt, durationMs: updatedAt - receivedAt, outcome }
  return { id, duplicate: outcome !== 'new', upload, ...facts }
}

function metadataOf({ name, declared }: OutgoingFile): string {
  const pairs = [['filename', name] as const, ['filetype', 'text/csv'] as const, ...declared]
  return pairs.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(',')
}

/** Such a server may accept the whole file in one request. */
function hasNoPlace(failure: Failure): boolean {
  return failure.kind === 'refused' && failure.record?.exception.endsWith('.TooManyUnfinishedException') === true
}

function isGone(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.failure.kind !== 'refused') return false
  return error.failure.status === 404 || error.failure.status === 410
}
