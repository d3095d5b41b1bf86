// HTTP: one request to the server and the head of its response. Knows addresses and keys, no routes.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type * as plain from 'node:http'
import * as secure from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { nodeHttp } from '../core/node-http.ts'
import { errorCode } from '../core/storage-error.ts'
import { ClientError, refusal } from './client-error.ts'

export interface ServerAddress {
  /** Origin, and a base path if the service has one. */
  readonly url: URL
  /** Sent as `Authorization: Bearer`; null for none. */
  readonly key: string | null
}

export interface Ask {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** From the root of the service: `/qas/datasets`. */
  readonly path: string
  readonly headers?: plain.OutgoingHttpHeaders
  readonly body?: string
  /** A file that is sent as the body instead, with its length in bytes. */
  readonly bodyFile?: { readonly path: string; readonly bytes: number }
}

/** A connection on which nothing is transferred for this long is abandoned while bytes are due in either direction. */
export const idleMsMax = 60_000
const connectMsMax = 10_000
/** Size limit of a response that is read into memory; anything larger belongs in a file. */
const wholeBytesMax = 268_435_456
const refusalBytesMax = 65_536

/** Sends requests to one server; keeps connections open until it is disposed. */
export class Http implements Disposable {
  readonly #address: ServerAddress
  readonly #agent: plain.Agent
  readonly #module: typeof nodeHttp | typeof secure
  /** Until then, a refused connection means a wrong address, and another try would not help. */
  hasConnected = false

  constructor(address: ServerAddress) {
    this.#address = address
    this.#module = address.url.protocol === 'https:' ? secure : nodeHttp
    this.#agent = new this.#module.Agent({ keepAlive: true })
  }

  /** Begins a request; if it cannot connect or continue, `responseOf` throws a ClientError. */
  begin({ method, path, headers = {} }: Omit<Ask, 'body' | 'bodyFile'>, signal: AbortSignal): plain.ClientRequest {
    const { url, key } = this.#address
    const target = new URL(url.href.replace(/\/+$/, '') + path)
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
    const request = this.#module.request(target, {
      method,
      agent: this.#agent,
      signal,
      headers: { accept: 'application/json', ...headers, ...authorization },
    })
    request.on('socket', (socket) => {
      // A server that processes a large file is silent meanwhile; keep-alive notices if its machine is gone.
      socket.setKeepAlive(true, 15_000)
      if (!socket.connecting) return
      const timer = setTimeout(() => request.destroy(new Error('no connection within 10 s')), connectMsMax)
      socket
        .once('close', () => clearTimeout(timer))
        .once('connect', () => {
          clearTimeout(timer)
          this.hasConnected = true
        })
    })
    return request
  }

  /**
   * Sends a request, and resolves to a successful response, its body still to be read. @throws {ClientError} for any
   * other
   */
  async ask(ask: Ask, signal: AbortSignal): Promise<plain.IncomingMessage> {
    const { body, bodyFile } = ask
    const bytes = body === undefined ? bodyFile?.bytes : Buffer.byteLength(body)
    const length = bytes === undefined ? {} : { 'content-length': bytes }
    const request = this.begin({ ...ask, headers: { ...length, ...ask.headers } }, signal)
    const pending = responseOf(request, this, signal)
    if (bodyFile === undefined) request.end(body)
    // Any error shows in the response, or in its absence; the response may arrive before the whole body is sent.
    else pipeline(createReadStream(bodyFile.path), request, () => {})
    return successOf(await pending, signal)
  }

  /** Requests JSON. @throws {ClientError} */
  async json(ask: Ask, signal: AbortSignal): Promise<unknown> {
    return jsonOf(await this.ask(ask, signal), signal)
  }

  /** The address that errors name. */
  get url(): URL {
    return this.#address.url
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

/** The head of the response. @throws {ClientError} unreachable, cut, or wrong if there is no TLS or trust */
export async function responseOf(
  request: plain.ClientRequest,
  http: Http,
  signal: AbortSignal,
): Promise<plain.IncomingMessage> {
  try {
    const [response] = (await once(request, 'response')) as [plain.IncomingMessage]
    // Later failures show in the body of the response.
    request.on('error', () => {})
    return response
  } catch (error) {
    signal.throwIfAborted()
    throw connectionFailure(error, http, request.socket)
  }
}

/** The response, if it is a success, or says that nothing has changed. @throws {ClientError} `refused` otherwise, with the error record of the body */
export async function successOf(response: plain.IncomingMessage, signal: AbortSignal): Promise<plain.IncomingMessage> {
  const { statusCode = 0, headers } = response
  if ((statusCode >= 200 && statusCode < 300) || statusCode === 304) return response
  const body = await textOf(response, refusalBytesMax, signal)
  throw new ClientError(refusal(statusCode, headers['retry-after'], body))
}

/** The body as JSON. @throws {ClientError} cut, or wrong if it is not JSON */
export async function jsonOf(response: plain.IncomingMessage, signal: AbortSignal): Promise<unknown> {
  const text = await textOf(response, wholeBytesMax, signal)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw ClientError.of('wrong', 'Cannot read the response: it is not JSON; is this the right server?', error)
  }
}

