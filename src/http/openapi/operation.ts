// Operation: the terms in which a route describes its requests and responses, after OpenAPI. Knows no route.
import type { TSchema } from 'typebox'
import { type ErrorCode, errorTable, ServiceError } from '../../core/errors.ts'
import { nodeHttp } from '../../core/node-http.ts'
import { errorRecord } from './response-schemas.ts'

export const tags = {
  uploads: 'Send files, or read a stored file with other settings.',
  datasets: 'The result of an upload: receipt, rows and rejects.',
  downloads: 'Datasets as files.',
  queries: 'SQL queries over a dataset.',
  copies: 'Datasets as database tables.',
  service: 'The service itself.',
} as const
export type Tag = keyof typeof tags

/** A body of one media type: its schema, and what a schema cannot express. */
export interface Media {
  readonly schema: TSchema
  readonly example?: unknown
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
}

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: TSchema
  readonly example?: string
}

/** A response with one status. */
export interface ResponseDescription {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  /** By media type; absent if there is no body. */
  readonly content?: Readonly<Record<string, Media>>
}

/** Responses by status. */
export type ResponseTable = Readonly<Record<number, ResponseDescription>> & { readonly default?: ResponseDescription }

/** A body that the route reads itself, without Fastify. A JSON body is declared as `body` instead. */
export interface RequestBody {
  readonly description: string
  readonly required: boolean
  readonly content: Readonly<Record<string, Media>>
}

/** What a route says of itself. What has no `operationId` is hidden: an alias, a page, or a route for one protocol. */
export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** With parameters as Fastify writes them: `/qas/datasets/:id`. */
  readonly url: string
  /** Unique, camel case, a verb first: `listDatasets`. */
  readonly operationId?: string
  readonly tag?: Tag
  /** One line without a full stop. */
  readonly summary?: string
  /** Whole sentences, in Markdown. */
  readonly description?: string
  readonly params?: TSchema
  /** By default, any parameter is an error. */
  readonly querystring?: TSchema | 'ignored'
  readonly body?: TSchema
  readonly requestBody?: RequestBody
  /** Request headers that change the response, by name. */
  readonly requestHeaders?: Readonly<Record<string, Header>>
  readonly answers?: ResponseTable
  /** Errors in addition to those that follow from the rest. */
  readonly failures?: readonly ErrorCode[]
}

/** A JSON response. */
export function json(description: string, schema: TSchema): ResponseDescription {
  return { description, content: { 'application/json': { schema } } }
}

/** A response with an HTML page. */
export function page(description: string): ResponseDescription {
  return { description, content: { 'text/html': { schema: { type: 'string' } } } }
}

/** A response with a text file in UTF-8. */
export function textFile(
  description: string,
  mediaType: string,
  ...headers: readonly ResponseDescription['headers'][]
): ResponseDescription {
  return {
    description,
    headers: Object.assign({}, ...headers),
    content: { [mediaType]: { schema: { type: 'string' } } },
  }
}

/**
 * A response with a binary file. Client generators that do not know its media type use `octetStream`, which comes
 * first because openapi-python-client would decode `text/csv` as text.
 */
export function bytes(
  description: string,
  mediaTypes: string | readonly string[],
  ...headers: readonly ResponseDescription['headers'][]
): ResponseDescription {
  const schema = { type: 'string', format: 'binary' }
  const content = Object.fromEntries([octetStream, mediaTypes].flat().map((mediaType) => [mediaType, { schema }]))
  return { description, headers: Object.assign({}, ...headers), content }
}

/** Server-sent events. As a binary file, generated clients hand it on as a stream instead of waiting for its end. */
export function eventStream(description: string): ResponseDescription {
  return { description, content: { 'text/event-stream': { schema: { type: 'string', format: 'binary' } } } }
}

/** A response without a body. */
export function noContent(description: string, headers: ResponseDescription['headers'] = {}): ResponseDescription {
  return { description, headers }
}

/** Every download is also available as this type, for clients that prefer it. */
export const octetStream = 'application/octet-stream'

/** Errors that any request can get. */
export const always = [
  'HOST_NOT_ALLOWED',
  'CROSS_SITE',
  'UNAUTHORIZED',
  'ISSUER_UNAVAILABLE',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
  'VERSION_NOT_SUPPORTED',
  'SHUTTING_DOWN',
  'TOO_MANY_OPEN_FILES',
  'INTERNAL',
] as const satisfies readonly ErrorCode[]

/**
 * The errors of a route in addition to `always`: those that a request can bring about by status, those that depend on
 * the state of the service together as `default`.
 */
export function failures(...codes: readonly ErrorCode[]): ResponseTable {
  // A request that uses the storage can get both of its errors.
  const ofStore = codes.includes('STORE_FAILED') ? (['STORE_UNAVAILABLE'] as const) : []
  const byStatus = Map.groupBy(new Set<ErrorCode>([...codes, ...ofStore]), (code) => errorTable[code].status)
  const own = [...byStatus].filter(([, those]) => !those.every(dependsOnState))
  const others = [...byStatus].flatMap(([, those]) => (those.every(dependsOnState) ? those : []))
  const listed = own.map(([status, those]) => [status, failure(those)])
  return { ...Object.fromEntries(listed), default: anyFailure(others) }
}

function dependsOnState(code: ErrorCode): boolean {
  if (code === 'UPLOAD_FINISHED' || code === 'CORRECTIONS_MISMATCH') return true
  return errorTable[code].status >= 500 && code !== 'NO_BOUNDARY'
}

/** The response of every status that a route does not list. */
function anyFailure(codes: readonly ErrorCode[]): ResponseDescription {
  const problem = 'the connection was closed before the end of the body'
  const { status, exception, message } = new ServiceError('BAD_REQUEST', { problem })
  const facts = { timestamp: 1763650000000, status, error: nodeHttp.STATUS_CODES[status], exception, message }
  // Shows the format of all errors; docs/errors.md has the message of each.
  return failure([...codes, ...always], { example: { ...facts, path: '/qas/uploadCsv' } })
}

function failure(codes: readonly ErrorCode[], example: { readonly example?: object } = {}): ResponseDescription {
  const headers: Readonly<Record<string, Header>> = Object.assign({}, ...codes.map(headersOf))
  return { description: codeList(codes), headers, content: { 'application/json': { schema: errorRecord, ...example } } }
}

/** Error codes as Markdown. */
export function codeList(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ')
}

function headersOf(code: ErrorCode): Readonly<Record<string, Header>> {
  if (code === 'RANGE_NOT_SATISFIABLE') return { 'Content-Range': header('The size of the file.', 'bytes */92') }
  if (code === 'UNAUTHORIZED')
    return { 'WWW-Authenticate': header('How to authenticate.', 'Bearer realm="csv-upload"', false) }
  const { retryAfterSeconds }: { readonly retryAfterSeconds?: number } = errorTable[code]
  if (retryAfterSeconds === undefined) return {}
  return { 'Retry-After': header('Try again after this many seconds.', String(retryAfterSeconds), false) }
}

/** A text header. `isRequired` is false if some responses do not have it; no request needs any. */
export function header(description: string, example: string, isRequired = true): Header {
  return { description, required: isRequired, schema: { type: 'string' }, example }
}
