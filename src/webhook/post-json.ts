// Post JSON: sends one message to one URL, if its address is allowed when the connection is made. Follows no redirect.
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { nodeHttp } from '../core/node-http.ts'

export interface PostOptions {
  readonly url: URL
  /** Whether an address may be connected to. */
  readonly isAllowed: (address: string) => boolean
  /** Resolves a name to addresses; by default, the system does. */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>
  /** Timeout of the whole exchange. Milliseconds. */
  readonly timeoutMs: number
}

export type PostResponse = Awaited<ReturnType<typeof postJson>>

/** Resolves to the response, whose body is not read. Rejects if there is none. */
export function postJson(
  { url, isAllowed, resolve = resolveBySystem, timeoutMs }: PostOptions,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly retryAfter: string | undefined }> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A name is looked up and checked below; an address is used without a lookup.
  if (isIP(host) !== 0 && !isAllowed(host)) return Promise.reject(refused(host))
  const { promise, resolve: answer, reject } = Promise.withResolvers<PostResponse>()
  const outgoing = (url.protocol === 'https:' ? httpsRequest : nodeHttp.request)(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
    lookup: checkedLookup(resolve, isAllowed),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  outgoing.once('response', (incoming) => {
    answer({ status: incoming.statusCode ?? 0, retryAfter: incoming.headers['retry-after'] })
    incoming.destroy()
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

/** Connects to the checked address: a second lookup of the name may return another one (DNS rebinding). */
function checkedLookup(
  resolve: NonNullable<PostOptions['resolve']>,
  isAllowed: PostOptions['isAllowed'],
): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (found) => {
        const addresses = found.filter(({ address }) => isAllowed(address))
        const [first] = addresses
        if (first === undefined) callback(refused(name), '')
        else if (all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, ''),
    )
  }
}

/** The options forbid the address. */
export class AddressRefused extends Error {}

function refused(host: string): Error {
  return new AddressRefused(`Cannot connect to ${host}: it has no public address, and none in --webhook-network`)
}

function resolveBySystem(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)))
  })
}
