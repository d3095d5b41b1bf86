// Plugin: the routes in a host's Fastify app, whose server differs from ours.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, scopes } from '../access/access.ts'
import { ServiceError } from '../core/errors.ts'
import type { Meter } from '../core/meter.ts'
import type { Service } from '../service/service.ts'
import { addRoutes, type RouteOptions } from './routes.ts'

/** A Fastify app, or the part of one that a plugin gets. */
export type Host = FastifyInstance

/** Finds the owner of a request by what the host knows of its sender; null if nobody is signed in. */
export type Authenticate = (request: FastifyRequest) => string | null | Promise<string | null>

/** Callers whose owner the host finds: they may do everything with what is theirs. */
export function identifyBy(authenticate: Authenticate) {
  return async (request: FastifyRequest): Promise<Caller> => {
    const owner = await authenticate(request)
    if (!owner) throw new ServiceError('UNAUTHORIZED', { problem: 'its sender is not signed in' })
    return { owner, name: owner, scopes: new Set(scopes), expiresAtMs: null }
  }
}

/** Adds every route but those of the page to an encapsulated part of a Fastify app. */
export function addRoutesToHost(host: Host, service: Service, options: RouteOptions, meter: Meter): void {
  host.addHook('onRequest', async (request) => {
    // Node has answered `100 Continue` itself.
    delete request.raw.headers.expect
  })
  const closing = new AbortController()
  host.addHook('preClose', async () => closing.abort())
  const { signal } = closing
  addRoutes(host.withTypeProvider<TypeBoxTypeProvider>(), service, options, meter, { closing: signal, drained: signal })
}
