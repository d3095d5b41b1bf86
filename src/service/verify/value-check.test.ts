// Tests of the value check: it accepts the exact value of a text alone, whoever wrote the part, and names the first other
// one.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createColumnConverter } from '../../columns/column-converter.ts'
import type { Converter } from '../../columns/converter.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { createPartReader } from '../../engine/duckdb-reader.ts'
import type { ParsedReceipt } from './parse-receipt.ts'
import { ValueCheck } from './value-check.ts'

const options = { size: 1, jobMsMax: 60_000, logger: { warn() {} } }
const reader = createPartReader(options)
const converter = createColumnConverter(options)
const duckDb = await openDuckDb({})
after(async () => {
  duckDb.closeSync()
  await Promise.all([converter.close(), reader.close()])
})
const never = new AbortController().signal

type Column = Pick<ParsedReceipt['columns'][number], 'type' | 'format'>

/** A dataset of the columns `v` and `n`, with parts as DuckDB writes them: values of `v`, and numbers from 0. */
async function datasetOf(t: TestContext, column: Column, sqlType: string, parts: readonly (readonly string[])[]) {
  const dir = mkdtempSync(join(tmpdir(), "it's [a] ?*"))
  t.after(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'data'))
  let next = 0
  for (const [i, values] of parts.entries()) {
    const rows = values.map((value) => `(CAST(${value} AS ${sqlType}), CAST(${next++} AS BIGINT))`).join()
    const path = join(dir, `data/${i}.parquet`).replaceAll("'", "''")
    await duckDb.run(`COPY (FROM (VALUES ${rows}) t(v, n)) TO '${path}' (FORMAT parquet)`)
  }
  const receipt = {
    columns: [
      { name: 'v', nullWords: ['NA'], ...column },
      { name: 'n', type: 'integer' },
    ],
    dialect: { delimiter: ',', quoteChar: '"', escapeChar: null, lineTerminator: '\n' },
    parts: parts.map(({ length }, i) => ({ file: `data/${i}.parquet`, records: length, bytes: 0, sha256: '' })),
    records: { accepted: next },
    rejects: { reasons: {} },
    body: {},
    notes: [],
  }
  return { dir, receipt: receipt as unknown as ParsedReceipt } // all that the check reads
}

async function verdictOn(
  { dir, receipt }: Awaited<ReturnType<typeof datasetOf>>,
  texts: readonly string[],
  convert: Converter['convert'] = converter.convert,
) {
  await using check = new ValueCheck(dir, receipt, { converter: { ...converter, convert }, reader }, never)
  const records = texts.map((text, i) => Buffer.from(`${text},${i}\n`))
  await check.add({ pieces: records, accepted: records.length })
  return await check.verdict()
}

