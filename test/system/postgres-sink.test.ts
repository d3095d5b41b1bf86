// Tests of the sink for PostgreSQL on a real one: all or nothing, and nothing twice.
import assert from 'node:assert/strict'
import { connect, createServer, type Server } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { byteStream } from '../../src/core/byte-stream.ts'
import { createPostgresSink } from '../../src/sink/postgres-sink.ts'
import { type CopyOrder, SinkError } from '../../src/sink/sink.ts'
import { startPostgres } from '../support/postgres-server.ts'

test('a commit whose answer is lost, and two who copy at once, do not double a dataset', async (t) => {
  const database = await startPostgres()
  if ('missing' in database) {
    t.skip(database.missing)
    return
  }
  t.after(() => database[Symbol.asyncDispose]())
  const { query } = database
  await query('CREATE SCHEMA races')
  const order: CopyOrder = {
    datasetId: '1'.repeat(32),
    owner: '',
    table: 'first',
    isSharedTable: false,
    mode: 'append',
    key: [],
    columns: [{ name: 'id', type: 'integer' }],
    records: 3,
  }
  let opened = 0
  const open = async () => {
    opened += 1
    return streamOf(['1\n2\n', '3\n'])
  }
  const { signal } = new AbortController()
  const options = { url: database.url, schema: 'races' }
  const sink = createPostgresSink(options)
  await Promise.all([1, 2, 3, 4].map(() => sink.copy(order, open, signal)))
  assert.deepEqual([opened, await query('SELECT count(*) FROM races.first')], [1, [['3']]])

  await using proxy = await commitLosingProxy(Number(new URL(database.url).port))
  const lossy = createPostgresSink({ ...options, url: `postgres://test@127.0.0.1:${proxy.port}/postgres` })
  const second = { ...order, table: 'second' }
  await assert.rejects(lossy.copy(second, open, signal), (error) => error instanceof SinkError && error.isTransient)
  assert.deepEqual(await query('SELECT count(*) FROM races.second'), [['3']])
  await sink.copy(second, open, signal)
  assert.deepEqual([opened, await query('SELECT count(*) FROM races.second')], [2, [['3']]])

  // All or nothing: one record too few, one that cannot be read, and a source that fails.
  const third = { ...order, table: 'third' }
  await assert.rejects(sink.copy({ ...third, records: 4 }, open, signal))
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

  // Tables of others.
  await query('CREATE TABLE races.theirs (id bigint)')
  for (const mode of ['append', 'replace'] as const) {
    await assert.rejects(sink.copy({ ...order, table: 'theirs', mode }, open, signal), /was not made by a copy$/)
  }
  await assert.rejects(sink.copy({ ...order, owner: 'bob' }, open, signal), /was made by a copy of another owner$/)
  assert.deepEqual(await query('SELECT count(*) FROM races.theirs'), [['0']])
  const left = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'csv-upload'`
  while ((await query(left))[0]?.[0] !== '0') await sleep(20)
})

function streamOf(lines: Iterable<string> | AsyncIterable<string>) {
  const chunks = async function* () {
    for await (const line of lines) yield Buffer.from(line)
  }
  return byteStream(chunks(), async () => {})
}

/** Passes a connection on, and cuts it when a commit is answered. */
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
