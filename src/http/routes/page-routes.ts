// Page routes: the web page at `/`, the docs below `/docs`, and the scripts and styles that they load, all built before.
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../core/errors.ts'
import { jsonContentType } from '../connection/error-record.ts'
import { requestPath } from '../connection/request-target.ts'
import { sendText } from '../exchange/send.ts'
import { page } from '../openapi/operation.ts'
import { noQuery } from '../openapi/request-schemas.ts'
import { type Route, route } from './route.ts'

const builtDir = fileURLToPath(new URL('../../../build/web/', import.meta.url))

/**
 * Everything comes from this origin, and nothing is inline, so that no text of a file or a name can become a script.
 * Trusted Types keep the page's own code from creating one: the only policy returns the address of the worker, whatever
 * its argument.
 */
const policy = (frameAncestors: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "form-action 'self'",
    `frame-ancestors ${frameAncestors}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "worker-src 'self'",
    'trusted-types check-worker',
  ].join('; ')

/** The worker has its own policy: it alone may compile WebAssembly. */
const scriptPolicy = "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'"

/** Allows a page of the docs its own style and script and nothing else. */
const docsPolicy = (frameAncestors: string) =>
  `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; frame-ancestors ${frameAncestors}; base-uri 'none'; form-action 'none'; ` +
  "require-trusted-types-for 'script'; trusted-types 'none'"

const htmlType = 'text/html;charset=UTF-8'
const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css;charset=UTF-8',
  js: 'text/javascript;charset=UTF-8',
  wasm: 'application/wasm',
}

/** A file of the page, for everyone, whatever the query. */
const open = { method: 'GET', scope: 'none', querystring: 'ignored' } as const

const docsRoute = {
  ...open,
  operationId: 'getDocs',
  tag: 'service',
  summary: 'Read this description as a page',
  description: 'One HTML page that loads nothing from other sites and works without scripts.',
  querystring: noQuery,
  answers: { 200: page('The page.') },
} as const

/**
 * The files that scripts/build-web.mjs built. Their names contain a hash of their content, so browsers may cache them.
 *
 * @param frameAncestors As in a policy: origins, or 'none'.
 */
export function pageRoutes(frameAncestors: string): readonly Route[] {
  const html = readFileSync(join(builtDir, 'index.html'))
  const assets = new Map(
    readdirSync(join(builtDir, 'assets')).map((name) => [name, readFileSync(join(builtDir, 'assets', name))]),
  )
  const docs = new Set(
    ['docs', 'docs/decisions'].flatMap((dir) => readdirSync(join(builtDir, dir)).map((name) => `${dir}/${name}`)),
  ).add('docs.html')
  return [
    route({
      ...open,
      url: '/',
      handler: async (_request, reply) => {
        reply.headers({
          'content-type': htmlType,
          'content-security-policy': policy(frameAncestors),
          // With `no-referrer`, the form that works without scripts would be sent with `Origin: null`, and rejected.
          'referrer-policy': 'same-origin',
        })
        return await sendText(reply, html)
      },
    }),
    route({
      ...open,
      url: '/assets/:name',
      handler: async (request, reply) => {
        const { name } = request.params as { name: string } // of the url
        const content = assets.get(name)
        if (content === undefined) throw new ServiceError('NOT_FOUND', {})
        reply.headers({
          'content-type': mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': scriptPolicy,
        })
        return await sendText(reply, content)
      },
    }),
    ...['/docs', '/docs/:name', '/docs/decisions/:name'].map((url) =>
      route({
        ...(url === '/docs' ? docsRoute : open),
        url,
        handler: async (request, reply) => {
          const path = requestPath(request.url).slice(1)
          const isJson = path.endsWith('.json')
          const file = isJson ? path : `${path}.html`
          if (!docs.has(file)) throw new ServiceError('NOT_FOUND', {})
          // Not kept in memory: few users of the service open the docs.
          reply.headers({
            'content-type': isJson ? jsonContentType : htmlType,
            'content-security-policy': docsPolicy(frameAncestors),
          })
          return await sendText(reply, await readFile(join(builtDir, file)))
        },
      }),
    ),
  ]
}
