// Tests of every route: no other origin may read a response, no cache stores an error, and another owner's dataset or
// upload is not found.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { type Answer, bodyOf, Client, type UploadResponse } from '../support/client.ts'
import { tusBytes } from '../support/resumable.ts'
import { allRoutes, pathOf, type Route } from '../support/routes.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const routes = allRoutes()
const [anna, bob] = ['anna', 'bob'].map((owner) => newKey({ name: `key of ${owner}`, owner, scopes }))
const scratch = await scratchDir()
const keys = join(scratch.path, 'keys.json')
await writeFile(keys, formatKeys([anna!.key, bob!.key]))
/** A database where nothing listens. */
const nowhere = 'warehouse=postgres://nobody@127.0.0.1:1/none'
const service = await RunningService.start(join(scratch.path, 'data'), ['--keys', keys, '--copy-target', nowhere])
after(async () => {
  await service[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})
const clientOf = ({ secret }: { readonly secret: string }) =>
  new Client(service.url, { authorization: `Bearer ${secret}` })
const [owner, stranger] = [clientOf(anna!), clientOf(bob!)]
const content = 'id,name\n1,Anna\n2\n3\n'
const sent = await owner.upload(content)
/** A dataset already corrected, with another reject to correct. */
const corrected = await owner.ask('POST', sent.links.corrections, Buffer.from('{"record":3,"text":"2,Bob"}\n'), {
  'content-type': 'application/x-ndjson',
})

const bodies: Readonly<Record<string, string>> = {
  query: '{"sql":"FROM data"}',
  readings: '{"dialect":{"header":true}}',
  copies: '{"to":"warehouse"}',
  corrections: '{"record":4,"text":"3,Cleo"}\n',
  preview: '{"record":4,"text":"3,Cleo"}\n',
}

/** The ids for paths. */
interface Ids {
  readonly dataset: string
  readonly upload: string
}

const idsOf = ({ id, upload }: UploadResponse): Ids => ({ dataset: id, upload: upload.id })
const known = { dataset: JSON.parse(corrected.body.toString()).id as string, upload: sent.upload.id }
const unknown = { dataset: '0'.repeat(32), upload: '00000000-0000-7000-8000-000000000000' }

/** A valid request of a route. */
function ask(client: Client, route: Route, ids: Ids, headers: Readonly<Record<string, string>> = {}) {
  const path = pathOf(route, route.url.startsWith('/qas/uploads/') ? ids.upload : ids.dataset)
  const body = route.method === 'POST' ? bodies[path.split('/').at(-1)!] : undefined
  if (takesBytes(route)) return client.ask(route.method, path, undefined, { ...noBytes, ...headers })
  if (body === undefined) return client.ask(route.method, path, undefined, headers)
  const type = path.includes('/corrections') ? 'application/x-ndjson' : 'application/json'
  return client.ask(route.method, path, Buffer.from(body), { 'content-type': type, ...headers })
}

/** Adds nothing, since the upload is complete. */
const noBytes = {
  ...tusBytes,
  'content-length': 0,
  'upload-offset': bodyOf({ content }).length,
  'x-http-method-override': 'PATCH',
}
const takesBytes = ({ method, url }: Route) => url === '/qas/uploads/:id' && ['PATCH', 'POST'].includes(method)

const isOfSomething = ({ url }: Route) => url.includes(':id')
/** The deleting routes come last, since others need what they delete. */
const inOrder = routes.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

function checkError(what: string, { status, headers }: Answer): void {
  if (status >= 400) assert.equal(headers['cache-control'], 'no-store', `${what} ${status}`)
}

test('the app has exactly the routes that these tests cover', () => {
  assert.ok(routes.length > 35, `${routes.length} routes`)
  for (const url of ['/qas/datasets/:id/query', '/qas/datasets/:id/parts/:index.parquet', '/metrics']) {
    assert.ok(routes.some((route) => route.url === url))
  }
})

test("no route finds another owner's dataset or upload, and no cache may store an error", async () => {
  for (const route of inOrder.filter(isOfSomething)) {
    const what = `${route.method} ${route.url}`
    const answer = await ask(stranger, route, known)
    assert.equal(answer.status, 404, what)
    checkError(what, answer)
    const missing = await ask(owner, route, unknown)
    assert.equal(missing.status, 404, what)
    checkError(what, missing)
  }
})

test('no route except the public ones responds without a key, and no cache may store an error', async () => {
  const open = new Set([
    '/',
    '/assets/:name',
    '/docs',
    '/docs/:name',
    '/docs/decisions/:name',
    '/healthz',
    '/openapi.json',
    '/readyz',
  ])
  for (const route of routes) {
    const what = `${route.method} ${route.url}`
    const answer = await ask(new Client(service.url), route, known)
    // After some wrong guesses, an address must wait.
    if (!open.has(route.url)) assert.ok([401, 429].includes(answer.status), `${what}: ${answer.status}`)
    checkError(what, answer)
  }
})

test('no route lets a page of another origin read its response', async () => {
  for (const origin of [null, 'http://evil.example']) {
    for (const route of inOrder) {
      const what = `${route.method} ${route.url} from ${origin}`
      // The last requests delete these; copies are deleted earlier.
      const isTrash = route.url.startsWith('/qas/trash/')
      const ids = route.method === 'DELETE' || isTrash ? idsOf(await owner.upload(`id\n${origin}\n`)) : known
      if (isTrash) await owner.ask('DELETE', `/qas/datasets/${ids.dataset}?trash`)
      const answer = await ask(owner, route, ids, origin === null ? {} : { origin })
      const given = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))
      assert.deepEqual(given, [], what)
      if (origin === null) assert.ok(answer.status < 400 || !isOfSomething(route), `${what}: ${answer.status}`)
      checkError(what, answer)
    }
  }
})
