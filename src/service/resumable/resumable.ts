// Resumable: what the HTTP side can do with uploads that come in several requests. Interface only: it knows no protocol.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { PendingBody } from '../pending-body.ts'
import type { UploadReply } from '../upload-reply.ts'

/** What an upload is to be. */
export interface NewResumable {
  /** The file itself, or a form with the file in it, read with its boundary. */
  readonly form: { readonly contentType: string } | null
  /** Of the file, a path before it does not count; of a form its own parts count. */
  readonly fileName: string
  /** Content-Disposition, where the name of the file may be instead. */
  readonly disposition: string | null
  readonly fileType: string | null
  /** JSON texts, as the parts of a form that have these names. */
  readonly declared: Readonly<Partial<Record<'dialect' | 'schema', string>>>
  /** Null while it is unknown. */
  readonly expectedBytes: number | null
  /** Whether its last byte completes it, or only who says so. */
  readonly endsByLength: boolean
  /** Where it comes from: anonymous uploads share places by network. */
  readonly network: string
  /** Text of the client's own, given back with the state; at most 16 KB. */
  readonly remark: string | null
  /** With which the client names it; null for none. */
  readonly idempotencyKey: string | null
  /** Whether all of it comes in the request that begins it: when that breaks, nothing is kept. */
  readonly isOneRequest: boolean
}

/** How far it has come, as far as that survives a crash and power loss. */
export interface ResumableState {
  readonly id: string
  readonly bytes: number
  readonly expectedBytes: number | null
  readonly isComplete: boolean
  /** When it goes, should nothing more come. Epoch milliseconds. */
  readonly expiresAt: number
  readonly remark: string | null
  /** Of what it has become; null before. */
  readonly datasetId: string | null
}

export const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/** Bytes to be added. */
export interface ResumableBytes {
  /** Of the first of them. */
  readonly offset: number
  /** What the client says the whole comes to; null where it does not. */
  readonly expectedBytes: number | null
  /** True when it says that the upload is complete with them. */
  readonly isLast: boolean
  /** Of the bytes of this request: none of them counts unless all came right. */
  readonly checksum: { readonly algorithm: ChecksumAlgorithm; readonly digest: Uint8Array } | null
  /** How many come, where that is known. */
  readonly declaredBytes: number | null
  readonly body: AsyncIterable<readonly BorrowedBytes[]>
  readonly pending: PendingBody
  readonly network: string
  /** Called once they are wanted, before the first is read. */
  readonly onAccepted: () => void
  /** Called with an offset whenever one has become durable meanwhile. */
  readonly onDurable: (bytes: number) => void
}

/** The resumable uploads of one owner. A request for one ends the request that adds to it, if there is one: its client is back. */
export interface ResumableUploads {
  /** Largest upload, in bytes. */
  readonly bytesMax: number
  /** How long an upload is kept after its last byte. Milliseconds. */
  readonly keepMs: number
  /** @throws {ServiceError} as `admit`, BAD_PARAMETER, EMPTY_FILE, TOO_MANY_UNFINISHED, IDEMPOTENCY_KEY_IN_USE */
  create(upload: NewResumable): Promise<ResumableState>
  /** @throws {ServiceError} UPLOAD_NOT_FOUND, UPLOAD_ENDED */
  state(id: string): Promise<ResumableState>
  /**
   * Adds bytes; when it resolves they are durable. Where it rejects, those that came count all the same, unless there was a
   * checksum.
   * @throws {ServiceError} UPLOAD_NOT_FOUND, UPLOAD_ENDED, UPLOAD_OFFSET_MISMATCH, UPLOAD_LENGTH_MISMATCH,
   *   UPLOAD_CHECKSUM_MISMATCH, UPLOAD_TAKEN_OVER, FILE_TOO_LARGE; as `admit`; what the body throws; what is found to be
   *   wrong with the file meanwhile
   */
  append(id: string, bytes: ResumableBytes): Promise<Appended>
}

/** What has become of an upload with the bytes of one request. */
export interface Appended {
  readonly state: ResumableState
  /** What becomes of it, once it is complete; null before, and when that has been reported already. Rejects as `upload`. */
  readonly reply: Promise<UploadReply> | null
  /** Whether its key has been answered before, so that only the bytes are still to be compared. */
  readonly isRepeated: boolean
}
