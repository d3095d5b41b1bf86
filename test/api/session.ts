// Session: calls every operation of a real service once. The docs show one response of each schema as an example.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Description } from './description.ts'

/** The file of the README. */
export const people = 'id,name,born,balance\n007,Ada,1815-12-10,12.50\n008,Grace,1906-12-09,7.25\n009,Alan,1912-06-23\n'

/** One request and its response. */
export interface Exchange {
  readonly operationId: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/** The members of a receipt that later requests need. */
interface Sent {
  readonly id: string
  readonly upload: { readonly id: string }
}

type Ask = (operationId: string, path: string, init?: RequestInit) => Promise<Exchange>

/**
 * Every described operation; add new ones here.
 *
 * @param options `keep` leaves the dataset in place.
 */
export async function session(url: string, { keep = false } = {}): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  const ask: Ask = async (operationId, path, init = {}) => {
    const exchange = await exchanged(url, operationId, path, init)
    exchanges.push(exchange)
    return exchange
  }
  await ask('getCaller', '/qas/caller')
  const sent = await ask('uploadCsv', '/qas/uploadCsv', upload())
  const again = await ask('uploadCsv', '/qas/uploadCsv', upload())
  // The description verifies the type.
  const { id, upload: one } = JSON.parse(sent.body.toString()) as Sent
  const { upload: other } = JSON.parse(again.body.toString()) as Sent
  const dataset = `/qas/datasets/${id}`
  await ask('listUploads', '/qas/uploads?limit=10')
  const status = await ask('getUpload', `/qas/uploads/${one.id}`)
  await ask('getUpload', `/qas/uploads/${one.id}`, { headers: { 'if-none-match': status.headers.get('etag') ?? '' } })
  await ask('listDatasets', '/qas/datasets?limit=10')
  const receipt = await ask('getDataset', dataset)
  await ask('getDataset', dataset, { headers: { 'if-none-match': receipt.headers.get('etag') ?? '' } })
  await ask('getRows', `${dataset}/rows?limit=2`)
  await ask('getRejects', `${dataset}/rejects`)
  await ask('getProfile', `${dataset}/profile`)
  await ask('getDataPackage', `${dataset}/datapackage.json`)
  await ask('queryDataset', `${dataset}/query`, posted({ sql: 'SELECT count(*) AS people, max(balance) FROM data' }))
  for (const [operationId, path] of [
    ['getOriginal', `${dataset}/original`],
    ['getParquet', `${dataset}/data.parquet`],
    ['getPart', `${dataset}/parts/0.parquet`],
    ['getCsv', `${dataset}/data.csv`],
    ['getNdjson', `${dataset}/data.ndjson`],
    ['getRejectsCsv', `${dataset}/rejects.csv`],
    ['getAnnotatedCsv', `${dataset}/annotated.csv`],
  ] as const) {
    const whole = await ask(operationId, path)
    await ask(operationId, path, { headers: { range: 'bytes=0-19' } })
    await ask(operationId, path, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })
  }
  await ask('copyDataset', `${dataset}/copies`, posted({ to: 'warehouse', table: 'people' }))
  await ask('listCopies', `${dataset}/copies`)
  await ask('readAgain', `${dataset}/readings`, posted({ dialect: { header: false } }))
  const corrected = await ask('correctDataset', `${dataset}/corrections`, corrections('4,"009,Alan,1912-06-23,0.00"'))
  await ask('previewCorrections', `${dataset}/corrections/preview`, rules('too_few_fields'))
  await ask('getCorrections', `/qas/datasets/${JSON.parse(corrected.body.toString()).id}/corrections`)
  for (const [operationId, path] of [
    ['isAlive', '/healthz'],
    ['isReady', '/readyz'],
    ['getOpenApi', '/openapi.json'],
    ['getDocs', '/docs'],
    ['getMetrics', '/metrics'],
  ] as const) {
    await ask(operationId, path)
  }
  await refusals(dataset, ask)
  const file = { method: 'POST', body: 'id,city\n1,Oslo\n' }
  await ask('uploadFile', '/qas/uploads', {
    ...file,
    headers: { 'content-disposition': 'attachment; filename="cities.csv"' },
  })
  const headers = { prefer: 'respond-async' }
  const begun = [
    await ask('uploadFile', '/qas/uploads', { ...file, headers }),
    await ask('uploadCsv', '/qas/uploadCsv', { ...upload(file.body), headers }),
  ]
  for (const { headers: answered } of begun)
    await ask('getUpload', answered.get('location') ?? '', { headers: { prefer: 'wait=60' } })
  const events = await ask('watchUpload', `/qas/uploads/${one.id}/events`)
  const [, lastId = ''] = /^id: (.*)$/m.exec(events.body.toString()) ?? []
  await ask('watchUpload', `/qas/uploads/${one.id}/events`, { headers: { 'last-event-id': lastId } })
  await ask('watchAll', '/qas/events?seconds=0')
  await trash(dataset, ask)
  await otherRefusals(dataset, one.id, ask)
  await ask('cancelUpload', `/qas/uploads/${other.id}`, { method: 'DELETE' })
  if (!keep) await ask('deleteDataset', dataset, { method: 'DELETE' })
  return exchanges
}

