// Routes: every route of the app, read from its rows, so that tests of all routes include new ones.
import { routesOf } from '../../src/http/routes.ts'
import { defaultHttpOptions } from '../../src/http/server.ts'

export interface Route {
  readonly method: string
  /** As registered, such as `/qas/datasets/:id/parts/:index.parquet`. */
  readonly url: string
}

/** Methods and paths of all routes. */
export function allRoutes(): readonly Route[] {
  return routesOf(defaultHttpOptions).flatMap(({ method, hasOwnHead, url }) =>
    (method === 'GET' && !hasOwnHead ? ['GET', 'HEAD'] : [method]).map((one) => ({ method: one, url })),
  )
}

/** The path of a route for an upload, or for a dataset and its first part. */
export function pathOf({ url }: Route, id: string): string {
  const path = url.replace(':id', id).replace(':index', '0').replace(':name', 'none.js')
  return path === '/qas/events' ? `${path}?seconds=0` : path
}
