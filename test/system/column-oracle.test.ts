// Column oracle: tests some tables of nasty values; `npm run torture -- --only columns` tests a million.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ColumnOracle } from '../support/column-oracle/column-oracle.ts'
import { seed } from '../support/samples.ts'

test('tables of nasty values give the same receipts, types, values, nulls and statistics as DuckDB', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  await using oracle = await ColumnOracle.open(seed)
  assert.deepEqual(await oracle.differences(0, 600), [])
  const { tables, types } = oracle.compared
  assert.equal(tables, 600)
  // The types depend on the seed; most must occur, or the test would prove little.
  assert.ok(Object.keys(types).length >= 40, Object.keys(types).join())
})
