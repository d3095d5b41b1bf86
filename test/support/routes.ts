// Routes: every route of the app, read from the app itself, so that tests of all routes include new ones.
import fastify from 'fastify'
import { noMeter } from '../../src/core/meter.ts'
import type { App } from '../../src/http/app.ts'
import { addRoutes } from '../../src/http/routes.ts'
import { defaultHttpOptions } from '../../src/http/server.ts'
import { createFakeService } from '../wire/fake-service.ts'

export interface Route {
  readonly method: string
  /** As registered, such as `/qas/datasets/:id/parts/:index.parquet`. */
  readonly url: string
  readonly schema?: { readonly querystring?: unknown; readonly body?: unknown } | undefined
}

/** Methods and paths of all routes. */
export function allRoutes(): readonly Route[] {
  const routes: Route[] = []
  const app = fastify({ exposeHeadRoutes: false })
  app.addHook('onRoute', ({ method, url, schema }) => {
    for (const one of [method].flat()) routes.push({ method: one, url, schema })
  })
  const { signal } = new AbortController()
  const stopping = { closing: signal, drained: signal }
  addRoutes(app as unknown as App, createFakeService(), defaultHttpOptions, noMeter, stopping) // only the logger type differs
  return routes
}

/** The path of a route for an upload, or for a dataset and its first part. */
export function pathOf({ url }: Route, id: string): string {
  const path = url.replace(':id', id).replace(':index', '0').replace(':name', 'none.js')
  return path === '/qas/events' ? `${path}?seconds=0` : path
}
