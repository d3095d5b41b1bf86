// Thousands: thousands of datasets, resumable uploads, keys, ended uploads and requests for copies are all there again,
// however the service ended and whatever happened to its index.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { forEachLimit } from '../src/io/for-each-limit.ts'
import { isDatasetId } from '../src/store/name-rules.ts'
import { bodyOf, Client, jsonOf } from '../test/support/client.ts'
import { create, patch, tus } from '../test/support/resumable.ts'
import { RunningService, scratchDir } from '../test/support/running-service.ts'
import { createRandom } from '../test/support/samples.ts'
import { mustFail } from './control.ts'
import { allIds } from './known-datasets.ts'
import type { Run, Scale } from './modules.ts'

interface Scaled {
  readonly datasets: number
  /** Resumable uploads, keys, and ended uploads that are looked at: as many of each. */
  readonly others: number
}

const counts: Readonly<Record<Scale, Scaled>> = {
  short: { datasets: 1_300, others: 100 },
  long: { datasets: 20_000, others: 3_000 },
}
const atOnce = 24
/** Datasets requested by id after each start, all after the last. */
const requestedById = 1_000
/** Keys tried after each start, all after the last: each try makes another ended upload, of which 10,000 are kept. */
const keysTried = 200

/** A service that holds thousands of everything, and what must be found of it after each start. */
class Thousands {
  readonly ids = new Set<string>()
  readonly deleted = new Set<string>()
  readonly damaged = new Set<string>()
  readonly unfinished = new Map<string, number>()
  /** Ended uploads and their datasets. Only the last ones are remembered. */
  readonly ended: { readonly upload: string; readonly id: string }[] = []
  watched: readonly { readonly upload: string; readonly id: string }[] = []
  readonly keys = new Map<string, { readonly number: number; readonly id: string }>()
  dataDir: string
  /** Without a response, so that only the directory tells. */
  readonly #unsure = new Set<string>()
  #numbers = 0
  readonly #random: (below: number) => number

  constructor(dataDir: string, random: (below: number) => number) {
    this.dataDir = dataDir
    this.#random = random
  }

  some(count: number): readonly string[] {
    const ids = [...this.ids]
    const from = this.#random(ids.length - count)
    return ids.slice(from, from + count)
  }

  /** No database listens there, so every request for a copy stays. */
  start(): Promise<RunningService> {
    const copies = [
      '--copy-target',
      'pg=postgres://nobody@127.0.0.1:1/none?table=t&mode=append',
      '--copy-uploads-to',
      'pg',
    ]
    return RunningService.start(this.dataDir, [...copies, '--unfinished-max', '20000'])
  }

  get indexPath(): string {
    return join(this.dataDir, 'index.sqlite')
  }

  async add(client: Client, count: number, keyed = 0): Promise<void> {
    const numbers = Array.from({ length: count }, () => ++this.#numbers)
    await forEachLimit(numbers, atOnce, async (number) => {
      const key = number <= keyed ? `"k${number}"` : null
      const answer = await this.#send(client, number, key)
      const { id, upload } = jsonOf<{ id: string; upload: { id: string } }>(answer)
      assert.equal(answer.status, 200, answer.body.toString())
      this.ids.add(id)
      this.ended.push({ upload: upload.id, id })
      if (key !== null) this.keys.set(key, { number, id })
    })
  }

  #send(client: Client, number: number, key: string | null) {
    const body = bodyOf({ content: `id,name\n${number},name ${number}\n`, fileName: `n${number % 100}.csv` })
    return client.ask('POST', '/qas/uploadCsv', body, key === null ? {} : { 'idempotency-key': key })
  }

  async begin(client: Client, count: number): Promise<void> {
    await forEachLimit(Array(count).keys().toArray(), atOnce, async (i) => {
      const path = await create(client, 100)
      const sent = i % 90
      if (sent > 0) assert.equal((await patch(client, path, 0, 'x'.repeat(sent))).status, 204)
      this.unfinished.set(path, sent)
    })
  }

  async remove(client: Client, ids: readonly string[]): Promise<void> {
    await forEachLimit(ids, atOnce, async (id) => {
      this.#unsure.add(id)
      const { status } = await client.ask('DELETE', `/qas/datasets/${id}`)
      assert.equal(status, 204)
      this.ids.delete(id)
      this.#unsure.delete(id)
      this.deleted.add(id)
    })
  }

