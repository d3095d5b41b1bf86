// Plugin: the routes in a Fastify of somebody else, whose server does some things otherwise than ours.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Meter } from '../core/meter.ts'
import type { Service } from '../service/service.ts'
import { addRoutes, type RouteOptions } from './routes.ts'

/** Somebody's Fastify, or the part of it that a plugin gets. */
export type Host = FastifyInstance

/** Adds every route to a part of somebody's Fastify that is ours alone. */
export function addRoutesToHost(host: Host, service: Service, options: RouteOptions, meter: Meter): void {
  host.addHook('onRequest', async (request) => {
    // Node has answered `100 Continue` by itself, so nobody waits for it any more.
    delete request.raw.headers.expect
  })
  addRoutes(host.withTypeProvider<TypeBoxTypeProvider>(), service, options, meter)
}
