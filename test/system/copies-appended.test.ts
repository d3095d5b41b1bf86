// Tests of records that are added to a table that is there: no value changes on the way, and no file is in it twice.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CopyMode, CopyStatus } from '../../src/core/copies/copy-status.ts'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { openPostgres } from '../support/postgres-server.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

/** A service with a target that all uploads go to; null, with a reason, without a database. */
async function serve(t: TestContext) {
  const database = await openPostgres(t)
  if (database === null) return null
  const scratch = await scratchDir()
  t.after(() => scratch[Symbol.asyncDispose]())
  const service = await RunningService.start(join(scratch.path, 'data'), ['--copy-target', `pg=${database.url}`])
  t.after(() => service[Symbol.asyncDispose]())
  const client = new Client(service.url)
  const copied = async ({ id }: Pick<UploadResponse, 'id'>, table: string, mode: CopyMode, key?: readonly string[]) => {
    const path = `/qas/datasets/${id}/copies`
    const answer = await client.askJson(path, Buffer.from(JSON.stringify({ to: 'pg', table, mode, key })))
    assert.equal(answer.status, 202, answer.body.toString())
    for (;;) {
      const { copies } = JSON.parse((await client.get(path)).toString())
      const found: CopyStatus = copies.find((one: CopyStatus) => one.table === table)
      if (found.mode === mode && (found.state === 'done' || found.state === 'failed')) return found.problem
      await sleep(20)
    }
  }
  return { client, copied, query: database.query }
}

test('a file whose values a table would change is refused by name, and nothing of it is added', async (t) => {
  const served = await serve(t)
  if (served === null) return
  const { client, copied, query } = served
  const first = { n: '12.34', day: '2024-02-29', at: '2024-02-29T12:00:00', ratio: '1', flag: 'true' }
  const second = {
    n: '12.345',
    day: '2024-02-29T23:59:59',
    at: '2024-02-29T12:00:00+09:00',
    ratio: '9007199254740993',
    flag: '1',
  }
  const narrower = {
    n: /column 'n' is numeric\(9,2\), expected numeric\(9,3\) for decimal\(9,3\)/,
    day: /column 'day' is date, expected timestamp for timestamp/,
    at: /column 'at' is timestamp without time zone, expected timestamptz for timestamptz/,
    ratio: /column 'ratio' is double precision, expected bigint for integer/,
    flag: /column 'flag' is boolean, expected bigint for integer/,
  }
  for (const name of ['n', 'day', 'at', 'ratio', 'flag'] as const) {
    const one = await client.upload(`id,${name}\n1,${first[name]}\n`)
    const other = await client.upload(`id,${name}\n2,${second[name]}\n`)
    assert.equal(await copied(one, `t_${name}`, 'append'), null)
    if (name === 'ratio') await query('ALTER TABLE t_ratio ALTER ratio TYPE double precision')
    const before = await query(`TABLE t_${name}`)
    for (const mode of ['append', 'upsert'] as const) {
      const problem = await copied(other, `t_${name}`, mode, mode === 'upsert' ? ['id'] : undefined)
      assert.match(problem ?? 'copied', narrower[name])
      assert.match(
        problem ?? 'copied',
        /^Cannot add records to table 't_\w+': .*; alter the table, or copy into another/,
      )
    }
    assert.deepEqual(await query(`TABLE t_${name}`), before)
    assert.equal(await copied(other, `t_${name}`, 'replace'), null)
  }
  // What is wider, or refused by PostgreSQL itself when it does not fit.
  await query(
    `CREATE TABLE wider (id int, n numeric, day timestamp); INSERT INTO csv_upload_copies VALUES ('wider', '', '*')`,
  )
  const fits = await client.upload('id,n,day\n1,0.125,2024-02-29\n')
  assert.equal(await copied(fits, 'wider', 'append'), null)
  const large = await client.upload('id,n,day\n2147483648,1,2024-02-29\n')
  assert.match(
    (await copied(large, 'wider', 'append')) ?? '',
    /out of range for type integer \(COPY wider, line 1, column id/,
  )
  assert.deepEqual(await query('TABLE wider'), [['1', '0.125', '2024-02-29 00:00:00']])
})

test('a correction or another reading of a file is not appended beside it, and may replace or upsert it', async (t) => {
  const served = await serve(t)
  if (served === null) return
  const { client, copied, query } = served
  // A ledger of an earlier version.
  await query(`CREATE TABLE csv_upload_copies (table_name text NOT NULL, dataset_id text NOT NULL, owner text NOT NULL,
    mode text, records bigint, copied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (table_name, dataset_id))`)
  const first = await client.upload('id,name\n1,Ada\n2\n3,Alan\n')
  assert.equal(first.records.rejected, 1)
  const headers = { 'content-type': 'application/x-ndjson' }
  const correct = async (text: string) => {
    const body = Buffer.from(`${JSON.stringify({ record: 3, text })}\n`)
    const answer = await client.ask('POST', `/qas/datasets/${first.id}/corrections`, body, headers)
    return jsonOf<UploadResponse>(answer)
  }
  const corrected = await correct('2,Grace')
  const again = await correct('2,Grace Hopper')
  const fields = ['id', 'name'].map((name) => ({ name, type: 'string' }))
  const options = Buffer.from(JSON.stringify({ schema: { fields } }))
  const answer = await client.askJson(`/qas/datasets/${first.id}/readings`, options)
  assert.equal(answer.status, 200, answer.body.toString())
  const reading = jsonOf<UploadResponse>(answer)
  assert.equal(new Set([first, corrected, again, reading].map(({ id }) => id)).size, 4)
  assert.equal(await copied(corrected, 'people', 'append'), null)
  const rows = [
    ['1', 'Ada'],
    ['2', 'Grace'],
    ['3', 'Alan'],
  ]
  for (const one of [first, again]) {
    const problem = await copied(one, 'people', 'append')
    const seen = `Cannot append to table 'people': it has the records of dataset '${corrected.id}'`
    assert.ok(
      problem?.startsWith(`${seen}, which is read from the same file; copy with 'replace'`),
      problem ?? 'copied',
    )
  }
  assert.deepEqual(await query('TABLE people ORDER BY id'), rows)
  await query('CREATE UNIQUE INDEX ON people (id)')
  assert.equal(await copied(again, 'people', 'upsert', ['id']), null)
  assert.deepEqual(await query('TABLE people ORDER BY id'), rows.with(1, ['2', 'Grace Hopper']))
  assert.equal(await copied(first, 'read', 'append'), null)
  assert.match((await copied({ ...reading }, 'read', 'append')) ?? 'copied', /'id' is bigint, expected text for text/)
  await query('ALTER TABLE read ALTER id TYPE text')
  assert.match((await copied(reading, 'read', 'append')) ?? 'copied', /which is read from the same file/)
  assert.deepEqual(await query('SELECT count(*) FROM read'), [['2']])
})
