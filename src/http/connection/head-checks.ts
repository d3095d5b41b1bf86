// Head checks: what can be wrong with a request, whatever it asks for. Knows routes only by their patterns and methods.
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../core/errors.ts'
import { type Note, note } from '../../core/notes.ts'
import { headerLines, isKnownVersion, targetAuthority } from './request-target.ts'

const headerLinesMax = 1_000

/**
 * Rejects a head that could be read in two ways, or that is unreasonably large. The host of a target in absolute form
 * replaces that of the header (RFC 9112 section 3.2.2).
 *
 * @param target As sent, before conversion to origin form.
 * @throws {ServiceError} VERSION_NOT_SUPPORTED, HEADERS_TOO_LARGE, BAD_REQUEST
 */
export function checkHead(request: IncomingMessage, target: string): void {
  // Node's parser accepts HTTP/0.9 and HTTP/2.0 in a request line.
  if (!isKnownVersion(request.httpVersion)) throw new ServiceError('VERSION_NOT_SUPPORTED', {})
  // rawHeaders holds the name and the value of each line.
  if (request.rawHeaders.length / 2 > headerLinesMax) throw new ServiceError('HEADERS_TOO_LARGE', {})
  // Node reads `gzip, chunked` as `chunked`, and would take the compressed bytes for the body (RFC 9112 section 6.1).
  const coding = headerLines(request, 'transfer-encoding').join(', ')
  if (coding !== '' && coding.toLowerCase() !== 'chunked') {
    const problem = `its transfer coding is '${coding.slice(0, 100)}', expected 'chunked' or none`
    throw new ServiceError('BAD_REQUEST', { problem })
  }
  // HTTP/1.0 has no transfer coding: a proxy in front may see another body (RFC 9112 section 6.1).
  if (coding !== '' && request.httpVersion === '1.0') {
    throw new ServiceError('BAD_REQUEST', { problem: 'it is HTTP/1.0 with a transfer coding, which needs HTTP/1.1' })
  }
  const hosts = headerLines(request, 'host').length
  if (hosts > 1) throw new ServiceError('BAD_REQUEST', { problem: 'it has more than one Host header' })
  if (hosts === 0 && request.httpVersion !== '1.0') {
    throw new ServiceError('BAD_REQUEST', { problem: 'it has no Host header' })
  }
  // All that follows reads the host there.
  const authority = targetAuthority(target)
  if (authority !== null) request.headers.host = authority
}

/** True when the client waits for `100 Continue` before it sends the body. */
export function expectsContinue(request: IncomingMessage): boolean {
  return request.httpVersion !== '1.0' && /(?:^|\W)100-continue(?:$|\W)/i.test(request.headers.expect ?? '')
}

/** @throws {ServiceError} EXPECTATION_FAILED for any other expectation; HTTP/1.0 has none (RFC 9110 section 10.1.1). */
export function checkExpectation(request: IncomingMessage): void {
  const { expect } = request.headers
  if (expect === undefined || request.httpVersion === '1.0' || expectsContinue(request)) return
  throw new ServiceError('EXPECTATION_FAILED', { expect: expect.slice(0, 100) })
}

/** Content codings registered with IANA, besides `identity`. */
const codingPattern =
  /(?:^|,)\s*(?:aes128gcm|br|(?:x-)?compress|dcb|dcz|deflate|exi|(?:x-)?gzip|pack200-gzip|zstd)\s*(?:,|$)/i

/**
 * `Content-Encoding` as sent if it names a coding; empty if not. Old clients set it to a charset or `binary` by
 * mistake, with a body that can be read in only one way.
 */
export function contentCodingOf(request: IncomingMessage): string {
  const coding = headerLines(request, 'content-encoding').join(', ')
  return codingPattern.test(coding) ? coding : ''
}

/** A note if `Content-Encoding` names no coding, and is therefore ignored. */
export function ignoredCoding(request: IncomingMessage): readonly Note[] {
  const given = headerLines(request, 'content-encoding').join(', ').trim()
  if (given === '' || given.toLowerCase() === 'identity' || codingPattern.test(given)) return []
  const shown = given.slice(0, 40).replaceAll(/[^\w .:@/+-]/g, '?')
  return [note('CODING_IGNORED', `Ignored: Content-Encoding '${shown}', which is no coding of a body.`)]
}

/** @throws {ServiceError} CONTENT_CODED: we read, measure and count bodies as they are sent. */
export function checkCoding(request: IncomingMessage): void {
  const coding = contentCodingOf(request)
  if (coding !== '') throw new ServiceError('CONTENT_CODED', { coding: coding.slice(0, 100) })
}

/** Methods by path, filled as routes are added. */
export class KnownPaths {
  readonly #routes: { readonly pattern: RegExp; readonly methods: readonly string[]; readonly options: object }[] = []

  /** @param options Header fields that `OPTIONS` returns in addition to the methods. */
  add(route: string, methods: readonly string[], options: Readonly<Record<string, string>> = {}): void {
    const source = route
      .replaceAll(/[.+?^$()|[\]\\]/g, '\\$&')
      .replaceAll(/:[A-Za-z]+/g, '[^/]+')
      .replaceAll('*', '.*')
    this.#routes.push({ pattern: new RegExp(`^${source}$`), methods, options })
  }

  /**
   * Value of `Allow`, OPTIONS last: for the whole server if the path is null (RFC 9110 section 9.3.7), empty for a path
   * that does not exist.
   */
  allowed(path: string | null): readonly string[] {
    const methods = new Set(this.#at(path).flatMap((one) => one.methods))
    return methods.size === 0 ? [] : [...methods, 'OPTIONS']
  }

  /** Header fields that `OPTIONS` on a path returns in addition to the methods. */
  options(path: string): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.#at(path).map(({ options }) => options))
  }

  #at(path: string | null) {
    return path === null ? this.#routes : this.#routes.filter(({ pattern }) => pattern.test(path))
  }
}
