// The table of all errors a caller can get: code, status, exception, message. Branch on the code, never on the text.

import { type Row, row } from './errors/error-row.ts'

const spring = 'org.springframework.web'
const own = 'csvupload'

/** One row per code. A code is public: never renamed, never reused. The specification gives the first two. */
export const errorTable = {
  /** The specification fixes the message, so the Link header says what was received instead of a file. */
  MISSING_FILE_PART: row<{ seen: string }>(
    400,
    `${spring}.bind.MissingServletRequestParameterException`,
    "Required MultipartFile parameter 'file' is not present",
  ),
  NO_BOUNDARY: row(500, 'java.lang.NullPointerException', 'No message available'),

  BAD_MULTIPART: row<{ problem: string }>(
    400,
    `${spring}.multipart.MultipartException`,
    (d) => `Cannot read multipart body: ${d.problem}`,
  ),
  EMPTY_FILE: row(
    400,
    `${spring}.multipart.MultipartException`,
    'Cannot accept file: it is empty (0 bytes), wanted at least one record',
  ),
  TWO_FILE_PARTS: row(
    400,
    `${spring}.multipart.MultipartException`,
    "Cannot accept request: it has more than one part named 'file', wanted exactly one; send each file in its own request",
  ),
  NOT_MULTIPART: row<{ contentType: string | null }>(
    415,
    `${spring}.HttpMediaTypeNotSupportedException`,
    (d) => `Content type '${d.contentType ?? 'null'}' not supported`,
  ),
  NOT_JSON: row<{ contentType: string | null }>(
    415,
    `${spring}.HttpMediaTypeNotSupportedException`,
    (d) => `Content type '${d.contentType ?? 'null'}' not supported: send application/json`,
  ),
  NOT_BYTES: row<{ contentType: string | null }>(
    415,
    `${spring}.HttpMediaTypeNotSupportedException`,
    (d) => `Content type '${d.contentType ?? 'null'}' not supported: send application/offset+octet-stream`,
  ),
  CONTENT_CODED: row<{ coding: string }>(
    415,
    `${spring}.HttpMediaTypeNotSupportedException`,
    (d) => `Content encoding '${d.coding}' not supported: send the body unencoded`,
  ),
  FILE_TOO_LARGE: row<{ limitBytes: number }>(
    413,
    `${spring}.multipart.MaxUploadSizeExceededException`,
    (d) => `Cannot accept file: it is larger than the limit of ${d.limitBytes} bytes`,
  ),
  REQUEST_TOO_LARGE: row<{ limitBytes: number }>(
    413,
    `${spring}.multipart.MaxUploadSizeExceededException`,
    (d) => `Cannot accept request: its body is larger than the limit of ${d.limitBytes} bytes`,
  ),
  DECOMPRESSED_TOO_LARGE: row<{ limitBytes: number }>(
    413,
    `${spring}.multipart.MaxUploadSizeExceededException`,
    (d) => `Cannot accept file: its decompressed text is larger than the limit of ${d.limitBytes} bytes`,
  ),
  COMPRESSED_TOO_MUCH: row<{ limit: number }>(
    413,
    `${spring}.multipart.MaxUploadSizeExceededException`,
    (d) =>
      `Cannot accept file: its decompressed text is more than ${d.limit} times as large, which is the limit; send it uncompressed`,
  ),
  NOT_FOUND: row(404, `${spring}.servlet.NoHandlerFoundException`, 'No message available'),
  METHOD_NOT_ALLOWED: row<{ method: string; allow: readonly string[] }>(
    405,
    `${spring}.HttpRequestMethodNotSupportedException`,
    (d) => `Request method '${d.method}' not supported`,
  ),

  NOT_CSV: row<{ looksLike: string; wayOut: string }>(
    422,
    `${own}.NotCsvException`,
    (d) => `Cannot read file as CSV: it looks like ${d.looksLike}; ${d.wayOut}`,
  ),
  NOT_READABLE: row<{ problem: string }>(
    422,
    `${own}.NotReadableException`,
    (d) => `Cannot read file as CSV: ${d.problem}`,
  ),
  BAD_PARAMETER: row<{ name: string; seen: string; wanted: string }>(
    400,
    `${own}.BadParameterException`,
    (d) => `Cannot use parameter '${d.name}': ${d.seen}, wanted ${d.wanted}`,
  ),
  SCHEMA_MISMATCH: row<{ problem: string }>(
    422,
    `${own}.SchemaMismatchException`,
    (d) => `Cannot match schema to file: ${d.problem}`,
  ),
  NOT_CORRECTIONS: row<{ contentType: string | null }>(
    415,
    `${spring}.HttpMediaTypeNotSupportedException`,
    (d) => `Content type '${d.contentType ?? 'null'}' not supported: send text/csv, application/x-ndjson or a form`,
  ),
  BAD_CORRECTIONS: row<{ problem: string }>(400, `${own}.BadCorrectionsException`, (d) => d.problem),
  CORRECTIONS_MISMATCH: row<{ problem: string }>(422, `${own}.CorrectionsMismatchException`, (d) => d.problem),
  DATASET_NOT_FOUND: row<{ id: string }>(
    404,
    `${own}.DatasetNotFoundException`,
    (d) => `Cannot find dataset '${d.id}': it never existed or has been deleted`,
  ),
  UPLOAD_NOT_FOUND: row<{ id: string }>(
    404,
    `${own}.UploadNotFoundException`,
    (d) => `Cannot find upload '${d.id}': it never existed, has been deleted, or ended too long ago`,
  ),
  UPLOAD_ENDED: row<{ id: string; problem: string }>(
    410,
    `${own}.UploadEndedException`,
    (d) => `Cannot continue upload '${d.id}': ${d.problem}`,
  ),
  UPLOAD_OFFSET_MISMATCH: row<{ expected: number; provided: number }>(
    409,
    `${own}.UploadOffsetMismatchException`,
    (d) => `Cannot add to upload: the bytes start at offset ${d.provided}, wanted ${d.expected}`,
  ),
  UPLOAD_LENGTH_MISMATCH: row<{ problem: string }>(
    400,
    `${own}.UploadLengthMismatchException`,
    (d) => `Cannot add to upload: ${d.problem}`,
  ),
  UPLOAD_CHECKSUM_MISMATCH: row<{ algorithm: string }>(
    460,
    `${own}.UploadChecksumMismatchException`,
    (d) => `Cannot add to upload: the ${d.algorithm} checksum does not match the bytes; none of them were kept`,
  ),
  UPLOAD_TAKEN_OVER: row(
    400,
    `${own}.UploadTakenOverException`,
    'Cannot add to upload: a newer request has taken over',
  ),
  TOO_MANY_UNFINISHED: row<{ held: string }>(
    507,
    `${own}.TooManyUnfinishedException`,
    (d) => `Cannot begin upload: unfinished uploads already amount to ${d.held}; finish or cancel some`,
    60,
  ),
  PROTOCOL_NOT_SUPPORTED: row<{ version: string }>(
    412,
    `${own}.ProtocolNotSupportedException`,
    (d) => `Cannot use version '${d.version}' of tus, wanted 1.0.0`,
  ),
  UPLOAD_CANCELLED: row(409, `${own}.UploadCancelledException`, 'Cannot finish upload: it was cancelled'),
  UPLOAD_FINISHED: row<{ id: string }>(
    409,
    `${own}.UploadFinishedException`,
    (d) => `Cannot cancel upload '${d.id}': its dataset is being written; delete the dataset instead`,
  ),
  UPLOAD_INTERRUPTED: row(
    400,
    `${own}.UploadInterruptedException`,
    'Cannot finish upload: its connection was lost before the last byte; nothing of it was kept',
  ),
  IDEMPOTENCY_KEY_IN_USE: row(
    409,
    `${own}.IdempotencyKeyInUseException`,
    'Cannot accept request: another request with the same Idempotency-Key is in progress; try again later',
    2,
  ),
  IDEMPOTENCY_KEY_REUSED: row(
    422,
    `${own}.IdempotencyKeyReusedException`,
    'Cannot accept request: its Idempotency-Key was used for another file, file name or declaration',
  ),
  RANGE_NOT_SATISFIABLE: row<{ bytes: number }>(
    416,
    `${own}.RangeNotSatisfiableException`,
    (d) => `Cannot send range: it is outside the ${d.bytes} bytes of the file`,
  ),

  QUERY_NOT_READ_ONLY: row<{ problem: string }>(
    400,
    `${own}.QueryNotReadOnlyException`,
    (d) => `Cannot run query: ${d.problem}`,
  ),
  QUERY_FAILED: row<{ problem: string }>(400, `${own}.QueryFailedException`, (d) => `Cannot run query: ${d.problem}`),
  QUERY_TOO_LARGE: row<{ problem: string }>(
    400,
    `${own}.QueryTooLargeException`,
    (d) => `Cannot run query: ${d.problem}`,
  ),
  QUERY_TIMEOUT: row<{ limitMs: number }>(
    400,
    `${own}.QueryTimeoutException`,
    (d) => `Cannot run query: it took longer than the limit of ${d.limitMs} ms`,
  ),
  NOT_ACCEPTABLE: row<{ accept: string; wanted: string }>(
    406,
    `${spring}.HttpMediaTypeNotAcceptableException`,
    (d) => `Cannot answer as '${d.accept}', wanted one of ${d.wanted}`,
  ),

  TOO_MANY_UPLOADS: row<{ limit: number }>(
    503,
    `${own}.TooManyUploadsException`,
    (d) => `Cannot accept upload: ${d.limit} are in progress, which is the limit; try again later`,
    2,
  ),
  TOO_MANY_WATCHERS: row<{ limit: number }>(
    503,
    `${own}.TooManyWatchersException`,
    (d) => `Cannot wait for uploads: ${d.limit} requests are waiting, which is the limit; try again later`,
    2,
  ),
  TOO_MANY_QUERIES: row<{ limit: number }>(
    503,
    `${own}.TooManyQueriesException`,
    (d) => `Cannot run query: ${d.limit} are running, which is the limit; try again later`,
    2,
  ),
  TOO_MANY_COPIES: row<{ limit: number }>(
    503,
    `${own}.TooManyCopiesException`,
    (d) => `Cannot copy dataset: ${d.limit} copies are waiting or in progress, which is the limit; try again later`,
    10,
  ),
  SHUTTING_DOWN: row(
    503,
    `${own}.ShuttingDownException`,
    'Cannot accept request: the service is shutting down; try again later',
    5,
  ),
  NOT_READY: row<{ problem: string }>(
    503,
    `${own}.NotReadyException`,
    (d) => `Cannot process files now: ${d.problem}; see the log of the service`,
    5,
  ),
  DISK_FULL: row(
    507,
    `${own}.DiskFullException`,
    'Cannot store file: there is not enough space left in the data directory',
    60,
  ),
  STORE_UNSUITABLE: row<{ problem: string }>(
    500,
    `${own}.StoreUnsuitableException`,
    (d) => `Cannot use the object storage: ${d.problem}; wanted one that enforces conditional writes`,
  ),
  STORE_UNAVAILABLE: row<{ problem: string }>(
    503,
    `${own}.StoreUnavailableException`,
    (d) => `Cannot use the storage now: ${d.problem}; nothing unfinished is visible, try again later`,
    10,
  ),
  TOO_MANY_OPEN_FILES: row(
    503,
    `${own}.TooManyOpenFilesException`,
    'Cannot answer request: the limit of open files and connections has been reached; try again later',
    2,
  ),
  STORE_FAILED: row(
    500,
    `${own}.StoreException`,
    'Cannot store or read the dataset: the storage returned an error; nothing unfinished is visible',
  ),
  DATASET_DAMAGED: row<{ name: string }>(
    500,
    `${own}.DatasetDamagedException`,
    (d) => `Cannot send dataset: its stored file '${d.name}' is damaged: its bytes have changed since they were stored`,
  ),
  /** Occurs only at startup, so its message may name the directory. */
  DATA_DIRECTORY_IN_USE: row<{ dir: string; owner: string }>(
    500,
    `${own}.DataDirectoryInUseException`,
    (d) => `Cannot open data directory '${d.dir}': it is in use by ${d.owner}; stop it or choose another directory`,
  ),
  CONVERSION_FAILED: row(
    500,
    `${own}.ConversionException`,
    'Cannot convert or read the dataset: its job failed; nothing of an upload was kept',
  ),

  BAD_REQUEST: row<{ problem: string }>(400, `${own}.BadRequestException`, (d) => `Cannot read request: ${d.problem}`),
  REQUEST_TIMEOUT: row<{ problem: string }>(
    408,
    `${own}.RequestTimeoutException`,
    (d) => `Cannot wait longer for the request: ${d.problem}`,
  ),
  UNAUTHORIZED: row<{ problem: string }>(
    401,
    `${own}.UnauthorizedException`,
    (d) => `Cannot authenticate the request: ${d.problem}, wanted 'Authorization: Bearer <key>'`,
  ),
  ISSUER_UNAVAILABLE: row(
    503,
    `${own}.IssuerUnavailableException`,
    'Cannot verify the token now: the keys of its issuer cannot be fetched; try again later',
    5,
  ),
  FORBIDDEN: row<{ scope: string }>(
    403,
    `${own}.ForbiddenException`,
    (d) => `Cannot accept request: the key does not allow '${d.scope}'`,
  ),
  TOO_MANY_REQUESTS: row<{ limit: number }>(
    429,
    `${own}.TooManyRequestsException`,
    (d) => `Cannot accept request: there were more than ${d.limit} requests within a minute; try again later`,
    60,
  ),
  QUOTA_EXCEEDED: row<{ limit: string }>(
    507,
    `${own}.QuotaExceededException`,
    (d) => `Cannot store file: it would exceed your quota of ${d.limit}; delete what you no longer need`,
  ),
  HOST_NOT_ALLOWED: row<{ host: string }>(
    421,
    `${own}.HostNotAllowedException`,
    (d) =>
      `Cannot answer for host '${d.host}': it is not a name of this service; use its address, or start it with --allow-host`,
  ),
  CROSS_SITE: row(403, `${own}.CrossSiteException`, 'Cannot accept request: it comes from a page of another origin'),
  EXPECTATION_FAILED: row<{ expect: string }>(
    417,
    `${own}.ExpectationFailedException`,
    (d) => `Cannot meet expectation '${d.expect}', wanted '100-continue' or none`,
  ),
  HEADERS_TOO_LARGE: row(
    431,
    `${own}.HeadersTooLargeException`,
    'Cannot read request: its head is larger than the limit of 16384 bytes or 1000 lines',
  ),
  VERSION_NOT_SUPPORTED: row(
    505,
    `${own}.VersionNotSupportedException`,
    'Cannot read request: its HTTP version is not 1.0 or 1.1',
  ),
  PRECONDITION_FAILED: row<{ action: string }>(
    412,
    `${own}.PreconditionFailedException`,
    (d) => `Cannot ${d.action}: its ETag is not among those in If-Match`,
  ),
  INTERNAL: row(500, `${own}.InternalException`, 'Cannot finish request: an internal error, which has been logged'),
} as const

export type ErrorCode = keyof typeof errorTable
export type ErrorDetails<Code extends ErrorCode> = Parameters<(typeof errorTable)[Code]['message']>[0]

/** A failure that has a row in the table. `cause` is for the log and never reaches the caller. */
export class ServiceError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ServiceError'
  readonly code: Code
  readonly details: ErrorDetails<Code>

  constructor(code: Code, details: ErrorDetails<Code>, cause?: unknown) {
    // The row's own parameter type is ErrorDetails<Code>; the compiler cannot follow that through the index access.
    const message = errorTable[code].message as (details: ErrorDetails<Code>) => string
    super(message(details), cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorTable[this.code].status
  }

  get exception(): string {
    return errorTable[this.code].exception
  }

  get retryAfterSeconds(): number | undefined {
    const entry: Row<never> = errorTable[this.code]
    return entry.retryAfterSeconds
  }
}

/** True if `error` is a ServiceError with that code; its details are then narrowed too. */
export function isServiceError<Code extends ErrorCode>(error: unknown, code: Code): error is ServiceError<Code> {
  return error instanceof ServiceError && error.code === code
}
