// S3 proxy: an HTTP proxy to an S3 server that records requests, and can fail them or lose their responses.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What happens to a request: it is forwarded; gets a 503; gets a 409; gets a 403; is forwarded, but its response is lost, or breaks
 * off within its body.
 */
export type Fate = 'carried' | 'failed' | 'conflicting' | 'denied' | 'lost' | 'cut'

/** A completed request. */
export interface CompletedRequest {
  /** The S3 operation, such as `PutObject` or `UploadPart`. */
  readonly call: string
  /** The key, without the bucket. */
  readonly key: string
  readonly bytes: number
  /** Size of the response body. */
  readonly responseBytes: number
}

export class S3Proxy implements AsyncDisposable {
  readonly endpoint: string
  /** In the order of their responses. */
  readonly carried: CompletedRequest[] = []
  /** Decides on each request, perhaps only later; by default, all are forwarded. */
  fate: (call: string, key: string) => Fate | Promise<Fate> = () => 'carried'
  readonly #server: Server
  readonly #target: string
  #changed = Promise.withResolvers<void>()

  private constructor(server: Server, target: string) {
    this.#server = server
    this.#target = target
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (from: IncomingMessage, to: ServerResponse) => void this.#carry(from, to))
  }

  static async to(endpoint: string): Promise<S3Proxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new S3Proxy(server, endpoint)
  }

  /** Holds the next request of an operation with such a key, until released. */
  holdNext(call: string, key: RegExp): { readonly reached: Promise<void>; release(): void } {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.fate = async (seenCall, seenKey): Promise<Fate> => {
      if (seenCall !== call || !key.test(seenKey)) return 'carried'
      this.fate = () => 'carried'
      reached.resolve()
      await released.promise
      return 'carried'
    }
    return { reached: reached.promise, release: () => released.resolve() }
  }

  /** Resolves when `count` requests of an operation have completed in total. */
  async answered(call: string, count: number): Promise<void> {
    while (this.carried.filter((one) => one.call === call).length < count) await this.#changed.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #carry(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = from
    const { pathname, searchParams } = new URL(url, this.endpoint)
    const call = callOf(method, searchParams)
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const fate = await this.fate(call, key)
    if (fate === 'denied') {
      const answer = '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'
      from.resume().once('end', () => to.writeHead(403, { 'content-type': 'application/xml' }).end(answer))
      return
    }
    if (fate === 'failed' || fate === 'conflicting') {
      from.resume().once('end', () => to.writeHead(fate === 'failed' ? 503 : 409).end())
      return
    }
    const onward = request(new URL(url, this.#target), { method, headers }, (answer) => {
      if (fate === 'lost') {
        answer.resume().once('end', () => to.destroy())
        return
      }
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      if (fate === 'cut') {
        answer.once('data', (chunk: Buffer) => to.write(chunk.subarray(0, chunk.length / 2), () => to.destroy()))
        return
      }
      let responseBytes = 0
      answer.on('data', (chunk: Buffer) => (responseBytes += chunk.length))
      answer.pipe(to)
      answer.once('end', () => {
        this.carried.push({ call, key, bytes: Number(headers['content-length'] ?? 0), responseBytes })
        this.#changed.resolve()
        this.#changed = Promise.withResolvers()
      })
    })
    onward.once('error', () => to.destroy())
    from.once('error', () => onward.destroy())
    from.pipe(onward)
  }
}

function callOf(method: string, query: URLSearchParams): string {
  if (query.has('uploadId'))
    return { PUT: 'UploadPart', POST: 'CompleteMultipartUpload' }[method] ?? 'AbortMultipartUpload'
  if (query.has('uploads')) return method === 'POST' ? 'CreateMultipartUpload' : 'ListMultipartUploads'
  if (query.has('list-type')) return 'ListObjects'
  if (query.has('delete')) return 'DeleteObjects'
  return `${method.slice(0, 1)}${method.slice(1).toLowerCase()}Object`
}
