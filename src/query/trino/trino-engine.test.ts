// Tests of the Trino engine: its statements for a query, what it refuses, its limits, and how queries end.
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type ErrorCode, isServiceError, type ServiceError } from '../../core/errors.ts'
import type { AnswerFormat } from '../query.ts'
import {
  type FakePage,
  type FakeTrino,
  type FakeTrinoOptions,
  failureOf,
  pageOf,
  startFakeTrino,
} from './fake-trino.testing.ts'
import { createTrinoEngine, type TrinoEngineOptions } from './trino-engine.ts'

const table = {
  id: '0123456789abcdef0123456789abcdef',
  url: "s3://b/it's/data/",
  columns: [
    { name: 'N', type: 'integer' },
    { name: 'a "b", c', type: 'text' },
    { name: 'at', type: 'time' },
    { name: 'instant', type: 'timestamptz' },
  ],
} as const

const instants = [
  '1900-01-01 00:00:00.000000',
  '1955-07-01 12:00:00.000000',
  '1975-01-15 23:59:59.999999',
  '1975-07-15 00:00:00.000001',
  '2001-01-15 06:00:00.000000',
  '2001-04-15 06:00:00.000000',
  '2001-07-15 06:00:00.000000',
  '2001-10-15 06:00:00.000000',
  '2024-01-15 18:00:00.000000',
  '2024-07-15 18:00:00.000000',
  '9999-12-31 23:59:59.999999',
]
const probed = pageOf({ a: 'varchar', b: 'varchar' }, ...instants.map((one) => [one, one]))

/** The result of EXPLAIN for a statement that reads these tables. */
function reads(...tables: readonly string[]): FakePage {
  const inputTableColumnInfos = tables.map((name) => ({
    table: { catalog: 'lake', schemaTable: { schema: 'uploads', table: name } },
  }))
  return pageOf({ plan: 'varchar' }, [JSON.stringify({ inputTableColumnInfos })])
}

const nameIn = (sql: string) => /dataset_[0-9a-f]{32}_[0-9a-f]{16}/.exec(sql)?.[0] ?? ''

/** Answers every statement except the query itself. */
function usual(sql: string): readonly FakePage[] | null {
  if (sql.startsWith('SELECT CAST(c1')) return [probed]
  if (sql.startsWith('EXPLAIN')) return [reads(nameIn(sql))]
  return /^(CREATE|DROP)/.test(sql) ? [{}] : null
}

interface Started extends AsyncDisposable {
  readonly trino: FakeTrino
  readonly warnings: readonly string[]
  readonly engine: ReturnType<typeof createTrinoEngine>
  ask(sql: string, format?: AnswerFormat, signal?: AbortSignal): Promise<string>
}

async function start(
  { answer, ...server }: { answer: (sql: string) => readonly FakePage[] | null } & Omit<FakeTrinoOptions, 'answer'>,
  given: Partial<TrinoEngineOptions> = {},
): Promise<Started> {
  const trino = await startFakeTrino({ ...server, answer: (sql) => answer(sql) ?? usual(sql) ?? [] })
  const warnings: string[] = []
  const engine = createTrinoEngine({
    url: trino.url,
    user: 'csv',
    password: '',
    catalog: 'lake',
    schema: 'uploads',
    fromBytes: 0,
    queryMsMax: 60_000,
    queryRowsMax: 1_000,
    queryBytesMax: 1_000_000,
    placeProbe: async () => 's3://b/probe/',
    logger: { warn: (fields, message) => void warnings.push(`${message}: ${(fields as { err: Error }).err.message}`) },
    ...given,
  })
  return {
    trino,
    warnings,
    engine,
    ask: async (sql, format = 'json', signal = new AbortController().signal) =>
      await text(await engine.open(table, signal).ask({ sql, format })),
    [Symbol.asyncDispose]: async () => {
      await engine.close()
      await trino[Symbol.asyncDispose]()
    },
  }
}

function failsWith(code: ErrorCode, message: RegExp) {
  return (error: unknown) => isServiceError(error, code) && message.test((error as ServiceError).message)
}

const rows = (...values: readonly number[]) => pageOf({ n: 'bigint' }, ...values.map((one) => [one]))
const isData = (sql: string) => sql.startsWith('WITH data')

