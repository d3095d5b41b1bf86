// Service: what the HTTP side can call. Interface only: it knows no request and no socket.

import type { BorrowedBytes } from '../core/borrowed-bytes.ts'
import type { ByteStream } from '../core/byte-stream.ts'
import type { CopyMode, CopyStatus } from '../core/copies/copy-status.ts'
import type { ServiceError } from '../core/errors.ts'
import type { Note } from '../core/notes.ts'
import type { Receipt, RejectPreview, Upload } from '../core/receipt.ts'
import type { RejectReason } from '../core/reject-reasons.ts'
import type { CorrectionOutcome } from '../core/responses.ts'
import type { UploadStatus } from '../core/upload-status.ts'
import type { CsvDelimiter } from '../csv/csv-rewriter.ts'
import type { ColumnStatistics } from '../engine/part-reader.ts'
import type { Query, ResultFormat } from '../engine/query/query.ts'
import type { DatasetChange, ListPage, ListQuery, Usage } from '../store/store.ts'

/** The facts of an upload before its body. */
export interface UploadHead {
  /** The first `Content-Type` header as sent. */
  readonly contentType: string | undefined
  /** `Content-Encoding` as sent; empty for none, and for what is no coding. */
  readonly contentCoding?: string
  /** `Content-Length`; null for a chunked body. */
  readonly declaredBytes: number | null
  /** Without one, the upload keeps its place until it ends. */
  readonly body?: PendingBody
  /** Where it comes from: anonymous uploads share places by network. */
  readonly network?: string
  /** The client's key for this request, or why it is invalid; null for none. */
  readonly idempotencyKey?: string | ServiceError | null
}

/** A place among the uploads, held until it is released; releasing it twice does no harm. */
export interface UploadSlot {
  release(): void
}

/** The right to send one body. Passed on to `upload`, which releases it, or released unused. */
export interface Admission extends UploadSlot {
  /** The boundary with which to read the body. */
  readonly boundary: string
  /** As in the head. */
  readonly declaredBytes: number | null
  readonly body: PendingBody | undefined
  readonly idempotencyKey: string | null
}

/** The right to send corrections of one dataset. Passed on to `correct`, which releases it, or released unused. */
export interface CorrectionAdmission extends Omit<Admission, 'boundary' | 'idempotencyKey'> {
  readonly receipt: Receipt
  /** Null for a body that is not multipart. */
  readonly boundary: string | null
}

/** The outcome of submitted corrections. */
export interface CorrectionReply extends UploadReply {
  readonly corrected: CorrectionOutcome
}

export interface UploadsQuery {
  /** Only those sent with this key; null for all. */
  readonly idempotencyKey: string | null
  /** Only those that began with the key of this name; null or absent for all. */
  readonly sender?: string | null
  /** At most this many, newest first. */
  readonly limit: number
  /** The id of the last one on the previous page; null for the first page. */
  readonly after: string | null
}

export interface UploadPage {
  readonly uploads: readonly UploadStatus[]
  /** Pass it as `after` for the next page; null on the last one. */
  readonly after: string | null
}

/** Watches an upload. */
export interface UploadWatch extends Disposable {
  /** Its current status. */
  status(): UploadStatus
  /**
   * Resolves when it no longer has that version (at most some five times a second), when it has ended, or when `signal`
   * is aborted. Returns the current status.
   */
  changed(version: number, signal: AbortSignal): Promise<UploadStatus>
}

/** The uploads of one owner: those in progress, and ended ones for as long as they are remembered. */
export interface OwnUploads {
  /** Its current status. @throws {ServiceError} UPLOAD_NOT_FOUND */
  get(id: string): UploadStatus
  list(query: UploadsQuery): UploadPage
  /**
   * Watches it in a place that is held until the watch is disposed. Places are shared among owners, or among `network`s
   * without authentication. @throws {ServiceError} UPLOAD_NOT_FOUND, TOO_MANY_WATCHERS
   */
  watch(id: string, network: string): UploadWatch
  /**
   * Watches all of them, in such a place. `live` returns those in progress; `onEnd` is called with the last status of
   * each. @throws {ServiceError} TOO_MANY_WATCHERS
   */
  watchAll(
    network: string,
    onEnd: (status: UploadStatus) => void,
  ): Disposable & { readonly live: () => readonly UploadStatus[] }
  /**
   * Cancels an upload in progress, whose client gets UPLOAD_CANCELLED: once it resolves, nothing of it is kept. An
   * ended upload is forgotten; its dataset stays.
   * @throws {ServiceError} UPLOAD_NOT_FOUND; UPLOAD_FINISHED while its dataset is being written
   */
  remove(id: string): Promise<void>
}

