// Every route: what holds for all of them, asked of each that the app has. Nobody may read an answer from another origin, no
// error is kept by a cache, and another owner's dataset is not found.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { type Answer, Client } from '../support/client.ts'
import { allRoutes, pathOf, type Route } from '../support/routes.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const routes = allRoutes()
const [anna, bob] = ['anna', 'bob'].map((owner) => newKey({ name: `key of ${owner}`, owner, scopes }))
const scratch = await scratchDir()
const keys = join(scratch.path, 'keys.json')
await writeFile(keys, formatKeys([anna!.key, bob!.key]))
const service = await RunningService.start(join(scratch.path, 'data'), ['--keys', keys])
after(async () => {
  await service[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})
const clientOf = ({ secret }: { readonly secret: string }) =>
  new Client(service.url, { authorization: `Bearer ${secret}` })
const [owner, stranger] = [clientOf(anna!), clientOf(bob!)]
const { id } = await owner.upload('id,name\n1,Anna\n2\n')

const bodies: Readonly<Record<string, string>> = {
  query: '{"sql":"FROM data"}',
  readings: '{"dialect":{"header":true}}',
}

/** One request of a route, such as it takes. */
function ask(client: Client, route: Route, dataset: string, headers: Readonly<Record<string, string>> = {}) {
  const path = pathOf(route, dataset)
  const body = route.method === 'POST' ? bodies[path.split('/').at(-1)!] : undefined
  if (body === undefined) return client.ask(route.method, path, undefined, headers)
  return client.ask(route.method, path, Buffer.from(body), { 'content-type': 'application/json', ...headers })
}

const isOfDataset = ({ url }: Route) => url.includes(':id')
/** Last, since the dataset is gone after it. */
const inOrder = routes.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

function checkError(what: string, { status, headers }: Answer): void {
  if (status >= 400) assert.equal(headers['cache-control'], 'no-store', `${what} ${status}`)
}

test('the app has the routes that these tests are about', () => {
  assert.ok(routes.length > 35, `${routes.length} routes`)
  for (const url of ['/qas/datasets/:id/query', '/qas/datasets/:id/parts/:index.parquet', '/metrics']) {
    assert.ok(routes.some((route) => route.url === url))
  }
})

test("another owner's dataset is not found by any route, and no error is kept by a cache", async () => {
  for (const route of inOrder.filter(isOfDataset)) {
    const what = `${route.method} ${route.url}`
    const answer = await ask(stranger, route, id)
    assert.equal(answer.status, 404, what)
    checkError(what, answer)
    const missing = await ask(owner, route, '0'.repeat(32))
    assert.equal(missing.status, 404, what)
    checkError(what, missing)
  }
})

test('no route is answered without a key but those that everybody may ask, and no error is kept by a cache', async () => {
  const open = new Set(['/', '/assets/:name', '/docs', '/healthz', '/openapi.json', '/readyz'])
  for (const route of routes) {
    const what = `${route.method} ${route.url}`
    const answer = await ask(new Client(service.url), route, id)
    // After some wrong guesses an address is told to wait.
    if (!open.has(route.url)) assert.ok([401, 429].includes(answer.status), `${what}: ${answer.status}`)
    checkError(what, answer)
  }
})

test('no route lets a page of another origin read its answer', async () => {
  for (const origin of [null, 'http://evil.example']) {
    for (const route of inOrder) {
      const what = `${route.method} ${route.url} from ${origin}`
      // Deleted by the last of them; a copy is deleted before.
      const dataset = route.method === 'DELETE' ? (await owner.upload(`id\n${origin}\n`)).id : id
      const answer = await ask(owner, route, dataset, origin === null ? {} : { origin })
      const given = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))
      assert.deepEqual(given, [], what)
      if (origin === null) assert.ok(answer.status < 400 || !isOfDataset(route), `${what}: ${answer.status}`)
      checkError(what, answer)
    }
  }
})
