// JSON body: reads a JSON request body, with limits on its size and on waiting. Knows no route.
import type { FastifyRequest } from 'fastify'
import { lengthOf } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import type { App } from '../app.ts'
import { checkCoding } from '../connection/head-checks.ts'
import { type BodyPace, RequestBody } from '../connection/request-body.ts'
import { headerLines } from '../connection/request-target.ts'
import { octetStream } from '../openapi/operation.ts'

const mediaTypePattern = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/**
 * Without `fatal`, invalid bytes would become U+FFFD and change a statement or a pattern. JSON has no byte order mark
 * (RFC 8259 section 8.1).
 */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Replaces Fastify's JSON parser, which has no limit on waiting and also reads plain text. Routes that take no body
 * ignore one, whatever its type: many clients send `application/json` with every DELETE.
 */
export function addJsonBody(app: App, pace: BodyPace): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    const type = headers['content-type']
    // Fastify rejects an invalid media type before any parser sees it, also where the route reads the body itself or
    // takes none. We read the type as sent.
    if (type !== undefined && !(takesBody(request) && mediaTypePattern.test(type)))
      headers['content-type'] = octetStream
    done()
  })
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (takesBody(request)) {
      throw new ServiceError('NOT_JSON', {
        contentType: headerLines(request.raw, 'content-type')[0]?.slice(0, 100) || null,
      })
    }
  })
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    if (headerLines(request.raw, 'content-type').length > 1) {
      throw new ServiceError('BAD_REQUEST', { problem: 'it has more than one Content-Type header' })
    }
    checkCoding(request.raw)
    const limitBytes = request.routeOptions.bodyLimit ?? 0
    const tooLarge = () => new ServiceError('REQUEST_TOO_LARGE', { limitBytes })
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge()
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const come of RequestBody.of(request.raw).chunks(pace)) {
      bytes += lengthOf(come)
      if (bytes > limitBytes) throw tooLarge()
      // Copy the chunks: the next ones reuse their memory.
      for (const chunk of come) chunks.push(Buffer.from(chunk))
    }
    try {
      return JSON.parse(utf8.decode(Buffer.concat(chunks))) as unknown
    } catch {
      // Do not pass on the parser's error as the cause: it quotes the body, which must not get into the log.
      throw new ServiceError('BAD_REQUEST', { problem: 'its body is not valid JSON' })
    }
  })
}

function takesBody(request: FastifyRequest): boolean {
  return request.routeOptions.schema?.body !== undefined
}
