// Tests of the Fastify plugin: what it takes of its host's paths, whose datasets a request sees, and who may frame it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fastify from 'fastify'
import { csvUpload, type PluginOptions } from '../../src/index.ts'

/** A host with pages of its own; resolves to its address once it listens. */
async function hostWith(t: TestContext, options: PluginOptions): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'plugin-'))
  const host = fastify()
  for (const path of ['/', '/docs', '/mine']) host.get(path, () => `the host's ${path}`)
  t.after(async () => {
    await host.close()
    rmSync(dir, { recursive: true })
  })
  await host.register(csvUpload, { data: dir, converters: 1, ...options })
  return await host.listen({ port: 0 })
}

async function upload(url: string, headers: Record<string, string> = {}) {
  const body = new FormData()
  body.append('file', new Blob(['id,name\n1,Ada\n2\n']), 'people.csv')
  return await fetch(`${url}/qas/uploadCsv`, { method: 'POST', body, headers })
}

const json = async (url: string, init: RequestInit = {}) => JSON.parse(await (await fetch(url, init)).text())

test('csvUpload with a prefix returns links that lead to what they name, and leaves the rest to its host', async (t) => {
  const host = await hostWith(t, { prefix: '/files' })
  const sent = await upload(`${host}/files`)
  assert.equal(sent.status, 200)
  const receipt = JSON.parse(await sent.text())
  for (const [name, link] of Object.entries<string>(receipt.links)) {
    assert.match(link, /^\/files\/qas\/datasets\//, name)
    const isRead = !['readings', 'corrections', 'query'].includes(name)
    if (isRead) assert.equal((await fetch(host + link)).status, 200, link)
  }
  const { datasets } = await json(`${host}/files/qas/datasets`)
  assert.deepEqual(datasets[0].links, receipt.links)
  const { uploads } = await json(`${host}/files/qas/uploads`)
  assert.equal((await json(host + uploads[0].links.self)).links.receipt, receipt.links.self)
  assert.match(await (await fetch(host + uploads[0].links.events)).text(), /"self":"\/files\/qas\/uploads\//)

  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '4' }
  const begun = await fetch(`${host}/files/qas/uploads`, { method: 'POST', headers })
  const place = begun.headers.get('location') ?? ''
  assert.match(place, /^\/files\/qas\/uploads\//)
  const type = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  const added = await fetch(host + place, { method: 'PATCH', headers: { ...headers, ...type }, body: 'a\n1\n' })
  assert.equal((await fetch(host + (added.headers.get('content-location') ?? ''))).status, 200)

  const unknown = await fetch(`${host}/files/qas/uploads/none`)
  assert.deepEqual([unknown.status, JSON.parse(await unknown.text()).path], [404, '/files/qas/uploads/none'])
  const empty = await fetch(`${host}/files/qas/uploadCsv`, { method: 'POST', body: new FormData() })
  const [, help = ''] = /^<(.*?)>; rel="help"/.exec(empty.headers.get('link') ?? '') ?? []
  assert.equal((await fetch(host + help)).status, 200, help)
  for (const path of ['/', '/docs', '/mine'])
    assert.equal(await (await fetch(host + path)).text(), `the host's ${path}`)
  for (const path of ['/qas/datasets', '/files/docs', '/files/']) assert.equal((await fetch(host + path)).status, 404)
})

test('csvUpload without a prefix leaves / and /docs to its host', async (t) => {
  const host = await hostWith(t, {})
  assert.equal((await upload(host)).status, 200)
  for (const path of ['/', '/docs']) assert.equal(await (await fetch(host + path)).text(), `the host's ${path}`)
})

test('csvUpload shows each request the datasets of the owner that authenticate returns, and none without one', async (t) => {
  const host = await hostWith(t, { authenticate: ({ headers }) => String(headers['x-user'] ?? '') || null })
  const as = (user: string) => ({ headers: { 'x-user': user } })
  assert.equal((await upload(host)).status, 401)
  assert.equal((await fetch(`${host}/qas/datasets`)).status, 401)
  const { links } = JSON.parse(await (await upload(host, { 'x-user': 'ada' })).text())
  assert.equal((await fetch(host + links.rows, as('ada'))).status, 200)
  assert.equal((await fetch(host + links.rows, as('bob'))).status, 404)
  assert.deepEqual((await json(`${host}/qas/datasets`, as('bob'))).datasets, [])
  assert.equal((await json(`${host}/qas/caller`, as('ada'))).owner, 'ada')
  await assert.rejects(hostWith(t, { authenticate: () => 'ada', keys: '{"keys":[]}' }), {
    message: /^Cannot use authenticate with --keys or --jwt-keys/,
  })
})

test('csvUpload lets only the listed origins show it in a frame', async (t) => {
  for (const [allowFrame, listed] of [
    ['https://app.example', 'https://app.example'],
    ['', "'none'"],
  ] as const) {
    const host = await hostWith(t, { allowFrame })
    const { headers } = await fetch(`${host}/healthz`)
    assert.match(headers.get('content-security-policy') ?? '', new RegExp(`frame-ancestors ${listed}$`))
  }
})
