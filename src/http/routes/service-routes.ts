// Service routes: the service itself: description, health, metrics, and what the caller may do.
import Type from 'typebox'
import { scopes } from '../../access/access.ts'
import { ServiceError } from '../../core/errors.ts'
import { jsonContentType } from '../connection/error-record.ts'
import { sendJson, sendText } from '../exchange/send.ts'
import { times } from '../exchange/times.ts'
import { openApi } from '../openapi/openapi.ts'
import { json } from '../openapi/operation.ts'
import {
  component,
  count,
  healthResponse,
  listOf,
  momentOrNull,
  object,
  oneOf,
  orNull,
} from '../openapi/response-schemas.ts'
import { type Route, type RouteContext, route } from './route.ts'

const maximum = orNull(Type.Integer(), 'Null for no limit.')

const quota = component('Quota', 'Storage of one owner: bytes of originals and data, or datasets.', {
  used: count('What is stored.'),
  max: maximum,
})

const callerResponse = component('Caller', 'The sender of this request.', {
  name: orNull(Type.String(), 'Name of the key or token. Null without authentication.'),
  owner: orNull(Type.String(), 'Owner of the datasets that the caller sees. Null without authentication.'),
  scopes: listOf('What the caller may do.', oneOf(scopes, 'A scope.')),
  ...momentOrNull('expires', 'When the key or token expires. Null for never.'),
  bytes: quota,
  datasets: quota,
  trash: object('What of that is in the trash.', {
    datasets: count('Datasets.'),
    bytes: count('Bytes.'),
    keepMs: count('Milliseconds until a dataset in it is deleted.'),
  }),
  limits: object('Limits for this caller.', {
    fileBytesMax: count('Bytes of a file.'),
    requestBytesMax: count('Bytes of a request body.'),
    uploadsMax: count('Uploads at once.'),
    requestsPerMinuteMax: maximum,
    keepMs: orNull(Type.Integer(), 'Milliseconds until a dataset is deleted. Null for never.'),
  }),
})

/** The OpenAPI document of an app, made at the first request for it. */
const documents = new WeakMap<RouteContext, Buffer>()

export const serviceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: '/openapi.json',
    scope: 'none',
    operationId: 'getOpenApi',
    tag: 'service',
    summary: 'Get this description',
    description: 'OpenAPI 3.1, generated from the schemas that validate requests; gzipped for clients that accept it.',
    answers: { 200: json('The document.', object('OpenAPI 3.1.', {})) },
    handler: async (_request, reply, context) =>
      await sendText(reply.type(jsonContentType), documents.get(context) ?? described(context)),
  }),
  route({
    method: 'GET',
    url: '/qas/caller',
    // The holder of a key may ask what it allows.
    scope: 'any',
    operationId: 'getCaller',
    tag: 'service',
    summary: 'Get what the caller may do',
    description: 'The scopes and limits of the key or token of this request, and what its owner stores.',
    answers: { 200: json('The caller.', callerResponse) },
    handler: async ({ caller, service }, reply, { requestsPerMinuteMax }) => {
      const { bytes, datasets, trash, keepMs, keepTrashMs, ...limits } = service.allowance()
      const isKnown = caller.owner !== ''
      return sendJson(reply, {
        name: isKnown ? caller.name : null,
        owner: isKnown ? caller.owner : null,
        scopes: [...caller.scopes],
        ...times({ expiresAt: caller.expiresAtMs }),
        bytes: finite(bytes),
        datasets: finite(datasets),
        trash: { ...trash, keepMs: keepTrashMs },
        limits: finite({ ...limits, requestsPerMinuteMax, keepMs }),
      })
    },
  }),
  route({
    method: 'GET',
    url: '/healthz',
    scope: 'none',
    isForAnyHost: true,
    operationId: 'isAlive',
    tag: 'service',
    summary: 'Check that the process is alive',
    description: 'Answers as long as the process runs.',
    querystring: 'ignored',
    answers: { 200: json('It is alive.', healthResponse) },
    failures: ['BAD_REQUEST'],
    handler: (_request, reply) => sendJson(reply, { status: 'ok' }),
  }),
  route({
    method: 'GET',
    url: '/readyz',
    scope: 'none',
    isForAnyHost: true,
    operationId: 'isReady',
    tag: 'service',
    summary: 'Check that uploads can be accepted',
    description: 'For load balancers.',
    querystring: 'ignored',
    answers: { 200: json('Uploads can be accepted.', healthResponse) },
    failures: ['BAD_REQUEST', 'STORE_FAILED', 'DISK_FULL', 'NOT_READY'],
    handler: async (request, reply, { closing }) => {
      if (closing.aborted) throw new ServiceError('SHUTTING_DOWN', {})
      await request.service.ready()
      return sendJson(reply, { status: 'ok' })
    },
  }),
  route({
    method: 'GET',
    url: '/metrics',
    isForAnyHost: true,
    operationId: 'getMetrics',
    tag: 'service',
    summary: 'Get the metrics of the service',
    description: 'In the text format of Prometheus. No metric reveals the name or the content of a file.',
    answers: { 200: { description: 'All metrics.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    handler: async (_request, reply, { meter }) => reply.type(meter.mediaType).send(await meter.text()),
  }),
]

function described(context: RouteContext) {
  const document = Buffer.from(`${JSON.stringify(openApi(context.routes))}\n`)
  documents.set(context, document)
  return document
}

/** JSON has no number for “no limit”. */
function finite(figures: Readonly<Record<string, number>>): Readonly<Record<string, number | null>> {
  const entries = Object.entries(figures).map(([name, value]) => [name, Number.isFinite(value) ? value : null])
  return Object.fromEntries(entries)
}
