// Column oracle: tests some tables of nasty values; `npm run torture -- --only columns` tests a million. SEED=17 FROM=900
// TABLES=1 replays a table of either.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ColumnOracle } from '../support/column-oracle/column-oracle.ts'
import { seed } from '../support/samples.ts'

const from = Number(process.env.FROM ?? 0)
const count = Number(process.env.TABLES ?? 600)

test('tables of nasty values give the receipts and types of a plain parser, and values and statistics of DuckDB', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  await using oracle = await ColumnOracle.open(seed)
  assert.deepEqual(await oracle.differences(from, count), [])
  const { tables, types } = oracle.compared
  assert.equal(tables, count)
  // The types depend on the seed; most must occur, or the test would prove little.
  assert.ok(count < 600 || Object.keys(types).length >= 40, Object.keys(types).join())
})
