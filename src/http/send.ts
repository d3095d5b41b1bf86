// Send: how successful answers leave, as JSON or as a stream of bytes. Knows nothing of what they say.
import type { ServerResponse } from 'node:http'
import { pipeline, Readable, Transform } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { jsonContentType, toServiceError } from './error-record.ts'
import { noteFailure } from './request-log.ts'

/** Sends a value as JSON, chunked as the reference does (until the close for HTTP/1.0). */
export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return reply.type(jsonContentType).send(Readable.from([JSON.stringify(value)], { objectMode: false }))
}

/**
 * Sends a stream. When it fails, or does not give exactly `bytes`, the connection is cut, so that nobody takes a part
 * for the whole.
 *
 * @param bytes What the stream will give; null when unknown.
 * @param idleMs A client that takes nothing for so long is cut off.
 */
export function sendStream(reply: FastifyReply, stream: Readable, bytes: number | null, idleMs: number): FastifyReply {
  const { raw } = reply
  raw.setTimeout(idleMs, () => raw.destroy())
  // What fails once the answer has begun shows in the log alone; a client that has gone is no failure.
  stream.once('error', (error) => {
    if (!raw.destroyed) noteFailure(raw, toServiceError(error))
  })
  if (bytes === null) return reply.send(stream)
  // A failure reaches the reply through the stream that is sent; there is nothing to add here.
  const exact = pipeline(stream, exactly(bytes), () => {})
  return reply.header('content-length', bytes).send(exact)
}

/** Aborted when the client has gone before its answer was complete. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const onClose = () => {
    if (!response.writableFinished) controller.abort(new Error('The client has gone'))
  }
  if (response.destroyed) onClose()
  else response.once('close', onClose)
  return controller.signal
}

/** Passes bytes on and fails on the first too many, or at the end on one missing. */
function exactly(bytes: number): Transform {
  let leftBytes = bytes
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      leftBytes -= chunk.length
      if (leftBytes < 0) done(new Error(`Cannot send file: it has more than the ${bytes} bytes it should have`))
      else done(null, chunk)
    },
    flush(done) {
      done(leftBytes === 0 ? null : new Error(`Cannot send file: ${leftBytes} of its ${bytes} bytes are missing`))
    },
  })
}