/** Moves another dataset to the trash and out of it, and refusals of what is about lists. */
async function trash(dataset: string, ask: Ask): Promise<void> {
  const [post, remove] = [{ method: 'POST' }, { method: 'DELETE' }]
  const { id } = JSON.parse((await ask('uploadCsv', '/qas/uploadCsv', upload('id\n1\n'))).body.toString()) as Sent
  const trashed = `/qas/trash/${id}`
  const none = '0'.repeat(32)
  await ask('deleteDataset', `/qas/datasets/${id}?trash`, remove)
  await ask('listTrash', '/qas/trash')
  await ask('restoreDataset', `${trashed}/restore`, post)
  await ask('deleteDataset', `/qas/datasets/${id}?trash`, remove)
  await ask('eraseDataset', trashed, remove)
  await ask('dismissRejects', `${dataset}/dismissal`, post)
  await ask('undismissRejects', `${dataset}/dismissal`, remove)
  for (const nothing of ['', '?nothing=1']) {
    await ask('restoreDataset', `/qas/trash/${none}/restore${nothing}`, post)
    await ask('eraseDataset', `/qas/trash/${none}${nothing}`, remove)
    await ask('dismissRejects', `/qas/datasets/${none}/dismissal${nothing}`, post)
    await ask('undismissRejects', `/qas/datasets/${none}/dismissal${nothing}`, remove)
  }
  await ask('listTrash', '/qas/trash?limit=0')
  await ask('watchAll', '/qas/events?seconds=-1')
}

