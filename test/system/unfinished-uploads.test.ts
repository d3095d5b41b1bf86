// Tests of unfinished uploads: what survives the process, how long they are kept, and how many.
import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { begin, create, offsetOf, patch, textOf, tus, tusBytes } from '../support/resumable.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'

const content = Buffer.from(csvText('id,name,value', 60_000, (i) => `${i},name ${i},${i / 8}`))

/** Runs a test with services on one data directory, one after another. */
async function withServices(work: (start: (...flags: readonly string[]) => Promise<RunningService>) => Promise<void>) {
  await using scratch = await scratchDir()
  const started: RunningService[] = []
  try {
    await work(async (...flags) => {
      const service = await RunningService.start(join(scratch.path, 'data'), flags)
      started.push(service)
      return service
    })
  } finally {
    for (const service of started) await service[Symbol.asyncDispose]()
  }
}
const unfinished = ({ dataDir }: RunningService) => readdirSync(join(dataDir, 'uploads'))

test('after kill -9, an upload continues at the acknowledged offset, however much was already read', async () => {
  await withServices(async (start) => {
    let service = await start()
    const path = await create(new Client(service.url), content.length)
    for (const [i, at] of [0, 1, 300_000, content.length - 1].entries()) {
      const next = [1, 300_000, content.length - 1, content.length][i]!
      const client = new Client(service.url)
      assert.equal(await offsetOf(client, path), at)
      // Bytes of a request without a response may be lost, and are sent again.
      const headers = { ...tusBytes, 'upload-offset': at, 'content-length': content.length - at }
      const broken = await begin(service.url, 'PATCH', path, headers, content.subarray(at, next))
      broken.end()
      await textOf(broken)
      assert.equal(await offsetOf(client, path), next === content.length ? content.length : next)
      await service[Symbol.asyncDispose]()
      service = await start()
    }
    const client = new Client(service.url)
    const plain = await client.upload(content)
    const ids = await client.datasetIds()
    assert.deepEqual(ids, [plain.id])
    assert.ok((await client.get(`${plain.links.original}`)).equals(content))
    await until('the spool is gone', () => unfinished(service).length === 0)
  })
})

test('a completely received upload is read after a restart, without its client', async () => {
  await withServices(async (start) => {
    const first = await start()
    const path = await create(new Client(first.url), content.length)
    await patch(new Client(first.url), path, 0, content.subarray(0, 1_000_000))
    const headers = { ...tusBytes, 'upload-offset': 1_000_000, 'content-length': content.length - 1_000_000 }
    const socket = await begin(first.url, 'PATCH', path, headers, content.subarray(1_000_000))
    // Its end is durable before it is read.
    const isWhole = async () => JSON.parse((await new Client(first.url).get(path)).toString()).phase !== 'receiving'
    while (!(await isWhole()));
    first.kill('SIGKILL')
    socket.destroy()
    await first.ended
    const again = await start()
    await until('it has been read', () => unfinished(again).length === 0)
    const client = new Client(again.url)
    assert.equal((await client.datasetIds()).length, 1)
    assert.equal((await client.upload(content)).duplicate, true)
  })
})

test('reading an upload waits for its client, or starts again: the dataset is the same', async () => {
  await withServices(async (start) => {
    for (const wait of ['0s', '60s']) {
      await using service = await start('--resume-wait', wait)
      const client = new Client(service.url)
      const path = await create(client, content.length)
      await patch(client, path, 0, content.subarray(0, 1_200_000))
      if (wait === '0s') await until('its draft is gone', () => service.drafts().length === 0)
      else assert.equal(service.drafts().length, 1)
      await patch(client, path, 1_200_000, content.subarray(1_200_000, 1_200_001))
      const last = await patch(client, path, 1_200_001, content.subarray(1_200_001))
      assert.equal(last.headers['content-location'], (await client.upload(content)).links.self)
    }
  })
})

test('an upload that is never finished expires, while the service runs and at a start', async () => {
  await withServices(async (start) => {
    const service = await start('--uploads-keep-for', '1s')
    const client = new Client(service.url)
    const path = await create(client, 1_000)
    await patch(client, path, 0, 'a,b\n')
    await until('it has expired', () => unfinished(service).length === 0)
    assert.ok([404, 410].includes((await client.ask('HEAD', path, undefined, tus)).status))
    await until('its reading is abandoned', () => service.drafts().length === 0)
    await create(client, 1_000)
    await service[Symbol.asyncDispose]()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const again = await start('--uploads-keep-for', '1s')
    await until('it has expired', () => unfinished(again).length === 0)
  })
})

