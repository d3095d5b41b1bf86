// Upload status routes: the status of uploads, waiting for a change, and cancelling. Does not know how they are sent.
import { setTimeout } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { byteStream } from '../../core/byte-stream.ts'
import { ServiceError } from '../../core/errors.ts'
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import type { Changes, UploadWatch } from '../../service/service.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import { headerLines } from '../connection/request-target.ts'
import { hasEntity, sendTagged } from '../exchange/entity-tag.ts'
import { preferredWait } from '../exchange/headers/prefer.ts'
import { withPrefix } from '../exchange/host-prefix.ts'
import { goneSignal, sendJson, sendStream } from '../exchange/send.ts'
import { uploadLineJson, uploadStatusJson, uploadsPath, uploadTag } from '../exchange/upload-json.ts'
import { eventStream, header, json, noContent } from '../openapi/operation.ts'
import { eventsQuery, uploadParams, uploadsQuery, waitHeaders } from '../openapi/request-schemas.ts'
import { uploadStatusResponse, uploadsResponse } from '../openapi/response-schemas.ts'
import { waitSecondsMax } from '../resumable/async-upload.ts'
import { tusFirst } from '../resumable/tus.ts'
import { type Route, route } from './route.ts'
import { cancel } from './upload-routes.ts'

/** Both those who upload files and those who read datasets may see the status of uploads: the former, of their own. */
const scope = 'upload or read'

const tag = header('Identifies this version of the status.', '"m1ab2c3d"')
const applied = header('The wait that was honoured.', 'wait=20', false)

const ofUpload = { url: `${uploadsPath}/:id`, scope, params: uploadParams, tag: 'uploads' } as const

export const uploadStatusRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: uploadsPath,
    scope,
    operationId: 'listUploads',
    tag: 'uploads',
    summary: 'List uploads',
    description:
      'Newest first: uploads in progress, however they are sent, and those that ended within `--uploads-keep-for`. ' +
      'Without the scope `read`, only those that this key has sent exist, here and for all operations on an upload.',
    querystring: uploadsQuery,
    answers: { 200: json('A page of the list.', uploadsResponse) },
    handler: async (request, reply) => {
      const { limit, after = null, idempotencyKey = null } = request.query
      const page = request.service.uploads.list({ limit, after, idempotencyKey })
      return sendJson(reply, { uploads: page.uploads.map(uploadLineJson), after: page.after })
    },
  }),
  route({
    ...ofUpload,
    method: 'GET',
    // It returns the offset at which to resume an upload, see upload-routes.ts.
    hasOwnHead: true,
    operationId: 'getUpload',
    summary: 'Get the progress of an upload',
    description:
      'An upload has its id from its first byte: it is in the list while it is sent, and in the receipt as ' +
      '`upload.id`. With `Prefer: wait=N` the response waits, so that a client need not poll.',
    requestHeaders: waitHeaders,
    answers: {
      200: { ...json('The status.', uploadStatusResponse), headers: { ETag: tag, 'Preference-Applied': applied } },
      304: noContent('The client already has this status.', { ETag: tag }),
    },
    failures: ['UPLOAD_NOT_FOUND', 'TOO_MANY_WATCHERS'],
    handler: async (request, reply, { closing }) => {
      const { id } = request.params
      const seconds = preferredWait(headerLines(request.raw, 'prefer'), waitSecondsMax)
      const status =
        seconds === null ? request.service.uploads.get(id) : await waited(request, reply, id, seconds, closing)
      return sendTagged(request, reply, uploadStatusJson(status), uploadTag(status))
    },
  }),
  route({
    ...ofUpload,
    method: 'GET',
    url: `${uploadsPath}/:id/events`,
    operationId: 'watchUpload',
    summary: 'Watch an upload',
    description:
      'Server-sent events: the status now and after every change, at most five times a ' +
      'second, as the JSON of `getUpload`. The last event reports the end; a client that then reconnects gets 204, ' +
      'which stops it. A line `:` is sent every 15 seconds.',
    requestHeaders: {
      'Last-Event-ID': header('The `id` of the last event that the client has: the next one follows.', 'm1ab2c3d'),
    },
    answers: {
      200: eventStream('The events. The response stays open until the upload has ended: read it as it arrives.'),
      204: noContent('The upload has ended, and the client knows it.'),
    },
    failures: ['UPLOAD_NOT_FOUND', 'TOO_MANY_WATCHERS'],
    handler: async (request, reply, { writeIdleMs, closing }) => {
      const { params, raw, ip, service, method } = request
      const [lastId = null] = headerLines(raw, 'last-event-id')
      const status = service.uploads.get(params.id)
      if (isFinished(status) && eventId(status) === lastId) return reply.code(204).send()
      // Turns off buffering in nginx.
      reply.type('text/event-stream').header('x-accel-buffering', 'no')
      if (method === 'HEAD') return reply.send()
      const stop = AbortSignal.any([goneSignal(reply.raw), closing])
      const watch = service.uploads.watch(params.id, clientNetworkOf(ip))
      return sendStream(reply, statusEvents(watch, { lastId, prefix: reply.server.prefix, stop }), null, writeIdleMs)
    },
  }),
  route({
    method: 'GET',
    url: '/qas/events',
    operationId: 'watchAll',
    tag: 'service',
    summary: 'Watch datasets and uploads',
    description:
      'Server-sent events for a page, within half a second: `dataset` with the `id` and the `change` (`stored`, ' +
      '`deleted`, `trashed`, `restored`, `dismissed`), `upload` with an entry of `listUploads`, first for every upload in ' +
      'progress, and `reset` first of all and whenever more has changed than is listed: load the lists again. With ' +
      'several processes over a bucket, a dataset of another one appears within some seconds, its deletion within five ' +
      'minutes, and its uploads do not appear before their end. A line `:` is sent every 15 seconds.',
    querystring: eventsQuery,
    answers: { 200: eventStream('The events. The response stays open: read it as it arrives.') },
    failures: ['TOO_MANY_WATCHERS'],
    handler: (request, reply, { writeIdleMs, closing }) => {
      const { ip, service, method, query } = request
      reply.type('text/event-stream').header('x-accel-buffering', 'no')
      if (method === 'HEAD') return reply.send()
      const stop = AbortSignal.any([goneSignal(reply.raw), closing])
      const changes = service.changes(clientNetworkOf(ip))
      const events = changeEvents(
        changes,
        reply.server.prefix,
        AbortSignal.any([stop, AbortSignal.timeout(query.seconds * 1_000)]),
      )
      return sendStream(reply, events, null, writeIdleMs)
    },
  }),
  route({
    ...ofUpload,
    method: 'DELETE',
    scope: 'upload',
    onRequest: tusFirst,
    operationId: 'cancelUpload',
    summary: 'Cancel an upload',
    description:
      'Cancels an upload in progress: its client gets `UPLOAD_CANCELLED`, and nothing of it is kept. For an upload ' +
      'that has ended, deletes its status; its dataset stays.',
    answers: { 204: noContent('The upload is cancelled, or its status deleted.') },
    failures: ['UPLOAD_NOT_FOUND', 'UPLOAD_FINISHED'],
    handler: cancel,
  }),
]

