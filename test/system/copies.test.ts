// Tests of copies into a real PostgreSQL: values are exact, and each dataset is in a table once, whatever fails.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client as Database } from 'pg'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import type { CopyStatus } from '../../src/core/copies/copy-status.ts'
import { Client, jsonOf } from '../support/client.ts'
import { runCommand } from '../support/command.ts'
import { type PostgresServer, startPostgres, userWithPassword } from '../support/postgres-server.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const database = await startPostgres()
if ('missing' in database) {
  test('copies into PostgreSQL', { skip: database.missing }, () => {})
} else {
  const scratch = await scratchDir()
  after(async () => {
    await database[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  declareTests(database, scratch.path)
}

function declareTests(database: PostgresServer, scratch: string): void {
  let count = 0
  const { query } = database
  /** Starts a service whose target is a separate schema. */
  async function serve(parameters = '', flags: readonly string[] = [], environment = {}) {
    count += 1
    const schema = `schema_${count}`
    await query(`CREATE SCHEMA ${schema}`)
    const target = `pg=${database.url}?schema=${schema}${parameters}`
    const dataDir = join(scratch, `data-${count}`)
    const start = () => RunningService.start(dataDir, ['--copy-target', target, ...flags], environment)
    const service = await start()
    return { schema, service, start, client: new Client(service.url), [Symbol.asyncDispose]: () => dispose(service) }
  }
  const dispose = (service: RunningService) => service[Symbol.asyncDispose]()

  async function begin(client: Client, id: string, wanted: object): Promise<CopyStatus> {
    const answer = await client.askJson(
      `/qas/datasets/${id}/copies`,
      Buffer.from(JSON.stringify({ to: 'pg', ...wanted })),
    )
    assert.equal(answer.status, 202, answer.body.toString())
    return jsonOf<CopyStatus>(answer)
  }

  /** Copies, and waits until the copy has ended. */
  async function copied(client: Client, id: string, wanted: object): Promise<CopyStatus> {
    const { table } = await begin(client, id, wanted)
    return await ended(client, id, table)
  }

  async function status(client: Client, id: string, table: string): Promise<CopyStatus | undefined> {
    const { copies } = JSON.parse((await client.get(`/qas/datasets/${id}/copies`)).toString())
    return copies.find((one: CopyStatus) => one.table === table)
  }

  async function ended(client: Client, id: string, table: string): Promise<CopyStatus> {
    const find = () => status(client, id, table)
    const isEnded = (found?: CopyStatus) => found?.state === 'done' || found?.state === 'failed' || found
    await until('the copy has ended', async () => isEnded(await find()))
    return (await find())!
  }

  test('every value and every null arrives exactly as it is in the file', async () => {
    await using served = await serve()
    const { client, schema } = served
    const content = `whole,price,ratio,flag,day,clock,moment,instant,note
9223372036854775807,0.10,1234567.891,true,0001-01-01,23:59:59,9999-12-31T23:59:59,2024-02-29T12:00:00Z,"a ""b"", c"
-9223372036854775808,-9999999999999999.99,0.1,false,9999-12-31,00:00:00,1582-10-04T00:00:00,1969-12-31T23:59:59+05:30,"1
"
,,,,,,,,
0,12345678901234567.89,-2.25,true,2024-02-29,12:34:56,2024-02-29T00:00:00.123456,2024-02-29T12:00:00.5-08:00,""
7,0.00,0.001,false,1970-01-01,01:02:03,1970-01-01T00:00:00,2000-01-01T00:00:00Z,\\.
8,1.50,3,false,1970-01-01,01:02:03,1970-01-01T00:00:00,2000-01-01T00:00:00Z,\\N
9,1.50,3,false,1970-01-01,01:02:03,1970-01-01T00:00:00,2000-01-01T00:00:00Z,Zoë 👩‍🚀\tté
`
    const sent = await client.upload({ content, fileName: 'All Types.csv' })
    assert.equal(sent.records.accepted, 7)
    const { state, table, records: copiedCount, problem } = await copied(client, sent.id, {})
    assert.deepEqual([state, table, copiedCount, problem], ['done', 'all_types', 7, null])
    const types = await query(
      `SELECT column_name, format_type(atttypid, atttypmod) FROM information_schema.columns
       JOIN pg_attribute ON attrelid = '${schema}.all_types'::regclass AND attname = column_name
       WHERE table_schema = '${schema}' AND table_name = 'all_types' ORDER BY ordinal_position`,
    )
    assert.deepEqual(types, [
      ['whole', 'bigint'],
      ['price', 'numeric(38,2)'],
      ['ratio', 'double precision'],
      ['flag', 'boolean'],
      ['day', 'date'],
      ['clock', 'time without time zone'],
      ['moment', 'timestamp without time zone'],
      ['instant', 'timestamp with time zone'],
      ['note', 'text'],
    ])
    const rows = await query(
      `SELECT whole, price, ratio, flag, day, clock, moment, instant AT TIME ZONE 'UTC', note FROM ${schema}.all_types`,
    )
    const shown = rows.map((row) => row.map((value) => value ?? 'NULL').join('|'))
    assert.deepEqual(shown, [
      '9223372036854775807|0.10|1234567.891|t|0001-01-01|23:59:59|9999-12-31 23:59:59|2024-02-29 12:00:00|a "b", c',
      '-9223372036854775808|-9999999999999999.99|0.1|f|9999-12-31|00:00:00|1582-10-04 00:00:00|1969-12-31 18:29:59|1\n',
      'NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL',
      '0|12345678901234567.89|-2.25|t|2024-02-29|12:34:56|2024-02-29 00:00:00.123456|2024-02-29 20:00:00.5|',
      '7|0.00|0.001|f|1970-01-01|01:02:03|1970-01-01 00:00:00|2000-01-01 00:00:00|\\.',
      '8|1.50|3|f|1970-01-01|01:02:03|1970-01-01 00:00:00|2000-01-01 00:00:00|\\N',
      '9|1.50|3|f|1970-01-01|01:02:03|1970-01-01 00:00:00|2000-01-01 00:00:00|Zoë 👩‍🚀\tté',
    ])
  })

  test('a single column keeps nulls, empty texts and lines like an end of data', async () => {
    await using served = await serve()
    const { client, schema } = served
    const content = 'note\n\\.\n""\n"a"\n\\N\n" "\n'
    const schemaOfOne = { fields: [{ name: 'note', type: 'string', missingValues: ['a'] }] }
    const sent = await client.upload({ content, schema: schemaOfOne })
    assert.equal((await copied(client, sent.id, { table: 'alone' })).problem, null)
    assert.deepEqual(await query(`SELECT note FROM ${schema}.alone`), [['\\.'], [''], [null], ['\\N'], [' ']])
  })

  test('long and odd column names stay distinct; a dataset without records gives an empty table', async () => {
    await using served = await serve()
    const { client, schema } = served
    const long = 'ä'.repeat(40)
    const header = `"${long}1","${long}2","a ""b"" c",Select,select`
    const sent = await client.upload(`${header}\n1,2,3,4,5\n`)
    assert.equal((await copied(client, sent.id, { table: 'odd' })).problem, null)
    const names = `SELECT column_name FROM information_schema.columns WHERE table_schema = '${schema}'`
    const cut = 'ä'.repeat(31)
    const wanted = [[cut], [`${'ä'.repeat(30)}_2`], ['a "b" c'], ['Select'], ['select_2']]
    assert.deepEqual(await query(`${names} AND table_name = 'odd' ORDER BY ordinal_position`), wanted)
    assert.deepEqual(await query(`TABLE ${schema}.odd`), [['1', '2', '3', '4', '5']])
    const none = await client.upload('id,name\n')
    assert.deepEqual([none.records.accepted, (await copied(client, none.id, { table: 'none' })).problem], [0, null])
    assert.deepEqual(await query(`SELECT count(*) FROM ${schema}.none`), [['0']])
  })

  test('replacing replaces the table; the same dataset again only if another was copied in between', async () => {
    await using served = await serve()
    const { client, schema } = served
    const [one, other] = [await client.upload('id,name\n1,Ada\n'), await client.upload('id,born\n7,1815\n8,1906\n')]
    const oid = async () => (await query(`SELECT '${schema}.people'::regclass::oid`))[0]?.[0]
    await copied(client, one.id, { table: 'people' })
    const first = await oid()
    await copied(client, one.id, { table: 'people' })
    assert.equal(await oid(), first)
    await copied(client, other.id, { table: 'people' })
    assert.deepEqual(await query(`TABLE ${schema}.people`), [
      ['7', '1815'],
      ['8', '1906'],
    ])
    await copied(client, one.id, { table: 'people' })
    assert.deepEqual(await query(`TABLE ${schema}.people`), [['1', 'Ada']])
    const tables = await query(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`)
    assert.deepEqual(tables, [['csv_upload_copies'], ['people']])
  })

  test('appending adds a dataset once, and changes no table without its columns', async () => {
    await using served = await serve()
    const { client, schema } = served
    const [one, other] = [await client.upload('id,name\n1,Ada\n'), await client.upload('id,name\n2,Grace\n')]
    for (const { id } of [one, other, one, other]) await copied(client, id, { table: 'people', mode: 'append' })
    assert.deepEqual(await query(`TABLE ${schema}.people ORDER BY id`), [
      ['1', 'Ada'],
      ['2', 'Grace'],
    ])
    const wrong = await client.upload('id,city\n3,London\n')
    const refused = await copied(client, wrong.id, { table: 'people', mode: 'append' })
    assert.deepEqual([refused.state, refused.tries], ['failed', 1])
    assert.match(
      refused.problem ?? '',
      /^The database refuses the copy: column "city" of relation "people" does not exist$/,
    )
    await query(`DROP TABLE ${schema}.people`)
    await copied(client, one.id, { table: 'people', mode: 'append' })
    assert.deepEqual(await query(`TABLE ${schema}.people`), [['1', 'Ada']])
  })

  test('upserting keeps the last record of each key, and refuses null keys', async () => {
    await using served = await serve()
    const { client, schema } = served
    const wanted = { table: 'stock', mode: 'upsert', key: ['shop', 'item'] }
    await copied(client, (await client.upload('shop,item,count\nA,x,1\nA,y,2\nA,x,3\n')).id, wanted)
    await copied(client, (await client.upload('shop,item,count\nA,y,20\nB,x,5\n')).id, wanted)
    const rows = [
      ['A', 'x', '3'],
      ['A', 'y', '20'],
      ['B', 'x', '5'],
    ]
    assert.deepEqual(await query(`TABLE ${schema}.stock ORDER BY 1, 2`), rows)
    const refused = await copied(client, (await client.upload('shop,item,count\nC,z,1\nC,,9\n')).id, wanted)
    assert.match(refused.problem ?? '', /null value in column "item"/)
    // A table that is there may have a unique index, which takes nulls for different keys.
    await query(
      `ALTER TABLE ${schema}.stock DROP CONSTRAINT stock_pkey, ALTER item DROP NOT NULL, ADD UNIQUE (shop, item)`,
    )
    const others = await copied(client, (await client.upload('shop,item,count\nC,,1\nC,,2\n')).id, wanted)
    assert.match(others.problem ?? '', /null value in column "item"/)
    assert.deepEqual(await query(`TABLE ${schema}.stock ORDER BY 1, 2`), rows)
    const keysOnly = await client.upload('shop,item\nA,x\nD,w\n')
    await copied(client, keysOnly.id, wanted)
    assert.deepEqual((await query(`TABLE ${schema}.stock ORDER BY 1, 2`)).length, 4)
  })

  test("a table that is not from this owner's copies is not changed", async () => {
    const [anna, bob] = ['anna', 'bob'].map((owner) => newKey({ name: owner, owner, scopes }))
    const keys = join(scratch, 'keys.json')
    await writeFile(keys, formatKeys([anna!.key, bob!.key]))
    await using served = await serve('', ['--keys', keys])
    const { schema, service } = served
    const clientOf = ({ secret }: { readonly secret: string }) =>
      new Client(service.url, { authorization: `Bearer ${secret}` })
    const [hers, his] = [clientOf(anna!), clientOf(bob!)]
    await query(`CREATE TABLE ${schema}.users AS SELECT 1 AS id`)
    const [one, other] = [await hers.upload('id\n1\n'), await his.upload('id\n2\n')]
    for (const mode of ['replace', 'append']) {
      const { problem } = await copied(hers, one.id, { table: 'users', mode })
      assert.equal(problem, "Table 'users' was not made by a copy")
    }
    await copied(hers, one.id, { table: 'mine' })
    assert.equal(
      (await copied(his, other.id, { table: 'mine' })).problem,
      "Table 'mine' was made by a copy of another owner",
    )
    assert.equal((await copied(his, other.id, { table: 'csv_upload_copies' })).state, 'failed')
    await query(`INSERT INTO ${schema}.csv_upload_copies (table_name, dataset_id, owner) VALUES ('users', '', '*')`)
    assert.equal((await copied(his, other.id, { table: 'users', mode: 'append' })).state, 'done')
    assert.deepEqual(
      [await query(`TABLE ${schema}.users`), await query(`TABLE ${schema}.mine`)],
      [[['1'], ['2']], [['1']]],
    )
  })

  test('a copy continues when the database is back, and after the service was killed during it', async () => {
    await using served = await serve()
    const { client, schema, service, start } = served
    const people = await client.upload('id,name\n1,Ada\n')
    await copied(client, people.id, { table: 'people', mode: 'append' })
    const more = await client.upload('id,name\n2,Grace\n')
    await database.kill()
    try {
      await begin(client, more.id, { table: 'people', mode: 'append' })
      const problem = async () => (await status(client, more.id, 'people'))?.problem
      await until('the problem is shown', async () => (await problem()) === 'The database cannot be reached')
    } finally {
      await database.start()
    }
    assert.equal((await ended(client, more.id, 'people')).state, 'done')

    await using other = new Transaction(database.url)
    await other.run(`LOCK TABLE ${schema}.people`)
    const last = await client.upload('id,name\n3,Alan\n')
    await begin(client, last.id, { table: 'people', mode: 'append' })
    const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'COPY %'`
    await until('the copy waits for the lock', async () => (await query(waiting))[0]?.[0] === '1')
    await service[Symbol.asyncDispose]()
    await other.run('COMMIT')
    await using again = await start()
    assert.equal((await ended(new Client(again.url), last.id, 'people')).state, 'done')
    assert.deepEqual(await query(`TABLE ${schema}.people ORDER BY id`), [
      ['1', 'Ada'],
      ['2', 'Grace'],
      ['3', 'Alan'],
    ])
  })

  test('every upload is copied if configured on the command line, and the password shows nowhere', async () => {
    await query(`CREATE ROLE ${userWithPassword} LOGIN PASSWORD 'geheim 123'; CREATE SCHEMA own`)
    await query(`GRANT ALL ON SCHEMA own TO ${userWithPassword}`)
    const { port } = new URL(database.url)
    const passwords = join(scratch, 'pgpass')
    await writeFile(passwords, `127.0.0.1:${port}:*:${userWithPassword}:geheim 123\n`, { mode: 0o600 })
    const target = `pg=postgres://${userWithPassword}@127.0.0.1:${port}/postgres?schema=own&table=events&mode=append`
    const flags = ['--copy-target', target, '--copy-uploads-to', 'pg']
    await using service = await RunningService.start(join(scratch, 'own'), flags, { PGPASSFILE: passwords })
    const client = new Client(service.url)
    const sent = await client.upload({ content: 'id\n1\n', fileName: 'one.csv' })
    assert.equal((await ended(client, sent.id, 'events')).state, 'done')
    const environment = { CSV_UPLOAD_URL: service.url }
    const run = (...args: readonly string[]) => runCommand(['copy', sent.id.slice(0, 8), ...args], { environment })
    const again = await run('--to', 'pg')
    assert.deepEqual(again, { code: 0, stdout: '1 record copied into table events of pg\n', stderr: '' })
    const named = await run('--to', 'pg', '--table', 'other', '--mode', 'upsert', '--key', 'id', '--json')
    assert.deepEqual([named.code, JSON.parse(named.stdout).key], [0, ['id']])
    const isThere = await run('--to', 'pg', '--table', 'events', '--mode', 'upsert', '--key', 'id')
    assert.match(isThere.stdout, /^1 record copied/)
    assert.deepEqual([await query('TABLE own.events'), await query('TABLE own.other')], [[['1']], [['1']]])
    const unknown = await run('--to', 'lake')
    assert.match(unknown.stderr, /there is no target 'lake', expected one of pg/)
    assert.doesNotMatch(
      (await client.get(`/qas/datasets/${sent.id}/copies`)).toString(),
      /geheim|127\.0\.0\.1|with_password/,
    )

    await using without = await RunningService.start(join(scratch, 'without'), flags)
    const other = new Client(without.url)
    const lost = await ended(other, (await other.upload('id\n2\n')).id, 'events')
    assert.deepEqual([lost.state, lost.tries], ['failed', 1])
    assert.equal(lost.problem, 'The database refuses the connection or the copy')
  })
}

/** A transaction of another client, ended when disposed. */
class Transaction implements AsyncDisposable {
  readonly #client: Database
  #begun: Promise<unknown>

  constructor(url: string) {
    this.#client = new Database({ connectionString: url })
    this.#begun = this.#client.connect().then(() => this.#client.query('BEGIN'))
  }

  async run(sql: string): Promise<void> {
    await this.#begun
    await this.#client.query(sql)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.end()
  }
}
