// Page routes: the web page at `/`, the docs below `/docs`, and the scripts and styles that they load, all built before.
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../core/errors.ts'
import type { App } from '../app.ts'
import { jsonContentType } from '../connection/error-record.ts'
import { sendText } from '../exchange/send.ts'
import { failures, page } from '../openapi/operation.ts'
import { noQuery } from '../openapi/request-schemas.ts'

const get = ['GET', 'HEAD']
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

/**
 * Serves the files that scripts/build-web.mjs built. Their names contain a hash of their content, so browsers may cache
 * them.
 *
 * @param frameAncestors As in a policy: origins, or 'none'.
 */
export function addPageRoutes(app: App, frameAncestors: string): void {
  const html = readFileSync(join(builtDir, 'index.html'))
  const assets = new Map(
    readdirSync(join(builtDir, 'assets')).map((name) => [name, readFileSync(join(builtDir, 'assets', name))]),
  )
  app.route({
    method: get,
    url: '/',
    config: { scope: 'none' },
    schema: { isHidden: true },
    handler: async (_request, reply) => {
      reply.headers({
        'content-type': htmlType,
        'content-security-policy': policy(frameAncestors),
        // With `no-referrer`, the form that works without scripts would be sent with `Origin: null`, and rejected.
        'referrer-policy': 'same-origin',
      })
      return await sendText(reply, html)
    },
  })
  app.route<{ Params: { name: string } }>({
    method: get,
    url: '/assets/:name',
    config: { scope: 'none' },
    schema: { isHidden: true },
    handler: async ({ params: { name } }, reply) => {
      const content = assets.get(name)
      if (content === undefined) throw new ServiceError('NOT_FOUND', {})
      const type = mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
      reply.headers({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': scriptPolicy,
      })
      return await sendText(reply, content)
    },
  })
  const described = {
    operationId: 'getDocs',
    tags: ['service' as const],
    summary: 'Read this description as a page',
    description: 'One HTML page that loads nothing from other sites and works without scripts.',
    querystring: noQuery,
    response: { 200: page('The page.'), ...failures('BAD_PARAMETER') },
  }
  const docs = new Set(
    ['docs', 'docs/decisions'].flatMap((dir) => readdirSync(join(builtDir, dir)).map((name) => `${dir}/${name}`)),
  ).add('docs.html')
  for (const url of ['/docs', '/docs/:name', '/docs/decisions/:name']) {
    app.route<{ Params: { name?: string } }>({
      method: get,
      url,
      config: { scope: 'none' },
      schema: url === '/docs' ? described : { isHidden: true },
      handler: async ({ params: { name = '' } }, reply) => {
        const path = url.slice(1).replace(':name', () => name)
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
    })
  }
}