/** A page looks for changes this often. Milliseconds. */
const lookEveryMs = 500

/** Sends what changes until the client stops reading. Disposes `changes`. */
function changeEvents(changes: Changes, prefix: string, stop: AbortSignal) {
  const eventText = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  async function* events(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`retry: ${retryMs}\n\n`)
    for (let silentMs = 0; ; silentMs += lookEveryMs) {
      const { datasets, uploads, isIncomplete } = changes.take()
      const texts = [
        ...(isIncomplete ? [eventText('reset', {})] : []),
        ...datasets.map(({ id, change }) => eventText('dataset', { id, change })),
        ...uploads.map((status) => eventText('upload', withPrefix(uploadLineJson(status), prefix))),
        ...(silentMs >= heartbeatMs ? [':\n\n'] : []),
      ]
      if (texts.length > 0) {
        yield Buffer.from(texts.join(''))
        silentMs = 0
      }
      await setTimeout(lookEveryMs, undefined, { signal: stop }).catch(() => {})
      if (stop.aborted) return
    }
  }
  return byteStream(events(), async () => changes[Symbol.dispose]())
}

/** Returns the status once it is what the client waits for, or after this many seconds. */
async function waited(
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  seconds: number,
  closing: AbortSignal,
): Promise<UploadStatus> {
  if (closing.aborted) throw new ServiceError('SHUTTING_DOWN', {})
  const { ip, headers, service } = request
  const known = headers['if-none-match']
  const isAwaited = (one: UploadStatus) => isFinished(one) || (known !== undefined && !hasEntity(known, uploadTag(one)))
  reply.header('preference-applied', `wait=${seconds}`)
  using watch = service.uploads.watch(id, clientNetworkOf(ip))
  const signal = AbortSignal.any([AbortSignal.timeout(seconds * 1_000), goneSignal(reply.raw), closing])
  let status = watch.status()
  while (!isAwaited(status) && !signal.aborted) status = await watch.changed(status.version, signal)
  return status
}

/** Proxies cut off a connection that is silent for a minute, some for half a minute. */
const heartbeatMs = 15_000
const retryMs = 2_000

function eventId(status: UploadStatus): string {
  return uploadTag(status).slice(1, -1)
}

/**
 * Sends the current status, unless the client has it, and each later one until the upload has ended. Disposes the
 * watch.
 *
 * @param client Id of the last event that it received, or null; `stop` is aborted when it stops reading.
 */
function statusEvents(
  watch: UploadWatch,
  client: { readonly lastId: string | null; readonly prefix: string; readonly stop: AbortSignal },
) {
  const { lastId, prefix, stop } = client
  async function* events(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`retry: ${retryMs}\n\n`)
    let status = watch.status()
    if (eventId(status) !== lastId) yield eventOf(status, prefix)
    while (!isFinished(status) && !stop.aborted) {
      const beat = AbortSignal.any([stop, AbortSignal.timeout(heartbeatMs)])
      while (!isFinished(status) && !beat.aborted) {
        const next = await watch.changed(status.version, beat)
        if (next.version !== status.version) yield eventOf(next, prefix)
        status = next
      }
      if (!isFinished(status) && !stop.aborted) yield Buffer.from(':\n\n')
    }
  }
  return byteStream(events(), async () => watch[Symbol.dispose]())
}

function eventOf(status: UploadStatus, prefix: string): Uint8Array {
  const data = JSON.stringify(withPrefix(uploadStatusJson(status), prefix))
  return Buffer.from(`id: ${eventId(status)}\ndata: ${data}\n\n`)
}
