// Operation: the words with which a route tells what it is, takes and answers, in the terms of OpenAPI. Knows no route.
import type { TSchema } from 'typebox'
import { type ErrorCode, type ErrorDetails, errorTable, ServiceError } from '../../core/errors.ts'
import { errorRecord } from './response-schemas.ts'

export const tags = {
  uploads: 'Sending files, and reading them another way.',
  datasets: 'What became of a file: its receipt, rows and rejects.',
  downloads: 'A dataset as a file to be saved.',
  queries: 'Questions about a dataset.',
  service: 'The service itself.',
} as const
export type Tag = keyof typeof tags

/** What is known of a body, or a header, beside its schema. */
export interface Media {
  readonly schema: TSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
}

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: TSchema
  readonly example?: string
}

/** What an answer of one status looks like. */
export interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  /** By media type; absent where there is no body. */
  readonly content?: Readonly<Record<string, Media>>
}

/** By status. */
export type Answers = Readonly<Record<number, Answer>>

/** A body that the route reads for itself, so that Fastify must know nothing of it; a JSON body is stated as `body`. */
export interface RequestBody {
  readonly description: string
  readonly required: boolean
  readonly content: Readonly<Record<string, Media>>
}

declare module 'fastify' {
  /** `params`, `querystring` and `body` are Fastify's own; it checks requests by them. `response` holds `Answers`. */
  interface FastifySchema {
    /** Unique, camel case, a verb first: `listDatasets`. */
    readonly operationId?: string
    readonly tags?: readonly Tag[]
    /** One line without a full stop. */
    readonly summary?: string
    /** Whole sentences, in Markdown. */
    readonly description?: string
    readonly requestBody?: RequestBody
    /** Headers that make a difference, by name. */
    readonly requestHeaders?: Readonly<Record<string, Header>>
  }
}

/** A JSON answer. Its example is what was really answered to test/api/session.ts. */
export function json(description: string, schema: TSchema): Answer {
  return { description, content: { 'application/json': { schema } } }
}

/** An answer that is a page of HTML. */
export function page(description: string): Answer {
  return { description, content: { 'text/html': { schema: { type: 'string' } } } }
}

/** An answer that is a file. */
export function bytes(description: string, mediaType: string, ...headers: readonly Answer['headers'][]): Answer {
  const schema = { type: 'string', format: 'binary' }
  return { description, headers: Object.assign({}, ...headers), content: { [mediaType]: { schema } } }
}

/** An answer without a body. */
export function noContent(description: string, headers: Answer['headers'] = {}): Answer {
  return { description, headers }
}

/** What any request can meet, whatever it asks for. */
export const always = [
  'HOST_NOT_ALLOWED',
  'CROSS_SITE',
  'UNAUTHORIZED',
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

/** The error answers of a route: those of these codes and those that any request can meet, by status. */
export function failures(...codes: readonly ErrorCode[]): Answers {
  // What can meet one fault of the storage can meet the other.
  const ofStore = codes.includes('STORE_FAILED') ? (['STORE_UNAVAILABLE'] as const) : []
  const byStatus = Map.groupBy(new Set<ErrorCode>([...codes, ...ofStore, ...always]), (code) => errorTable[code].status)
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, failure(those)]))
}

function failure(codes: readonly ErrorCode[]): Answer {
  const errors = codes.map((code) => ({ code, error: sampleError(code) }))
  const headers = Object.assign({}, ...codes.map(headersOf)) as Readonly<Record<string, Header>> // joined from such
  const examples = Object.fromEntries(errors.map(({ code, error }) => [code, { value: recordOf(error) }]))
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema: errorRecord, examples } },
  }
}

function headersOf(code: ErrorCode): Readonly<Record<string, Header>> {
  if (code === 'RANGE_NOT_SATISFIABLE') return { 'Content-Range': header('The bytes the file has.', 'bytes */92') }
  if (code === 'UNAUTHORIZED')
    return { 'WWW-Authenticate': header('What is wanted.', 'Bearer realm="csv-upload"', false) }
  const { retryAfterSeconds } = sampleError(code)
  if (retryAfterSeconds === undefined) return {}
  return { 'Retry-After': header('Seconds after which to try again.', String(retryAfterSeconds), false) }
}

/** A header of text. `isRequired` is false for one that not every such answer has. */
export function header(description: string, example: string, isRequired = true): Header {
  return { description, required: isRequired, schema: { type: 'string' }, example }
}

function recordOf(error: ServiceError) {
  const { status, exception, message } = error
  return { timestamp: 1763650000000, status, error: 'the reason phrase', exception, message, path: '/the/path/asked' }
}

/** What a message of any code can name; the compiler asks for a sample of each. */
type DetailName<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode ? keyof ErrorDetails<Code> : never

/** A value for every detail that a message can hold, as it could be met. */
const sampleDetails: Readonly<Record<DetailName, unknown>> = {
  accept: 'text/html',
  allow: ['GET', 'HEAD'],
  bytes: 92,
  coding: 'gzip',
  contentType: 'text/csv',
  dir: './data',
  expect: '200-ok',
  host: 'example.com',
  id: '5f0c8de1a2b34c56d7e8f90a1b2c3d4e',
  limit: 64,
  limitBytes: 1_048_576_000,
  limitMs: 30_000,
  looksLike: 'an Excel workbook (xlsx)',
  method: 'PUT',
  name: 'limit',
  owner: 'process 4711',
  problem: 'the connection was ended before the end of the body',
  scope: 'delete',
  seen: "'0'",
  wanted: 'one whole number from 1 to 1000',
  wayOut: "open it there and save the sheet as 'CSV UTF-8'",
}

function sampleError(code: ErrorCode): ServiceError {
  // Those of this code are among them, by the type above.
  return new ServiceError(code, sampleDetails as never)
}
