// Tests of text encodings: no Parquet file has texts in the encoding that Spark 3.5.0 to 3.5.6 reads wrongly.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openDuckDb } from '../../src/engine/duckdb/duckdb.ts'
import { Client } from '../support/client.ts'
import { scratchDir } from '../support/running-service.ts'
import { createRandom, seed } from '../support/samples.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const client = new Client((await sharedService(smallSegments)).url)
const duckDb = await openDuckDb({})
const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

/** Encodings of the column `name` in a Parquet file, besides that of levels. */
async function encodingsOf(parquet: Buffer): Promise<readonly unknown[]> {
  const path = join(scratch.path, 'file.parquet')
  await writeFile(path, parquet)
  const metadata = `SELECT DISTINCT encodings FROM parquet_metadata('${path}') WHERE path_in_schema = 'name'`
  return (await duckDb.runAndReadAll(metadata))
    .getRowsJson()
    .map(([encodings]) => String(encodings).replace(', RLE', ''))
}

for (const [what, schema] of [
  ['detected', undefined],
  [
    'declared',
    {
      fields: [
        { name: 'name', type: 'string', constraints: { maxLength: 99 } },
        { name: 'n', type: 'integer' },
      ],
    },
  ],
] as const) {
  test(`parts and merged Parquet of ${what} columns have texts in PLAIN or dictionary pages`, async (t) => {
    t.diagnostic(`SEED=${seed}`)
    const random = createRandom(seed)
    const lines = Array.from({ length: 120_000 }, (_, i) => `${random(2 ** 30).toString(36)} ${i},${i}\n`)
    const receipt = await client.upload({ content: `name,n\n${lines.join('')}`, ...(schema && { schema }) })
    assert.ok(receipt.parts.length > 1)
    const dataset = `/qas/datasets/${receipt.id}`
    assert.deepEqual(await encodingsOf(await client.get(`${dataset}/parts/0.parquet`)), ['PLAIN'])
    assert.deepEqual(await encodingsOf(await client.get(`${dataset}/data.parquet`)), ['PLAIN'])
  })
}