test('unfinished uploads are limited in number and bytes, and make room when they end', async () => {
  await withServices(async (start) => {
    const service = await start('--unfinished-max', '4', '--unfinished-size-max', '10000')
    const client = new Client(service.url)
    const ask = (bytes: number) =>
      client.ask('POST', '/qas/uploads', undefined, { ...tus, 'upload-length': bytes, 'content-length': 0 })
    assert.equal((await ask(5_001)).status, 507)
    const first = (await ask(4_000)).headers.location!
    assert.equal((await ask(2_000)).status, 507)
    await ask(500)
    assert.equal((await ask(1)).status, 507)
    await client.ask('DELETE', first, undefined, tus)
    assert.equal((await ask(4_000)).status, 201)
    assert.equal(unfinished(service).length, 2)
  })
})

test('bytes whose number comes with a request, or never, count from when they are admitted', async () => {
  await withServices(async (start) => {
    const service = await start('--unfinished-size-max', '10000')
    const client = new Client(service.url)
    const [first, second] = [await create(client, null), await create(client, null)]
    const headers = { ...tusBytes, 'upload-offset': 0, 'upload-length': 4_000, 'content-length': 4_000 }
    const socket = await begin(service.url, 'PATCH', first, headers, Buffer.from('a,b\n'))
    while (JSON.parse((await client.get(first)).toString()).bytes.received < 4);
    const rows = '1,2\n'.repeat(1_000)
    assert.equal((await patch(client, second, 0, rows, { 'upload-length': '4000' })).status, 507)
    assert.equal((await client.ask('DELETE', first, undefined, tus)).status, 204)
    socket.destroy()
    const chunked = { ...tusBytes, 'upload-offset': 0, 'transfer-encoding': 'chunked', connection: 'close' }
    const chunks = Buffer.from(`fa0\r\n${rows}\r\n`.repeat(2))
    const refused = await textOf(await begin(service.url, 'PATCH', second, chunked, chunks))
    assert.match(refused, /^HTTP\/1\.1 507 [\s\S]*TooManyUnfinishedException/)
    assert.ok((await offsetOf(client, second)) <= 5_000)
  })
})

test('an upload does not expire while its bytes become durable', async () => {
  await using scratch = await scratchDir()
  const gate = join(scratch.path, 'gate')
  // Syncs wait while that file is there.
  const program = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const sync = fs.fdatasync
    fs.fdatasync = (file, done) =>
      fs.existsSync(${JSON.stringify(gate)}) ? setTimeout(fs.fdatasync, 10, file, done) : sync(file, done)
    syncBuiltinESMExports()`
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` }
  const flags = ['--uploads-keep-for', '2s']
  await using service = await RunningService.start(join(scratch.path, 'data'), flags, environment)
  const client = new Client(service.url)
  const path = await create(client, 1_000)
  const later = await create(client, 1_000)
  writeFileSync(gate, '')
  const adding = patch(client, path, 0, 'a,b\n')
  const phaseOf = async (one: string) => JSON.parse((await client.get(one)).toString()).phase
  await until('a later one has expired', async () => (await phaseOf(later)) === 'expired')
  assert.equal(await phaseOf(path), 'receiving')
  rmSync(gate)
  assert.equal((await adding).status, 204)
})

test('the outcome of uploads is known after a restart, that of resumable ones even after kill -9', async () => {
  await withServices(async (start) => {
    let service = await start()
    let client = new Client(service.url)
    const done = await create(client, content.length, { filename: 'done.csv' })
    await patch(client, done, 0, content)
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100_000, 7)])
    const failed = await create(client, zip.length)
    assert.equal((await patch(client, failed, 0, zip)).status, 422)
    const plain = await client.upload('a,b\n1,2\n')
    const forgotten = await client.upload('a,b\n1,3\n')
    await client.ask('DELETE', `/qas/uploads/${forgotten.upload.id}`)
    const paths = [done, failed, `/qas/uploads/${plain.upload.id}`]
    const statuses = async () => await Promise.all(paths.map(async (path) => (await client.get(path)).toString()))
    const before = await statuses()
    await until('the ends are recorded', () => unfinished(service).length === 0)
    // The response of an upload in one request does not wait for that.
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      service.kill(signal)
      await service.ended
      service = await start()
      client = new Client(service.url)
      assert.deepEqual(await statuses(), before)
      assert.equal((await client.ask('GET', `/qas/uploads/${forgotten.upload.id}`)).status, 404)
      const head = await client.ask('HEAD', done, undefined, tus)
      assert.deepEqual([head.status, head.headers['upload-offset']], [200, String(content.length)])
      assert.ok(head.headers['content-location'])
      assert.equal((await client.ask('HEAD', failed, undefined, tus)).status, 410)
    }
  })
})
