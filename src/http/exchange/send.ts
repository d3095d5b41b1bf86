// Send: sends successful responses, as JSON or as a stream of bytes. Knows nothing of their content.
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { type ByteStream, releaseChunk } from '../../core/byte-stream.ts'
import { nodeHttp } from '../../core/node-http.ts'
import { jsonContentType, toServiceError } from '../connection/error-record.ts'
import { noteFailure } from '../connection/request-log.ts'
import { acceptedType } from './accept.ts'
import { withPrefix } from './host-prefix.ts'

/** Sends a value as a line of JSON, its links below the prefix of a host's app, chunked as the reference does (until the close for HTTP/1.0). */
export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  const text = `${JSON.stringify(withPrefix(value, reply.server.prefix))}\n`
  const stream = new TextStream(text)
  // A tag identifies the bytes that are sent, and responses to POST are what the reference sends.
  const mayCode = reply.request.method === 'GET' && !reply.hasHeader('etag') && text.length >= codedBytesMin
  return reply.type(jsonContentType).send(mayCode && takesGzip(reply) ? stream.pipe(createGzip()) : stream)
}

/** A shorter text fits into one packet anyway. Bytes. */
const codedBytesMin = 512

/** Sends a file of text, compressed if the client accepts that. */
export async function sendText(reply: FastifyReply, content: Buffer): Promise<FastifyReply> {
  return reply.send(content.length >= codedBytesMin && takesGzip(reply) ? await compress(content) : content)
}

const compress = promisify(gzip)

/** True if the client accepts gzip; the headers then announce it. */
function takesGzip(reply: FastifyReply): boolean {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined || others === 'origin' ? 'accept-encoding' : `${others}, accept-encoding`)
  // Codings are rated as types are; without the header, a client may know none.
  const accepted = acceptedType(reply.request.headers['accept-encoding'] || 'identity', ['gzip']) !== null
  if (accepted) reply.header('content-encoding', 'gzip')
  return accepted
}

/**
 * Wraps a text as a stream, for which Fastify states no length. The response gets the text immediately: with
 * `Readable.from`, a small response took 30 µs of CPU time more, of 64 (1,000 requests, 2 cores, Node 24, 2026-11-24).
 */
class TextStream extends Readable {
  readonly #text: string
  #isGiven = false

  constructor(text: string) {
    super()
    this.#text = text
  }

  override _read(): void {
    if (!this.#isGiven) this.push(this.#text)
    this.#isGiven = true
    this.push(null)
  }

  override pipe<Destination extends NodeJS.WritableStream>(
    destination: Destination,
    options?: { end?: boolean },
  ): Destination {
    const isDirect = destination instanceof nodeHttp.ServerResponse && options?.end !== false
    if (!isDirect || this.#isGiven) return super.pipe(destination, options)
    this.#isGiven = true
    destination.write(this.#text)
    destination.end()
    // Fastify waits for its end.
    this.resume()
    return destination
  }
}

/**
 * Sends a stream. If it fails, or does not yield exactly `bytes`, the connection is cut off, so that a client never
 * takes a part for the whole.
 *
 * @param bytes Number of bytes in the stream; null if unknown.
 * @param idleMs A client that reads nothing for this long is cut off.
 */
export function sendStream(
  reply: FastifyReply,
  stream: ByteStream,
  bytes: number | null,
  idleMs: number,
): FastifyReply {
  const { raw } = reply
  const pace = { isMaking: false }
  const sent = pulled(bytes === null ? stream : exactly(stream, bytes), () => stream[Symbol.asyncDispose](), raw, pace)
  raw.setTimeout(idleMs, () => {
    // While the next bytes are being made and none are left to send, the delay is ours, not the client's.
    if (pace.isMaking && raw.writableLength === 0) raw.setTimeout(idleMs)
    else raw.destroy()
  })
  // Once the response has begun, a failure shows only in the log. A client that disconnects is not a failure.
  sent.once('error', (error) => {
    if (!raw.destroyed) noteFailure(raw, toServiceError(error))
  })
  // A Node stream may fail while nothing is read from it, because the client reads nothing.
  if (stream instanceof Readable) stream.once('error', (error) => sent.destroy(error))
  if (bytes !== null) reply.header('content-length', bytes)
  return reply.send(sent)
}

/** Aborted if the client disconnects before its response is complete. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const onClose = () => {
    if (!response.writableFinished) controller.abort(new Error('The client has gone'))
  }
  if (response.destroyed) onClose()
  else response.once('close', onClose)
  return controller.signal
}

/**
 * A Node stream that asks for a chunk only when it can pass it on, so it holds no memory for a client that stops
 * reading. Memory is released as soon as the kernel has the bytes: left to garbage collection, the chunks of 200
 * clients that stopped at once took 75 MB more (Node 24, 2026-11-21).
 */
function pulled(
  chunks: AsyncIterable<Uint8Array>,
  release: () => PromiseLike<void>,
  response: ServerResponse,
  pace: { isMaking: boolean },
): Readable {
  const iterator = chunks[Symbol.asyncIterator]()
  let isDirect = false
  let given: Uint8Array | null = null
  const stream = new Readable({
    highWaterMark: 0,
    read() {
      if (given !== null) releaseChunk(given)
      given = null
      pace.isMaking = true
      iterator.next().then(
        ({ done, value }) => {
          pace.isMaking = false
          // For a chunk of this size, the response asks for more only once the kernel has all of it.
          if (!done && isDirect && value.length >= response.writableHighWaterMark) given = value
          this.push(done ? null : value)
        },
        (error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      release().then(() => done(error), done)
    },
  })
  // In a host's Fastify app, another stream may come in between that keeps the chunks it gets.
  response.once('pipe', (source) => {
    isDirect = source === stream
  })
  return stream
}

/** Passes bytes on, and fails at the first excess byte, or at the end if bytes are missing. */
async function* exactly(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let leftBytes = bytes
  for await (const chunk of chunks) {
    leftBytes -= chunk.length
    if (leftBytes < 0) throw new Error(`Cannot send file: it has more than the ${bytes} bytes it should have`)
    yield chunk
  }
  if (leftBytes > 0) throw new Error(`Cannot send file: ${leftBytes} of its ${bytes} bytes are missing`)
}