export type { ListedDataset, ListSort } from '../store/store.ts'

/** What a caller asks for in a list; `isMine` for what they were the first to send. */
export interface DatasetsQuery extends Omit<ListQuery, 'owner' | 'sender'> {
  readonly isMine?: boolean
}

/** What has changed for an owner: to be taken now and then, until disposed. */
export interface Changes extends Disposable {
  /**
   * All since the last call, each dataset and upload once. The first call returns all uploads in progress. If
   * `isIncomplete`, datasets have changed that are not named, as before the first call.
   */
  take(): {
    readonly datasets: readonly DatasetChange[]
    readonly uploads: readonly UploadStatus[]
    readonly isIncomplete: boolean
  }
}

export interface RowsQuery {
  readonly offset: number
  readonly limit: number
  /** Names in the order requested; null for all. */
  readonly columns: readonly string[] | null
}

export interface RejectsQuery {
  readonly offset: number
  readonly limit: number
  /** Only those rejected for this reason; null for all. */
  readonly reason: RejectReason | null
}

export interface RowPage {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly offset: number
  readonly total: number
  /** JSON values in column order; what JSON cannot represent exactly (long integers, decimals, dates) is text. */
  readonly rows: readonly (readonly unknown[])[]
}

export interface RejectPage {
  readonly total: number
  readonly offset: number
  /** With the text of each record. */
  readonly rejects: readonly RejectPreview[]
}

/** The columns of a dataset: the statistics of the Hugging Face dataset viewer. */
export interface Profile {
  /** Records. */
  readonly num_examples: number
  /** In column order. */
  readonly statistics: readonly ColumnStatistics[]
  readonly partial: false
}

/** Bytes start … end-1. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface CsvOptions {
  /** Begin with the column names even if the file has none. */
  readonly header: boolean
  /**
   * `escaped`: cells that a spreadsheet program would read as formulas are escaped; `excel`: also starts with a BOM.
   */
  readonly spreadsheet: 'no' | 'escaped' | 'excel'
  readonly delimiter: CsvDelimiter
  /** Write typed values instead of the text of the file; not for spreadsheets. */
  readonly typed: boolean
}

/** What to download of a dataset; parts are counted from 0. */
export type DownloadForm =
  | { readonly kind: 'original' | 'corrections' | 'parquet' | 'ndjson' | 'rejects' }
  | { readonly kind: 'part'; readonly index: number }
  /** Accepted records as RFC 4180; `annotated` has every record of the file, and what became of it. */
  | ({ readonly kind: 'csv' | 'annotated' } & CsvOptions)

/** Where to copy a dataset; the target supplies what is left out. */
export interface PartialCopyRequest {
  readonly to: string
  readonly table?: string
  readonly mode?: CopyMode
  readonly key?: readonly string[]
}

/** The copies of one dataset, and the targets for others. */
export interface CopyList {
  readonly targets: readonly string[]
  /** The last copy to each table, newest first. */
  readonly copies: readonly CopyStatus[]
}