/** The bytes of a body. @throws {ClientError} if they end early or stall */
export async function* bytesOf(response: plain.IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  const wait = () => setTimeout(() => response.destroy(new Error('nothing came for 60 s')), idleMsMax)
  let timer = wait()
  try {
    for await (const chunk of response) {
      // The consumer may be slow; only the server has a timeout.
      clearTimeout(timer)
      yield chunk as Buffer // no encoding is set
      timer = wait()
    }
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    throw ClientError.of('cut', `Cannot read the whole answer: ${reason}`, error)
  } finally {
    clearTimeout(timer)
  }
}

async function textOf(response: plain.IncomingMessage, bytesMax: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of bytesOf(response, signal)) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      response.destroy()
      throw ClientError.of('wrong', `Cannot read the response: it is longer than ${bytesMax} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
])

/** Why a request got no response, and what to do. @param socket Of the request; null if it got none. */
function connectionFailure(error: unknown, { url, hasConnected }: Http, socket: Socket | null): ClientError {
  const [first = error] = error instanceof AggregateError ? error.errors : [error]
  const reason = first instanceof Error ? first.message : String(first)
  const code = errorCode(first)
  const isTimeout = code === 'ETIMEDOUT' || reason.startsWith('no connection')
  if (isTimeout || unreachableCodes.has(code)) {
    const isRefused = code === 'ECONNREFUSED'
    const message = `Cannot reach ${url.origin}: ${reason}${isRefused ? '; is the service running there?' : ''}`
    return new ClientError({ kind: 'unreachable', message, isFinal: isRefused && !hasConnected }, error)
  }
  const message = untrusted(reason, code, url, socket) ?? withoutTls(reason, url)
  if (message !== null) return ClientError.of('wrong', message, error)
  return ClientError.of('cut', `Cannot get an answer from ${url.origin}: ${reason}`, error)
}

/** Null unless the certificate of the server was refused. */
function untrusted(reason: string, code: unknown, { origin }: URL, socket: Socket | null): string | null {
  if (socket === null || !('authorizationError' in socket) || !socket.authorizationError) return null
  // After a semicolon, Node names an option that users of this program cannot set.
  const why = reason.split(';')[0]!.replace(/[\s:]+$/, '')
  const isUnknown = /SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(String(code))
  const hint = '; if you trust it, set NODE_EXTRA_CA_CERTS to the file of its authority'
  return `Cannot trust ${origin}: ${why}${isUnknown ? hint : ''}`
}

/** Null unless the server answers without TLS, as OpenSSL says at its first byte. */
function withoutTls(reason: string, { origin }: URL): string | null {
  if (!/wrong version number|packet length too long/.test(reason)) return null
  return `Cannot reach ${origin}: the server there does not use TLS; is its address ${origin.replace('https', 'http')}?`
}