test('ask() creates the table once, has Trino explain the statement, and runs it over `data`', async () => {
  await using one = await start({ answer: (sql) => (isData(sql) ? [{}, rows(1, 2), rows(3)] : null) })
  const answer = '{"columns":[{"name":"n","type":"integer"}],"rows":[[1],[2],[3]],"truncated":false}\n'
  assert.equal(await one.ask('SELECT n FROM data;'), answer)
  assert.equal(await one.ask('SELECT n FROM data', 'csv'), 'n\r\n1\r\n2\r\n3\r\n')
  const [makeProbe, readProbe, dropProbe, make, explain, run, ...second] = one.trino.statements
  assert.match(
    makeProbe!,
    /^CREATE TABLE IF NOT EXISTS "lake"\."uploads"\."probe_[0-9a-f]{16}" \(c1 timestamp\(6\), c2/,
  )
  assert.match(readProbe!, /^SELECT CAST\(c1 AS varchar\)/)
  assert.match(dropProbe!, /^DROP TABLE IF EXISTS "lake"\."uploads"\."probe_/)
  const name = nameIn(make!)
  assert.equal(
    make,
    `CREATE TABLE IF NOT EXISTS "lake"."uploads"."${name}" (c1 bigint, c2 varchar, c3 bigint, c4 timestamp(6))` +
      " WITH (external_location = 's3://b/it''s/data/', format = 'PARQUET')",
  )
  const front =
    'WITH data AS (SELECT c1 AS "N", c2 AS "a ""b"", c", CAST(from_unixtime_nanos(c3 * 1000) AS time(6)) AS "at", ' +
    `CAST(c4 AS timestamp(6) with time zone) AS "instant" FROM "lake"."uploads"."${name}")`
  assert.equal(run, `${front}\nSELECT n FROM data`)
  assert.equal(explain, `EXPLAIN (TYPE IO, FORMAT JSON) ${run}`)
  assert.deepEqual(second, [explain, run])
  assert.equal(
    one.trino.requests[0]?.headers['x-trino-session'],
    'lake.parquet_use_column_names=false,lake.timestamp_precision=MICROSECONDS,query_max_run_time=61s',
  )
})

test('ask() refuses a statement that reads or writes anything else before running it', async () => {
  const output = { catalog: 'lake', schemaTable: { schema: 'uploads', table: 'x' } }
  for (const page of [
    (sql: string) => reads(nameIn(sql), 'other'),
    () => reads('other'),
    (sql: string) =>
      pageOf({ plan: 'varchar' }, [JSON.stringify({ ...JSON.parse(`${planOf(sql)}`), outputTable: output })]),
    () => pageOf({ plan: 'varchar' }, ['DROP TABLE x']),
    () => pageOf({ plan: 'varchar' }, ['null']),
    () => pageOf({ plan: 'varchar' }),
  ]) {
    await using one = await start({
      answer: (sql) => (sql.startsWith('EXPLAIN') ? [page(sql)] : isData(sql) ? [rows(1)] : null),
    })
    await assert.rejects(one.ask('SELECT 1'), failsWith('QUERY_NOT_READ_ONLY', /something other/))
    assert.deepEqual(one.trino.statements.filter(isData), [])
  }
  await using untouched = await start({ answer: () => null })
  await assert.rejects(untouched.ask('DROP TABLE data'), failsWith('QUERY_NOT_READ_ONLY', /another kind/))
  assert.deepEqual(untouched.trino.requests, [])
})

const planOf = (sql: string) => (reads(nameIn(sql)).data as readonly (readonly string[])[])[0]?.[0]

test('ask() recreates a table that has been dropped', async () => {
  let isDropped = false
  await using one = await start({
    answer: (sql) => {
      if (sql.startsWith('CREATE')) isDropped = false
      if (isDropped && sql.startsWith('EXPLAIN')) {
        return [
          failureOf('TABLE_NOT_FOUND', 'USER_ERROR', `line 1:9: Table 'lake.uploads.${nameIn(sql)}' does not exist`),
        ]
      }
      return isData(sql) ? [rows(1)] : null
    },
  })
  await one.ask('SELECT 1')
  isDropped = true
  assert.equal(await one.ask('SELECT 1', 'ndjson'), '{"n":1}\n')
})

test('ask() ends a result at the limit of rows or bytes, and cancels the statement', async () => {
  const pages = [rows(1, 2, 3), rows(4, 5, 6), rows(7)]
  const answer = (sql: string) => (isData(sql) ? pages : null)
  await using fewRows = await start({ answer }, { queryRowsMax: 4 })
  assert.match(await fewRows.ask('SELECT n'), /"rows":\[\[1\],\[2\],\[3\],\[4\]\],"truncated":true\}\n$/)
  assert.equal(fewRows.trino.cancelled, 1)
  for (const format of ['csv', 'ndjson'] as const) {
    await assert.rejects(
      fewRows.ask('SELECT n', format),
      failsWith('QUERY_TOO_LARGE', /more than 4 rows; only JSON can be/),
    )
  }
  await using all = await start({ answer }, { queryRowsMax: 7 })
  assert.match(await all.ask('SELECT n'), /\[7\]\],"truncated":false\}\n$/)
  const head = Buffer.byteLength('{"columns":[{"name":"n","type":"integer"}],"rows":[')
  await using fewBytes = await start({ answer }, { queryBytesMax: head + 7 })
  assert.match(await fewBytes.ask('SELECT n'), /"rows":\[\[1\],\[2\]\],"truncated":true\}\n$/)
  await using noRow = await start({ answer }, { queryBytesMax: head + 2 })
  await assert.rejects(noRow.ask('SELECT n'), failsWith('QUERY_TOO_LARGE', /more than \d+ bytes$/))
})