/** Sends a request that is refused, for its error record. */
async function refusals(dataset: string, ask: Ask): Promise<void> {
  const none = `/qas/datasets/${'0'.repeat(32)}`
  await ask('uploadCsv', '/qas/uploadCsv', { method: 'POST', body: new FormData() })
  await ask('uploadCsv', '/qas/uploadCsv', upload(''))
  await ask('uploadCsv', '/qas/uploadCsv', upload('PK\u0003\u0004zip'))
  await ask('uploadCsv', '/qas/uploadCsv', posted({}))
  await ask('listDatasets', '/qas/datasets?limit=0')
  await ask('getDataset', none)
  await ask('getRows', `${dataset}/rows?columns=nobody`)
  await ask('getRejects', `${dataset}/rejects?ofset=1`)
  await ask('getOriginal', `${dataset}/original`, { headers: { range: 'bytes=92-' } })
  await ask('getCsv', `${none}/data.csv`)
  await ask('getProfile', `${none}/profile`)
  await ask('queryDataset', `${dataset}/query`, posted({ sql: 'DROP TABLE data' }))
  await ask('queryDataset', `${dataset}/query`, posted({ sql: 'SELECT nobody FROM data' }))
  await ask('getParquet', `${dataset}/data.parquet?x=1`)
  await ask('readAgain', `${dataset}/readings`, posted({ dialect: { delimiter: 7 } }))
  await ask('readAgain', `${dataset}/readings`, posted('no object'))
  await ask('copyDataset', `${dataset}/copies`, posted({ to: 'lake' }))
  await ask('correctDataset', `${dataset}/corrections`, corrections('2,"007,Ada,1815-12-10,12.50"'))
  await ask('correctDataset', `${dataset}/corrections`, posted({}))
  await ask('previewCorrections', `${dataset}/corrections/preview`, posted({}))
  await ask('previewCorrections', `${dataset}/corrections/preview`, rules('few_fields'))
  await ask('getCorrections', `${dataset}/corrections`)
  await ask('deleteDataset', none, { method: 'DELETE' })
  await ask('getUpload', '/qas/uploads/00000000-0000-7000-8000-000000000000')
  await ask('listUploads', '/qas/uploads?limit=0')
}

const unknown = '00000000-0000-7000-8000-000000000000'

/** Every other described error that a request can bring about, except those that need small limits. */
async function otherRefusals(dataset: string, uploadId: string, ask: Ask): Promise<void> {
  const none = `/qas/datasets/${'0'.repeat(32)}`
  const one = `/qas/uploads/${uploadId}`
  const below = [
    ['getDataset', ''],
    ['getDataPackage', '/datapackage.json'],
    ['listCopies', '/copies'],
    ['getRows', '/rows'],
    ['getProfile', '/profile'],
    ['getRejects', '/rejects'],
    ['getOriginal', '/original'],
    ['getCsv', '/data.csv'],
    ['getNdjson', '/data.ndjson'],
    ['getParquet', '/data.parquet'],
    ['getPart', '/parts/0.parquet'],
    ['getRejectsCsv', '/rejects.csv'],
    ['getAnnotatedCsv', '/annotated.csv'],
    ['getCorrections', '/corrections'],
  ] as const
  const made = ['getCsv', 'getNdjson', 'getRejectsCsv', 'getAnnotatedCsv', 'getParquet', 'getPart'] as const
  const others = [
    ['getOpenApi', '/openapi.json'],
    ['getCaller', '/qas/caller'],
    ['getMetrics', '/metrics'],
    ['getDocs', '/docs'],
    ['getUpload', one],
    ['watchUpload', `${one}/events`],
  ] as const
  const inDataset = below.map(([operationId, path]) => [operationId, dataset + path] as const)
  for (const [operationId, path] of [...inDataset, ...others]) await ask(operationId, `${path}?nothing=1`)
  for (const [operationId, path] of below) await ask(operationId, none + path)
  await ask('watchUpload', `/qas/uploads/${unknown}/events`)
  const headers = { 'if-match': '"another"' }
  const pathOf = (operationId: string) => dataset + (below.find(([name]) => name === operationId)?.[1] ?? '')
  for (const operationId of ['getDataset', 'getOriginal', ...made] as const) {
    await ask(operationId, pathOf(operationId), { headers })
  }
  await ask('getUpload', one, { headers })
  for (const operationId of made) {
    await ask(operationId, pathOf(operationId), { headers: { range: 'bytes=99999999-' } })
  }
  for (const [operationId, id] of [
    ['cancelUpload', `${one}?nothing=1`],
    ['cancelUpload', `/qas/uploads/${unknown}`],
    ['deleteDataset', `${dataset}?nothing=1`],
  ] as const) {
    await ask(operationId, id, { method: 'DELETE' })
  }
  await ask('deleteDataset', dataset, { method: 'DELETE', headers })
  const copy = { to: 'warehouse', table: 'people' }
  for (const [operationId, path, body] of [
    ['readAgain', '/readings', { dialect: { header: false } }],
    ['copyDataset', '/copies', copy],
    ['queryDataset', '/query', { sql: 'SELECT 1' }],
  ] as const) {
    await ask(operationId, none + path, posted(body))
    await ask(operationId, dataset + path, posted({ ...body, more: 'x'.repeat(4_000_000) }))
    await ask(operationId, dataset + path, { method: 'POST', body: 'text' })
  }
  await ask('readAgain', `${dataset}/readings`, posted({ schema: { fields: [{ name: 'nobody' }] } }))
  await ask('queryDataset', `${dataset}/query`, { ...posted({ sql: 'SELECT 1' }), ...pdf })
  await ask('correctDataset', `${none}/corrections`, corrections('4,"009,Alan,1912-06-23,0.00"'))
  await ask('previewCorrections', `${none}/corrections/preview`, rules('too_few_fields'))
  const noBoundary = { method: 'POST', body: 'x', headers: { 'content-type': 'multipart/form-data' } }
  await ask('uploadCsv', '/qas/uploadCsv', noBoundary)
  await ask('uploadFile', '/qas/uploads', noBoundary)
  for (const [operationId, path] of [
    ['correctDataset', '/corrections'],
    ['previewCorrections', '/corrections/preview'],
  ] as const) {
    await ask(operationId, dataset + path, noBoundary)
  }
  await ask('uploadFile', '/qas/uploads', { method: 'POST', body: 'PK\u0003\u0004zip' })
  await ask('uploadFile', '/qas/uploads', { method: 'POST', headers: { 'content-type': 'text/csv' } })
  await ask('uploadFile', '/qas/uploads', { method: 'POST', body: 'a\n', headers: { 'content-encoding': 'br' } })
  const begin = { 'tus-resumable': '1.0.0', 'upload-length': '3' }
  await ask('uploadFile', '/qas/uploads', { method: 'POST', headers: begin })
  await keyInUse(ask)
}