/** Bytes to be sent: described first, opened only when needed. */
export interface Download {
  readonly receipt: Receipt
  /** Total, if it is known before opening. */
  readonly bytes: number | null
  /** Of all bytes, in lower-case hex; null if the bytes are generated while they are sent. */
  readonly sha256: string | null
  /** Identifies the bytes, as an entity tag without quotes; null for bytes of which no range can be sent. */
  readonly tag: string | null
  /** Finds out `bytes` by generating all of them, if they are not known. */
  measure?(signal: AbortSignal): Promise<number>
  /**
   * Opens the bytes, or a range of them (only if there is a `tag`). The stream fails rather than ends early, with
   * DATASET_DAMAGED before its last bytes if the stored files have changed. Disposing it releases everything, and a
   * deletion in the meantime does not affect it. `bytes` of the result is the length of the stream; null if unknown.
   * @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED, DISK_FULL, STORE_FAILED, CONVERSION_FAILED
   */
  open(signal: AbortSignal, range?: ByteRange): Promise<{ readonly stream: ByteStream; readonly bytes: number | null }>
}

export type QueryFormat = ResultFormat

export interface QueryRequest extends Query {
  /** Where it comes from: anonymous queries share places by network. */
  readonly network?: string
}

/** What one owner may store and send, and how much of it is used. Infinity if there is no limit. */
export interface Allowance {
  readonly bytes: { readonly used: number; readonly max: number }
  readonly datasets: { readonly used: number; readonly max: number }
  /** As much of that is in the trash. */
  readonly trash: Usage
  readonly fileBytesMax: number
  readonly requestBytesMax: number
  /** Uploads in progress at once. */
  readonly uploadsMax: number
  /** How long a dataset is kept. Milliseconds. */
  readonly keepMs: number
  /** How long it stays in the trash. Milliseconds. */
  readonly keepTrashMs: number
}

export type Removal = 'erase' | 'trash'

/** The key or token of a request. */
export interface Sender {
  /** Unique for its owner. */
  readonly name: string
  /** Without it, only uploads that began with this key exist. */
  readonly mayRead: boolean
}

/**
 * Every method throws only `ServiceError`, except for internal faults; with the id of a dataset DATASET_NOT_FOUND and
 * DATASET_DAMAGED.
 */
