// Column oracle: some tables of nasty values; `npm run torture -- --only columns` has a million.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ColumnOracle } from '../support/column-oracle/column-oracle.ts'
import { seed } from '../support/samples.ts'

test('tables of nasty values give the receipts, types, values, nulls and statistics that DuckDB gives', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  await using oracle = await ColumnOracle.open(seed)
  assert.deepEqual(await oracle.differences(0, 600), [])
  const { tables, types } = oracle.compared
  assert.equal(tables, 600)
  // Which types come depends on the seed; that most do shows that the test has teeth.
  assert.ok(Object.keys(types).length >= 40, Object.keys(types).join())
})
