// Plugin: the routes in a host's Fastify app, whose server differs from ours.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Meter } from '../core/meter.ts'
import type { Service } from '../service/service.ts'
import { addRoutes, type RouteOptions } from './routes.ts'

/** A Fastify app, or the part of one that a plugin gets. */
export type Host = FastifyInstance

/** Adds every route to an encapsulated part of a Fastify app. */
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
