// Send: sends successful answers, as JSON or as a stream of bytes. Knows nothing of their content.
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type ByteStream, giveBack } from '../../core/byte-stream.ts'
import { jsonContentType, toServiceError } from '../connection/error-record.ts'
import { noteFailure } from '../connection/request-log.ts'

/** Sends a value as a line of JSON, chunked as the reference does (until the close for HTTP/1.0). */
export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return reply.type(jsonContentType).send(new TextStream(`${JSON.stringify(value)}\n`))
}

/** A text as a stream, for which Fastify states no length. A response gets it at once: else it would come some turns later. */
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
    const isDirect = destination instanceof ServerResponse && options?.end !== false
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
 * Sends a stream. When it fails, or does not give exactly `bytes`, the connection is cut, so that a client
 * never takes a part for the whole.
 *
 * @param bytes What the stream will give; null when unknown.
 * @param idleMs A client that takes nothing for so long is cut off.
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
    // While the next bytes are made and none is left to take, it is not the client that is slow.
    if (pace.isMaking && raw.writableLength === 0) raw.setTimeout(idleMs)
    else raw.destroy()
  })
  // What fails once the answer has begun shows in the log alone; a client that has gone is no failure.
  sent.once('error', (error) => {
    if (!raw.destroyed) noteFailure(raw, toServiceError(error))
  })
  // A Node stream may fail while nothing is asked of it, because the client takes nothing.
  if (stream instanceof Readable) stream.once('error', (error) => sent.destroy(error))
  if (bytes !== null) reply.header('content-length', bytes)
  return reply.send(sent)
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

/**
 * A Node stream that asks for a chunk only when it can be passed on: of a client that takes nothing, it holds none. Memory
 * is given back as soon as the system has the bytes: as garbage, what 200 clients took at once before they stopped was
 * 75 MB more (Node 24, 2026-11-21).
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
      if (given !== null) giveBack(given)
      given = null
      pace.isMaking = true
      iterator.next().then(
        ({ done, value }) => {
          pace.isMaking = false
          // After so much, the response asks for more only once all of it is with the system.
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
  // In a Fastify of somebody else, another stream may stand in between that keeps what it is given.
  response.once('pipe', (source) => {
    isDirect = source === stream
  })
  return stream
}

/** Passes bytes on and fails on the first too many, or at the end on one missing. */
async function* exactly(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let leftBytes = bytes
  for await (const chunk of chunks) {
    leftBytes -= chunk.length
    if (leftBytes < 0) throw new Error(`Cannot send file: it has more than the ${bytes} bytes it should have`)
    yield chunk
  }
  if (leftBytes > 0) throw new Error(`Cannot send file: ${leftBytes} of its ${bytes} bytes are missing`)
}
