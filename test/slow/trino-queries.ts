// Trino queries: declares tests of `--query-engine` with a real Trino: results are the same as from a child process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../support/client.ts'
import type { RunningService } from '../support/running-service.ts'
import type { Trino } from '../support/trino.ts'
import { type Asked, check, type Dialect, type Published, questions } from './engine-samples.ts'

export interface QuerySetting {
  readonly trino: Trino
  /** A service without an engine. */
  readonly service: RunningService
  /** Files of every type, and the service's results for them. */
  readonly asked: Asked
  /** Queries over `data` in Trino's SQL. */
  readonly dialect: Dialect
  /** Another process on the bucket. @param catalog Catalog of `trino://…/catalog/uploads`, or a whole URL. */
  startWithEngine(catalog: string, ...flags: readonly string[]): Promise<RunningService>
}

/** Generous, since the machine may be busy. */
const slowly = ['--query-time-max', '10m']

interface Answer {
  readonly status: number
  readonly engine: string | null
  readonly body: string
}

async function ask(service: RunningService, id: string, sql: string, accept = 'application/json'): Promise<Answer> {
  const response = await fetch(`${service.url}/qas/datasets/${id}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ sql }),
  })
  return { status: response.status, engine: response.headers.get('query-engine'), body: await response.text() }
}

export function declareQueryTests(setting: QuerySetting): void {
  test('a query engine returns the same as a child process, in every format', async () => {
    const { service, asked, startWithEngine } = setting
    await using engine = await startWithEngine('hive', '--query-engine-from', '0B', ...slowly)
    const [{ id }] = asked.made as readonly [Published]
    for (const format of ['application/json', 'application/x-ndjson', 'text/csv']) {
      const sql = 'SELECT * FROM data ORDER BY n'
      const [own, theirs] = [await ask(service, id, sql, format), await ask(engine, id, sql, format)]
      assert.deepEqual([own.status, own.engine, theirs.status, theirs.engine], [200, 'duckdb', 200, 'trino'])
      assert.equal(theirs.body, own.body, format)
    }
    const content = 'Name," x,",$path,SELECT\na,b,c,d\n'
    const named = await new Client(service.url).upload({ content, fileName: 'named.csv' })
    const { body } = await ask(engine, named.id, 'SELECT * FROM data', 'text/csv')
    assert.equal(body, (await ask(service, named.id, 'SELECT * FROM data', 'text/csv')).body)
    assert.match(body, /^Name,/)
  })

  test('a query engine counts, adds up and compares like the service', async () => {
    const { asked, dialect, startWithEngine } = setting
    await using engine = await startWithEngine('hive', '--query-engine-from', '0B', ...slowly)
    const results: (string | null)[][][] = []
    for (const one of asked.made) {
      const own = { made: [{ ...one, table: 'data' }], reported: [] }
      const all = questions(dialect, own.made)
      const counts = await countsOf(engine, one.id, all)
      for (const sql of all.slice(0, -1)) {
        const count = counts.get(sql)
        results.push(count === undefined ? await rowsOf(engine, one.id, sql) : [[count]])
      }
      if (one === asked.made[0]) results.push(await rowsOf(engine, one.id, all.at(-1)!))
    }
    // The rows of the small file are last.
    const ofSmall = questions(dialect, [asked.made[0]!]).length
    results.push(...results.splice(ofSmall - 1, 1))
    check(asked, results)
  })

  test('a query engine reads only this dataset and changes nothing', async () => {
    const { trino, asked, startWithEngine } = setting
    await using engine = await startWithEngine('hive', '--query-engine-from', '0B', ...slowly)
    const [one, other] = asked.made as readonly [Published, Published]
    for (const { id } of [one, other]) assert.equal((await ask(engine, id, 'SELECT count(*) FROM data')).status, 200)
    await trino.run('hive', "CREATE OR REPLACE VIEW hive.uploads.secrets AS SELECT 'secret' AS word")
    const tables = async () =>
      (await trino.run('hive', 'SHOW TABLES FROM hive.uploads')).rows.flat().map(String).toSorted()
    const before = await tables()
    const others = before.find((name) => name.startsWith(`dataset_${other.id}`))!
    const own = before.find((name) => name.startsWith(`dataset_${one.id}`))!
    for (const sql of attacks(others, own)) {
      const { status, body } = await ask(engine, one.id, sql)
      assert.equal(status, 400, `${sql}: ${body}`)
      assert.match(body, /QueryNotReadOnlyException|QueryFailedException/, sql)
      assert.doesNotMatch(body, /secret'|ALGERIA|hive\.uploads/, sql)
    }
    assert.deepEqual(await tables(), before)
    // As a control, what is refused exists and can be read otherwise.
    assert.equal((await trino.run('hive', 'SELECT * FROM hive.uploads.secrets')).rows.flat()[0], 'secret')
    await trino.run('hive', "SELECT * FROM TABLE(duck.system.query(query => 'SELECT 42'))")
  })

  test('a query ends at Trino when it times out, its client disconnects, or its response is cut', async () => {
    const { trino, asked, startWithEngine } = setting
    await using engine = await startWithEngine('hive', '--query-engine-from', '0B', '--query-time-max', '8s')
    const { id } = asked.made[1]!
    const endless = 'SELECT count(*) FROM data a, data b, data c WHERE a.n + b.n + c.n < 0'
    const late = await ask(engine, id, endless)
    assert.equal(late.status, 400)
    assert.match(late.body, /QueryTimeoutException.*8000 ms/)
    await noneRunning(trino)
    const client = new AbortController()
    const asking = fetch(`${engine.url}/qas/datasets/${id}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: `${endless} AND a.n = 7` }),
      signal: client.signal,
    })
    const left = assert.rejects(asking, { name: 'AbortError' })
    await until(async () => (await running(trino, 'a.n = 7')) > 0)
    client.abort()
    await left
    await noneRunning(trino)
    await using few = await startWithEngine('hive', '--query-engine-from', '0B', '--query-rows-max', '1000', ...slowly)
    const { rows, truncated } = JSON.parse((await ask(few, id, 'SELECT * FROM data')).body)
    assert.deepEqual([rows.length, truncated], [1_000, true])
    // By then, more than a first piece has been sent.
    await assert.rejects(ask(few, id, 'SELECT * FROM data', 'text/csv'), /terminated/)
    await noneRunning(trino)
  })

  test('only large datasets use the engine, and only one that can be trusted', async () => {
    const { asked, startWithEngine } = setting
    const [small, large] = asked.made as readonly [Published, Published]
    const count = 'SELECT count(*) AS n FROM data'
    for (const catalog of ['shifted', 'trino://csv@127.0.0.1:1/hive/uploads']) {
      await using engine = await startWithEngine(catalog, '--query-engine-from', '1MB', ...slowly)
      const own = await ask(engine, small.id, count)
      assert.deepEqual([own.status, own.engine], [200, 'duckdb'])
      const none = await ask(engine, large.id, count)
      assert.equal(none.status, 503, none.body)
      assert.match(none.body, /QueryEngineUnavailableException/)
    }
  })

  test('the tables of a dataset are dropped with it', async () => {
    const { trino, service, startWithEngine } = setting
    await using engine = await startWithEngine('hive', '--query-engine-from', '0B', ...slowly)
    const { id } = await new Client(service.url).upload({ content: 'a,b\n1,2\n', fileName: 'gone.csv' })
    const tables = async () =>
      (await trino.run('hive', `SHOW TABLES FROM hive.uploads LIKE 'dataset_${id}%'`)).rows.length
    assert.equal((await ask(engine, id, 'SELECT a FROM data')).status, 200)
    assert.equal(await tables(), 1)
    assert.equal((await fetch(`${engine.url}/qas/datasets/${id}`, { method: 'DELETE' })).status, 204)
    await until(async () => (await tables()) === 0)
    assert.equal((await ask(engine, id, 'SELECT a FROM data')).status, 404)
  })
}

