// Page routes: the web page at `/`, and the script and style that it loads. Knows nothing of its content.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../core/errors.ts'
import type { App } from '../app.ts'

const get = ['GET', 'HEAD']
const builtDir = fileURLToPath(new URL('../../../build/web/', import.meta.url))

/**
 * Everything comes from this origin, and nothing is inline, so that no text of a file or a name can become a script.
 * Trusted Types keep the page's own code from creating one: the only policy returns the address of the worker, whatever
 * its argument.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "worker-src 'self'",
  'trusted-types check-worker',
].join('; ')

/** The worker has its own policy: it alone may compile WebAssembly. */
const scriptPolicy = "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'"

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css;charset=UTF-8',
  js: 'text/javascript;charset=UTF-8',
  wasm: 'application/wasm',
}

/**
 * Serves the files that scripts/build-web.mjs built. Their names contain a hash of their content, so browsers may cache
 * them.
 */
export function addPageRoutes(app: App): void {
  const html = readFileSync(join(builtDir, 'index.html'))
  const assets = new Map(
    readdirSync(join(builtDir, 'assets')).map((name) => [name, readFileSync(join(builtDir, 'assets', name))]),
  )
  app.route({
    method: get,
    url: '/',
    config: { scope: 'none' },
    schema: { isHidden: true },
    handler: async (_request, reply) =>
      reply
        .headers({
          'content-type': 'text/html;charset=UTF-8',
          'content-security-policy': policy,
          // With `no-referrer`, the form that works without scripts would be sent with `Origin: null`, and rejected.
          'referrer-policy': 'same-origin',
        })
        .send(html),
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
      return reply
        .headers({
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': scriptPolicy,
        })
        .send(content)
    },
  })
}
