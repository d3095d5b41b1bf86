// Tests of --query-engine: a service on a bucket queries large datasets with an engine, here a fake Trino.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type FakePage, failureOf, pageOf, startFakeTrino } from '../../src/query/trino/fake-trino.testing.ts'
import { Client } from '../support/client.ts'
import { runCommand } from '../support/command.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'

const instants = [
  ['1900-01-01 00:00:00', '1955-07-01 12:00:00', '2001-01-15 06:00:00', '2001-04-15 06:00:00', '2001-07-15 06:00:00'],
  ['2001-10-15 06:00:00', '2024-01-15 18:00:00', '2024-07-15 18:00:00'],
].flatMap((some) => some.map((one) => `${one}.000000`))
const probed = [...instants, '1975-01-15 23:59:59.999999', '1975-07-15 00:00:00.000001', '9999-12-31 23:59:59.999999']

/** A fake Trino whose every query returns 42. */
function answer(sql: string): readonly FakePage[] {
  if (sql.startsWith('SELECT CAST(c1'))
    return [pageOf({ a: 'varchar', b: 'varchar' }, ...probed.map((one) => [one, one]))]
  if (sql.startsWith('EXPLAIN')) {
    const [, catalog, schema, table] = /FROM "(\w+)"\."(\w+)"\."(\w+)"\)/.exec(sql) ?? []
    const inputTableColumnInfos = [{ table: { catalog, schemaTable: { schema, table } } }]
    return [pageOf({ plan: 'varchar' }, [JSON.stringify({ inputTableColumnInfos })])]
  }
  if (sql.startsWith('SHOW TABLES')) return [pageOf({ Table: 'varchar' }, ['dataset_of_it'])]
  if (sql.endsWith('nothing')) return [failureOf('COLUMN_NOT_FOUND', 'USER_ERROR', 'line 2:8: no such column', [2, 8])]
  return sql.startsWith('WITH data') ? [{}, pageOf({ answer: 'bigint' }, [42])] : [{}]
}

test('large datasets are queried with the engine, and its tables are dropped with them', {
  skip: noS3Server,
}, async () => {
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  const dropped = Promise.withResolvers<void>()
  await using trino = await startFakeTrino({
    answer: (sql) => {
      if (sql.startsWith('DROP') && sql.includes('dataset_of_it')) dropped.resolve()
      return answer(sql)
    },
  })
  const store = ['--store', `s3://${s3.bucket}/some/prefix`, '--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
  const engine = ['--query-engine', `${trino.url.replace('http://', 'trino://csv@')}/lake/uploads`]
  await using service = await RunningService.start(join(scratch.path, 'data'), [
    ...store,
    ...engine,
    '--query-engine-from',
    '50KB',
  ])
  const client = new Client(service.url)
  const small = await client.upload('a,b\n1,x\n')
  const large = await client.upload(`a,b\n${Array.from({ length: 20_000 }, (_, i) => `${i},${i ** 2} x`).join('\n')}\n`)
  assert.ok(large.parts.reduce((sum, { bytes }) => sum + bytes, 0) > 50_000)
  const ask = async (id: string, sql: string) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/qas/datasets/${id}/query`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ sql }),
    })
    return [response.status, response.headers.get('query-engine'), await response.text()] as const
  }
  const [, own] = await ask(small.id, 'SELECT 42')
  assert.equal(own, 'duckdb')
  assert.deepEqual(await ask(large.id, 'SELECT 42 AS answer'), [
    200,
    'trino',
    '{"columns":[{"name":"answer","type":"integer"}],"rows":[[42]],"truncated":false}\n',
  ])
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env
  const environment = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
  const { stdout } = await runCommand(['publish', large.id, '--as', 'trino', '--json', ...store], { environment })
  const made = trino.statements.filter((sql) => sql.startsWith('CREATE') && sql.includes(large.id))
  assert.equal(made.length, 1)
  assert.ok(made[0]?.includes(`external_location = '${JSON.parse(stdout).url}'`), made[0])
  assert.ok(
    trino.statements.some((sql) => sql.includes(`'s3://${s3.bucket}/some/prefix/shared/query-engine/'`)),
    'the probe lies in the bucket',
  )
  const [status, , text] = await ask(large.id, 'SELECT nothing')
  assert.equal(status, 400)
  const { message, exception } = JSON.parse(text)
  assert.equal(exception, 'csvupload.QueryFailedException')
  assert.equal(message, 'Cannot run query: no such column\n\nLINE 1: SELECT nothing\n               ^')
  for (const { id } of [small, large]) {
    assert.equal((await fetch(`${service.url}/qas/datasets/${id}`, { method: 'DELETE' })).status, 204)
  }
  await dropped.promise
  assert.deepEqual(
    trino.statements.filter((sql) => sql.startsWith('SHOW')).map((sql) => sql.includes(large.id)),
    [true],
  )
})
