// Tests of engine SQL: which column names Trino accepts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, engineSql } from './engine-sql.ts'

function sqlOf(engine: Engine, ...names: readonly string[]): string {
  const columns = names.map((name) => ({ name, type: 'text' }) as const)
  return engineSql(engine, {
    name: 't',
    columns,
    url: "s3://b/it's/data/",
    files: ['part-00000.parquet'],
    endpoint: '',
  })
}

test('engineSql() refuses names that Hive cannot have, and says which engine can', () => {
  for (const [name, problem] of [
    ['a,b', /"a,b": no name in Hive has a comma; --as trino-iceberg accepts it/],
    [' a', /begins or ends with a space/],
    ['a ', /begins or ends with a space/],
  ] as const) {
    assert.throws(() => sqlOf('trino', 'x', name), problem)
    assert.ok(sqlOf('trino-iceberg', 'x', name).includes(`"${name}" varchar`))
  }
  assert.ok(sqlOf('trino', 'a b', '\ta', 'a;b').includes('"a b" varchar'))
})

test('engineSql() refuses names that Trino cannot distinguish, and names of its own columns', () => {
  for (const engine of ['trino', 'trino-iceberg'] as const) {
    assert.throws(() => sqlOf(engine, 'Name', 'name'), /a column "name": to Trino it is the same as "Name"/)
    assert.throws(() => sqlOf(engine, 'Ä', 'ä'), /the same/)
    assert.throws(() => sqlOf(engine, '$PATH'), /its own column/)
    assert.ok(sqlOf(engine, 'Straße', 'strasse').includes('"Straße" varchar'))
  }
  assert.ok(sqlOf('spark', 'Name', 'name', 'a,b').includes('`Name` STRING'))
})

test('engineSql() quotes what it puts into SQL for Trino', () => {
  assert.ok(sqlOf('trino', 'a"b').includes(`"a""b" varchar\n) WITH (external_location = 's3://b/it''s/data/'`))
})
