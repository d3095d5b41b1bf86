// Tests of scopes: on every route, a key without `read` sees nothing that another key of its owner has sent.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Scope, scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { type Answer, bodyOf, Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { create, offsetOf, patch, tus, tusBytes } from '../support/resumable.ts'
import { allRoutes, pathOf, type Route } from '../support/routes.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

/** Each scope alone, and each pair. */
const grants: readonly (readonly Scope[])[] = [
  ...scopes.map((one) => [one]),
  ...scopes.flatMap((one, index) => scopes.slice(index + 1).map((other) => [one, other])),
]
const keyFor = (allowed: readonly Scope[]) => newKey({ name: allowed.join('+'), owner: 'anna', scopes: allowed })
const [everything, ...limited] = [scopes, ...grants].map((allowed) => ({ allowed, ...keyFor(allowed) }))
const scratch = await scratchDir()
const keys = join(scratch.path, 'keys.json')
await writeFile(keys, formatKeys([everything!, ...limited].map(({ key }) => key)))
/** A database where nothing listens. */
const nowhere = 'warehouse=postgres://nobody@127.0.0.1:1/none'
const service = await RunningService.start(join(scratch.path, 'data'), ['--keys', keys, '--copy-target', nowhere])
after(async () => {
  await service[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})
const clientOf = ({ secret }: { readonly secret: string }) =>
  new Client(service.url, { authorization: `Bearer ${secret}` })
const owner = clientOf(everything!)

/** In everything that the owner's other key sends: names, values, rejects, declarations, metadata. */
const marker = 'hushmarker'
const contentOf = (seed: number | string) => `id,${marker}\n${seed},${marker}\n2\n3,"${marker}\n`

/** What there is of another key. */
interface Others {
  readonly dataset: string
  /** Done, failed, and unfinished. */
  readonly uploads: readonly string[]
}

let seed = 0
async function others(): Promise<Others> {
  seed += 1
  const done = await owner.upload({ content: contentOf(seed), fileName: `${marker}.csv` })
  await owner.refused({ content: '%PDF-1.7', fileName: `${marker}.csv` })
  const list = jsonOf<{ readonly uploads: readonly { readonly id: string }[] }>(
    await owner.ask('GET', '/qas/uploads?limit=1'),
  )
  const path = await create(owner, 1_000, { filename: `${marker}.csv` })
  await patch(owner, path, 0, contentOf(seed))
  return { dataset: done.id, uploads: [done.upload.id, list.uploads[0]!.id, path.split('/').at(-1)!] }
}

const bodies: Readonly<Record<string, string>> = {
  query: '{"sql":"FROM data"}',
  readings: '{"dialect":{"header":true}}',
  copies: '{"to":"warehouse"}',
  corrections: '{"record":3,"text":"2,Bob"}\n',
  preview: '{"record":3,"text":"2,Bob"}\n',
}

async function ask(client: Client, { method, url }: Route, id: string): Promise<readonly Answer[]> {
  const path = pathOf({ method, url }, id)
  if (url === '/qas/uploads/:id' && ['PATCH', 'POST', 'HEAD'].includes(method)) {
    const bytes = { ...tusBytes, 'content-length': 0, 'upload-offset': 0 }
    const methods = method === 'POST' ? ['PATCH', 'HEAD', 'DELETE'] : ['']
    const headers = methods.map((one) => ({ ...bytes, ...(one !== '' && { 'x-http-method-override': one }) }))
    return await Promise.all(headers.map((one) => client.ask(method, path, undefined, one)))
  }
  const body = method === 'POST' ? bodies[path.split('/').at(-1)!] : undefined
  if (body === undefined) return [await client.ask(method, path)]
  const type = path.includes('/corrections') ? 'application/x-ndjson' : 'application/json'
  return [await client.ask(method, path, Buffer.from(body), { 'content-type': type })]
}

const shows = ({ headers, body }: Answer) =>
  [JSON.stringify(headers), body.toString('latin1')].some(
    (text) => text.includes(marker) || text.includes(Buffer.from(marker).toString('base64').slice(0, 10)),
  )

const routes = allRoutes().toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

/** Asks every route with a key, and returns those that show something. */
async function routesThatShow(one: (typeof limited)[number]): Promise<ReadonlySet<string>> {
  const may = (scope: Scope) => one.allowed.includes(scope)
  const client = clientOf(one)
  const there = await others()
  const shown = new Set<string>()
  for (const route of routes) {
    const isUpload = route.url.startsWith('/qas/uploads/:id')
    const needsBoth = route.method === 'POST' && /readings|corrections|copies/.test(route.url)
    for (const [index, id] of (isUpload ? there.uploads : [there.dataset]).entries()) {
      // Events of an unfinished upload never end, and this would cancel it.
      if (may('read') && isUpload && (index === 2 || route.method === 'POST')) continue
      for (const answer of await ask(client, route, id)) {
        const what = `${one.key.name}: ${route.method} ${route.url} ${answer.status}`
        const isRefused = [401, 403, 404].includes(answer.status)
        if (shows(answer)) shown.add(`${route.method} ${route.url}`)
        if (isUpload && !may('read')) assert.ok(isRefused, what)
        if (needsBoth) assert.equal(!isRefused, may('upload') && may('read'), what)
      }
    }
  }
  return shown
}

test('no route shows a key without read what another key has sent', async () => {
  for (const one of limited.filter(({ allowed }) => !allowed.includes('read'))) {
    assert.deepEqual([...(await routesThatShow(one))], [], one.key.name)
  }
})

test('routes show a key with read what another key has sent', async () => {
  for (const one of limited.filter(({ allowed }) => allowed.includes('read'))) {
    const shown = await routesThatShow(one)
    for (const url of ['/qas/uploads', '/qas/datasets/:id/rejects']) assert.ok(shown.has(`GET ${url}`), one.key.name)
  }
})

for (const one of limited.filter(({ allowed }) => allowed.includes('upload') && !allowed.includes('read'))) {
  test(`a key with ${one.allowed.join(' and ')} sends files, follows and resumes its own uploads`, async () => {
    const client = clientOf(one)
    const content = contentOf(`own of ${one.allowed.join('+')}`)
    const named = (answer: UploadResponse) => [answer.file.name, answer.upload.fileName, answer.upload.outcome]
    const first = await client.upload({ content, fileName: 'mine.csv' })
    assert.deepEqual(named(first), ['mine.csv', 'mine.csv', 'new'])
    assert.ok(first.rejects.first.length > 0)
    const list = jsonOf<{ readonly uploads: readonly { readonly id: string }[] }>(
      await client.ask('GET', '/qas/uploads'),
    )
    assert.ok(list.uploads.some(({ id }) => id === first.upload.id))
    await client.get(`/qas/uploads/${first.upload.id}`)
    await client.get(`/qas/uploads/${first.upload.id}/events`)
    // Another key has sent these bytes with another name.
    const other = await owner.upload({ content: `${content}4,x\n`, fileName: `${marker}.csv` })
    const same = await client.upload({ content: `${content}4,x\n`, fileName: 'mine.csv' })
    assert.deepEqual([same.id, ...named(same)], [other.id, 'mine.csv', 'mine.csv', 'duplicate'])
    // An Idempotency-Key shows nothing of what another key has sent with it, before or since.
    const sendAs = async (by: Client, text: string, fileName: string) => {
      const sent = bodyOf({ content: text, fileName })
      return await by.ask('POST', '/qas/uploadCsv', sent, { 'idempotency-key': one.key.name })
    }
    await sendAs(owner, `${content}5,x\n`, `${marker}.csv`)
    const mine = await sendAs(client, `${content}6,x\n`, 'mine.csv')
    assert.deepEqual([mine.status, jsonOf<UploadResponse>(mine).upload.outcome], [200, 'new'])
    assert.equal((await owner.ask('DELETE', `/qas/datasets/${jsonOf<UploadResponse>(mine).id}`)).status, 204)
    await owner.upload({ content: `${content}6,x\n`, fileName: `${marker}.csv` })
    const repeated = await sendAs(client, `${content}6,x\n`, 'mine.csv')
    const { file } = jsonOf<UploadResponse>(repeated)
    assert.deepEqual([repeated.headers['idempotent-replayed'], file.name], ['true', 'mine.csv'])
    const path = await create(client, content.length)
    assert.equal((await patch(client, path, 0, content.slice(0, 9))).status, 204)
    assert.equal(await offsetOf(client, path), 9)
    const last = await patch(client, path, 9, content.slice(9))
    assert.equal(last.headers['content-location'], `/qas/datasets/${first.id}`)
    const cancelled = await create(client, 10)
    assert.equal((await client.ask('DELETE', cancelled, undefined, tus)).status, 204)
    // An owner's key with `read` continues it, too.
    const shared = await create(client, content.length)
    assert.equal((await patch(owner, shared, 0, content)).status, 204)
  })
}
