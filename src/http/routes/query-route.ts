// Query route: SQL over a dataset. Knows the formats of request and response, but not what SQL may do.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../../core/errors.ts'
import type { QueryFormat } from '../../service/service.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import { jsonContentType } from '../connection/error-record.ts'
import { expectsContinue } from '../connection/head-checks.ts'
import { acceptedType } from '../exchange/accept.ts'
import { goneSignal, sendStream } from '../exchange/send.ts'
import { header } from '../openapi/operation.ts'
import { queryBody } from '../openapi/request-schemas.ts'
import { queryResponse } from '../openapi/response-schemas.ts'
import { datasetRoute, type Route } from './route.ts'

/** Formats by media type; the first is the default. */
const formats: Readonly<Record<string, { readonly format: QueryFormat; readonly contentType: string }>> = {
  'application/json': { format: 'json', contentType: jsonContentType },
  'application/x-ndjson': { format: 'ndjson', contentType: 'application/x-ndjson;charset=UTF-8' },
  'text/csv': { format: 'csv', contentType: 'text/csv;charset=UTF-8' },
}
const types = Object.keys(formats)

/** Bytes of a request body. */
const bodyBytesMax = 65_536
const acceptShownMax = 100
/** How often we probe a client that has ended its side. */
const probeMs = 200
const text = { type: 'string' }

export const queryRoute: Route = datasetRoute({
  method: 'POST',
  path: '/query',
  scope: 'read',
  bodyLimit: bodyBytesMax,
  operationId: 'queryDataset',
  tag: 'queries',
  summary: 'Query a dataset with SQL',
  description:
    'One read-only statement over the table `data`, whose columns are those of the receipt, in the SQL of DuckDB. ' +
    'At a limit of rows or bytes, JSON ends with `truncated: true`; other formats fail. A later error cuts the ' +
    'connection.',
  requestHeaders: {
    Accept: header(`One of ${types.join(', ')}. The first is the default.`, 'text/csv'),
  },
  body: queryBody,
  answers: {
    200: {
      description: 'The result.',
      content: {
        'application/json': { schema: queryResponse },
        'application/x-ndjson': { schema: text },
        'text/csv': { schema: text },
      },
    },
  },
  failures: [
    'QUERY_NOT_READ_ONLY',
    'QUERY_FAILED',
    'QUERY_TOO_LARGE',
    'QUERY_TIMEOUT',
    'TOO_MANY_QUERIES',
    'NOT_READY',
    'NOT_ACCEPTABLE',
  ],
  onRequest: (request, reply, done) => {
    if (expectsContinue(request.raw)) reply.raw.writeContinue()
    done()
  },
  handler: async (request, reply, { writeIdleMs }) => {
    const { format, contentType } = wantedFormat(request.headers.accept)
    const { sql, limit } = request.body
    const query = { sql, format, rowsMax: limit, network: clientNetworkOf(request.ip) }
    probeWhenEnded(request.raw, reply.raw)
    const rows = await request.service.query(request.params.id, query, goneSignal(reply.raw))
    return sendStream(reply.type(contentType), rows, null, writeIdleMs)
  },
})

/**
 * A client that has ended its side may still be reading, or may have disconnected: only sending something shows which.
 * Since a query may run for a long time before its first row, the client gets `102 Processing` meanwhile (RFC 2518
 * section 10.1).
 */
function probeWhenEnded(request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersion === '1.0') return
  const probing = setInterval(() => {
    if (request.socket.readableEnded && !response.headersSent) response.writeProcessing()
  }, probeMs)
  response.once('close', () => clearInterval(probing))
}

function wantedFormat(accept: string | undefined) {
  const wanted = formats[acceptedType(accept, types) ?? '']
  if (wanted !== undefined) return wanted
  throw new ServiceError('NOT_ACCEPTABLE', {
    accept: String(accept).slice(0, acceptShownMax),
    expected: types.join(', '),
  })
}