/** Statements that would read or change something else. */
function attacks(others: string, own: string): readonly string[] {
  return [
    `SELECT * FROM ${others}`,
    `SELECT * FROM uploads.${others}`,
    `SELECT * FROM hive.uploads.${others}`,
    `SELECT * FROM "hive" . /* x */ "uploads"\n.${others}`,
    `SELECT * FROM data UNION ALL SELECT * FROM hive.uploads.${own}`,
    `SELECT (SELECT max(word) FROM hive.uploads.secrets) FROM data`,
    'SELECT * FROM uploads.secrets',
    'SELECT * FROM secrets',
    `SELECT * FROM hive.uploads."${own}$properties"`,
    `SELECT "$path" FROM data`,
    'SELECT count(*) FROM hive.information_schema.tables WHERE false',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM system.runtime.queries',
    'SELECT * FROM runtime.nodes',
    'SELECT * FROM tpch.tiny.nation',
    'TABLE tpch.tiny.nation',
    'WITH nation AS (SELECT * FROM tpch.tiny.nation) SELECT * FROM nation',
    'WITH data AS (SELECT 1) SELECT * FROM data',
    'WITH FUNCTION f() RETURNS bigint RETURN 1 SELECT f()',
    "SELECT * FROM TABLE(duck.system.query(query => 'SELECT 42'))",
    "SELECT * FROM data, TABLE(duck.system.query(query => 'SELECT 42'))",
    'SELECT * FROM TABLE(sequence(1, 10))',
    'SELECT * FROM (data) JOIN tpch.tiny.nation ON true',
    'SELECT * FROM data WHERE EXISTS (SELECT 1 FROM tpch.tiny.nation)',
    'SELECT current_user',
    'SELECT 1) SELECT * FROM (SELECT 1',
    'SELECT 1; DROP VIEW hive.uploads.secrets',
    'SELECT 1;\nSELECT 2',
    `DROP TABLE hive.uploads.${own}`,
    'DROP VIEW hive.uploads.secrets',
    `INSERT INTO hive.uploads.${own} SELECT * FROM data`,
    'CREATE TABLE hive.uploads.stolen AS SELECT * FROM data',
    'WITH x AS (SELECT 1) INSERT INTO stolen SELECT * FROM x',
    '/* SELECT */ DELETE FROM data',
    '-- SELECT\nCALL hive.system.flush_metadata_cache()',
    "SET SESSION query_max_run_time = '1h'",
    'EXPLAIN ANALYZE SELECT 1',
    'EXPLAIN SELECT * FROM tpch.tiny.nation',
    'SHOW CATALOGS',
    'DESCRIBE data',
    "EXECUTE IMMEDIATE 'SELECT 1'",
    'PREPARE x FROM SELECT 1',
    "SELECT 'a' FROM data WHERE",
    "SELECT 'unclosed FROM data",
    'SELECT 1 /* unclosed',
  ]
}

