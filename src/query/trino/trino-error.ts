// Trino error: turns a Trino error into what a caller may know about it. Sends nothing.
import { ServiceError } from '../../core/errors.ts'
import { PageTooLarge, TrinoFailure, TrinoUnreachable } from './trino-client.ts'
import { linesInFront } from './trino-statement.ts'

const messageCharactersMax = 500
const excerptCharactersMax = 80

/** Names that refer to nothing. */
const missingNames: ReadonlySet<string> = new Set([
  'CATALOG_NOT_FOUND',
  'MISSING_CATALOG_NAME',
  'MISSING_SCHEMA_NAME',
  'SCHEMA_NOT_FOUND',
  'TABLE_NOT_FOUND',
])
/**
 * Errors that the statement did not cause:
 * https://github.com/trinodb/trino/blob/476/core/trino-spi/src/main/java/io/trino/spi/StandardErrorCode.java
 */
const passing: ReadonlySet<string> = new Set([
  'ABANDONED_QUERY',
  'ABANDONED_TASK',
  'ADMINISTRATIVELY_KILLED',
  'ADMINISTRATIVELY_PREEMPTED',
  'CLUSTER_OUT_OF_MEMORY',
  'NO_NODES_AVAILABLE',
  'PAGE_TRANSPORT_ERROR',
  'PAGE_TRANSPORT_TIMEOUT',
  'PERMISSION_DENIED',
  'QUERY_QUEUE_FULL',
  'QUERY_REJECTED',
  'REMOTE_HOST_GONE',
  'REMOTE_TASK_ERROR',
  'REMOTE_TASK_MISMATCH',
  'SERVER_SHUTTING_DOWN',
  'SERVER_STARTING_UP',
  'TOO_MANY_REQUESTS_FAILED',
])

export interface Asked {
  /** The statement as it was given. */
  readonly given: string
  readonly queryMsMax: number
}

/** Errors that are not Trino's stay as they are. Trino's own are for the log if the statement did not cause them. */
export function queryError(error: unknown, asked: Asked): unknown {
  if (error instanceof TrinoUnreachable) return new ServiceError('QUERY_ENGINE_UNAVAILABLE', {})
  if (error instanceof PageTooLarge) return new ServiceError('QUERY_TOO_LARGE', { problem: 'a row of it is too large' })
  if (!(error instanceof TrinoFailure)) return error
  const { name, kind } = error.failure
  if (name === 'EXCEEDED_TIME_LIMIT') return new ServiceError('QUERY_TIMEOUT', { limitMs: asked.queryMsMax })
  if (passing.has(name) || kind === 'EXTERNAL') return new ServiceError('QUERY_ENGINE_UNAVAILABLE', {})
  if (kind === 'INSUFFICIENT_RESOURCES' || name === 'QUERY_TEXT_TOO_LARGE') {
    const problem = 'it needs more memory or processor time than a query may have'
    return new ServiceError('QUERY_TOO_LARGE', { problem })
  }
  const problem = kind === 'USER_ERROR' ? problemOf(error.failure) : 'the engine failed on it'
  return new ServiceError('QUERY_FAILED', { problem: problem + placeOf(error.failure, asked.given) })
}

function problemOf({ name, message }: TrinoFailure['failure']): string {
  if (missingNames.has(name)) return 'there is no such table; the only table is called data'
  const text = message.replace(/^line \d+:\d+: /, '')
  return text.length > messageCharactersMax ? `${text.slice(0, messageCharactersMax)}…` : text
}

/** The line with the error, and a mark below the place, as in DuckDB. */
function placeOf({ place }: TrinoFailure['failure'], given: string): string {
  if (place === null) return ''
  const number = place.line - linesInFront
  const line = given.split(/\r\n|\r|\n/)[number - 1]
  if (line === undefined || number < 1 || place.column > line.length + 1) return ''
  const from = Math.max(0, place.column - 1 - excerptCharactersMax / 2)
  const head = `LINE ${number}: ${from > 0 ? '...' : ''}`
  const excerpt = line.slice(from, from + excerptCharactersMax)
  const tail = from + excerptCharactersMax < line.length ? '...' : ''
  return `\n\n${head}${excerpt}${tail}\n${' '.repeat(head.length + place.column - 1 - from)}^`
}