export interface Service {
  /**
   * Checks the headers, in this order: content type, boundary, content coding, declared length, room.
   * @throws {ServiceError} NOT_MULTIPART, NO_BOUNDARY, BAD_MULTIPART, CONTENT_CODED,
   *   REQUEST_TOO_LARGE, TOO_MANY_UPLOADS, DISK_FULL, QUOTA_EXCEEDED
   */
  admit(head: UploadHead): Promise<Admission>
  /**
   * Receives the body and resolves when the dataset is durable. It may leave the rest of a body unread when it throws;
   * errors that the body itself throws pass through. With an idempotency key that was answered before, the response is
   * repeated once the body proves to be the same; otherwise IDEMPOTENCY_KEY_REUSED. Stops soon after `signal` is
   * aborted, keeping nothing.
   */
  upload(admission: Admission, body: AsyncIterable<readonly BorrowedBytes[]>, signal: AbortSignal): Promise<UploadReply>
  /**
   * Reads the original of a dataset another way, as declared, without sending it again: makes another dataset.
   * @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED, BAD_PARAMETER, and what `upload` throws once it has the bytes
   */
  readAgain(
    id: string,
    statements: { readonly dialect?: unknown; readonly schema?: unknown },
    signal: AbortSignal,
  ): Promise<UploadReply>
  readonly uploads: OwnUploads
  /** Uploads that arrive in several requests. */
  readonly resumable: ResumableUploads
  /**
   * Checks the head of a request with corrections: the dataset, content type, content coding, declared length, room.
   * @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED, NOT_CORRECTIONS, and what `admit` throws
   */
  admitCorrections(id: string, head: UploadHead): Promise<CorrectionAdmission>
  /**
   * Makes a dataset in which submitted texts replace rejects. A text that cannot be read as one record, by the rules of
   * the file, leaves its reject as it is.
   * @throws {ServiceError} BAD_CORRECTIONS, CORRECTIONS_MISMATCH, and what `upload` throws
   */
  correct(
    admission: CorrectionAdmission,
    body: AsyncIterable<readonly BorrowedBytes[]>,
    signal: AbortSignal,
  ): Promise<CorrectionReply>
  /** The outcome that `correct` would have. Stores nothing. @throws {ServiceError} as `correct` */
  previewCorrections(
    admission: CorrectionAdmission,
    body: AsyncIterable<readonly BorrowedBytes[]>,
    signal: AbortSignal,
  ): Promise<CorrectionOutcome>
  datasets(query: DatasetsQuery): Promise<ListPage>
  /** Holds a place as a watch of an upload. @throws {ServiceError} TOO_MANY_WATCHERS */
  changes(network: string): Changes
  dataset(id: string): Promise<Receipt>
  /** @throws {ServiceError} BAD_PARAMETER if a column is unknown */
  rows(id: string, query: RowsQuery, signal: AbortSignal): Promise<RowPage>
  rejects(id: string, query: RejectsQuery, signal: AbortSignal): Promise<RejectPage>
  /** Computed once, then stored. @throws {ServiceError} CONVERSION_FAILED */
  profile(id: string, signal: AbortSignal): Promise<Profile>
  /**
   * A dataset as a file. `sha256` is known for what is stored.
   * @throws {ServiceError} NOT_FOUND for corrections and parts that do not exist; CONVERSION_FAILED, DISK_FULL
   */
  download(id: string, form: DownloadForm, signal: AbortSignal): Promise<Download>
  /**
   * Runs one read-only SQL statement over the records, as table `data`. Resolves when the result has begun; the stream
   * fails rather than ends early. Aborting `signal` ends the query immediately.
   * @throws {ServiceError} QUERY_NOT_READ_ONLY, QUERY_FAILED, QUERY_TOO_LARGE, QUERY_TIMEOUT, TOO_MANY_QUERIES,
   *   NOT_READY
   */
  query(id: string, query: QueryRequest, signal: AbortSignal): Promise<ByteStream>
  /**
   * Starts to copy the accepted records into a table of a database, unless the same copy is in progress. It continues
   * whatever the caller does, even after a restart. Records that are already in the table are not copied again.
   * @throws {ServiceError} BAD_PARAMETER, TOO_MANY_COPIES
   */
  copy(id: string, wanted: PartialCopyRequest): Promise<CopyStatus>
  copies(id: string): Promise<CopyList>
  /**
   * Deletes a dataset, or puts it in the trash, but not what takes its place meanwhile.
   *
   * @param isMeant Called with the receipt of what would be deleted.
   * @throws {ServiceError} PRECONDITION_FAILED if it is not meant
   */
  remove(id: string, how: Removal, isMeant?: (receipt: Receipt) => boolean): Promise<void>
  /** Takes a dataset out of the trash. */
  restore(id: string): Promise<Receipt>
  /** Deletes a dataset in the trash. */
  erase(id: string): Promise<void>
  /** Whether its rejects need no more attention. */
  dismiss(id: string, isDismissed: boolean): Promise<void>
  allowance(): Allowance
  /** Rejects if uploads cannot be accepted now. */
  ready(): Promise<void>
  /** The same service as an owner sees it: what they send belongs to them, and datasets of others do not exist. */
  as(owner: string, sender: Sender): Service
}

/** A body that is still arriving, as far as its upload place depends on it. */
export interface PendingBody {
  /** How long the body has kept the service waiting, in milliseconds; little while it arrives fast enough. */
  waitedMs(): number
  /** Ends the body with this error. */
  fail(error: ServiceError): void
}

export interface UploadReply {
  readonly receipt: Receipt
  readonly upload: Upload
  /** Notes about the request alone; notes about the file are in the receipt. */
  readonly notes: readonly Note[]
  /** Present if the same request has been answered before, with this response. */
  readonly isReplayed?: true
}

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
  append(id: string, bytes: ResumableBytes): Promise<AppendResult>
}

/** The upload after the bytes of one request. */
export interface AppendResult {
  readonly state: ResumableState
  /**
   * The outcome of the upload once it is complete; null before, and if it has been reported already. Rejects as
   * `upload`.
   */
  readonly reply: Promise<UploadReply> | null
  /** Whether its key has been answered before, so that the bytes only remain to be compared. */
  readonly isRepeated: boolean
}
