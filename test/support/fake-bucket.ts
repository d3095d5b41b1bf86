// Fake bucket: the objects of an S3 server in memory, as strict as S3: every read sees the last write, conditions are
// compared with it, and keys are listed in the order of their bytes. The contract of all stores holds in it, too.
import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { S3ServiceException } from '@aws-sdk/client-s3'

/** A command of the SDK, by the name of its class. */
export interface Command {
  readonly constructor: { readonly name: string }
  readonly input: object
}

/** The fields that are read of the input of any command. */
interface Input {
  readonly Key?: string
  readonly Prefix?: string
  readonly Body?: Uint8Array
  readonly IfMatch?: string
  readonly IfNoneMatch?: string
  readonly Range?: string
  readonly StartAfter?: string
  readonly ContinuationToken?: string
  readonly MaxKeys?: number
  readonly Delimiter?: string
  readonly Delete?: { readonly Objects: readonly { readonly Key: string }[] }
  readonly UploadId?: string
  readonly PartNumber?: number
  readonly MultipartUpload?: { readonly Parts: readonly { readonly PartNumber: number; readonly ETag: string }[] }
}

interface StoredObject {
  readonly body: Buffer
  readonly etag: string
  readonly modified: Date
}

interface Multipart {
  readonly key: string
  readonly begun: Date
  readonly parts: Map<number, { readonly body: Buffer; readonly etag: string }>
}

const pageKeys = 1_000

export class FakeBucket {
  readonly objects = new Map<string, StoredObject>()
  readonly multiparts = new Map<string, Multipart>()
  /** Carries out a command. @throws {S3ServiceException} as the SDK does */
  send(command: Command): object {
    const { name } = command.constructor
    const input = command.input as Input // each command has some of these fields
    const call = this.#calls[name]
    if (call === undefined) throw new Error(`the fake bucket has no ${name}`)
    return call(input)
  }

  /** Writes or removes an object as no client of the service does. */
  set(key: string, body: Uint8Array | null, etag?: string): void {
    const modified = new Date(Date.now())
    if (body === null) this.objects.delete(key)
    else this.objects.set(key, { body: Buffer.from(body), etag: etag ?? etagOf(body), modified })
  }

  readonly #calls: Readonly<Record<string, (input: Input) => object>> = {
    PutObjectCommand: (input) => {
      this.#compare(input)
      this.set(input.Key!, input.Body!)
      return { ETag: this.objects.get(input.Key!)?.etag }
    },
    GetObjectCommand: (input) => {
      const { body, etag, modified } = this.#found(input, 'NoSuchKey')
      const [, start = '0', end = ''] = /^bytes=(\d+)-(\d*)$/.exec(input.Range ?? '') ?? []
      if (input.Range !== undefined && Number(start) >= body.length) throw refusal('InvalidRange', 416)
      const bytes = body.subarray(Number(start), end === '' ? body.length : Number(end) + 1)
      const Body = Readable.from(bytes.length === 0 ? [] : [bytes])
      return { Body, ContentLength: bytes.length, ETag: etag, LastModified: wholeSeconds(modified) }
    },
    HeadObjectCommand: (input) => {
      const { body, etag, modified } = this.#found(input, 'NotFound')
      return { ContentLength: body.length, ETag: etag, LastModified: wholeSeconds(modified) }
    },
    DeleteObjectCommand: (input) => {
      if (this.objects.has(input.Key!)) this.#compare(input)
      this.set(input.Key!, null)
      return {}
    },
    DeleteObjectsCommand: (input) => {
      for (const { Key } of input.Delete?.Objects ?? []) this.set(Key, null)
      return {}
    },
    ListObjectsV2Command: (input) => {
      const { Prefix = '', StartAfter = '', ContinuationToken, MaxKeys = pageKeys, Delimiter } = input
      const keys = [...this.objects.keys()].filter((key) => key.startsWith(Prefix)).sort()
      const folderOf = (key: string) => {
        const end = Delimiter === undefined ? -1 : key.indexOf(Delimiter, Prefix.length)
        return end < 0 ? null : key.slice(0, end + 1)
      }
      const names = [...new Set(keys.map((key) => folderOf(key) ?? key))]
      const rest = names.filter((name) => name > (ContinuationToken ?? StartAfter))
      const page = rest.slice(0, MaxKeys)
      const Contents = page.flatMap((Key) => {
        const found = this.objects.get(Key)
        return found === undefined
          ? []
          : [{ Key, Size: found.body.length, ETag: found.etag, LastModified: found.modified }]
      })
      const CommonPrefixes = page.filter((name) => !this.objects.has(name)).map((one) => ({ Prefix: one }))
      const IsTruncated = rest.length > page.length
      return { Contents, CommonPrefixes, IsTruncated, NextContinuationToken: IsTruncated ? page.at(-1) : undefined }
    },
    CreateMultipartUploadCommand: ({ Key }) => {
      const UploadId = randomUUID()
      this.multiparts.set(UploadId, { key: Key!, begun: new Date(Date.now()), parts: new Map() })
      return { UploadId }
    },
    UploadPartCommand: (input) => {
      const body = Buffer.from(input.Body!)
      const etag = etagOf(body)
      this.#multipart(input).parts.set(input.PartNumber!, { body, etag })
      return { ETag: etag }
    },
    CompleteMultipartUploadCommand: (input) => {
      const { key, parts } = this.#multipart(input)
      const wanted = (input.MultipartUpload?.Parts ?? []).map(({ PartNumber, ETag }) => {
        const part = parts.get(PartNumber)
        if (part?.etag !== ETag) throw refusal('InvalidPart', 400)
        return part?.body ?? Buffer.alloc(0)
      })
      this.multiparts.delete(input.UploadId!)
      const body = Buffer.concat(wanted)
      this.set(key, body, `${etagOf(body).slice(0, -1)}-${wanted.length}"`)
      return { ETag: this.objects.get(key)?.etag }
    },
    AbortMultipartUploadCommand: (input) => {
      this.#multipart(input)
      this.multiparts.delete(input.UploadId!)
      return {}
    },
    ListMultipartUploadsCommand: ({ Prefix = '' }) => ({
      Uploads: [...this.multiparts]
        .filter(([, { key }]) => key.startsWith(Prefix))
        .map(([UploadId, { key, begun }]) => ({ Key: key, UploadId, Initiated: begun })),
      IsTruncated: false,
    }),
  }

  #found(input: Input, missing: string): StoredObject {
    const found = this.objects.get(input.Key!)
    if (found === undefined) throw refusal(missing, 404)
    if (input.IfMatch !== undefined && input.IfMatch !== found.etag) throw refusal('PreconditionFailed', 412)
    return found
  }

  #compare({ Key = '', IfMatch, IfNoneMatch }: Input): void {
    const found = this.objects.get(Key)
    if (IfNoneMatch !== undefined && found !== undefined) throw refusal('PreconditionFailed', 412)
    if (IfMatch === undefined) return
    if (found === undefined) throw refusal('NoSuchKey', 404)
    if (found.etag !== IfMatch) throw refusal('PreconditionFailed', 412)
  }

  #multipart({ UploadId = '' }: Input): Multipart {
    const found = this.multiparts.get(UploadId)
    if (found === undefined) throw refusal('NoSuchUpload', 404)
    return found
  }
}

function etagOf(body: Uint8Array): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}

/** As in HTTP headers. */
function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1_000) * 1_000)
}

/** The error of the SDK for a response of this status. */
export function refusal(name: string, httpStatusCode: number): S3ServiceException {
  return new S3ServiceException({
    name,
    $fault: httpStatusCode < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode },
  })
}
