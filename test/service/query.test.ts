// Tests of queries over HTTP: formats, errors, row limits, and deletion of a dataset during a query.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { UploadResponse } from '../support/client.ts'
import { ask as askAt, type QueryResult, queryProblem, queryRows, typesCsv } from '../support/queries.ts'
import { csvText } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'

const rowsMax = 20_000

const { service, client } = await ownService(['--query-rows-max', String(rowsMax)])

let typed: UploadResponse
let many: UploadResponse

before(async () => {
  typed = await client.upload(typesCsv)
  many = await client.upload(csvText('id,name', 50_000, (i) => `${i},name ${i} ${'x'.repeat(40)}`))
})

const ask = (sql: string, accept?: string, { id } = typed, { url } = service) => askAt(url, id, sql, accept)
const rowsOf = (sql: string, { id } = typed) => queryRows(service.url, id, sql)
const problemOf = (sql: string) => queryProblem(service.url, typed.id, sql)

test('a query returns the same values as a page of rows, with the column names and types of the receipt', async () => {
  const { text, type } = await ask('FROM data')
  const result = JSON.parse(text) as QueryResult
  const page = await client.rows(typed)
  assert.equal(type, 'application/json;charset=UTF-8')
  assert.deepEqual(result, { columns: page.columns, rows: page.rows, truncated: false })
})

test('a query returns any value as JSON without losing a digit', async () => {
  const [row] = await rowsOf(`SELECT 9007199254740991, 9007199254740993, 2::UTINYINT, 1e308::DOUBLE, 'nan'::DOUBLE,
    '-inf'::DOUBLE, -0.0::DOUBLE, 12.30::DECIMAL(9, 2), DATE '2024-02-29', TIME '10:00:00.5', INTERVAL 3 DAYS,
    TIMESTAMPTZ '2024-02-29 12:00:00+02', TIMESTAMP '2024-02-29 10:00:00', [1, NULL], {'a': 'x', 'b': [DATE '2024-01-01']},
    MAP {'k': 1}, '\\xAA'::BLOB, NULL, TRUE, '""\u{1F600}\uFEFF', '\uFEFFx', 170141183460469231731687303715884105727`)
  assert.deepEqual(row, [
    ...[9007199254740991, '9007199254740993', 2, 1e308, 'NaN', '-Infinity', -0, '12.30', '2024-02-29', '10:00:00.5'],
    ...['3 days', '2024-02-29T10:00:00Z', '2024-02-29 10:00:00', [1, null], { a: 'x', b: ['2024-01-01'] }],
    ...[[{ key: 'k', value: 1 }], '\\xAA', null, true, '""\u{1F600}\uFEFF', '\uFEFFx'],
    '170141183460469231731687303715884105727',
  ])
})

test('a query returns NDJSON and CSV, and no other format', async () => {
  const sql = `SELECT id, name, id FROM data UNION ALL SELECT NULL, 'line\nend', 7 ORDER BY ALL`
  const lines = await ask(sql, 'application/x-ndjson;q=0.9, text/html, */*;q=0.1')
  assert.equal(lines.type, 'application/x-ndjson;charset=UTF-8')
  assert.deepEqual(
    lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { id: 1, name: 'Anna', id_1: 1 },
      { id: 2, name: 'a "b", c', id_1: 2 },
      { id: 3, name: '', id_1: 3 },
      { id: null, name: 'line\nend', id_1: 7 },
    ],
  )
  const csv = await ask(sql, 'text/csv')
  assert.equal(csv.type, 'text/csv;charset=UTF-8')
  assert.equal(csv.text, 'id,name,id\r\n1,Anna,1\r\n2,"a ""b"", c",2\r\n3,"",3\r\n,"line\nend",7\r\n')
  const alone = await ask('SELECT big FROM data ORDER BY id DESC LIMIT 2', 'text/csv')
  assert.equal(alone.text, 'big\r\n""\r\n-5\r\n')
  const none = await ask(sql, 'image/png')
  assert.equal(none.status, 406)
  assert.match(none.text, /expected one of application\/json, application\/x-ndjson, text\/csv/)
})

