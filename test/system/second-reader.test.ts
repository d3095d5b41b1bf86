// Tests with a second reader: every export of random tables has the cells that an independent reader finds in the original.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startComparison, tables } from '../support/exported-tables.ts'
import { createRandom, seed } from '../support/samples.ts'

const comparison = await startComparison()
after(() => comparison[Symbol.asyncDispose]())

let cells = 0

for (const [i, table] of tables.entries()) {
  const { delimiter, quote, lineEnd, encoding } = table
  const name = JSON.stringify({ delimiter, quote, lineEnd, encoding })
  test(`every export has the cells of the original: ${name} (SEED=${seed})`, async () => {
    cells += await comparison.compare(table, createRandom(seed + i))
  })
}

test('enough cells were compared', (t) => {
  t.diagnostic(`${cells} cells`)
  assert.ok(cells >= 5_000_000 || process.env.SEED !== undefined, `${cells} cells`)
})
