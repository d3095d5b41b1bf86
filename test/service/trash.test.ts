// Tests of the trash, the list and the stream of events over HTTP: what each shows, to whom, and what no longer exists.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { Client, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const made = {
  ann: newKey({ name: 'ann', owner: 'team', scopes }),
  bob: newKey({ name: 'bob', owner: 'team', scopes }),
  other: newKey({ name: 'eve', owner: 'other', scopes }),
}
const scratch = await scratchDir()
const keys = join(scratch.path, 'keys.json')
await writeFile(keys, formatKeys(Object.values(made).map(({ key }) => key)))
const options = [
  '--keys',
  keys,
  '--quota-datasets',
  '4',
  '--keep-trash-for',
  '1d',
  '--copy-target',
  'w=postgres://n@127.0.0.1:1/n',
]
const service = await RunningService.start(join(scratch.path, 'data'), options)
after(async () => {
  await service[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})
const headersOf = ({ secret }: { readonly secret: string }) => ({ authorization: `Bearer ${secret}` })
const [ann, bob, other] = [made.ann, made.bob, made.other].map((one) => new Client(service.url, headersOf(one))) as [
  Client,
  Client,
  Client,
]

interface Listed {
  readonly id: string
  readonly sender?: string
  readonly trashedAt?: number
  readonly erasesAt?: number
  readonly origin: { readonly id: string; readonly kind: string; readonly versions: number }
}

async function list(
  client: Client,
  path: string,
): Promise<{ datasets: Listed[]; total: number; bytes?: number; keepMs?: number }> {
  return JSON.parse(String(await client.get(path)))
}

const idsOf = async (client: Client, path: string) => (await list(client, path)).datasets.map(({ id }) => id)
const statusOf = async (client: Client, method: string, path: string, headers = {}) =>
  (await client.ask(method, path, undefined, headers)).status
const post = async (client: Client, path: string, body: object) => {
  const answer = await client.ask('POST', path, Buffer.from(JSON.stringify(body)), {
    'content-type': 'application/json',
  })
  return { status: answer.status, body: answer.body.length > 0 ? JSON.parse(String(answer.body)) : null }
}

async function erase({ id }: { readonly id: string }): Promise<void> {
  await ann.ask('DELETE', `/qas/datasets/${id}`)
  await ann.ask('DELETE', `/qas/trash/${id}`)
}

test('a dataset in the trash does not exist for any request but those of the trash, and of its owner', async () => {
  const sent = await ann.upload('id,name\n1,a\n2\n')
  const { id, links } = sent
  const reads = [...new Set(Object.values(links))].filter((path) => !/readings|corrections|query/.test(path))
  assert.equal(await statusOf(ann, 'DELETE', `/qas/datasets/${id}?trash`), 204)
  for (const path of [...reads, `${links.self}/copies`, `${links.self}/parts/0.parquet`]) {
    assert.equal(await statusOf(ann, 'GET', path), 404, path)
  }
  for (const [path, body] of [
    [links.query, { sql: 'FROM data' }],
    [links.readings, { dialect: { header: false } }],
    [`${links.self}/copies`, { to: 'w' }],
  ] as const) {
    assert.equal((await post(ann, path, body)).status, 404, path)
  }
  for (const path of [`/qas/datasets/${id}`, `/qas/datasets/${id}?trash`])
    assert.equal(await statusOf(ann, 'DELETE', path), 404)
  assert.equal(await statusOf(ann, 'POST', `/qas/datasets/${id}/dismissal`), 404)
  assert.deepEqual(await idsOf(ann, '/qas/datasets'), [])
  const page = await list(bob, '/qas/trash?search=name')
  const [line] = page.datasets
  assert.deepEqual(
    [page.datasets.length, page.total, line?.id, line?.sender, page.keepMs],
    [1, 1, id, 'ann', 86_400_000],
  )
  assert.equal((line?.erasesAt ?? 0) - (line?.trashedAt ?? 0), 86_400_000)
  const caller = JSON.parse(String(await ann.get('/qas/caller')))
  assert.deepEqual([caller.datasets.used, caller.trash], [1, { datasets: 1, bytes: page.bytes, keepMs: 86_400_000 }])
  assert.equal(caller.bytes.used, page.bytes)
  // Nobody else sees it, restores it or erases it.
  assert.deepEqual(await idsOf(other, '/qas/trash'), [])
  assert.equal(await statusOf(other, 'POST', `/qas/trash/${id}/restore`), 404)
  assert.equal(await statusOf(other, 'DELETE', `/qas/trash/${id}`), 404)
  const before = String((await post(ann, `/qas/trash/${id}/restore`, {})).status)
  assert.equal(before, '200')
  for (const path of reads) assert.equal(await statusOf(ann, 'GET', path), 200, path)
  assert.equal((await post(ann, links.query, { sql: 'FROM data' })).status, 200)
  assert.equal(await statusOf(ann, 'POST', `/qas/trash/${id}/restore`), 404)
  await erase(sent)
})

test('If-Match moves only that version to the trash, and trash=false deletes', async () => {
  const sent = await ann.upload('a\n1\n')
  const path = `/qas/datasets/${sent.id}`
  const { etag } = (await ann.ask('GET', path)).headers
  assert.equal(await statusOf(ann, 'DELETE', `${path}?trash`, { 'if-match': '"another"' }), 412)
  assert.equal(await statusOf(ann, 'DELETE', `${path}?trash=true`, { 'if-match': etag }), 204)
  assert.deepEqual(await idsOf(ann, '/qas/trash'), [sent.id])
  assert.equal((await post(ann, `/qas/trash/${sent.id}/restore`, {})).body.id, sent.id)
  assert.equal((await ann.ask('GET', path)).headers.etag, etag)
  assert.equal(await statusOf(ann, 'DELETE', `${path}?trash=false`), 204)
  assert.deepEqual(await idsOf(ann, '/qas/trash'), [])
  assert.equal(await statusOf(ann, 'DELETE', `${path}?trash=no`), 400)
})

test('the trash counts towards the quota; the same bytes sent again are a new dataset that leaves it', async () => {
  const all: UploadResponse[] = []
  for (const text of ['a\n1\n', 'a\n2\n', 'a\n3\n', 'a\n4\n']) all.push(await ann.upload(text))
  const [first] = all
  await ann.ask('DELETE', `/qas/datasets/${first!.id}?trash`)
  assert.equal((await ann.refused({ content: 'a\n5\n' })).status, 507)
  const caller = async () => JSON.parse(String(await ann.get('/qas/caller')))
  assert.deepEqual([(await caller()).datasets.used, (await caller()).trash.datasets], [4, 1])
  await ann.ask('DELETE', `/qas/datasets/${all[1]!.id}`)
  const again = await bob.upload('a\n1\n')
  assert.deepEqual([again.id, again.duplicate, again.upload.outcome], [first!.id, false, 'new'])
  assert.deepEqual([(await caller()).datasets.used, (await caller()).trash.datasets], [3, 0])
  assert.deepEqual(await idsOf(ann, '/qas/trash'), [])
  assert.equal((await list(ann, '/qas/datasets?mine=true')).total, 2)
  assert.deepEqual(await idsOf(bob, '/qas/datasets?mine=true'), [first!.id])
  for (const one of all) await erase(one)
})

test('versions of one file have one origin, and the list tells them apart, finds, filters and counts', async () => {
  const since = Date.now()
  const sent = await ann.upload('id,größe\n1,2\n3\n')
  const read = (await post(ann, sent.links.readings, { dialect: { header: false } })).body
  const typed = (
    await post(ann, sent.links.readings, { schema: { fields: [{ name: 'id', type: 'string' }, { name: 'größe' }] } })
  ).body
  const csv = { 'content-type': 'text/csv' }
  const mended = JSON.parse(
    String((await ann.ask('POST', sent.links.corrections, Buffer.from('record,text\n3,"3,4"\n'), csv)).body),
  )
  const { datasets, total } = await list(ann, `/qas/datasets?origin=${sent.file.sha256}`)
  const kinds = new Map(datasets.map(({ id, origin }) => [id, origin.kind]))
  assert.deepEqual(
    [sent, read, typed, mended].map(({ id }) => kinds.get(id)),
    ['detected', 'dialect', 'schema', 'corrected'],
  )
  assert.equal(total, 4)
  assert.ok(datasets.every(({ origin }) => origin.id === sent.file.sha256 && origin.versions === 4))
  assert.equal((await list(ann, '/qas/datasets?versions=latest')).total, 1)
  assert.equal((await list(ann, `/qas/datasets?search=GR%C3%96SSE`.replace('SS', '%C3%9F'))).total, 3)
  const open = async () => (await idsOf(ann, '/qas/datasets?rejects=open&sort=rejects')).toSorted()
  const rejected = [sent, read, typed].filter(({ records }) => records.rejected > 0).map(({ id }) => id)
  assert.deepEqual(await open(), rejected.toSorted())
  assert.equal(await statusOf(ann, 'POST', `/qas/datasets/${sent.id}/dismissal`), 204)
  assert.equal((await open()).includes(sent.id), false)
  assert.equal(await statusOf(ann, 'DELETE', `/qas/datasets/${sent.id}/dismissal`), 204)
  assert.equal((await open()).includes(sent.id), true)
  assert.equal((await list(ann, `/qas/datasets?since=${since}`)).total, 4)
  assert.equal((await list(ann, `/qas/datasets?since=${Date.now() + 1_000}&limit=1`)).total, 0)
  assert.equal((await list(other, `/qas/datasets?origin=${sent.file.sha256}`)).total, 0)
  for (const one of [sent, read, typed, mended]) await erase(one)
})

/** The events of a client, each as its name and its data. */
async function* eventsOf(one: {
  readonly secret: string
}): AsyncGenerator<readonly [string, { id?: string; change?: string; phase?: string }]> {
  const request = get(`${service.url}/qas/events`, { headers: headersOf(one) })
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 200)
    let text = ''
    for await (const chunk of response) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
        if (event !== '') yield [event, JSON.parse(data)]
      }
    }
  } finally {
    request.destroy()
  }
}

