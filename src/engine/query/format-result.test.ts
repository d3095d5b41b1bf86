// Tests of query results: values of DuckDB as JSON, JSON lines and CSV.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DuckDBValue, openDuckDb } from '../duckdb/duckdb.ts'
import { createResultWriter, jsonText, typeName } from './format-result.ts'

async function rowOf(sql: string): Promise<readonly DuckDBValue[]> {
  const connection = await openDuckDb({ temp_directory: '' })
  const [row] = await (await connection.runAndReadAll(sql)).getRows()
  return row ?? []
}

test('jsonText() writes every type of DuckDB value as JSON', async () => {
  const row =
    await rowOf(`SELECT 1::TINYINT, 65535::USMALLINT, -9007199254740991, -9007199254740992, 18446744073709551615::UBIGINT,
    0.5::FLOAT, 'inf'::FLOAT, -0.0::DOUBLE, 1e21::DOUBLE, 0.10::DECIMAL(3, 2), -0.5::DECIMAL(38, 10), true,
    DATE '0044-03-15 (BC)', 'infinity'::DATE, '-infinity'::DATE, TIME '23:59:59.999999', '10:00:00+02'::TIMETZ, 'infinity'::TIMESTAMPTZ,
    TIMESTAMP_NS '2024-01-01 00:00:00.123456789', '5bf3d1f0-8a3e-4c5b-9a1d-000000000001'::UUID, '101'::BIT,
    [[1], []], [1, 2]::INTEGER[2], {'a"b': NULL}, MAP {DATE '2024-01-01': 1.5}, union_value(n := 7), 'x'::ENUM ('x', 'y')`)
  const texts = [
    ...['1', '65535', '-9007199254740991', '"-9007199254740992"', '"18446744073709551615"'],
    ...['0.5', '"Infinity"', '-0.0', '1e+21', '"0.10"', '"-0.5000000000"', 'true'],
    ...['"0044-03-15 (BC)"', '"infinity"', '"-infinity"', '"23:59:59.999999"', '"10:00:00+02"', '"infinity"'],
    ...['"2024-01-01 00:00:00.123456789"', '"5bf3d1f0-8a3e-4c5b-9a1d-000000000001"', '"101"'],
    ...['[[1],[]]', '[1,2]', '{"a\\"b":null}', '[{"key":"2024-01-01","value":"1.5"}]', '7', '"x"'],
  ]
  assert.deepEqual(row.map(jsonText), texts)
  for (const text of texts) JSON.parse(text)
})

test('jsonText() writes times as DuckDB does, and instants with a T and a Z', async () => {
  const times = ['2024-02-29 10:00:00', '1969-12-31 23:59:59.999999', '0001-01-01 00:00:00', '9999-12-31 12:00:00.1']
  for (const time of times) {
    const [plain, text, instant] = await rowOf(
      `SELECT TIMESTAMP '${time}', CAST(TIMESTAMP '${time}' AS VARCHAR), TIMESTAMPTZ '${time}+00'`,
    )
    assert.equal(jsonText(plain!), JSON.stringify(text))
    assert.equal(jsonText(instant!), JSON.stringify(`${text}Z`.replace(' ', 'T')))
  }
})

test('createResultWriter() tells null from empty text in CSV, and quotes what readers would misread', async () => {
  const row = await rowOf(
    `SELECT NULL, '', 'a,b', 'a"b', e'a\\nb', ' a', 'a ', 1.50::DECIMAL(3, 2), [1, NULL], -0.0::DOUBLE`,
  )
  const writer = createResultWriter('csv', [{ name: 'a,b', type: 'text' }])
  assert.equal(writer.head(), '"a,b"\r\n')
  assert.equal(writer.row(row, true), ',"","a,b","a""b","a\nb"," a","a ",1.50,"[1,null]",-0.0\r\n')
})

test('createResultWriter() makes repeated column names unique in formats where they are keys', () => {
  const columns = ['id', 'id_1', 'id', 'id'].map((name) => ({ name, type: 'integer' }))
  assert.equal(createResultWriter('ndjson', columns).row([1, 2, 3, 4], true), '{"id":1,"id_1":2,"id_2":3,"id_3":4}\n')
})

test('createResultWriter() marks missing rows in JSON, and cannot in other formats', () => {
  const tails = (['json', 'ndjson', 'csv'] as const).map((format) => createResultWriter(format, []).tail(true))
  assert.deepEqual(tails, ['],"truncated":true}\n', null, null])
})

test('typeName() names types as receipts do, and the rest as DuckDB does', () => {
  const names = [
    'BIGINT',
    'UTINYINT',
    'INTEGER',
    'DOUBLE',
    'VARCHAR',
    'DECIMAL(9,2)',
    'TIMESTAMP WITH TIME ZONE',
    'DATE',
  ]
  assert.deepEqual(names.map(typeName), [
    ...['integer', 'integer', 'integer', 'number', 'text', 'decimal(9,2)', 'timestamptz', 'date'],
  ])
  assert.equal(typeName('INTEGER[]'), 'integer[]')
})
