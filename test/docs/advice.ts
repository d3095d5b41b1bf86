// Advice: what the docs advise for each code. The compiler requires a line for every code.
import type { ErrorCode } from '../../src/core/errors.ts'
import type { RejectReason } from '../../src/core/reject-reasons.ts'

export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  MISSING_FILE_PART:
    'Send the CSV as a part named exactly `file`, with a file name: `curl -F file=@your.csv …`. The `title` in the `Link` header says what the request has instead.',
  NO_BOUNDARY: 'Let the client set `Content-Type` itself, or add the boundary that the body uses.',
  BAD_MULTIPART: 'The body is truncated or malformed, as the message says: send it again.',
  EMPTY_FILE: 'Send a file with at least one record.',
  TWO_FILE_PARTS: 'Send each file in its own request.',
  NOT_MULTIPART: 'Send the file as a form upload: `multipart/form-data` or another `multipart/*`.',
  NOT_JSON: 'Send the body as JSON, with `Content-Type: application/json`.',
  NOT_BYTES: 'Send `application/offset+octet-stream`, as tus clients do.',
  CONTENT_CODED: 'Send the body without `Content-Encoding`.',
  FILE_TOO_LARGE: 'Split the file, or raise the limits (docs/config.md).',
  REQUEST_TOO_LARGE: 'Split the file, or raise the limits; this limit counts everything in the body.',
  DECOMPRESSED_TOO_LARGE: 'Split the file, or raise `--max-decompressed-size` (docs/config.md).',
  COMPRESSED_TOO_MUCH: 'Send the file uncompressed, or raise `--max-compression-ratio` (docs/config.md).',
  NOT_FOUND: 'Check the path: it must match exactly.',
  METHOD_NOT_ALLOWED: 'Use a method from the `Allow` header.',
  NOT_CSV: 'The message says what the file looks like and how to get a CSV file from it.',
  NOT_READABLE: 'The message gives the reason.',
  BAD_PARAMETER: 'The message names the parameter, its value and what is expected.',
  NOT_CORRECTIONS: 'Send the edited `rejects.csv` as `text/csv` or as the part `file` of a form, or JSON lines.',
  BAD_CORRECTIONS:
    'The message names the line or the record. Send rows from `rejects.csv` of this dataset, each at most once, as CSV in UTF-8; records you leave out stay rejects.',
  CORRECTIONS_MISMATCH:
    'Corrections are tied to where the records begin and end. Read the uncorrected dataset again (`corrections.of` in the receipt), and correct the rejects of the result.',
  SCHEMA_MISMATCH:
    'Compare the names and their order; declare another `fieldsMatch`, or `header: false` in the dialect for a file without a header.',
  DATASET_NOT_FOUND: 'Check the id. Sending the same bytes again makes the same dataset.',
  UPLOAD_NOT_FOUND:
    'Check the id, and that the upload is yours; the status of an upload is kept for `--uploads-keep-for` after its end.',
  UPLOAD_ENDED: 'Its status gives the reason; start a new upload.',
  UPLOAD_OFFSET_MISMATCH: 'Get the offset with `HEAD` and continue there; tus clients do so themselves.',
  UPLOAD_LENGTH_MISMATCH: 'Announce the same length in every request, and send exactly that many bytes.',
  UPLOAD_CHECKSUM_MISMATCH: 'Send the same bytes again, at the same offset.',
  UPLOAD_TAKEN_OVER: 'Only one request at a time can add to an upload: the latest.',
  TOO_MANY_UNFINISHED:
    'Finish or cancel unfinished uploads, wait until they expire, or raise `--unfinished-max` or `--unfinished-size-max`.',
  PROTOCOL_NOT_SUPPORTED: 'Use a client that supports tus 1.0.0.',
  UPLOAD_CANCELLED: 'Someone with your key or account cancelled it with `DELETE`: send it again if that was a mistake.',
  UPLOAD_FINISHED: 'Wait until it ends, then delete its dataset.',
  UPLOAD_INTERRUPTED: 'Appears only in the status of an upload: send the file again.',
  IDEMPOTENCY_KEY_IN_USE:
    'Try again after the seconds in `Retry-After`; `GET /qas/uploads?idempotencyKey=…` shows its progress.',
  IDEMPOTENCY_KEY_REUSED: 'Use a new key for every file; reuse a key only to send the same request again.',
  RANGE_NOT_SATISFIABLE: 'Request a range within the file.',
  QUERY_NOT_READ_ONLY: 'Send one read-only statement: `SELECT …` ([queries](query.md)).',
  QUERY_FAILED:
    'The message comes from DuckDB or from the engine for [large datasets](query.md#large-datasets), with the line and position of the error if known.',
  QUERY_TOO_LARGE: 'Request less: a filter, a `LIMIT`, fewer columns. The limits are options ([queries](query.md)).',
  QUERY_TIMEOUT: 'Simplify the query, or raise `--query-time-max`.',
  NOT_ACCEPTABLE: 'Send one of the types in the message as `Accept`, or no `Accept`.',
  TOO_MANY_UPLOADS: 'Try again after the seconds in `Retry-After`.',
  TOO_MANY_WATCHERS: 'Try again after the seconds in `Retry-After`, or send the request without `Prefer: wait`.',
  TOO_MANY_QUERIES: 'Try again after the seconds in `Retry-After`, or raise `--queries-max`.',
  TOO_MANY_COPIES:
    'Try again after the seconds in `Retry-After`; failed copies are retried for hours and count meanwhile.',
  NOT_READY: 'Wait for `/readyz` to answer 200; the log says what is missing (processes, file descriptors, `work/`).',
  SHUTTING_DOWN: 'Try again after the seconds in `Retry-After`.',
  DISK_FULL: 'Free space in the data directory, then send again.',
  STORE_UNAVAILABLE:
    'Try again after the seconds in `Retry-After`. The message says what is wrong with the data directory; fixing that is enough, unless the message asks for a restart ([what works meanwhile](operations.md#what-a-full-read-only-or-lost-disk-leaves)).',
  TOO_MANY_OPEN_FILES:
    'Try again after the seconds in `Retry-After`. If it happens often, raise the open-file limit of the service (`ulimit -n`), or lower `--uploads-max`.',
  STORE_FAILED: 'Find the cause in the log, then send again: sending twice is safe.',
  DATASET_DAMAGED:
    'Restore the file under `data/datasets/<id>/` from a backup, or delete the dataset and send its file again.',
  STORE_UNSUITABLE:
    'At startup only: use a bucket on a server with conditional writes, such as AWS S3, Cloudflare R2, Ceph (Squid or later) or versitygw.',
  DATA_FORMAT_NEWER:
    'At startup only (exit code 1): a later version has written there. Start that one, or give this one its own `--data`.',
  DATA_DIRECTORY_IN_USE: 'At startup only (exit code 6): stop the other process, or give the new one its own `--data`.',
  CONVERSION_FAILED:
    'Find the cause in the log, then send again. If it fails every time, keep the file and report a bug.',
  BAD_REQUEST: 'The request is not valid HTTP; the message says where.',
  REQUEST_TIMEOUT:
    'Send without long pauses and at least as fast as `--body-rate-min`; or raise `--body-idle-time` or `--headers-time`.',
  UNAUTHORIZED: 'Send the key you were given as `Authorization: Bearer <key>`.',
  ISSUER_UNAVAILABLE:
    'Try again after the seconds in `Retry-After`; the token may be fine. The log says how the issuer failed.',
  FORBIDDEN: 'Ask for a key with that scope.',
  TOO_MANY_REQUESTS: 'Try again after the seconds in `Retry-After`.',
  QUOTA_EXCEEDED: 'Delete datasets, or ask for a larger quota.',
  HOST_NOT_ALLOWED: 'Call the service by its address or `localhost`, or name the host with `--allow-host`.',
  CROSS_SITE: 'Use a page of the service itself, or allow your page with `--allow-origin`. Programs are not affected.',
  EXPECTATION_FAILED: 'Send `Expect: 100-continue` or no `Expect`.',
  HEADERS_TOO_LARGE: 'Send smaller headers or a shorter URL.',
  VERSION_NOT_SUPPORTED: 'Use HTTP/1.1.',
  PRECONDITION_FAILED: 'It has changed: get the dataset or file again, then decide.',
  INTERNAL: 'A bug or a system fault: the log has the cause, at the `timestamp` of the error.',
}

