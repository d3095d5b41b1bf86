// Authorize: checks what the caller of a request may do, and limits how often. Does not know keys.
import type { FastifyRequest } from 'fastify'
import type { Access, Caller, Scope } from '../../access/access.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Service } from '../../service/service.ts'
import type { App } from '../app.ts'
import { clientNetworkOf } from './client-network.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The scope that a caller needs, or several, of which all are needed; by default, the one of the method. `none`: no
     * authentication. `any`: no particular scope.
     */
    readonly scope?: RequiredScope | 'any' | 'none'
    /** True for a route that answers whatever the Host header says: probes use their own addresses and names. */
    readonly isForAnyHost?: boolean
  }
  interface FastifyRequest {
    /** The service as the caller sees it: datasets of other owners do not exist. */
    service: Service
    caller: Caller
  }
}

type RequiredScope = Scope | readonly Scope[] | 'upload or read'

export interface AuthorizationOptions {
  readonly access: Access
  /** Identifies the sender instead of `access`, by anything in the request. @throws {ServiceError} UNAUTHORIZED */
  readonly identify?: (request: FastifyRequest) => Promise<Caller>
  /** Requests per minute for one caller, or for one client network without authentication; Infinity for no limit. */
  readonly requestsPerMinuteMax: number
}

/** Wrong keys per minute from one client network; further ones get 429. A right key is never delayed. */
const wrongKeysPerMinuteMax = 30
const minuteMs = 60_000

/** The scope that each method needs, unless a route says otherwise. */
const scopeByMethod: Readonly<Record<string, Scope>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'upload',
  PATCH: 'upload',
  DELETE: 'delete',
}

/** Puts `caller` and `service` on every request that has a route, or rejects the request before its body is read. */
export function addAuthorization(
  app: App,
  service: Service,
  { access, identify, requestsPerMinuteMax }: AuthorizationOptions,
): void {
  app.decorateRequest('service')
  app.decorateRequest('caller')
  const wrongKeys = new RequestLimit(wrongKeysPerMinuteMax)
  const requests = new RequestLimit(requestsPerMinuteMax)
  app.addHook('onRequest', async (request) => {
    const scope = request.routeOptions.config.scope ?? scopeByMethod[request.method]
    // Requests without a route have been answered already.
    if (scope === undefined) throw new Error(`Cannot find what a caller needs for ${request.method}`)
    if (scope === 'none') {
      request.service = service
      return
    }
    try {
      request.caller = await (identify?.(request) ?? access.identify(request.headers.authorization))
      if (scope !== 'any') checkScope(request.caller, scope)
    } catch (error) {
      // The issuer of tokens has failed; that does not make the caller's token wrong.
      if (isServiceError(error, 'ISSUER_UNAVAILABLE')) throw error
      audit(request, 'denied')
      if (request.caller === undefined) wrongKeys.count(clientNetworkOf(request.ip))
      throw error
    }
    const { owner, name, scopes } = request.caller
    requests.count(owner === '' ? clientNetworkOf(request.ip) : `${owner} ${name}`)
    request.service = service.as(owner, { name, mayRead: scopes.has('read') })
  })
}

/** @throws {ServiceError} FORBIDDEN */
function checkScope({ scopes }: Caller, wanted: RequiredScope): void {
  if (wanted === 'upload or read') {
    if (!scopes.has('upload') && !scopes.has('read')) throw new ServiceError('FORBIDDEN', { scope: "upload' or 'read" })
    return
  }
  const missing = [wanted].flat().filter((one) => !scopes.has(one))
  if (missing.length > 0) throw new ServiceError('FORBIDDEN', { scope: missing.join("' and '") })
}

/** Logs who changed what, or who was denied. */
export function audit(
  request: FastifyRequest,
  what:
    | 'upload'
    | 'reading'
    | 'correction'
    | 'copy'
    | 'trashing'
    | 'restoration'
    | 'deletion'
    | 'cancellation'
    | 'denied',
  id?: string,
): void {
  const { caller, ip, method, routeOptions } = request
  const who = caller === undefined ? {} : { caller: caller.name, owner: caller.owner }
  const named = what === 'cancellation' ? { uploadId: id } : { datasetId: id }
  request.log.info({ audit: what, ...who, address: ip, method, route: routeOptions.url, ...named }, 'audit')
}

/** With more keys, the least recently used are forgotten. */
const keysMax = 5_000

/**
 * Counts requests by key in windows of a minute, by a clock that never jumps: if the time of day is set back by a year,
 * nobody is locked out for a year.
 */
export class RequestLimit {
  readonly #perMinuteMax: number
  readonly #counts = new Map<string, { readonly sinceMs: number; seen: number }>()

  constructor(perMinuteMax: number) {
    this.#perMinuteMax = perMinuteMax
  }

  /** @throws {ServiceError} TOO_MANY_REQUESTS */
  count(key: string): void {
    if (this.#perMinuteMax === Number.POSITIVE_INFINITY) return
    const nowMs = performance.now()
    const last = this.#counts.get(key)
    const count = last === undefined || nowMs - last.sinceMs >= minuteMs ? { sinceMs: nowMs, seen: 0 } : last
    count.seen += 1
    // A map keeps its keys in the order in which they were inserted.
    this.#counts.delete(key)
    this.#counts.set(key, count)
    const [silentForLongest] = this.#counts.keys()
    if (this.#counts.size > keysMax && silentForLongest !== undefined) this.#counts.delete(silentForLongest)
    if (count.seen > this.#perMinuteMax) throw new ServiceError('TOO_MANY_REQUESTS', { limit: this.#perMinuteMax })
  }
}