test('ask() streams a large result, and an error after the first piece cuts it off', async () => {
  const page = pageOf({ t: 'varchar' }, ...Array.from({ length: 20 }, () => ['x'.repeat(10_000)]))
  await using one = await start({
    answer: (sql) => (isData(sql) ? [page, failureOf('GENERIC_INTERNAL_ERROR', 'INTERNAL_ERROR', 'broken')] : null),
  })
  const open = one.engine.open(table, new AbortController().signal)
  const answer = await open.ask({ sql: 'SELECT t', format: 'csv' })
  await assert.rejects(text(answer), failsWith('QUERY_FAILED', /the engine failed on it$/))
  await open.finished
  assert.deepEqual(one.warnings, ['the query engine has not answered a query: broken'])
})

test("ask() maps Trino's errors to ours, with their position in the statement and without Trino's names", async () => {
  for (const [errorName, errorType, message, place, code, wanted] of [
    [
      'COLUMN_NOT_FOUND',
      'USER_ERROR',
      "line 3:4: Column 'x' cannot be resolved",
      [3, 4],
      'QUERY_FAILED',
      /: Column 'x' cannot be resolved\n\nLINE 2: {4}x\n {11}\^$/,
    ],
    [
      'TABLE_NOT_FOUND',
      'USER_ERROR',
      "line 2:1: Table 'lake.s.t' does not exist",
      [2, 1],
      'QUERY_FAILED',
      /: there is no such table; the only table is called data\n\nLINE 1: SELECT\n {8}\^$/,
    ],
    [
      'CATALOG_NOT_FOUND',
      'USER_ERROR',
      'x',
      undefined,
      'QUERY_FAILED',
      /: there is no such table; the only table is called data$/,
    ],
    ['SYNTAX_ERROR', 'USER_ERROR', 'line 9:9: no', [9, 9], 'QUERY_FAILED', /: no$/],
    ['DIVISION_BY_ZERO', 'USER_ERROR', 'Division by zero', undefined, 'QUERY_FAILED', /: Division by zero$/],
    [
      'EXCEEDED_LOCAL_MEMORY_LIMIT',
      'INSUFFICIENT_RESOURCES',
      'x',
      undefined,
      'QUERY_TOO_LARGE',
      /more memory or processor time/,
    ],
    ['QUERY_TEXT_TOO_LARGE', 'USER_ERROR', 'x', undefined, 'QUERY_TOO_LARGE', /more memory or processor time/],
    ['EXCEEDED_TIME_LIMIT', 'INSUFFICIENT_RESOURCES', 'x', undefined, 'QUERY_TIMEOUT', /60000 ms/],
    ['QUERY_QUEUE_FULL', 'INSUFFICIENT_RESOURCES', 'x', undefined, 'QUERY_ENGINE_UNAVAILABLE', /not available/],
    [
      'PERMISSION_DENIED',
      'USER_ERROR',
      'Access Denied: s3://b',
      undefined,
      'QUERY_ENGINE_UNAVAILABLE',
      /size is not available/,
    ],
    ['HIVE_FILESYSTEM_ERROR', 'EXTERNAL', 's3://b', undefined, 'QUERY_ENGINE_UNAVAILABLE', /size is not available/],
    ['REMOTE_HOST_GONE', 'INTERNAL_ERROR', 'x', undefined, 'QUERY_ENGINE_UNAVAILABLE', /not available/],
    ['GENERIC_INTERNAL_ERROR', 'INTERNAL_ERROR', 's3://b', undefined, 'QUERY_FAILED', /: the engine failed on it$/],
  ] as const) {
    const failure = failureOf(errorName, errorType, message, place)
    await using one = await start({ answer: (sql) => (isData(sql) ? [failure] : null) })
    await assert.rejects(one.ask('SELECT\n   x'), failsWith(code, wanted), errorName)
  }
})

test('ask() ends a query with QUERY_TIMEOUT at its time limit, and cancels it', async () => {
  const fault: FakeTrinoOptions['fault'] = ({ method }) => method === 'GET'
  await using one = await start({ answer: (sql) => (isData(sql) ? [{}, rows(1)] : null), fault }, { queryMsMax: 1_000 })
  const open = one.engine.open(table, new AbortController().signal)
  await assert.rejects(open.ask({ sql: 'SELECT 1', format: 'json' }), failsWith('QUERY_TIMEOUT', /1000 ms/))
  await open.finished
  assert.equal(one.trino.cancelled, 1)
})