export const rejectAdvice: Readonly<Record<RejectReason, string>> = {
  too_few_fields: "Fewer fields than the file's other records.",
  too_many_fields: "More fields than the file's other records.",
  text_after_quote: 'Text between a closing quote and the next delimiter or line end.',
  quote_in_field: 'A quote inside a field that is not quoted.',
  unclosed_quote: 'A field begins with a quote that is never closed; reading continues at the next plausible record.',
  invalid_bytes: 'Bytes that are not valid in the encoding of the file.',
  nul_byte: 'A byte of value 0.',
  record_too_long: 'A record longer than `--record-size-max`.',
  line_end_in_field: 'A line end of another kind in an unquoted field: CSV readers disagree on its meaning.',
  constraint: 'The record can be read, but a value violates a constraint of the declared schema.',
}

/** A value for every detail of a message: its name in braces, so that the docs show its place. */
export const exampleDetails = {
  action: '{action}',
  algorithm: '{algorithm}',
  expected: '{expected}',
  provided: '{provided}',
  version: '{version}',
  accept: '{accept}',
  allow: ['{allow}'],
  bytes: '{bytes}',
  coding: '{coding}',
  contentType: '{contentType}',
  dir: '{dir}',
  expect: '{expect}',
  held: '{held}',
  host: '{host}',
  id: '{id}',
  limit: '{limit}',
  limitBytes: '{limitBytes}',
  limitMs: '{limitMs}',
  looksLike: '{looksLike}',
  method: '{method}',
  name: '{name}',
  owner: '{owner}',
  format: '{format}',
  known: '{known}',
  problem: '{problem}',
  scope: '{scope}',
  seen: '{seen}',
  wanted: '{wanted}',
  wayOut: '{wayOut}',
}
