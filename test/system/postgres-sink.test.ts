// Tests of the PostgreSQL sink on a real server: all or nothing, and nothing twice.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { byteStream } from '../../src/core/byte-stream.ts'
import { createPostgresSink } from '../../src/sink/postgres-sink.ts'
import { type CopyOrder, SinkError } from '../../src/sink/sink.ts'
import { openPostgres } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'

test('a commit whose response is lost, and two concurrent copies, do not duplicate a dataset', async (t) => {
  const database = await openPostgres(t)
  if (database === null) return
  const { query } = database
  await query('CREATE SCHEMA races')
  const order: CopyOrder = {
    datasetId: '1'.repeat(32),
    fileSha256: '',
    owner: '',
    table: 'first',
    isSharedTable: false,
    mode: 'append',
    key: [],
    columns: [{ name: 'id', type: 'integer' }],
    records: 3,
  }
  let opened = 0
  const source = async () => {
    opened += 1
    return streamOf(['1\n2\n', '3\n'])
  }
  const { signal } = new AbortController()
  const options = { url: database.url, schema: 'races' }
  const sink = createPostgresSink(options)
  await Promise.all([1, 2, 3, 4].map(() => sink.copy(order, source, signal)))
  assert.deepEqual([opened, await query('SELECT count(*) FROM races.first')], [1, [['3']]])

  await using proxy = await commitLosingProxy(Number(new URL(database.url).port))
  const lossy = createPostgresSink({ ...options, url: `postgres://test@127.0.0.1:${proxy.port}/postgres` })
  const second = { ...order, table: 'second' }
  await assert.rejects(lossy.copy(second, source, signal), (error) => error instanceof SinkError && error.isTransient)
  assert.deepEqual(await query('SELECT count(*) FROM races.second'), [['3']])
  await sink.copy(second, source, signal)
  assert.deepEqual([opened, await query('SELECT count(*) FROM races.second')], [2, [['3']]])

  // All or nothing: a missing record, an unreadable record, and a source that fails.
  const third = { ...order, table: 'third' }
  await assert.rejects(sink.copy({ ...third, records: 4 }, source, signal))
  await assert.rejects(
    sink.copy(third, async () => streamOf(['x\n']), signal),
    /invalid input syntax/,
  )
  const broken = async function* () {
    yield '1\n'
    throw new Error('the disk is on fire')
  }
  await assert.rejects(
    sink.copy(third, async () => streamOf(broken()), signal),
    /the disk is on fire/,
  )
  const stopped = AbortSignal.timeout(200)
  const endless = async function* () {
    for (;;) {
      yield '1\n'
      await sleep(5)
    }
  }
  await assert.rejects(
    sink.copy(third, async () => streamOf(endless()), stopped),
    /timeout/,
  )
  assert.deepEqual(await query("SELECT to_regclass('races.third')"), [[null]])

  // Tables of other origins.
  await query('CREATE TABLE races.theirs (id bigint)')
  for (const mode of ['append', 'replace'] as const) {
    await assert.rejects(sink.copy({ ...order, table: 'theirs', mode }, source, signal), /was not made by a copy$/)
  }
  await assert.rejects(sink.copy({ ...order, owner: 'bob' }, source, signal), /was made by a copy of another owner$/)
  assert.deepEqual(await query('SELECT count(*) FROM races.theirs'), [['0']])
  const left = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'csv-upload'`
  await until('no connection is left', async () => (await query(left))[0]?.[0] === '0')
})

const noOpenssl = spawnSync('openssl', ['version']).status !== 0 && 'no openssl'

test('a copy is encrypted, and the certificate of the server verified, if the URL says so', {
  skip: noOpenssl,
}, async (t) => {
  const database = await openPostgres(t)
  if (database === null) return
  const { query } = database
  const [[dir = null] = []] = await query('SHOW data_directory')
  const certificate = join(dir ?? '', 'server.crt')
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const files = ['-out', certificate, '-keyout', join(dir ?? '', 'server.key')]
  const asOwner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const flags = ['req', '-new', '-x509', '-days', '2', '-nodes', ...names, ...files]
  execFileSync('openssl', flags, { ...asOwner, stdio: 'ignore', cwd: dir ?? '' })
  await query('ALTER SYSTEM SET ssl = on')
  await query('CREATE ROLE encrypted LOGIN; CREATE SCHEMA own; GRANT ALL ON SCHEMA own TO encrypted')
  await database.kill()
  await writeFile(join(dir ?? '', 'pg_hba.conf'), 'hostnossl all encrypted all reject\nhost all all all trust\n')
  await database.start()
  const address = `postgres://encrypted@127.0.0.1:${new URL(database.url).port}/postgres`
  const copyBy = (parameters: string, table: string) => {
    const order = {
      datasetId: table,
      fileSha256: '',
      owner: '',
      table,
      isSharedTable: false,
      mode: 'append',
      key: [],
    } as const
    const whole = { ...order, columns: [{ name: 'id', type: 'integer' }], records: 1 }
    const sink = createPostgresSink({ url: address + parameters, schema: 'own' })
    return sink.copy(whole, async () => streamOf(['1\n']), new AbortController().signal)
  }
  const isRefused = (error: unknown) => error instanceof SinkError && !error.isTransient
  await assert.rejects(copyBy('', 'plain'), isRefused)
  await assert.rejects(copyBy('?sslmode=disable', 'plain'), isRefused)
  await assert.rejects(copyBy('?sslmode=verify-full', 'unknown'), isRefused)
  await copyBy('?sslmode=no-verify', 'unchecked')
  await copyBy(`?sslmode=verify-full&sslrootcert=${certificate}`, 'checked')
  const tables = await query("SELECT tablename FROM pg_tables WHERE schemaname = 'own' ORDER BY 1")
  assert.deepEqual(tables, [['checked'], ['csv_upload_copies'], ['unchecked']])
})

function streamOf(lines: Iterable<string> | AsyncIterable<string>) {
  const chunks = async function* () {
    for await (const line of lines) yield Buffer.from(line)
  }
  return byteStream(chunks(), async () => {})
}

/** Forwards a connection, and cuts it when a commit gets its response. */
async function commitLosingProxy(port: number): Promise<{ readonly port: number } & AsyncDisposable> {
  const server: Server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let isCommitted = false
    client.on('data', (chunk) => {
      isCommitted ||= chunk.includes('COMMIT')
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isCommitted) client.destroy()
      else client.write(chunk)
    })
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { readonly port: number } // of a server that listens on a port
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port: address.port, [Symbol.asyncDispose]: close }
}