const decimal: Column = { type: 'decimal(9,2)' }
const comma: Column = { type: 'number', format: '1.234,5' }
const dmy: Column = { type: 'date', format: 'D.M.YYYY' }
const cases: readonly (readonly [Column, sqlType: string, text: string, value: string, isSame: boolean])[] = [
  [{ type: 'text' }, 'VARCHAR', '007', "'007'", true],
  [{ type: 'text' }, 'VARCHAR', '007', "'7'", false],
  [{ type: 'text' }, 'VARCHAR', '""', "''", true],
  [{ type: 'text' }, 'VARCHAR', '""', 'NULL', false],
  [{ type: 'text' }, 'VARCHAR', '"""q"""', `'"q"'`, true],
  [{ type: 'text' }, 'VARCHAR', '"""q"""', "'q'", false],
  [{ type: 'integer' }, 'BIGINT', '7', '7', true],
  [{ type: 'integer' }, 'INTEGER', '7', '7', false],
  [{ type: 'integer' }, 'BIGINT', '007', '7', false],
  [{ type: 'integer' }, 'BIGINT', 'NA', 'NULL', true],
  [{ type: 'integer' }, 'BIGINT', 'N', 'NULL', false],
  [{ type: 'integer' }, 'BIGINT', '0', 'NULL', false],
  [{ type: 'integer' }, 'BIGINT', 'NA', '0', false],
  [decimal, 'DECIMAL(9,2)', '1.50', '1.50', true],
  [decimal, 'DECIMAL(9,2)', '1.5', '1.50', false],
  [{ type: 'number' }, 'DOUBLE', '0.1', '0.1', true],
  [{ type: 'number' }, 'DOUBLE', '0.1', '0.1000000000000001', false],
  [{ type: 'number' }, 'DOUBLE', '1e5', '100000', true],
  [{ type: 'number' }, 'DOUBLE', '-0', '0', true],
  [{ type: 'number' }, 'DOUBLE', '1e400', "'inf'", false],
  [{ type: 'number' }, 'DOUBLE', '7', '7', true],
  [{ type: 'number' }, 'DOUBLE', '007', '7', false],
  [{ type: 'number' }, 'DOUBLE', '+7', '7', false],
  [{ type: 'number' }, 'DOUBLE', '7_0', '70', false],
  [comma, 'DOUBLE', '"1.234,5"', '1234.5', true],
  [comma, 'DOUBLE', '1234.5', '1234.5', false],
  [{ type: 'boolean' }, 'BOOLEAN', 'TRUE', 'true', true],
  [{ type: 'boolean' }, 'BOOLEAN', 'tRUE', 'true', false],
  [dmy, 'DATE', '1.2.2024', "'2024-02-01'", true],
  [dmy, 'DATE', '2024-02-01', "'2024-02-01'", false],
  [{ type: 'time' }, 'TIME', '12:30', "'12:30:00'", true],
  [{ type: 'timestamp' }, 'TIMESTAMP', '2024-01-01T00:00', "'2024-01-01 00:00:00'", true],
  [{ type: 'timestamp' }, 'TIMESTAMP', '2024-01-01T00:00', "'2024-01-01 00:00:01'", false],
  [{ type: 'timestamptz' }, 'TIMESTAMPTZ', '2024-01-01 00:00+02:00', "'2023-12-31 22:00:00+00'", true],
  [{ type: 'timestamptz' }, 'TIMESTAMPTZ', '2024-01-01 00:00+02:00', "'2024-01-01 00:00:00+00'", false],
]

for (const [column, sqlType, text, value, isSame] of cases) {
  test(`verdict() ${isSame ? 'accepts' : 'refuses'} ${value} of ${sqlType} for ${text} as ${column.type}`, async (t) => {
    const verdict = await verdictOn(await datasetOf(t, column, sqlType, [[value], [value]]), [text, text])
    const detail = 'record 1 of the data (record 1 of data/0.parquet), column "v": the value is not what its text says'
    assert.deepEqual(verdict, isSame ? { ok: true, detail: '4 are what their text says' } : { ok: false, detail })
  })
}

test('verdict() names the record and column of any one value that differs, in any part', async (t) => {
  const texts = ['1', 'NA', '3', '4', '5']
  const right = ['1', 'NULL', '3', '4', '5']
  for (let at = 0; at < texts.length; at++) {
    for (const wrong of ['9', at === 1 ? '0' : 'NULL']) {
      const values = right.map((value, i) => (i === at ? wrong : value))
      const dataset = await datasetOf(t, { type: 'integer' }, 'BIGINT', [values.slice(0, 2), values.slice(2)])
      const place = at < 2 ? `record ${at + 1} of data/0.parquet` : `record ${at - 1} of data/1.parquet`
      const detail = `record ${at + 1} of the data (${place}), column "v": the value is not what its text says`
      assert.deepEqual(await verdictOn(dataset, texts), { ok: false, detail })
    }
  }
})

test('verdict() names the first text that does not fit the type in the receipt', async (t) => {
  const dataset = await datasetOf(t, { type: 'integer' }, 'BIGINT', [
    ['1', '2'],
    ['3', '4'],
  ])
  const { detail } = await verdictOn(dataset, ['1', '2', '3', 'x'])
  assert.match(detail, /^record 4 of the data \(record 2 of data\/1\.parquet\), column "v": /)
})

test('verdict() reports records without values, and values without records', async (t) => {
  const dataset = await datasetOf(t, { type: 'integer' }, 'BIGINT', [['1', '2']])
  assert.match((await verdictOn(dataset, ['1', '2', '3'])).detail, /^record 3 of the data, column "v": /)
  assert.match((await verdictOn(dataset, ['1'])).detail, /^1 records keep the declared rules, 2 in the receipt$/)
})

test('verdict() reports a converter that fails', async (t) => {
  const dataset = await datasetOf(t, { type: 'integer' }, 'BIGINT', [['1']])
  const verdict = await verdictOn(dataset, ['1'], () => Promise.reject(new Error('no place')))
  assert.deepEqual(verdict, { ok: false, detail: 'Error: no place' })
})