/** Counts under conditions, several per statement. */
async function countsOf(service: RunningService, id: string, all: readonly string[]): Promise<Map<string, string>> {
  const counts = new Map<string, string>()
  const ofOneValue = all.filter((sql) => /^SELECT CAST\(count\(\*\) AS VARCHAR\) FROM/.test(sql))
  for (let start = 0; start < ofOneValue.length; start += 12) {
    const some = ofOneValue.slice(start, start + 12)
    const sql = some.map((one, i) => one.replace('SELECT ', `SELECT ${i}, `)).join(' UNION ALL ')
    for (const [i, count] of await rowsOf(service, id, sql)) counts.set(some[Number(i)]!, count!)
  }
  return counts
}

async function rowsOf(service: RunningService, id: string, sql: string): Promise<(string | null)[][]> {
  const { status, body } = await ask(service, id, sql)
  assert.equal(status, 200, `${sql}: ${body}`)
  const { rows } = JSON.parse(body) as { readonly rows: readonly (readonly unknown[])[] }
  return rows.map((row) => row.map((cell) => (cell === null ? null : String(cell).replace(/ UTC$/, 'Z'))))
}

async function running(trino: Trino, text = ''): Promise<number> {
  const sql =
    "SELECT count(*) FROM system.runtime.queries WHERE source = 'csv-upload' AND state NOT IN ('FINISHED', 'FAILED') " +
    `AND strpos(query, '${text}') > 0`
  return Number((await trino.run('hive', sql)).rows[0]?.[0])
}

async function noneRunning(trino: Trino): Promise<void> {
  await until(async () => (await running(trino)) === 0)
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 300_000; !(await isTrue()); await sleep(100)) {
    if (Date.now() > end) throw new Error('Not within five minutes')
  }
}
