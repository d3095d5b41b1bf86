// Tests of damaged files: no client ever gets wrong bytes as if they were right.
import assert from 'node:assert/strict'
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { Client, refusalOf, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'

const service = await ownService(['--segment-size', '65536'])
const client = new Client(service.url)

let receipt: UploadResponse
before(async () => {
  const good = csvText('id,name', 30_000, (i) => `${i},name ${i} ${'x'.repeat(30)}`)
  receipt = await client.upload(`${good}1,2,3\n4,5,6\n`)
  assert.ok(receipt.parts.length > 1)
})

/** The body of each route before any damage. */
const rightBodies = new Map<string, Buffer>()

/** The outcome of a request: complete, refused as damaged, or cut. Asserts that complete bodies are right. */
async function outcome(route: string): Promise<'whole' | 'damaged' | 'cut'> {
  const { self } = receipt.links
  const [path = '', range] = route.split(' ')
  const answer = await client
    .ask('GET', `${self}/${path}`, undefined, range === undefined ? {} : { range })
    .catch((error: NodeJS.ErrnoException) => {
      assert.equal(error.code, 'ECONNRESET')
      return null
    })
  if (answer === null) return 'cut'
  if (answer.status < 300) {
    const right = rightBodies.get(route)
    if (right === undefined) rightBodies.set(route, answer.body)
    else assert.ok(answer.body.equals(right), `${route} returns wrong bytes`)
    return 'whole'
  }
  assert.equal(answer.status, 500, answer.body.toString())
  assert.match(refusalOf(answer).exception, /DatasetDamaged/)
  for (const name of ['etag', 'repr-digest', 'content-disposition', 'content-length', 'content-range']) {
    assert.equal(answer.headers[name], undefined, name)
  }
  return 'damaged'
}

/** Routes that read a whole file, and routes that read a part, which may be right although the file is damaged. */
const routesByFile = {
  original: {
    whole: ['original', 'data.csv'],
    stretches: ['original bytes=0-9', 'original bytes=-9', 'rejects', 'rejects.csv'],
  },
  'data/part-00000.parquet': {
    whole: ['parts/0.parquet', 'data.parquet', 'data.ndjson', 'rows'],
    stretches: ['parts/0.parquet bytes=0-9'],
  },
  'rejects/part-00000.parquet': { whole: ['rejects', 'rejects.csv'], stretches: [] },
}
const readRoutes = Object.values(routesByFile).flatMap(({ whole, stretches }) => [...whole, ...stretches])
const allRoutes = [...new Set(readRoutes)]

const damages: Readonly<Record<string, (path: string, bytes: Buffer) => void>> = {
  'with one flipped bit': (path, bytes) => writeFileSync(path, flipped(bytes, bytes.length >> 1)),
  'with its last bit flipped': (path, bytes) => writeFileSync(path, flipped(bytes, bytes.length - 1)),
  'cut short': (path, bytes) => writeFileSync(path, bytes.subarray(0, -1)),
  'with bytes appended': (path, bytes) => writeFileSync(path, Buffer.concat([flipped(bytes, 0), bytes])),
  'replaced by a file of the same size and time': (path, bytes) => {
    const { atime, mtime } = statSync(path)
    writeFileSync(`${path}.other`, flipped(bytes, 9))
    utimesSync(`${path}.other`, atime, mtime)
    renameSync(`${path}.other`, path)
  },
}

function flipped(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes)
  other[at]! ^= 1
  return other
}

for (const [file, { whole, stretches }] of Object.entries(routesByFile)) {
  for (const [how, damage] of Object.entries(damages)) {
    test(`${file} ${how} is refused, and served again once it is restored`, async () => {
      const path = join(service.dataDir, 'datasets', receipt.id, file)
      const bytes = readFileSync(path)
      for (const route of allRoutes) assert.equal(await outcome(route), 'whole', route)
      damage(path, bytes)
      const seen = await Promise.all(allRoutes.map(outcome)).finally(() => writeFileSync(path, bytes))
      for (const route of whole) assert.notEqual(seen[allRoutes.indexOf(route)], 'whole', route)
      for (const route of allRoutes) assert.equal(await outcome(route), 'whole', route)
    })
  }

  test(`a missing ${file} is refused, and everything that does not need it works`, async () => {
    const path = join(service.dataDir, 'datasets', receipt.id, file)
    const bytes = readFileSync(path)
    await rm(path)
    const seen = await Promise.all(allRoutes.map(outcome)).finally(() => writeFileSync(path, bytes))
    const touching: readonly string[] = [...whole, ...stretches]
    const wanted = allRoutes.map((route) => (touching.includes(route) ? 'damaged' : 'whole'))
    assert.deepEqual(seen, wanted)
  })
}

