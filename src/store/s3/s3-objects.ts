// S3 objects: the few calls of object storage that the store needs, by the AWS SDK. Knows no dataset.

import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import {
  type $Command,
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientResolvedConfig,
  S3ServiceException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { ServiceError } from '../../core/errors.ts'
import type { BucketMeter } from '../../core/meter.ts'
import { type ReadBytes, readAhead } from '../../io/read-bytes.ts'
import type { StoreLogger } from '../store.ts'

export interface S3Options {
  readonly bucket: string
  /** Prefix of every key: empty, or ends with a slash. */
  readonly prefix: string
  /** URL of a server other than AWS. */
  readonly endpoint: string | null
  /** The bucket is part of the path instead of the host name. */
  readonly pathStyle: boolean
  /** Null for the one that the environment or the AWS profile sets. */
  readonly region: string | null
  /**
   * Time for one call with all its attempts, in milliseconds; default a minute, in which 8 MB pass at 140 KB/s. What is
   * read in chunks must begin within this time.
   */
  readonly callMsMax?: number
  /** Called when the server refuses requests, at most every ten seconds. */
  readonly logger?: StoreLogger
  readonly meter?: BucketMeter
}

/** An object that was found. */
export interface FoundObject {
  readonly bytes: number
  readonly etag: string
}

/** A whole small object. */
export interface SmallObject {
  readonly body: Buffer
  readonly etag: string
  /** When it was last written, by the clock of the server; up to a second more. Epoch milliseconds. */
  readonly modifiedAt: number
}

/** Condition of a write: that no such object exists yet, or that it is still this one. */
export type Condition = { readonly kind: 'absent' } | { readonly kind: 'same'; readonly etag: string }

/** How often a request is sent until it is answered. The SDK waits longer each time, with jitter. */
const attemptsMax = 5
const connectMsMax = 5_000
const deletedAtOnceMax = 1_000
/** A slower response says too little about the clock of the server; a smaller difference does no harm. Milliseconds. */
const clockMsMin = 2_000
/** Refusals are logged at most this often. Milliseconds. */
const refusalLogMsMin = 10_000

/** Objects of one bucket below one prefix. Every method throws `ServiceError` STORE_UNAVAILABLE or STORE_FAILED only. */
export class S3Objects {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string
  readonly #callMsMax: number
  readonly #logger: StoreLogger | undefined
  readonly #meter: BucketMeter | undefined
  #refusals = 0
  #refusalLoggedAt = Number.NEGATIVE_INFINITY
  /** How far the clock of the server is ahead of this one; 0 if by less than two seconds. Milliseconds. */
  clockMs = 0
  /** False if `deleteSame` does nothing, for a server that ignores `If-Match` there. */
  deletesIfMatch = true

  constructor({ bucket, prefix, endpoint, pathStyle, region, callMsMax = 60_000, logger, meter }: S3Options) {
    this.#bucket = bucket
    this.#logger = logger
    this.#meter = meter
    this.#prefix = prefix
    this.#callMsMax = callMsMax
    // Servers other than AWS rarely know regions, but the SDK always signs for one.
    const ownRegion = region ?? (endpoint === null ? null : 'us-east-1')
    this.#client = new S3Client({
      forcePathStyle: pathStyle,
      maxAttempts: attemptsMax,
      // A lost response leaves time for another attempt: 30 s without a byte are half of the default minute.
      requestHandler: {
        connectionTimeout: connectMsMax,
        socketTimeout: callMsMax / 2,
        // Each slow download holds a connection: with a limit, as many of them would stop all other calls.
        httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
        httpsAgent: { maxSockets: Number.POSITIVE_INFINITY },
      },
      // We compute checksums ourselves, with Node's CRC-32; blocks are verified when they are read in any case.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== null && { endpoint }),
      ...(ownRegion !== null && { region: ownRegion }),
    })
    this.#watchResponses()
  }

  /** Epoch milliseconds by the clock of the server, which all its clients share. */
  now(): number {
    return Date.now() + this.clockMs
  }

  /**
   * Writes a whole object, and returns its ETag. For a conditional write whose response was lost or late, the object
   * itself shows the outcome: null only if it is another one.
   */
  async put(key: string, body: Uint8Array, condition?: Condition, ended?: AbortSignal): Promise<string | null> {
    const conditions = condition && (condition.kind === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.etag })
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: body,
      ContentLength: body.length,
      ChecksumCRC32: crc32Text(body),
      ...conditions,
    })
    for (let attempt = 1; ; attempt += 1) {
      try {
        const reply = await this.#send(command, ended)
        return reply.ETag ?? ''
      } catch (error) {
        // 404: there is no object that could still be the same.
        const isRefused = isPreconditionFailure(error) || (condition?.kind === 'same' && isMissing(error))
        if (condition === undefined || ended?.aborted) throw toStoreError(error)
        const found = await this.get(key)
        if (found !== null && Buffer.compare(found.body, body) === 0) return found.etag
        if (!isRefused) throw toStoreError(error)
        if (found !== null) return null
        // Deleted in the meantime, or another writer was about to write it and did not.
        if (condition.kind === 'same' || attempt === attemptsMax) return null
      }
    }
  }

  /** A whole small object; null if there is none. */
  async get(key: string): Promise<SmallObject | null> {
    const whole = async (signal: AbortSignal) => {
      for (let attempt = 1; ; attempt += 1) {
        const reply = await this.#client.send(new GetObjectCommand(this.#at(key)), { abortSignal: signal })
        try {
          const body = Buffer.concat(await Array.fromAsync(reply.Body as Readable))
          // It has whole seconds, rounded down.
          const modifiedAt = (reply.LastModified?.getTime() ?? this.now()) + 999
          return { body, etag: reply.ETag ?? '', modifiedAt }
        } catch (error) {
          // The SDK sends a request again only until its response begins.
          if (signal.aborted || attempt === attemptsMax) throw error
        }
      }
    }
    return await this.#call(whole).catch(nullIfMissing)
  }

  /** Bytes start … end-1 of an object, if it still has that `etag`; else null. */
  async read(key: string, start: number, end: number, etag?: string): Promise<AsyncIterable<Uint8Array> | null> {
    const Range = `bytes=${start}-${Number.isFinite(end) ? end - 1 : ''}`
    const command = new GetObjectCommand({ ...this.#at(key), Range, ...(etag !== undefined && { IfMatch: etag }) })
    try {
      const reply = await this.#send(command)
      return reply.Body as Readable
    } catch (error) {
      if (isMissing(error) || isPreconditionFailure(error)) return null
      throw toStoreError(error)
    }
  }

  /** The facts of an object; null if there is none. */
  async head(key: string): Promise<FoundObject | null> {
    const reply = await this.#send(new HeadObjectCommand(this.#at(key))).catch(nullIfMissing)
    return reply && { bytes: reply.ContentLength ?? 0, etag: reply.ETag ?? '' }
  }

  /** Keys with this prefix, in order, starting after `after`; without the prefix of the store. */
  async *list(keyPrefix: string, after?: string): AsyncGenerator<string> {
    for await (const keys of this.listPages(keyPrefix, after)) yield* keys
  }

  /** Like `list`, at most 1,000 at a time. */
  async *listPages(keyPrefix: string, after?: string): AsyncGenerator<readonly string[]> {
    for await (const { Contents = [] } of this.#pages(keyPrefix, { after }))
      yield Contents.map(({ Key = '' }) => Key.slice(this.#prefix.length))
  }

  /** Like `list`, with the size of each object in bytes. */
  async *listSizes(keyPrefix: string): AsyncGenerator<{ readonly key: string; readonly bytes: number }> {
    for await (const { Contents = [] } of this.#pages(keyPrefix)) {
      for (const { Key = '', Size = 0 } of Contents) yield { key: Key.slice(this.#prefix.length), bytes: Size }
    }
  }

  /** What keys below a prefix, which ends with a slash, have before the next slash; each once. */
  async *listFolders(keyPrefix: string): AsyncGenerator<string> {
    for await (const { CommonPrefixes = [] } of this.#pages(keyPrefix, { delimiter: '/' })) {
      for (const { Prefix = '' } of CommonPrefixes) yield Prefix.slice(this.#prefix.length + keyPrefix.length, -1)
    }
  }

  async *#pages(keyPrefix: string, { after, delimiter }: { after?: string | undefined; delimiter?: string } = {}) {
    let token: string | undefined
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: this.#prefix + keyPrefix,
        ContinuationToken: token,
        Delimiter: delimiter,
        ...(token === undefined && after !== undefined && { StartAfter: this.#prefix + after }),
      })
      const page = await this.#send(command).catch(throwStoreError)
      yield page
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  /** Deletes objects; missing ones are not a failure. Where the server had an internal error, it is asked once more. */
  async delete(keys: readonly string[], isLast = false): Promise<void> {
    for (let from = 0; from < keys.length; from += deletedAtOnceMax) {
      const Objects = keys.slice(from, from + deletedAtOnceMax).map((key) => ({ Key: this.#prefix + key }))
      const command = new DeleteObjectsCommand({
        Bucket: this.#bucket,
        Delete: { Objects, Quiet: true },
        ChecksumAlgorithm: 'CRC32',
      })
      const reply = await this.#send(command).catch(throwStoreError)
      const errors = reply.Errors ?? []
      const [failed] = errors
      if (failed !== undefined && !isLast && errors.every(({ Code }) => Code === 'InternalError')) {
        await this.delete(
          errors.map(({ Key = '' }) => Key.slice(this.#prefix.length)),
          true,
        )
      } else if (failed !== undefined)
        throw new ServiceError('STORE_FAILED', {}, new Error(`${failed.Code}: ${failed.Key}`))
    }
  }

  /** Deletes an object if it is still this one, and the server compares that. True unless there is another one. */
  async deleteSame(key: string, etag: string): Promise<boolean> {
    if (!this.deletesIfMatch) return true
    const command = new DeleteObjectCommand({ ...this.#at(key), IfMatch: etag })
    try {
      await this.#send(command)
    } catch (error) {
      if (!isMissing(error)) return isPreconditionFailure(error) ? false : throwStoreError(error)
    }
    return true
  }

  /** Begins an object that is written in parts. */
  async multipart(key: string): Promise<S3Multipart> {
    const command = new CreateMultipartUploadCommand({ ...this.#at(key), ChecksumAlgorithm: 'CRC32' })
    const { UploadId } = await this.#send(command).catch(throwStoreError)
    const at = { ...this.#at(key), UploadId }
    const parts = new Map<number, { ETag: string | undefined; ChecksumCRC32: string; bytes: number }>()
    return {
      add: async (PartNumber, body, ended) => {
        const ChecksumCRC32 = crc32Text(body)
        const part = new UploadPartCommand({ ...at, PartNumber, Body: body, ContentLength: body.length, ChecksumCRC32 })
        const { ETag } = await this.#send(part, ended).catch(throwStoreError)
        parts.set(PartNumber, { ETag, ChecksumCRC32, bytes: body.length })
      },
      complete: async () => {
        const listed = [...parts].toSorted(([a], [b]) => a - b)
        const Parts = listed.map(([PartNumber, { ETag, ChecksumCRC32 }]) => ({ PartNumber, ETag, ChecksumCRC32 }))
        const whole = new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts } })
        const bytes = listed.reduce((sum, [, part]) => sum + part.bytes, 0)
        try {
          await this.#send(whole)
        } catch (error) {
          // The response to an earlier attempt may have been lost: nobody else writes to this key.
          if ((await this.head(key))?.bytes !== bytes) throw toStoreError(error)
        }
      },
      abort: async () => {
        await this.#send(new AbortMultipartUploadCommand(at)).catch(throwStoreError)
      },
    }
  }

  /**
   * Aborts unfinished multipart uploads of the keys that are meant, begun before a time, in epoch milliseconds. Returns
   * their number.
   */
  async abortMultiparts(before: number, isMeant: (key: string) => boolean): Promise<number> {
    let count = 0
    let next: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | null = {}
    while (next !== null) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket: this.#bucket,
        Prefix: this.#prefix,
        ...next,
      })
      const page = await this.#send(command).catch(throwStoreError)
      const old = (page.Uploads ?? []).filter(
        ({ Key = '', Initiated }) =>
          isMeant(Key.slice(this.#prefix.length)) && (Initiated?.getTime() ?? before) < before,
      )
      for (const { Key, UploadId } of old) {
        const abort = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId })
        // One that has just been completed is not a failure.
        await this.#send(abort).catch(() => {})
      }
      count += old.length
      next = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null
    }
    return count
  }

  close(): void {
    this.#client.destroy()
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + key }
  }

  /**
   * Counts requests, learns the difference of the clocks, and makes the SDK send a request again that got 409: it was
   * not carried out, because another one was changing the same object, or, in a server that keeps objects as files, was
   * removing the directory of the new one.
   */
  #watchResponses(): void {
    const stack = this.#client.middlewareStack
    const step = { step: 'deserialize', priority: 'high' } as const
    stack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const sentAt = Date.now()
          const operation = commandName.replace(/Command$/, '')
          const sent = (args.request as HttpMessage | undefined)?.headers ?? {}
          const count = (status: number | undefined, received: HttpMessage['headers'] = {}) =>
            this.#meter?.requested({
              operation,
              status: status ?? null,
              isRetry: /^attempt=(?!1;)/.test(sent['amz-sdk-request'] ?? ''),
              sentBytes: Number(sent['content-length'] ?? 0),
              // A response to HEAD has the length, and no body.
              receivedBytes: operation === 'HeadObject' ? 0 : Number(received['content-length'] ?? 0),
              durationMs: Date.now() - sentAt,
            })
          try {
            const result = await next(args)
            const { headers = {}, statusCode } = result.response as HttpMessage
            count(statusCode, headers)
            const aheadMs = Date.parse(headers.date ?? '') + 500 - Date.now()
            const isPrompt = Math.abs(Date.now() - sentAt) < clockMsMin
            if (isPrompt && Math.abs(aheadMs - this.clockMs) > clockMsMin) this.clockMs = aheadMs
            return result
          } catch (error) {
            if (!isAbort(error)) count(statusOf(error))
            operations.set(error as Error, operation)
            if (error instanceof S3ServiceException && statusOf(error) === 409) error.$retryable = { throttling: false }
            if (isAway(error) && !isAbort(error)) this.#noteRefusal(operation, error)
            throw error
          }
        },
      step,
    )
  }

  /** @param ended Aborted when the response is no longer wanted. */
  #send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
    ended?: AbortSignal,
  ): Promise<Output> {
    return this.#call((abortSignal) => this.#client.send(command, { abortSignal }), ended)
  }

  async #call<Result>(send: (signal: AbortSignal) => Promise<Result>, ended?: AbortSignal): Promise<Result> {
    const late = new AbortController()
    const timer = setTimeout(() => {
      late.abort(new Error('no response in time'))
      this.#noteRefusal('call', late.signal.reason)
    }, this.#callMsMax)
    try {
      return await send(ended === undefined ? late.signal : AbortSignal.any([late.signal, ended]))
    } finally {
      clearTimeout(timer)
    }
  }

  #noteRefusal(operation: string, err: unknown): void {
    this.#refusals += 1
    if (performance.now() - this.#refusalLoggedAt < refusalLogMsMin) return
    this.#refusalLoggedAt = performance.now()
    const facts = { operation, status: statusOf(err), err, refusals: this.#refusals }
    this.#logger?.warn(facts, 'the object storage refuses requests or does not answer')
    this.#refusals = 0
  }
}

/** What is read of the requests and responses of the HTTP handler. */
interface HttpMessage {
  readonly headers?: Readonly<Record<string, string>>
  readonly statusCode?: number
}

/** An object that is written in parts, each but the last of at least 5 MB. */
export interface S3Multipart {
  /**
   * Adds or replaces the part of a number from 1 on, in any order. The caller may reuse the body once this resolves.
   */
  add(number: number, body: Uint8Array, ended: AbortSignal): Promise<void>
  /** Makes the object appear; durable when it resolves. */
  complete(): Promise<void>
  /** Drops the parts. */
  abort(): Promise<void>
}

/** In the format of S3: big-endian, in base64. */
function crc32Text(bytes: Uint8Array): string {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(bytes))
  return checksum.toString('base64')
}

/** The HTTP status of a response of the server. */
function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

/** 404; 416 is the response to a range beyond the end of an object, which is then another object. */
function isMissing(error: unknown): boolean {
  const status = statusOf(error)
  return (status === 404 || status === 416) && !(error instanceof S3ServiceException && error.name === 'NoSuchBucket')
}

function nullIfMissing(error: unknown): null {
  return isMissing(error) ? null : throwStoreError(error)
}

/** 412; 409 is the response of a server that is deciding between two writers (ConditionalRequestConflict). */
function isPreconditionFailure(error: unknown): boolean {
  const status = statusOf(error)
  return status === 412 || status === 409
}

/** No response, or one that asks to come back later; 501 is that to a call that the server does not know. */
export function isAway(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || (status >= 500 && status !== 501) || status === 429
}

/** The call that an error of the SDK comes from. */
const operations = new WeakMap<object, string>()

/** That call; that of a deletion whose response lists keys that could not be deleted. */
export function operationOf(error: unknown): string {
  return operations.get(Object(error)) ?? 'DeleteObjects'
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** The error that callers of the store get. */
function toStoreError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const status = statusOf(error)
  if (status === 403 || status === 401) return unavailable('access to it is denied', error)
  if (status === 404) return unavailable('its bucket does not exist', error)
  if (status === 409) return unavailable('other requests change the same objects', error)
  if (isAway(error)) return unavailable('it does not answer', error)
  return new ServiceError('STORE_FAILED', {}, error)
}

function throwStoreError(error: unknown): never {
  throw toStoreError(error)
}

function unavailable(problem: string, cause: unknown): ServiceError {
  return new ServiceError('STORE_UNAVAILABLE', { problem }, cause)
}

interface ObjectRange {
  readonly key: string
  readonly etag: string
  readonly start: number
  readonly end: number
  /** Called if the object is missing; throws if that is no damage. */
  readonly check?: () => Promise<unknown>
}

/** How often a broken response is requested again, from where it broke, without getting any further. */
const resumesMax = 5
/** Reads close to each other are served by one request. Bytes. */
const readAheadBytes = 1_048_576

/**
 * Bytes start … end-1. @throws {ServiceError} STORE_UNAVAILABLE; DATASET_DAMAGED if another object has replaced this
 * one
 */
export async function* readFrom(objects: S3Objects, range: ObjectRange): AsyncGenerator<Uint8Array> {
  const { key, etag, end } = range
  let at = range.start
  let resumes = 0
  while (at < end) {
    const from = at
    let failure: unknown = null
    const chunks = await objects.read(key, at, end, etag)
    if (chunks === null) {
      await range.check?.()
      throw new ServiceError('DATASET_DAMAGED', { name: nameOf(key) })
    }
    try {
      for await (const chunk of chunks) {
        at += chunk.length
        // The receiver owns the chunk, and may release it.
        yield Buffer.from(chunk)
      }
    } catch (error) {
      failure = error
    }
    // While a receiver takes its time, connections break any number of times.
    resumes = at > from ? 0 : resumes + 1
    if (resumes > resumesMax) {
      throw new ServiceError('STORE_UNAVAILABLE', { problem: 'it does not answer' }, failure)
    }
  }
}

/** Reads at any position; each read is a request, unless the last one fetched the bytes. */
export function readsOf(
  objects: S3Objects,
  { bytes, ...object }: Omit<ObjectRange, 'start' | 'end'> & { readonly bytes: number },
): ReadBytes {
  const read: ReadBytes = async (start, length) => {
    const range = { ...object, start, end: Math.min(start + length, bytes) }
    return Buffer.concat(await Array.fromAsync(readFrom(objects, range)))
  }
  return readAhead(read, readAheadBytes)
}

/** Writes an object to a new file; false if there is none. */
export async function fetchFile(objects: S3Objects, key: string, path: string): Promise<boolean> {
  const found = await objects.head(key)
  if (found === null) return false
  const chunks = readFrom(objects, { key, etag: found.etag, start: 0, end: found.bytes })
  await pipeline(chunks, createWriteStream(path, { mode: 0o600 }))
  return true
}

function nameOf(key: string): string {
  return key.split('/').slice(3).join('/')
}