const pdf = { headers: { accept: 'application/pdf', 'content-type': 'application/json' } }

/** Two uploads with the same key at the same time as a third one. */
async function keyInUse(ask: Ask): Promise<void> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const key = { 'idempotency-key': '"in-use"' }
  const first = ask('uploadFile', '/qas/uploads', { method: 'POST', body: readable, headers: key, duplex: 'half' })
  const writer = writable.getWriter()
  await writer.write(Buffer.from('id,name\n'))
  while ((await ask('uploadCsv', '/qas/uploadCsv', { ...upload(), headers: key })).status !== 409);
  await ask('uploadFile', '/qas/uploads', { method: 'POST', body: 'a\n', headers: key })
  await writer.close()
  await first
}

/** Requests with two hosts, which no usual client sends. */
export async function twoHosts(url: string): Promise<readonly Exchange[]> {
  const asked = [
    ['isAlive', '/healthz'],
    ['isReady', '/readyz'],
  ].map(async ([operationId = '', path = '']): Promise<Exchange> => {
    const request = get(url + path, { headers: ['Host', 'localhost', 'Host', 'localhost'] })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const headers = new Headers({ 'content-type': response.headers['content-type'] ?? '' })
    const body = await buffer(response)
    return { operationId, method: 'GET', path, status: response.statusCode ?? 0, headers, body }
  })
  return await Promise.all(asked)
}

/** Errors of a service that takes files of 1 KB. */
export async function overLimits(url: string): Promise<readonly Exchange[]> {
  const { id } = JSON.parse((await exchanged(url, 'uploadCsv', '/qas/uploadCsv', upload())).body.toString()) as Sent
  const long = 'x'.repeat(5_000)
  return [
    await exchanged(url, 'uploadCsv', '/qas/uploadCsv', upload(long)),
    await exchanged(url, 'uploadFile', '/qas/uploads', { method: 'POST', body: long }),
    await exchanged(url, 'correctDataset', `/qas/datasets/${id}/corrections`, corrections(`4,"${long}"`)),
    await exchanged(url, 'previewCorrections', `/qas/datasets/${id}/corrections/preview`, corrections(`4,"${long}"`)),
  ]
}

