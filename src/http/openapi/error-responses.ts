// Error responses: describes each error status once for all operations. Knows no route.
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorTable, ServiceError } from '../../core/errors.ts'
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
  return { ...Object.fromEntries(named), [defaultErrorName]: errorResponse(always, { example: exampleRecord() }) }
}

/** Error codes as Markdown. */
export function codeList(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ')
}

function errorResponse(codes: readonly ErrorCode[], example: { readonly example?: object } = {}): Answer {
  const headers = Object.assign({}, ...codes.map(headersOf)) as Readonly<Record<string, Header>> // merged from such records
  return {
    description: codeList(codes),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema: errorRecord, ...example } },
  }
}

/** Shows the format of all errors; docs/errors.md has the message of each. */
function exampleRecord() {
  const problem = 'the connection was closed before the end of the body'
  const { status, exception, message } = new ServiceError('BAD_REQUEST', { problem })
  return { timestamp: 1763650000000, status, error: STATUS_CODES[status], exception, message, path: '/qas/uploadCsv' }
}

function headersOf(code: ErrorCode): Readonly<Record<string, Header>> {
  if (code === 'RANGE_NOT_SATISFIABLE') return { 'Content-Range': header('The size of the file.', 'bytes */92') }
  if (code === 'UNAUTHORIZED')
    return { 'WWW-Authenticate': header('How to authenticate.', 'Bearer realm="csv-upload"', false) }
  const { retryAfterSeconds }: { readonly retryAfterSeconds?: number } = errorTable[code]
  if (retryAfterSeconds === undefined) return {}
  return { 'Retry-After': header('Try again after this many seconds.', String(retryAfterSeconds), false) }
}