  /** Everything is there, on disk, in the list and by id, and nothing else. */
  async check(what: string, { url }: RunningService, isLast: boolean): Promise<void> {
    const client = new Client(url)
    const inDirectory = new Set(readdirSync(join(this.dataDir, 'datasets')).filter(isDatasetId))
    for (const id of this.ids) assert.ok(inDirectory.has(id) || this.#unsure.has(id), `${what}: ${id} is lost`)
    for (const id of inDirectory) assert.ok(!this.deleted.has(id), `${what}: ${id} is back`)
    const mayBeNew = inDirectory.size - this.ids.size
    assert.ok(mayBeNew <= atOnce, `${what}: ${mayBeNew} datasets without a response`)
    for (const id of this.#unsure) if (!inDirectory.has(id)) this.ids.delete(id)
    this.#unsure.clear()
    for (const id of inDirectory) this.ids.add(id)
    const listed = new Set(await allIds(client))
    const missing = [...this.ids].filter((id) => !listed.has(id) && !this.damaged.has(id))
    assert.equal(missing.length, 0, `${what}: ${missing.length} of ${this.ids.size} datasets are not listed`)
    assert.equal(listed.size, this.ids.size - this.damaged.size, `${what}: more is listed than there is`)
    await forEachLimit(isLast ? [...this.ids] : this.some(requestedById), atOnce, async (id) => {
      const { status } = await fetched(`${url}/qas/datasets/${id}`)
      assert.equal(status === 200, !this.damaged.has(id), `${what}: ${id} by id: ${status}`)
    })
    await forEachLimit([...this.unfinished], atOnce, async ([path, offset]) => {
      const { headers } = await fetched(`${url}${path}`, 'HEAD')
      assert.equal(headers.get('upload-offset'), String(offset), `${what}: ${path}`)
    })
    await forEachLimit(this.watched, atOnce, async ({ upload }) => {
      const { status, text } = await fetched(`${url}/qas/uploads/${upload}`)
      assert.ok(status === 200 && text.includes('"phase":"done"'), `${what}: upload ${upload}: ${status}`)
    })
    const requests = new Set(readdirSync(join(this.dataDir, 'uploads-to-copy')))
    for (const id of this.ids.difference(this.damaged))
      assert.ok(requests.has(`${id}.pg`), `${what}: the copy of ${id} is forgotten`)
    await forEachLimit(
      [...this.keys]
        .filter(([, { id }]) => this.ids.has(id) && !this.damaged.has(id))
        .slice(0, isLast ? this.keys.size : keysTried),
      atOnce,
      async ([key, { number }]) => {
        const answer = await this.#send(client, number, key)
        assert.equal(answer.headers['idempotent-replayed'], 'true', `${what}: ${key}: ${answer.status}`)
      },
    )
    assert.deepEqual(readdirSync(join(this.dataDir, 'incoming')), [])
    process.stderr.write(`${what}: ${this.ids.size} datasets\n`)
  }
}

/** Ends the service, and changes what is on disk before the next start. */
interface Opening {
  readonly what: string
  readonly end: (service: RunningService, all: Thousands) => Promise<unknown>
  readonly change?: (all: Thousands, keptDir: string) => unknown
}

const stop = (service: RunningService) => {
  service.kill('SIGTERM')
  return service.ended
}
const kill = (service: RunningService) => {
  service.kill('SIGKILL')
  return service.ended
}
const indexFiles = (path: string) => ['', '-wal', '-shm'].map((suffix) => `${path}${suffix}`)

function keepIndex({ indexPath }: Thousands, keptDir: string): void {
  rmSync(keptDir, { recursive: true, force: true })
  mkdirSync(keptDir)
  for (const path of indexFiles(indexPath))
    if (existsSync(path)) copyFileSync(path, join(keptDir, path.split('/').at(-1)!))
}

function putIndexBack({ indexPath, dataDir }: Thousands, keptDir: string): void {
  for (const path of indexFiles(indexPath)) rmSync(path, { force: true })
  cpSync(keptDir, dataDir, { recursive: true })
}

const openings: readonly Opening[] = [
  { what: 'a clean stop', end: stop, change: keepIndex },
  { what: 'a kill', end: kill },
  { what: 'a kill while datasets come and go', end: killAmidst },
  { what: 'an index from before that', end: stop, change: putIndexBack },
  { what: 'a kill that leaves an index in use', end: kill, change: keepIndex },
  { what: 'another kill while datasets come and go', end: killAmidst },
  { what: 'the index in use from before that kill', end: stop, change: putIndexBack },
  { what: 'a copied directory', end: stop, change: copyAll },
  { what: 'a directory copied after a kill', end: kill, change: copyAll },
  { what: 'no index', end: stop, change: ({ indexPath }) => rmSync(indexPath) },
  {
    what: 'an index cut in half',
    end: stop,
    change: ({ indexPath }) => truncateSync(indexPath, statSync(indexPath).size >> 1),
  },
  { what: 'an index of random bytes', end: stop, change: ({ indexPath }) => overwrite(indexPath, 0) },
  { what: 'an index with random bytes in its middle', end: stop, change: ({ indexPath }) => overwrite(indexPath, 0.5) },
  { what: 'an index that lacks a hundred datasets', end: stop, change: ({ indexPath }) => forgetSome(indexPath) },
  { what: 'damaged receipts', end: kill, change: damageSome },
  { what: 'damaged receipts and no index', end: stop, change: ({ indexPath }) => rmSync(indexPath) },
  { what: 'directories without receipts', end: kill, change: strays },
]

export const run: Run = async (scale, seed) => {
  const datasets = Number(process.env.DATASETS ?? counts[scale].datasets)
  const others = Math.min(counts[scale].others, datasets >> 3)
  const random = createRandom(seed)
  await using scratch = await scratchDir()
  const all = new Thousands(join(scratch.path, 'data'), random)
  let service = await all.start()
  try {
    const client = new Client(service.url)
    await all.add(client, datasets, others)
    all.watched = all.ended.slice(-others)
    await all.begin(client, others)
    for (const [at, { what, end, change }] of openings.entries()) {
      await end(service, all)
      await change?.(all, join(scratch.path, 'kept'))
      service = await all.start()
      await all.check(what, service, at === openings.length - 1)
    }
  } finally {
    await service[Symbol.asyncDispose]()
  }
  if (scale === 'long')
    await mustFail('thousands', seed, 'index-batch-before-await', /\d+ of \d+ datasets are not listed/)
  return {
    'starts checked': openings.length,
    datasets: all.ids.size,
    'deleted meanwhile': all.deleted.size,
    'receipts damaged': all.damaged.size,
    'resumable uploads, keys, ended uploads': `${others} of each`,
    'requests for copies': all.ids.size,
    'not listed, not found, forgotten or left': 0,
    'control with batches that lose what is read meanwhile': scale === 'long' ? 'found' : 'not run',
  }
}

/** Kills the service while some are added and others deleted. */
async function killAmidst(service: RunningService, all: Thousands): Promise<void> {
  const client = new Client(service.url)
  const [before, removedBefore] = [all.ids.size, all.deleted.size]
  const busy = Promise.allSettled([all.add(client, 2_000), all.remove(client, all.some(1_000))])
  while (all.ids.size - before + 2 * (all.deleted.size - removedBefore) < 400) await setTimeout(5)
  await kill(service)
  for (const { reason } of (await busy).filter((one) => one.status === 'rejected')) {
    if (reason instanceof assert.AssertionError) throw reason
  }
}

/** The service continues in a copy, whose directories are others. Files are linked: copying thousands takes minutes. */
function copyAll(all: Thousands): void {
  const from = all.dataDir
  all.dataDir = `${from}-copy`
  execFileSync('cp', ['-al', from, all.dataDir])
  rmSync(from, { recursive: true })
}

function overwrite(path: string, from: number): void {
  const bytes = readFileSync(path)
  randomBytes(65_536).copy(bytes, Math.floor(bytes.length * from))
  writeFileSync(path, bytes)
}

/** As if the index had lost them, which nothing on disk shows. */
function forgetSome(path: string): void {
  using database = new DatabaseSync(path)
  database.exec('DELETE FROM datasets WHERE seq IN (SELECT seq FROM datasets ORDER BY seq LIMIT 100)')
}

function damageSome(all: Thousands): void {
  const keyed = all.keys.values().map(({ id }) => id)
  const some = [...all.some(20), ...keyed.take(10), ...all.watched.slice(0, 10).map(({ id }) => id)]
  for (const id of new Set(some).intersection(all.ids)) {
    const path = join(all.dataDir, 'datasets', id, 'receipt.json')
    writeFileSync(path, readFileSync(path).fill(0x20, 100, 200))
    all.damaged.add(id)
  }
}

/** What a start removes. */
function strays(all: Thousands): void {
  for (const dir of ['datasets', 'incoming']) {
    for (let i = 0; i < 50; i += 1) {
      const path = join(all.dataDir, dir, randomBytes(16).toString('hex'))
      mkdirSync(path)
      writeFileSync(join(path, 'original'), 'a,b\n')
    }
  }
}

async function fetched(url: string, method = 'GET') {
  const answer = await fetch(url, { method, headers: tus })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