/** A request that uploads that content. */
export function upload(content = people): RequestInit {
  const body = new FormData()
  body.append('file', new Blob([content], { type: 'text/csv' }), 'people.csv')
  return { method: 'POST', body }
}

function corrections(row: string): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'text/csv' }, body: `record,text\r\n${row}\r\n` }
}

function rules(reason: string): RequestInit {
  const body = JSON.stringify({ reason, mend: 'append' })
  return { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body }
}

function posted(value: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** Sends a request and reads the whole response. */
export async function exchanged(url: string, operationId: string, path: string, init: RequestInit): Promise<Exchange> {
  const response = await fetch(`${url}${path}`, init)
  const body = Buffer.from(await response.arrayBuffer())
  const { status, headers } = response
  return { operationId, method: init.method ?? 'GET', path: path.split('?')[0] ?? path, status, headers, body }
}

/** A database that does not respond: copies to it wait. */
const nowhere = 'warehouse=postgres://nobody@127.0.0.1:1/none'

/** A whole service with its own data. */
export async function startService(...flags: readonly string[]) {
  const dir = await mkdtemp(join(tmpdir(), 'csv-upload-api-'))
  const standard = [
    '--port',
    '0',
    '--data',
    dir,
    '--log-level',
    'silent',
    '--converters',
    '1',
    '--copy-target',
    nowhere,
  ]
  const app = await startApp(readConfig([...standard, ...flags], {}))
  return {
    url: app.url,
    async [Symbol.asyncDispose]() {
      await app.close()
      await rm(dir, { recursive: true })
    },
  }
}

/** The first response of each schema, with members that vary from run to run replaced. */
export function examplesOf(
  exchanges: readonly Exchange[],
  description: Description,
): Readonly<Record<string, unknown>> {
  const examples = new Map<string, unknown>()
  for (const { operationId, status, body } of exchanges) {
    const described = description.operations.find(({ operation }) => operation.operationId === operationId)
    const { schema } = described?.operation.responses[status]?.content?.['application/json'] ?? {}
    const name = schema?.$ref?.split('/').at(-1)
    if (name === undefined || status >= 300 || examples.has(name)) continue
    examples.set(name, JSON.parse(body.toString(), steady))
  }
  return Object.fromEntries(examples)
}

const copying: Readonly<Record<string, unknown>> = { state: 'copying', tries: 1, problem: null }

function steady(this: unknown, name: string, value: unknown): unknown {
  if (['receivedAt', 'createdAt', 'updatedAt', 'trashedAt'].includes(name)) return 1763650000000
  if (name === 'erasesAt') return 1764254800000
  if (name === 'expiresAt' && value !== null) return 1763736400000
  const isMoment = typeof value === 'string' && ['created', 'updated', 'received', 'trashed'].includes(name)
  if (isMoment) return new Date(1763650000000).toISOString()
  if (name === 'expires' && value !== null) return new Date(1763736400000).toISOString()
  if (name === 'erases') return new Date(1764254800000).toISOString()
  if (name === 'durationMs') return 42
  // The progress of a copy at that moment is random.
  if (typeof this === 'object' && this !== null && 'table' in this && name in copying) return copying[name]
  const shown = '019aa1b2-4c80-7000-8000-0123456789ab'
  const isUpload = typeof this === 'object' && this !== null && ('receivedAt' in this || 'phase' in this)
  if (/^\/qas\/uploads\//.test(String(value))) return String(value).replace(/[0-9a-f-]{36}/, shown)
  return name === 'id' && isUpload ? shown : value
}
