// The table of all errors a caller can get: code, status, exception, message. Branch on the code, never on the text.

interface Row<Details> {
  readonly status: number
  /** Fully qualified name of the exception, as shown in the error record. */
  readonly exception: string
  readonly message: (details: Details) => string
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  readonly retryAfterSeconds?: number
}

type Message<Details> = string | ((details: Details) => string)
type NoDetails = Record<never, never>

function row<Details = NoDetails>(
  status: number,
  exception: string,
  message: Message<Details>,
  retryAfterSeconds?: number,
): Row<Details> {
  const text = typeof message === 'string' ? () => message : message
  return { status, exception, message: text, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
}

/** An exception of the reference. */
function spring<Details = NoDetails>(status: number, exception: string, message: Message<Details>): Row<Details> {
  return row(status, `org.springframework.web.${exception}`, message)
}

function badMultipart<Details = NoDetails>(message: Message<Details>): Row<Details> {
  return spring(400, 'multipart.MultipartException', message)
}

function tooLarge<Details>(message: Message<Details>): Row<Details> {
  return spring(413, 'multipart.MaxUploadSizeExceededException', message)
}

function wrongType(wanted: string): Row<{ contentType: string | null }> {
  const message = (d: { contentType: string | null }) => `Content type '${d.contentType ?? 'null'}' not supported`
  return spring(415, 'HttpMediaTypeNotSupportedException', (d) => message(d) + wanted)
}

/** An exception of our own, which `withNames` names after its code. */
function own<Details = NoDetails>(status: number, message: Message<Details>, retryAfterSeconds?: number): Row<Details> {
  return row(status, '', message, retryAfterSeconds)
}

/** UPLOAD_ENDED is `csvupload.UploadEndedException`. */
function withNames<Rows extends Readonly<Record<string, { readonly exception: string }>>>(rows: Rows): Rows {
  const named = Object.entries(rows).map(([code, one]) => {
    const words = code.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    return [code, { ...one, exception: one.exception || `csvupload.${words.join('')}Exception` }]
  })
  return Object.fromEntries(named) as Rows // the same rows, each with a name
}

/** One row per code. A code is public: never renamed, never reused. The specification gives the first two. */
export const errorTable = withNames({
  /** The specification fixes the message, so the Link header says what was received instead of a file. */
  MISSING_FILE_PART: spring<{ seen: string }>(
    400,
    'bind.MissingServletRequestParameterException',
    "Required MultipartFile parameter 'file' is not present",
  ),
  NO_BOUNDARY: row(500, 'java.lang.NullPointerException', 'No message available'),

  BAD_MULTIPART: badMultipart<{ problem: string }>((d) => `Cannot read multipart body: ${d.problem}`),
  EMPTY_FILE: badMultipart('Cannot accept file: it is empty (0 bytes), expected at least one record'),
  TWO_FILE_PARTS: badMultipart(
    "Cannot accept request: it has more than one part named 'file', expected exactly one; send each file in its own request",
  ),
  NOT_MULTIPART: wrongType(''),
  NOT_JSON: wrongType(': send application/json'),
  NOT_BYTES: wrongType(': send application/offset+octet-stream'),
  CONTENT_CODED: spring<{ coding: string }>(
    415,
    'HttpMediaTypeNotSupportedException',
    (d) => `Content encoding '${d.coding}' not supported: send the body unencoded`,
  ),
  FILE_TOO_LARGE: tooLarge<{ limitBytes: number }>(
    (d) => `Cannot accept file: it is larger than the limit of ${d.limitBytes} bytes`,
  ),
  REQUEST_TOO_LARGE: tooLarge<{ limitBytes: number }>(
    (d) => `Cannot accept request: its body is larger than the limit of ${d.limitBytes} bytes`,
  ),
  DECOMPRESSED_TOO_LARGE: tooLarge<{ limitBytes: number }>(
    (d) => `Cannot accept file: its decompressed text is larger than the limit of ${d.limitBytes} bytes`,
  ),
  COMPRESSED_TOO_MUCH: tooLarge<{ limit: number }>(
    (d) =>
      `Cannot accept file: its decompressed text is more than ${d.limit} times as large, which is the limit; send it uncompressed`,
  ),
  NOT_FOUND: spring(404, 'servlet.NoHandlerFoundException', 'No message available'),
  METHOD_NOT_ALLOWED: spring<{ method: string; allow: readonly string[] }>(
    405,
    'HttpRequestMethodNotSupportedException',
    (d) => `Request method '${d.method}' not supported`,
  ),

  NOT_CSV: own<{ looksLike: string; wayOut: string }>(
    422,
    (d) => `Cannot read file as CSV: it looks like ${d.looksLike}; ${d.wayOut}`,
  ),
  NOT_READABLE: own<{ problem: string }>(422, (d) => `Cannot read file as CSV: ${d.problem}`),
  BAD_PARAMETER: own<{ name: string; seen: string; expected: string }>(
    400,
    (d) => `Cannot use parameter '${d.name}': ${d.seen}, expected ${d.expected}`,
  ),
  SCHEMA_MISMATCH: own<{ problem: string }>(422, (d) => `Cannot match schema to file: ${d.problem}`),
  NOT_CORRECTIONS: wrongType(': send text/csv, application/x-ndjson or a form'),
  BAD_CORRECTIONS: own<{ problem: string }>(400, (d) => d.problem),
  CORRECTIONS_MISMATCH: own<{ problem: string }>(422, (d) => d.problem),
  DATASET_NOT_FOUND: own<{ id: string }>(
    404,
    (d) => `Cannot find dataset '${d.id}': it never existed or has been deleted`,
  ),
  UPLOAD_NOT_FOUND: own<{ id: string }>(
    404,
    (d) => `Cannot find upload '${d.id}': it never existed, has been deleted, or ended too long ago`,
  ),
  UPLOAD_ENDED: own<{ id: string; problem: string }>(410, (d) => `Cannot continue upload '${d.id}': ${d.problem}`),
  UPLOAD_OFFSET_MISMATCH: own<{ expected: number; provided: number }>(
    409,
    (d) => `Cannot add to upload: the bytes start at offset ${d.provided}, expected ${d.expected}`,
  ),
  UPLOAD_LENGTH_MISMATCH: own<{ problem: string }>(400, (d) => `Cannot add to upload: ${d.problem}`),
  UPLOAD_CHECKSUM_MISMATCH: own<{ algorithm: string }>(
    460,
    (d) => `Cannot add to upload: the ${d.algorithm} checksum does not match the bytes; none of them were kept`,
  ),
  UPLOAD_TAKEN_OVER: own(400, 'Cannot add to upload: a newer request has taken over'),
  TOO_MANY_UNFINISHED: own<{ held: string }>(
    507,
    (d) => `Cannot begin upload: unfinished uploads already amount to ${d.held}; finish or cancel some`,
    60,
  ),
  PROTOCOL_NOT_SUPPORTED: own<{ version: string }>(
    412,
    (d) => `Cannot use version '${d.version}' of tus, expected 1.0.0`,
  ),
  UPLOAD_CANCELLED: own(409, 'Cannot finish upload: it was cancelled'),
  UPLOAD_FINISHED: own<{ id: string }>(
    409,
    (d) => `Cannot cancel upload '${d.id}': its dataset is being written; delete the dataset instead`,
  ),
  UPLOAD_INTERRUPTED: own(
    400,
    'Cannot finish upload: its connection was lost before the last byte; nothing of it was kept',
  ),
  IDEMPOTENCY_KEY_IN_USE: own(
    409,
    'Cannot accept request: another request with the same Idempotency-Key is in progress; try again later',
    2,
  ),
  IDEMPOTENCY_KEY_REUSED: own(
    422,
    'Cannot accept request: its Idempotency-Key was used for another file, file name or declaration',
  ),
  RANGE_NOT_SATISFIABLE: own<{ bytes: number }>(
    416,
    (d) => `Cannot send range: it is outside the ${d.bytes} bytes of the file`,
  ),

  QUERY_NOT_READ_ONLY: own<{ problem: string }>(400, (d) => `Cannot run query: ${d.problem}`),
  QUERY_FAILED: own<{ problem: string }>(400, (d) => `Cannot run query: ${d.problem}`),
  QUERY_TOO_LARGE: own<{ problem: string }>(400, (d) => `Cannot run query: ${d.problem}`),
  QUERY_TIMEOUT: own<{ limitMs: number }>(
    400,
    (d) => `Cannot run query: it took longer than the limit of ${d.limitMs} ms`,
  ),
  NOT_ACCEPTABLE: spring<{ accept: string; expected: string }>(
    406,
    'HttpMediaTypeNotAcceptableException',
    (d) => `Cannot answer as '${d.accept}', expected one of ${d.expected}`,
  ),

  TOO_MANY_UPLOADS: own<{ limit: number }>(
    503,
    (d) => `Cannot accept upload: ${d.limit} are in progress, which is the limit; try again later`,
    2,
  ),
  TOO_MANY_WATCHERS: own<{ limit: number }>(
    503,
    (d) => `Cannot wait for uploads: ${d.limit} requests are waiting, which is the limit; try again later`,
    2,
  ),
  TOO_MANY_QUERIES: own<{ limit: number; retryAfterSeconds: number }>(
    503,
    (d) => `Cannot run query: ${d.limit} are running, which is the limit; try again later`,
    2,
  ),
  TOO_MANY_COPIES: own<{ limit: number }>(
    503,
    (d) => `Cannot copy dataset: ${d.limit} copies are waiting or in progress, which is the limit; try again later`,
    10,
  ),
  SHUTTING_DOWN: own(503, 'Cannot accept request: the service is shutting down; try again later', 5),
  NOT_READY: own<{ problem: string }>(
    503,
    (d) => `Cannot process files now: ${d.problem}; see the log of the service`,
    5,
  ),
  DISK_FULL: own(507, 'Cannot store file: there is not enough space left in the data directory', 60),
  STORE_UNSUITABLE: own<{ problem: string }>(500, (d) => `Cannot use the object storage: ${d.problem}`),
  STORE_UNAVAILABLE: own<{ problem: string }>(
    503,
    (d) => `Cannot use the storage now: ${d.problem}; nothing unfinished is visible, try again later`,
    10,
  ),
  TOO_MANY_OPEN_FILES: own(
    503,
    'Cannot answer request: the limit of open files and connections has been reached; try again later',
    2,
  ),
  STORE_FAILED: row(
    500,
    'csvupload.StoreException',
    'Cannot store or read the dataset: the storage returned an error; nothing unfinished is visible',
  ),
  DATASET_DAMAGED: own<{ name: string }>(
    500,
    (d) => `Cannot send dataset: its stored file '${d.name}' is damaged: its bytes have changed since they were stored`,
  ),
  /** Occurs only at startup, so its message may name the directory. */
  DATA_DIRECTORY_IN_USE: own<{ dir: string; owner: string }>(
    500,
    (d) => `Cannot open data directory '${d.dir}': it is in use by ${d.owner}; stop it or choose another directory`,
  ),
  DATA_FORMAT_NEWER: own<{ dir: string; format: string; known: string }>(
    500,
    (d) =>
      `Cannot open data directory '${d.dir}': its format is '${d.format}', this version knows up to ${d.known}; ` +
      'start the version that wrote it, or a later one',
  ),
  CONVERSION_FAILED: row(
    500,
    'csvupload.ConversionException',
    'Cannot convert or read the dataset: its job failed; nothing of an upload was kept',
  ),

  BAD_REQUEST: own<{ problem: string }>(400, (d) => `Cannot read request: ${d.problem}`),
  REQUEST_TIMEOUT: own<{ problem: string }>(408, (d) => `Cannot wait longer for the request: ${d.problem}`),
  UNAUTHORIZED: own<{ problem: string }>(
    401,
    (d) => `Cannot authenticate the request: ${d.problem}, expected 'Authorization: Bearer <key>'`,
  ),
  ISSUER_UNAVAILABLE: own(
    503,
    'Cannot verify the token now: the keys of its issuer cannot be fetched; try again later',
    5,
  ),
  FORBIDDEN: own<{ scope: string }>(403, (d) => `Cannot accept request: the key does not allow '${d.scope}'`),
  TOO_MANY_REQUESTS: own<{ limit: number }>(
    429,
    (d) => `Cannot accept request: there were more than ${d.limit} requests within a minute; try again later`,
    60,
  ),
  QUOTA_EXCEEDED: own<{ limit: string }>(
    507,
    (d) => `Cannot store file: it would exceed your quota of ${d.limit}; delete what you no longer need`,
  ),
  HOST_NOT_ALLOWED: own<{ host: string }>(
    421,
    (d) =>
      `Cannot answer for host '${d.host}': it is not a name of this service; use its address, or start it with --allow-host`,
  ),
  CROSS_SITE: own(403, 'Cannot accept request: it comes from a page of another origin'),
  EXPECTATION_FAILED: own<{ expect: string }>(
    417,
    (d) => `Cannot meet expectation '${d.expect}', expected '100-continue' or none`,
  ),
  HEADERS_TOO_LARGE: own(431, 'Cannot read request: its head is larger than the limit of 16384 bytes or 1000 lines'),
  VERSION_NOT_SUPPORTED: own(505, 'Cannot read request: its HTTP version is not 1.0 or 1.1'),
  PRECONDITION_FAILED: own<{ action: string }>(
    412,
    (d) => `Cannot ${d.action}: its ETag is not among those in If-Match`,
  ),
  INTERNAL: own(500, 'Cannot finish request: an internal error, which has been logged'),
})

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

  /** From the details, if they say more than the table. */
  get retryAfterSeconds(): number | undefined {
    const entry: Row<never> = errorTable[this.code]
    return 'retryAfterSeconds' in this.details ? this.details.retryAfterSeconds : entry.retryAfterSeconds
  }
}

/** True if `error` is a ServiceError with that code; its details are then narrowed too. */
export function isServiceError<Code extends ErrorCode>(error: unknown, code: Code): error is ServiceError<Code> {
  return error instanceof ServiceError && error.code === code
}