test('a bit that flips later, without a change of size or time, is refused before it is sent', async () => {
  const { self } = receipt.links
  for (const file of ['original', 'data/part-00000.parquet', 'rejects/part-00000.parquet']) {
    const path = join(service.dataDir, 'datasets', receipt.id, file)
    const bytes = readFileSync(path)
    // A time that can be restored exactly.
    utimesSync(path, 1_000, 1_000)
    for (const route of allRoutes) assert.equal(await outcome(route), 'whole', route)
    const at = bytes.length >> 1
    writeFileSync(path, flipped(bytes, at))
    utimesSync(path, 1_000, 1_000)
    const wrong = file === 'original' ? 'original' : file.startsWith('data') ? 'parts/0.parquet' : null
    if (wrong !== null) assert.equal(await outcome(`${wrong} bytes=${at}-${at}`), 'damaged')
    await Promise.all(allRoutes.map(outcome))
    if (file.startsWith('data')) {
      const sql = { sql: 'select count(distinct name) from data' }
      const headers = { 'content-type': 'application/json' }
      const answer = await client.ask('POST', `${self}/query`, Buffer.from(JSON.stringify(sql)), headers)
      assert.match(refusalOf(answer).exception, /DatasetDamaged/)
    }
    writeFileSync(path, bytes)
  }
})

test('a damaged original is not read another way', async () => {
  const path = join(service.dataDir, 'datasets', receipt.id, 'original')
  const bytes = readFileSync(path)
  writeFileSync(path, flipped(bytes, 20))
  const headers = { 'content-type': 'application/json' }
  const ask = () =>
    client.ask('POST', `${receipt.links.readings}`, Buffer.from('{"dialect":{"delimiter":";"}}'), headers)
  assert.match(refusalOf(await ask()).exception, /DatasetDamaged/)
  writeFileSync(path, bytes)
  assert.equal((await ask()).status, 200)
})

test('a damaged file of more than one chunk is cut before its end', async () => {
  const path = join(service.dataDir, 'datasets', receipt.id, 'original')
  const bytes = readFileSync(path)
  assert.ok(bytes.length > 1_000_000)
  writeFileSync(path, flipped(bytes, 20))
  assert.equal(await outcome('original'), 'damaged')
  writeFileSync(path, flipped(bytes, bytes.length >> 1))
  assert.equal(await outcome('original'), 'cut')
  assert.equal(await outcome('data.csv'), 'cut')
  writeFileSync(path, bytes)
})

test('a dataset with a damaged receipt is refused, not listed, and can be deleted and sent again', async () => {
  const content = 'a,b\n7,8\n'
  const { id, links } = await client.upload(content)
  writeFileSync(join(service.dataDir, 'datasets', id, 'receipt.json'), '{"checksum":"0"}')
  for (const path of ['', '/original', '/rows', '/data.csv', '/profile', '/rejects']) {
    assert.match(refusalOf(await client.ask('GET', links.self + path)).exception, /DatasetDamaged/, path)
  }
  assert.ok(!(await client.datasetIds()).includes(id))
  assert.equal((await client.ask('DELETE', links.self)).status, 204)
  assert.equal((await client.upload(content)).id, id)
  assert.ok((await client.datasetIds()).includes(id))
})

test('a scrub that is due starts with the service, and counts the damage', async () => {
  await using place = await scratchDir()
  const dataDir = join(place.path, 'data')
  const figure = async (one: Client, name: string) => {
    const { body } = await one.ask('GET', '/metrics')
    return Number(new RegExp(`^csv_upload_${name} (\\S+)$`, 'm').exec(body.toString())?.[1])
  }
  const finished = async (one: Client) => {
    while ((await figure(one, 'scrub_finished_timestamp_seconds')) === 0);
    return [await figure(one, 'scrub_damaged_files_total'), await figure(one, 'scrubbed_bytes_total')]
  }
  let id: string
  let bytes: number
  {
    await using running = await RunningService.start(dataDir)
    const one = new Client(running.url)
    assert.deepEqual(await finished(one), [0, 0])
    const uploaded = await one.upload('a,b\n1,2\n')
    id = uploaded.id
    bytes = uploaded.file.bytes + (uploaded.parts[0]?.bytes ?? 0)
  }
  writeFileSync(join(dataDir, 'datasets', id, 'original'), 'a,b\n1,3\n')
  {
    await using running = await RunningService.start(dataDir, ['--scrub-every', 'none'])
    assert.equal(await figure(new Client(running.url), 'scrub_finished_timestamp_seconds'), 0)
  }
  await rm(join(dataDir, 'state'), { recursive: true })
  await using running = await RunningService.start(dataDir)
  assert.deepEqual(await finished(new Client(running.url)), [1, bytes])
})
