// Mixed clients: clients that send the same few files at once, whole, cut and slowly, and delete, read, resume and cancel
// them. None may get an error of the service, or no response.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, bodyOf, Client, contentType, jsonOf } from '../test/support/client.ts'
import { begin, create, patch, tus, tusBytes } from '../test/support/resumable.ts'
import { RunningService, scratchDir } from '../test/support/running-service.ts'
import { createRandom, csvText } from '../test/support/samples.ts'
import { until } from '../test/support/until.ts'
import { mustFail } from './control.ts'
import { isStored } from './known-datasets.ts'
import type { Run, Scale } from './modules.ts'

const counts: Readonly<Record<Scale, { readonly seeds: number; readonly seconds: number }>> = {
  short: { seeds: 1, seconds: 30 },
  long: { seeds: 20, seconds: 90 },
}
const clientCount = 24
const unansweredMsMax = 120_000
const files = [0, 50, 250, 2_500, 15_000, 45_000, 125_000].map((records, i) =>
  Buffer.from(csvText('id,name,v', records, () => `${i},name ${i},3.5`)),
)
const forms = [
  '',
  '/rows',
  '/profile',
  '/original',
  '/data.csv',
  '/data.ndjson',
  '/data.parquet',
  '/parts/0.parquet',
].concat(['/rejects', '/rejects.csv', '/datapackage.json'])

/** The requests of one seed. */
class Mixed {
  readonly responses = new Map<string, number>()
  readonly #url: string
  readonly #client: Client
  readonly #random: (below: number) => number
  readonly #ids: string[] = []
  cut = 0

  constructor(url: string, seed: number) {
    this.#url = url
    this.#client = new Client(url)
    this.#random = createRandom(seed)
  }

  async one(): Promise<void> {
    const kind = this.#random(16)
    const id = this.#ids[this.#ids.length - 1 - this.#random(Math.min(6, this.#ids.length || 1))]
    if (kind < 6 || id === undefined) await this.#upload()
    else if (kind < 8) await this.#ask('DELETE', `/qas/datasets/${id}`)
    else if (kind < 12) await this.#read(id)
    else if (kind < 13) await this.#readAgain(id)
    else if (kind < 15) await this.#resume()
    else await this.#watch()
  }

