// Error responses: describes each error status once for all operations. Knows no route.
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, type ErrorDetails, errorTable, ServiceError } from '../../core/errors.ts'
import { type Answer, always, type Header, header } from './operation.ts'
import { errorRecord } from './response-schemas.ts'

/** The response of every status that an operation does not list. */
export const defaultErrorName = 'Error'

/** The name of the response for a status: 404 is `NotFound`. */
export function errorResponseName(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replaceAll(/[^A-Za-z]/g, '')
}

/** One response for each status of these codes, and one for everything else. */
export function errorResponses(codes: ReadonlySet<ErrorCode>): Readonly<Record<string, Answer>> {
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status)
  const named = [...byStatus]
    .toSorted(([one], [other]) => one - other)
    .map(([status, those]) => [errorResponseName(status), errorResponse(those)])
  return { ...Object.fromEntries(named), [defaultErrorName]: withExample(errorResponse(always), 'BAD_REQUEST') }
}

/** Error codes as Markdown. */
export function codeList(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ')
}

function errorResponse(codes: readonly ErrorCode[]): Answer {
  const headers = Object.assign({}, ...codes.map(headersOf)) as Readonly<Record<string, Header>> // merged from such records
  return {
    description: codeList(codes),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema: errorRecord } },
  }
}

/** One example shows the format of all errors; docs/errors.md has the message of each. */
function withExample(answer: Answer, code: ErrorCode): Answer {
  return { ...answer, content: { 'application/json': { schema: errorRecord, example: sampleRecord(code) } } }
}

function headersOf(code: ErrorCode): Readonly<Record<string, Header>> {
  if (code === 'RANGE_NOT_SATISFIABLE') return { 'Content-Range': header('The size of the file.', 'bytes */92') }
  if (code === 'UNAUTHORIZED')
    return { 'WWW-Authenticate': header('How to authenticate.', 'Bearer realm="csv-upload"', false) }
  const { retryAfterSeconds } = sampleError(code)
  if (retryAfterSeconds === undefined) return {}
  return { 'Retry-After': header('Try again after this many seconds.', String(retryAfterSeconds), false) }
}

function sampleRecord(code: ErrorCode) {
  const { status, exception, message } = sampleError(code)
  const error = STATUS_CODES[status] ?? ''
  return { timestamp: 1763650000000, status, error, exception, message, path: '/qas/uploadCsv' }
}

/** Every detail that a message can mention; the compiler requires a sample of each. */
type DetailName<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode ? keyof ErrorDetails<Code> : never

const sampleDetails: Readonly<Record<DetailName, unknown>> = {
  accept: 'text/html',
  action: 'send file',
  algorithm: 'sha256',
  allow: ['GET', 'HEAD'],
  bytes: 92,
  coding: 'gzip',
  contentType: 'text/csv',
  dir: './data',
  expect: '200-ok',
  expected: 1_048_576,
  held: '3 uploads',
  host: 'example.com',
  id: '5f0c8de1a2b34c56d7e8f90a1b2c3d4e',
  limit: 64,
  limitBytes: 1_048_576_000,
  limitMs: 30_000,
  looksLike: 'an Excel workbook (xlsx)',
  method: 'PUT',
  name: 'limit',
  owner: 'process 4711',
  problem: 'the connection was closed before the end of the body',
  provided: 2_097_152,
  scope: 'delete',
  seen: "'0'",
  version: '2.0.0',
  wanted: 'one whole number from 1 to 1000',
  wayOut: "open it there and save the sheet as 'CSV UTF-8'",
}

function sampleError(code: ErrorCode): ServiceError {
  // By the type above, they include the details of this code.
  return new ServiceError(code, sampleDetails as never)
}