test('ask() cancels a query whose client disconnects before or during its result', async () => {
  const gone = new Error('The client has disconnected')
  const early = new AbortController()
  const fault: FakeTrinoOptions['fault'] = ({ method }) => {
    if (method === 'GET') early.abort(gone)
    return method === 'GET' && early.signal.aborted && !isLate
  }
  let isLate = false
  const page = pageOf({ t: 'varchar' }, ...Array.from({ length: 20 }, () => ['x'.repeat(10_000)]))
  await using one = await start({ answer: (sql) => (isData(sql) ? [{}, page, page, page] : null), fault })
  await one.engine.check()
  const first = one.engine.open(table, early.signal)
  await assert.rejects(first.ask({ sql: 'SELECT 1', format: 'json' }), gone)
  await first.finished
  assert.equal(one.trino.cancelled, 1)
  isLate = true
  const late = new AbortController()
  const second = one.engine.open(table, late.signal)
  const answer = await second.ask({ sql: 'SELECT 1', format: 'json' })
  late.abort(gone)
  await assert.rejects(text(answer), gone)
  await second.finished
  assert.equal(one.trino.cancelled, 2)
  await assert.rejects(one.engine.open(table, late.signal).ask({ sql: 'SELECT 1', format: 'json' }), gone)
})

test('ask() cancels a query whose result is no longer read', async () => {
  const page = pageOf({ t: 'varchar' }, ...Array.from({ length: 20 }, () => ['x'.repeat(10_000)]))
  await using one = await start({ answer: (sql) => (isData(sql) ? [page, page, page, page] : null) })
  const open = one.engine.open(table, new AbortController().signal)
  const answer = await open.ask({ sql: 'SELECT 1', format: 'json' })
  answer.destroy()
  await open.finished
  assert.equal(one.trino.cancelled, 1)
})

test('close() ends the queries of the engine', async () => {
  const asked = Promise.withResolvers<void>()
  const fault: FakeTrinoOptions['fault'] = ({ method }) => {
    if (method === 'GET') asked.resolve()
    return method === 'GET'
  }
  await using one = await start({ answer: (sql) => (isData(sql) ? [{}, rows(1)] : null), fault })
  const ended = assert.rejects(one.ask('SELECT 1'), /closing/)
  await asked.promise
  await one.engine.close()
  await ended
  assert.equal(one.trino.cancelled, 1)
})

test('check() refuses an engine that shifts timestamps, and the next query checks again', async () => {
  let isShifted = true
  const shifted = pageOf({ a: 'varchar', b: 'varchar' }, ...instants.map((one) => [one, one.replace('06:00', '08:00')]))
  await using one = await start({
    answer: (sql) => (isShifted && sql.startsWith('SELECT CAST') ? [shifted] : isData(sql) ? [rows(1)] : null),
  })
  await assert.rejects(one.engine.check(), /wanted hive\.parquet\.time-zone=UTC/)
  await assert.rejects(one.ask('SELECT 1'), failsWith('QUERY_ENGINE_UNAVAILABLE', /not available/))
  assert.match(one.warnings.join(), /cannot be used: Trino reads other timestamps/)
  assert.equal(one.trino.statements.filter((sql) => sql.startsWith('DROP')).length, 2)
  isShifted = false
  assert.equal(await one.ask('SELECT 1', 'ndjson'), '{"n":1}\n')
})

test('forget() drops the tables of a dataset', async () => {
  const dropped = Promise.withResolvers<void>()
  const found = pageOf({ Table: 'varchar' }, ['dataset_x_1'], ['dataset_x_2'])
  await using one = await start({
    answer: (sql) => {
      if (sql === 'DROP TABLE IF EXISTS "lake"."uploads"."dataset_x_2"') dropped.resolve()
      return sql.startsWith('SHOW') ? [found] : null
    },
  })
  one.engine.forget(table.id)
  await dropped.promise
  assert.deepEqual(one.trino.statements, [
    `SHOW TABLES FROM "lake"."uploads" LIKE 'dataset\\_${table.id}\\_%' ESCAPE '\\'`,
    'DROP TABLE IF EXISTS "lake"."uploads"."dataset_x_1"',
    'DROP TABLE IF EXISTS "lake"."uploads"."dataset_x_2"',
  ])
})

test('forget() logs a failure, for which no caller waits', async () => {
  const logged = Promise.withResolvers<string>()
  const answer = (sql: string) => (sql.startsWith('SHOW') ? [failureOf('X', 'EXTERNAL', 'no')] : null)
  const logger = { warn: (_fields: object, message: string) => logged.resolve(message) }
  await using one = await start({ answer }, { logger })
  one.engine.forget(table.id)
  assert.equal(await logged.promise, 'cannot drop the tables of a deleted dataset at the query engine')
})