  async #upload(): Promise<void> {
    const schema = this.#random(8) === 0 ? { schema: { fields: 7 } } : {}
    const body = bodyOf({ content: this.#pick(files), fileName: `n${this.#random(30)}.csv`, ...schema })
    const key = this.#random(3) === 0 ? { 'idempotency-key': `"k${this.#random(6)}"` } : {}
    const headers = { ...key, ...(this.#random(8) === 0 ? { prefer: 'respond-async' } : {}) }
    if (this.#random(4) === 0) {
      return await this.#cut('POST', '/qas/uploadCsv', { ...headers, 'content-type': contentType }, body)
    }
    const framing = this.#random(3) === 0 ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }
    const asked = () => this.#client.ask('POST', '/qas/uploadCsv', body, { ...framing, ...headers })
    const answer = await this.#answered('upload', asked)
    if (answer.status === 200) this.#ids.push(jsonOf<{ id: string }>(answer).id)
  }

  async #read(id: string): Promise<void> {
    const path = `/qas/datasets/${id}${this.#pick(forms)}`
    if (this.#random(5) > 0) return void (await this.#ask('GET', path))
    const socket = await begin(this.#url, 'GET', path, {}, Buffer.alloc(0))
    socket.once('data', () => socket.destroy())
    await this.#rest(50)
    socket.destroy()
    this.cut += 1
  }

  async #readAgain(id: string): Promise<void> {
    const body = Buffer.from(JSON.stringify({ dialect: { delimiter: this.#pick([',', ';']) } }))
    await this.#answered('reading', () => this.#client.askJson(`/qas/datasets/${id}/readings`, body))
  }

  /** A file by tus, some of its requests two at once. */
  async #resume(): Promise<void> {
    const content = this.#pick(files)
    const path = await create(this.#client, content.length)
    let offset = 0
    for (let requests = 0; requests < 8 && offset < content.length; requests += 1) {
      const bytes = this.#pick([content.length, (content.length >> 1) + 1, 1_000, 0])
      const part = content.subarray(offset, offset + bytes)
      const adding = () => this.#answered('PATCH', () => patch(this.#client, path, offset, part))
      const kind = this.#random(10)
      if (kind < 2) {
        const headers = { ...tusBytes, 'upload-offset': offset }
        await this.#cut('PATCH', path, headers, part)
      } else if (kind < 5) {
        const added = adding()
        await this.#rest(10)
        if (this.#random(3) === 0) await this.#ask('DELETE', path, tus)
        await Promise.all([added, this.#ask('HEAD', path, tus)])
      } else await adding()
      const { status, headers } = await this.#ask('HEAD', path, tus)
      if (status !== 200) return
      offset = Number(headers['upload-offset'])
    }
  }

  async #watch(): Promise<void> {
    const { uploads } = jsonOf<{ uploads: { id: string }[] }>(await this.#ask('GET', '/qas/uploads?limit=20'))
    const upload = this.#pick(uploads)
    if (upload !== undefined) await this.#ask(this.#pick(['GET', 'DELETE']), `/qas/uploads/${upload.id}`)
  }

  async #cut(method: string, path: string, headers: Readonly<Record<string, string | number>>, body: Uint8Array) {
    const part = body.subarray(0, this.#random(body.length + 1))
    const socket = await begin(this.#url, method, path, { ...headers, 'content-length': body.length }, part)
    await this.#rest(20)
    socket.destroy()
    this.cut += 1
  }

  #ask(method: string, path: string, headers = {}): Promise<Answer> {
    return this.#answered(method, () => this.#client.ask(method, path, undefined, headers))
  }

  async #answered(what: string, request: () => Promise<Answer>): Promise<Answer> {
    const late = new AbortController()
    const answer = await Promise.race([request(), sleep(unansweredMsMax, null, { signal: late.signal })])
    late.abort()
    assert.ok(answer !== null, `${what} got no response`)
    const { status, body } = answer
    assert.ok(status < 500, `${what} got ${status}: ${body.subarray(0, 500)}`)
    this.responses.set(`${status}`, (this.responses.get(`${status}`) ?? 0) + 1)
    return answer
  }

  #rest(ms: number): Promise<void> {
    return sleep(this.#random(ms))
  }

  #pick<One>(list: readonly One[]): One {
    return list[this.#random(list.length)]!
  }
}

export const run: Run = async (scale, seed) => {
  const { seeds, seconds } = counts[scale]
  await using scratch = await scratchDir()
  await using service = await RunningService.start(join(scratch.path, 'data'))
  const responses = new Map<string, number>()
  let cut = 0
  for (let i = 0; i < seeds; i += 1) {
    const mixed = new Mixed(service.url, seed + i)
    const endMs = performance.now() + seconds * 1_000
    await Promise.all(
      Array.from({ length: clientCount }, async () => {
        while (performance.now() < endMs) await mixed.one()
      }),
    )
    for (const [status, count] of mixed.responses) responses.set(status, (responses.get(status) ?? 0) + count)
    cut += mixed.cut
    assert.doesNotMatch(service.said.join('\n'), /Warning/)
    process.stderr.write(`seed ${seed + i}: ${JSON.stringify(Object.fromEntries(mixed.responses))}\n`)
  }
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  await until('no draft is left', () => service.drafts().length === 0)
  const ids = service.datasetDirs()
  for (const id of ids) await isStored(service.dataDir, id)
  if (scale === 'long') await mustFail('mixed-clients', seed, 'spool-left-open', /Closing file descriptor/)
  return {
    seeds: `${seeds}, of ${seconds} s each`,
    'clients at once': clientCount,
    responses: [...responses]
      .toSorted()
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
    'requests cut off': cut,
    'errors of the service, no response, or damage': 0,
    'control with a file left open': 'found',
  }
}
