// Resumable: what the HTTP side can do with uploads that arrive in several requests. Interface only: it knows no protocol.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { ServiceError } from '../../core/errors.ts'
import type { PendingBody } from '../pending-body.ts'
import type { UploadReply } from '../upload-reply.ts'

/** Describes a new upload. */
export interface NewResumable {
  /** The file itself, or a form with the file in it, read with its boundary. */
  readonly form: { readonly contentType: string; readonly contentCoding: string } | null
  /** Name of the file, of which a path in front is ignored; for a form, the names in its parts count. */
  readonly fileName: string
  /** Content-Disposition, which may have the name of the file instead. */
  readonly disposition: string | null
  readonly fileType: string | null
  /** JSON texts, like the form parts of these names. */
  readonly declared: Readonly<Partial<Record<'dialect' | 'schema', string>>>
  /** Null while it is unknown. */
  readonly expectedBytes: number | null
  /** Where it comes from: anonymous uploads share places by network. */
  readonly network: string
  /** The client's own text, returned with the state; at most 16 KB. */
  readonly remark: string | null
  /** The client's key for it, or why it is invalid; null for none. */
  readonly idempotencyKey: string | ServiceError | null
  /**
   * Whether all of it arrives in the request that begins it: if that breaks, nothing is kept. Any other upload is
   * complete with the last byte of its length.
   */
  readonly isOneRequest: boolean
}

/** The progress of an upload, as far as it survives a crash and power loss. */
export interface ResumableState {
  readonly id: string
  readonly bytes: number
  readonly expectedBytes: number | null
  readonly isComplete: boolean
  /** When it expires if nothing more arrives. Epoch milliseconds. */
  readonly expiresAt: number
  readonly remark: string | null
  /** Id of its dataset; null before there is one. */
  readonly datasetId: string | null
}

export const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/** Bytes to be added. */
export interface ResumableBytes {
  /** Offset of the first of them. */
  readonly offset: number
  /** The total that the client states; null if it does not. */
  readonly expectedBytes: number | null
  /** Checksum of the bytes of this request: none of them count unless it is right. */
  readonly checksum: { readonly algorithm: ChecksumAlgorithm; readonly digest: Uint8Array } | null
  /** Number of these bytes, if known. */
  readonly declaredBytes: number | null
  readonly body: AsyncIterable<readonly BorrowedBytes[]>
  readonly pending: PendingBody
  readonly network: string
  /** Called once they are accepted, before the first is read. */
  readonly onAccepted: () => void
}

/**
 * The resumable uploads of one owner. A request for an upload ends the request that is adding to it: its client has
 * returned.
 */
export interface ResumableUploads {
  /** Largest upload, in bytes. */
  readonly bytesMax: number
  /** @throws {ServiceError} as `admit`, BAD_PARAMETER, EMPTY_FILE, TOO_MANY_UNFINISHED; why a key is refused, unless of a form */
  create(upload: NewResumable): Promise<ResumableState>
  /** @throws {ServiceError} UPLOAD_NOT_FOUND, UPLOAD_ENDED */
  state(id: string): Promise<ResumableState>
  /**
   * Adds bytes; they are durable when it resolves. If it rejects, those that arrived still count, unless there was a
   * checksum, or there were too many.
   * @throws {ServiceError} UPLOAD_NOT_FOUND, UPLOAD_ENDED, UPLOAD_OFFSET_MISMATCH, UPLOAD_LENGTH_MISMATCH,
   *   UPLOAD_CHECKSUM_MISMATCH, UPLOAD_TAKEN_OVER, FILE_TOO_LARGE; as `admit`; what the body throws; what is found to be
   *   wrong with the file meanwhile
   */
  append(id: string, bytes: ResumableBytes): Promise<Appended>
}

/** The upload after the bytes of one request. */
export interface Appended {
  readonly state: ResumableState
  /**
   * The outcome of the upload once it is complete; null before, and if it has been reported already. Rejects as
   * `upload`.
   */
  readonly reply: Promise<UploadReply> | null
  /** Whether its key has been answered before, so that the bytes only remain to be compared. */
  readonly isRepeated: boolean
}
