// Tests of ClickHouse SQL: which types hold which columns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holds } from './clickhouse-sql.ts'

test('holds() is true for types that change no value', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['Nullable(Int64)', 'integer', true],
    ['Int32', 'integer', false],
    ['LowCardinality(Nullable(String))', 'text', true],
    ['Decimal(18, 4)', 'decimal(9,2)', true],
    ['Decimal(9, 2)', 'decimal(9,2)', true],
    ['Decimal(10, 4)', 'decimal(9,2)', false],
    ['Decimal(38, 1)', 'decimal(9,2)', false],
    ["Nullable(DateTime64(6, 'UTC'))", 'timestamp', true],
    ["DateTime64(3, 'UTC')", 'timestamptz', false],
    ['Date', 'date', false],
    ['Float32', 'number', false],
  ]
  for (const [found, type, wanted] of cases) assert.equal(holds(found, type), wanted, `${found} for ${type}`)
})