test('an owner sees each change and upload of a page in one stream, and nothing of others', async () => {
  const seen: string[] = []
  const events = eventsOf(made.bob)
  const next = async (wanted: string) => {
    for (;;) {
      const { value } = await events.next()
      const [event, { change, phase }] = value ?? assert.fail('the stream has ended')
      const name = `${event} ${change ?? phase ?? ''}`.trim()
      seen.push(name)
      if (name === wanted) return value[1]
    }
  }
  await next('reset')
  const foreign = await other.upload('x\n9\n')
  const sent = await ann.upload('x\n1\n2,3\n')
  assert.equal((await next('dataset stored')).id, sent.id)
  assert.equal((await next('upload done')).id, sent.upload.id)
  await ann.ask('POST', `/qas/datasets/${sent.id}/dismissal`)
  assert.equal((await next('dataset dismissed')).id, sent.id)
  await ann.ask('DELETE', `/qas/datasets/${sent.id}?trash`)
  assert.equal((await next('dataset trashed')).id, sent.id)
  await ann.ask('POST', `/qas/trash/${sent.id}/restore`)
  assert.equal((await next('dataset restored')).id, sent.id)
  await ann.ask('DELETE', `/qas/datasets/${sent.id}`)
  assert.equal((await next('dataset deleted')).id, sent.id)
  await events.return(undefined)
  assert.equal(seen.filter((name) => name === 'dataset stored').length, 1)
  await other.ask('DELETE', `/qas/datasets/${foreign.id}`)
})