test('an invalid query is refused with the error and its position', async () => {
  assert.match(
    await problemOf('SELEC 1'),
    /^Failed: Cannot run query: Parser Error: syntax error .*\n\nLINE 1: SELEC 1\n/s,
  )
  assert.match(await problemOf('SELECT nme FROM data'), /Binder Error: .*"nme".*LINE 1: SELECT nme FROM data\n {15}\^/s)
  assert.match(await problemOf('FROM elsewhere'), /Catalog Error: Table with name elsewhere does not exist/)
  assert.match(await problemOf(`SELECT name::INTEGER FROM data`), /Conversion Error: Could not convert string 'Anna'/)
  assert.match(await problemOf('SELECT 1; SELECT 2'), /^NotReadOnly: .*it contains 2 statements, expected one/)
  assert.match(
    await problemOf('EXPLAIN SELECT 1'),
    /^NotReadOnly: .*it is a statement of another kind, expected SELECT/,
  )
  assert.match(await problemOf(`FROM read_text('/etc/passwd')`), /^NotReadOnly: .*the table function read_text is not/)
  assert.match(await problemOf('SELECT sleep_ms(1)'), /^NotReadOnly: .*the function sleep_ms is not available/)
  assert.match(await problemOf(`FROM '/etc/passwd.csv'`), /^Failed: .*other than the table data: files, the network/)
  assert.match(await problemOf('-- nothing'), /it contains no statement/)
})

test('a query of a missing dataset, or without SQL, is refused', async () => {
  const missing = { ...typed, id: '0'.repeat(32) }
  assert.equal((await ask('FROM data', undefined, missing)).status, 404)
  for (const [body, status] of [
    ['{}', 400],
    ['{"sql": 1}', 400],
    ['{"sql": ""}', 400],
    ['{"sql": "SELECT 1", "offset": 2}', 400],
    ['{"sql": "SELECT 1", "limit": 0}', 400],
    [JSON.stringify({ sql: `SELECT '${'x'.repeat(65_536)}'` }), 413],
  ] as const) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const response = await fetch(`${service.url}/qas/datasets/${typed.id}/query`, init)
    assert.equal(response.status, status, body.slice(0, 40))
    assert.match(await response.text(), /"exception":/)
  }
})

test('a dataset without records can be queried', async () => {
  const empty = await client.upload('id,"a ""b"""\n')
  assert.deepEqual(await rowsOf('SELECT count(*), count("a ""b""") FROM data', empty), [[0, 0]])
})

test('JSON is cut at the row limit and says so; other formats fail', async () => {
  const at = async (rows: number) => JSON.parse((await ask(`FROM range(${rows})`)).text) as QueryResult
  for (const [rows, given, truncated] of [
    [rowsMax - 1, rowsMax - 1, false],
    [rowsMax, rowsMax, false],
    [rowsMax + 1, rowsMax, true],
  ] as const) {
    const result = await at(rows)
    assert.deepEqual([result.rows.length, result.truncated], [given, truncated])
  }
  for (const [limit, given] of [
    [2, 2],
    [rowsMax + 5, rowsMax],
  ] as const) {
    const body = JSON.stringify({ sql: 'FROM data', limit })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const result = (await (await fetch(`${service.url}/qas/datasets/${many.id}/query`, init)).json()) as QueryResult
    assert.deepEqual([result.rows.length, result.truncated], [given, true])
  }
  // The failure comes after the first bytes, so the connection is cut.
  await assert.rejects(ask(`FROM data`, 'text/csv', many), /terminated/)
  const whole = await ask(`FROM data LIMIT ${rowsMax}`, 'text/csv', many)
  assert.equal(whole.text.split('\r\n').length, rowsMax + 2)
})
