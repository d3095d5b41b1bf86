// Tests of copies into ClickHouse by the service: over HTTP, by command, of every upload, after a kill, encrypted. The
// server is a fake that does not read Parquet; test/slow/clickhouse-copies.slow.ts uses the engine.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CopyStatus } from '../../src/core/copies/copy-status.ts'
import { createClickHouseSink } from '../../src/sink/clickhouse-sink.ts'
import { FakeClickHouse } from '../../src/sink/fake-clickhouse.testing.ts'
import { type CopyOrder, SinkError } from '../../src/sink/sink.ts'
import { Client, jsonOf } from '../support/client.ts'
import { runCommand } from '../support/command.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const secret = 'geheim 123'

async function copiesOf(client: Client, id: string): Promise<readonly CopyStatus[]> {
  return JSON.parse((await client.get(`/qas/datasets/${id}/copies`)).toString()).copies
}

async function ended(client: Client, id: string): Promise<CopyStatus> {
  for (;;) {
    const [found] = await copiesOf(client, id)
    if (found?.state === 'done' || found?.state === 'failed') return found
    await sleep(20)
  }
}

const begin = async (client: Client, id: string) => {
  const answer = await client.askJson(`/qas/datasets/${id}/copies`, Buffer.from('{"to":"ch"}'))
  assert.equal(answer.status, 202, answer.body.toString())
  return jsonOf<CopyStatus>(answer)
}

test('a dataset is copied into ClickHouse by request, command and upload; the password shows nowhere', async () => {
  await using fake = await FakeClickHouse.start()
  fake.recordsOf = () => 2
  await using scratch = await scratchDir()
  const { host } = new URL(fake.url)
  const passwords = join(scratch.path, 'passwords')
  await writeFile(passwords, `${host}:sales:loader:${secret}\n`, { mode: 0o600 })
  const flags = ['--copy-target', `ch=${fake.url}?table=events&mode=append`, '--copy-uploads-to', 'ch']
  await using service = await RunningService.start(join(scratch.path, 'data'), flags, {
    CLICKHOUSE_PASSFILE: passwords,
  })
  const client = new Client(service.url)
  const { id } = await client.upload('id,name\n1,Ada\n2,\n')
  const done = await ended(client, id)
  assert.deepEqual([done.state, done.records, done.tries, done.problem], ['done', 2, 1, null])
  const inserts = fake.asked.filter(({ statement }) => statement.startsWith('INSERT'))
  assert.deepEqual(
    inserts.map(({ statement }) => statement.replace(/_\w{12}`/, '_…`')),
    ['INSERT INTO `events__csv_upload_…` (`id`, `name`) FORMAT Parquet'],
  )
  assert.ok(fake.asked.every(({ headers }) => headers['x-clickhouse-key'] === secret))
  const environment = { CSV_UPLOAD_URL: service.url }
  const again = await runCommand(['copy', id.slice(0, 8), '--to', 'ch'], { environment })
  assert.deepEqual(again, { code: 0, stdout: '2 records copied into table events of ch\n', stderr: '' })
  await begin(client, id)
  assert.equal((await ended(client, id)).state, 'done')
  assert.deepEqual(
    [...fake.tables].map(([name, { rows }]) => [name, rows.length]),
    [['events', 2]],
  )
  fake.fault = () => ({
    kind: 'answer',
    status: 403,
    headers: { 'X-ClickHouse-Exception-Code': 516 },
    text: `Code: 516. DB::Exception: loader: Authentication failed: ${secret}. (AUTHENTICATION_FAILED) (version 25.8.1.1)`,
  })
  const refused = await runCommand(['copy', id.slice(0, 8), '--to', 'ch', '--table', 'other'], { environment })
  assert.equal(refused.code, 1)
  assert.match(refused.stdout + refused.stderr, /The database refuses the connection or the copy/)
  assert.doesNotMatch(JSON.stringify([refused, await copiesOf(client, id)]), /geheim|loader|127\.0\.0\.1:/)
})

test('a copy into ClickHouse continues after the service was killed during it', async () => {
  await using fake = await FakeClickHouse.start()
  fake.recordsOf = () => 2
  await using scratch = await scratchDir()
  const start = () => RunningService.start(join(scratch.path, 'data'), ['--copy-target', `ch=${fake.url}?mode=append`])
  const service = await start()
  const client = new Client(service.url)
  const ids = [(await client.upload('id\n1\n2\n')).id, (await client.upload({ content: 'id\n3\n4\n' })).id]
  await begin(client, ids[0]!)
  const { table } = await ended(client, ids[0]!)
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  // The records are complete: the kill comes before they are moved.
  fake.fault = (statement) => {
    if (!/MOVE PARTITION/.test(statement)) return null
    resolve()
    return { kind: 'silent' }
  }
  const answer = await client.askJson(
    `/qas/datasets/${ids[1]}/copies`,
    Buffer.from(JSON.stringify({ to: 'ch', table })),
  )
  assert.equal(answer.status, 202)
  await reached
  await service[Symbol.asyncDispose]()
  fake.fault = () => null
  await using again = await start()
  assert.equal((await ended(new Client(again.url), ids[1]!)).state, 'done')
  const rows = fake.tables.get(table)?.rows.map(({ dataset }) => dataset)
  assert.deepEqual(rows, [ids[0], ids[0], ids[1], ids[1]])
  assert.deepEqual([...fake.tables.keys()], [table])
})

const noOpenssl = spawnSync('openssl', ['version']).status !== 0 && 'no openssl'

test('a copy into ClickHouse is encrypted, and the certificate of the server verified', {
  skip: noOpenssl,
}, async () => {
  await using scratch = await scratchDir()
  const [certificate, key] = [join(scratch.path, 'server.crt'), join(scratch.path, 'server.key')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const flags = ['req', '-new', '-x509', '-days', '2', '-nodes', ...names, '-out', certificate, '-keyout', key]
  execFileSync('openssl', flags, { stdio: 'ignore', cwd: scratch.path })
  const tls = { cert: await readFile(certificate), key: await readFile(key) }
  await using fake = await FakeClickHouse.start((listener) => createServer(tls, listener), true)
  const copyBy = (url: string, table: string) => {
    const order: CopyOrder = {
      datasetId: table,
      owner: '',
      table,
      isSharedTable: false,
      mode: 'append',
      key: [],
      columns: [{ name: 'id', type: 'integer' }],
      records: 0,
      askedAt: 0,
    }
    const source = { lines: () => assert.fail(), parts: [], extremes: async () => [] }
    return createClickHouseSink({ url, password: '', passwordsPath: '' }).copy(
      order,
      source,
      new AbortController().signal,
    )
  }
  await assert.rejects(copyBy(fake.url.replace('clickhouses:', 'clickhouse:'), 'plain'), SinkError)
  const isRefused = (error: unknown) => error instanceof SinkError && !error.isTransient
  await assert.rejects(copyBy(fake.url, 'unknown'), isRefused)
  await copyBy(`${fake.url}?sslmode=no-verify`, 'unchecked')
  await copyBy(`${fake.url}?sslmode=verify-full&sslrootcert=${certificate}`, 'checked')
  assert.deepEqual([...fake.tables.keys()], ['unchecked', 'checked'])
})
