// Docs routes: the description of the routes as a page, the docs as pages below it, and the search index of both.
import { readFileSync } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'
import type { App } from '../app.ts'
import { sendJson } from '../exchange/send.ts'
import { type DescribedRoute, openApi } from '../openapi/openapi.ts'
import { failures, page } from '../openapi/operation.ts'
import { noQuery } from '../openapi/request-schemas.ts'
import { docsPolicy, escaped, framed, type GuidePage, guideList } from './docs-frame.ts'
import { docsPage, docsSections, readDocsAssets } from './docs-page.ts'

const get = ['GET', 'HEAD']
const headers = { 'content-type': 'text/html;charset=UTF-8', 'content-security-policy': docsPolicy }

/** @param routes Every route of `app`, including these; read at each request. */
export function addDocsRoutes(app: App, routes: readonly DescribedRoute[]): void {
  const assets = readDocsAssets()
  app.route({
    method: get,
    url: '/docs',
    config: { scope: 'none' },
    schema: {
      operationId: 'getDocs',
      tags: ['service'],
      summary: 'Read this description as a page',
      description: 'One HTML page that loads nothing from other sites and works without scripts.',
      querystring: noQuery,
      response: { 200: page('The page.'), ...failures('BAD_PARAMETER') },
    },
    handler: async (_request, reply) => reply.headers(headers).send(docsPage(openApi(routes), assets, guide())),
  })
  for (const dir of ['/docs', '/docs/decisions'] as const) {
    app.route<{ Params: { name: string } }>({
      method: get,
      url: `${dir}/:name`,
      config: { scope: 'none' },
      schema: { isHidden: true },
      handler: async ({ params: { name } }, reply) => {
        const found = guide().find(({ path }) => path === `${dir}/${name}`)
        if (found === undefined) throw new ServiceError('NOT_FOUND', {})
        return reply.headers(headers).send(guidePage(found, guide(), assets))
      },
    })
  }
  app.route({
    method: get,
    url: '/docs/search.json',
    config: { scope: 'none' },
    schema: { isHidden: true },
    handler: async (_request, reply) => sendJson(reply, searched(openApi(routes))),
  })
}

let pages: readonly GuidePage[] | null = null

/** Read at the first request for them: few users of the service open the docs. */
function guide(): readonly GuidePage[] {
  // Written by scripts/build-web.mjs in this shape.
  pages ??= JSON.parse(
    readFileSync(new URL('../../../build/web/guide.json', import.meta.url), 'utf8'),
  ) as readonly GuidePage[]
  return pages
}

function guidePage(
  { path, title, html, headings }: GuidePage,
  all: readonly GuidePage[],
  { script, style }: ReturnType<typeof readDocsAssets>,
): string {
  // A page that is in no list comes below the last listed one.
  const own = headings.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('')
  const present = path.startsWith('/docs/decisions/') ? '/docs/decisions' : path
  const contents = guideList(all, present, present === path && own !== '' ? `<ul>${own}</ul>` : '')
  return framed({ title: `${title} · CSV Upload Service`, contents, main: html, script, style })
}

/** Every section of every page: path, title of the page, heading, text. */
function searched(document: ReturnType<typeof openApi>): readonly (readonly string[])[] {
  const rows = (path: string, title: string, sections: GuidePage['sections']) =>
    sections.map(({ id, heading, text }) => [`${path}#${id}`, title, heading, text])
  return [
    ...guide().flatMap(({ path, title, sections }) => rows(path, title, sections)),
    ...rows('/docs', 'API', docsSections(document)),
  ]
}
