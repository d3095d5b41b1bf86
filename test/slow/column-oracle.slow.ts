// Column oracle: tests that tables of nasty values, ingested or sent to a service, have the same types, values, nulls,
// minimum and maximum as DuckDB finds in the same bytes by SQL. TABLES=50000 or MINUTES=60 tries more; SEED=17 replays
// the tables of a seed, FROM=900 from that one on. `npm run torture -- --only columns` tries a million, many at a time.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { seed } from '../../src/columns/columns.testing.ts'
import { never, startConverter, writeSegment } from '../../src/convert/convert.testing.ts'
import { sqlType } from '../../src/convert/sql/lossless-sql.ts'
import { profileWithDuckDb } from '../../src/convert/sql/profile-sql.testing.ts'
import { partsSql } from '../../src/convert/sql/rows-sql.ts'
import { identifier, literal } from '../../src/convert/sql/segment-sql.ts'
import { openDuckDb } from '../../src/duckdb/duckdb.ts'
import { columnFormat, columnTypeName, decideTypes } from '../../src/reading/types/infer-types.ts'
import { Client, type UploadAnswer } from '../support/client.ts'
import { ColumnOracle } from '../support/column-oracle/column-oracle.ts'
import { contentOf, dialectOf } from '../support/column-oracle/ingested-tables.ts'
import { largeTable, type TriedTable, triedTable } from '../support/column-oracle/tried-tables.ts'
import { RunningService } from '../support/running-service.ts'

const tablesMax = Number(process.env.TABLES ?? 1_000)
const minutesMax = Number(process.env.MINUTES ?? 20)
const firstTable = Number(process.env.FROM ?? 0)

const dir = mkdtempSync(join(tmpdir(), 'column-oracle-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const converter = startConverter()
const duckDb = await openDuckDb({})

async function rows(sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await duckDb.runAndReadAll(sql)).getRowsJson()
}

/** Asserts that the service's result for a file equals DuckDB's. */
async function assertSame(
  { body, records, layout }: TriedTable,
  receipt: UploadAnswer,
  dataDir: string,
): Promise<void> {
  const segment = writeSegment(dir, body, records, layout)
  const decisions = decideTypes(await profileWithDuckDb(duckDb, segment))
  const wanted = receipt.columns.map(({ name }, i) => ({ name, ...decisions[i]! }))
  assert.deepEqual(
    receipt.columns.map(({ name, type, format }) => [name, type, format]),
    wanted.map(({ name, type }) => [name, columnTypeName(type), columnFormat(type)]),
  )
  const theirs = join(dir, 'theirs.parquet')
  const result = await converter.convert(segment, wanted, theirs, never)
  assert.equal(result.kind, 'part')
  const parts = receipt.parts.map(({ file }) => join(dataDir, 'datasets', receipt.id, file))
  const [our, their] = [partsSql(parts), partsSql([theirs])]
  const described = await rows(`SELECT column_name, column_type FROM (DESCRIBE FROM ${our})`)
  const sqlTypes = wanted.map(({ name, type }) => [
    name,
    sqlType(type).replace('TIMESTAMPTZ', 'TIMESTAMP WITH TIME ZONE'),
  ])
  assert.deepEqual(described, sqlTypes)
  const names = wanted.map(({ name }) => identifier(name))
  const figures = names.map(
    (name) => `count(*) FILTER (o.${name} IS DISTINCT FROM t.${name}), count(*) - count(t.${name})`,
  )
  const compared = await rows(`SELECT count(*), ${figures.join(', ')} FROM ${our} o POSITIONAL JOIN ${their} t`)
  const same = receipt.columns.flatMap(({ nulls }) => ['0', String(nulls)])
  assert.deepEqual(compared, [[String(records), ...same]], 'records, then differing values and nulls of each column')
  await assertBounds(parts, their, wanted)
}

/** Asserts that statistics are the minimum and maximum; for long texts, they may be bounds. */
async function assertBounds(
  parts: readonly string[],
  their: string,
  columns: readonly { readonly name: string; readonly type: Parameters<typeof sqlType>[0] }[],
): Promise<void> {
  const found = columns.map(({ name }, i) => {
    const column = identifier(name)
    return `min(${column}) AS least${i}, max(${column}) AS greatest${i}, count(*) - count(${column}) AS nulls${i}`
  })
  const truths = columns.map(({ name, type }, i) => {
    const own = `FILTER (path_in_schema = ${literal(name)})`
    const of = (aggregate: string, value: string) => `${aggregate}(TRY_CAST(${value} AS ${sqlType(type)})) ${own}`
    const [least, greatest] = [of('min', 'stats_min_value'), of('max', 'stats_max_value')]
    const [wantedLeast, wantedGreatest] = [`any_value(least${i})`, `any_value(greatest${i})`]
    const isSame = `(${least} IS NOT DISTINCT FROM ${wantedLeast} AND ${greatest} IS NOT DISTINCT FROM ${wantedGreatest})`
    // DuckDB shows an empty text in statistics as missing.
    const mayEnclose = `bool_or(stats_min_value IS NULL OR NOT (min_is_exact AND max_is_exact)) ${own}
      AND coalesce(${least} <= ${wantedLeast}, true) AND coalesce(${greatest} >= ${wantedGreatest}, true)`
    // A row group has no statistics if its largest text is cut and cannot be rounded up.
    const lacks = `bool_or(stats_min_value IS NULL AND stats_max_value IS NULL AND stats_null_count < num_values) ${own}`
    const isTrue = type.kind === 'text' ? `(${isSame} OR ${lacks} OR (${mayEnclose}))` : isSame
    return `${isTrue} AND sum(stats_null_count) ${own} = any_value(nulls${i})`
  })
  const statistics = `parquet_metadata([${parts.map(literal).join(', ')}])`
  const [seen] = await rows(
    `SELECT ${truths.join(', ')} FROM ${statistics}, (SELECT ${found.join(', ')} FROM ${their})`,
  )
  assert.deepEqual(
    seen,
    columns.map(() => true),
    'whose statistics are true',
  )
}

async function tryFile(client: Client, dataDir: string, tried: TriedTable): Promise<UploadAnswer> {
  const names = Array.from({ length: tried.layout.width }, (_, i) => `n${i}`)
  const receipt = await client.upload({ content: contentOf(tried, names), dialect: dialectOf(tried.layout) })
  assert.deepEqual([receipt.records.accepted, receipt.records.rejected], [tried.records, 0])
  await assertSame(tried, receipt, dataDir)
  await client.ask('DELETE', `/qas/datasets/${receipt.id}`)
  return receipt
}

async function startService(t: TestContext) {
  const dataDir = join(dir, t.name.replaceAll(/\W+/g, '-'))
  const service = await RunningService.start(dataDir)
  t.after(() => service[Symbol.asyncDispose]())
  return { dataDir, client: new Client(service.url) }
}

test('ingested tables equal those that DuckDB reads from the same bytes', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  await using oracle = await ColumnOracle.open(seed)
  assert.deepEqual(await oracle.differences(firstTable, Math.min(tablesMax, 2_000)), [])
})

test('columns of nasty tables sent to a service equal those that DuckDB reads from the same bytes', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const { dataDir, client } = await startService(t)
  const types = new Map<string, number>()
  const end = performance.now() + minutesMax * 60_000
  let count = 0
  // Includes a large one with several row groups.
  const numbers = Array.from({ length: tablesMax }, (_, i) => firstTable + i)
  for (const number of tablesMax > 1 ? [largeTable, ...numbers] : numbers) {
    if (performance.now() >= end) break
    count++
    const tried = triedTable(seed, number)
    const receipt = await tryFile(client, dataDir, tried).catch((error: unknown) => {
      throw new Error(`SEED=${seed} FROM=${number}: ${JSON.stringify(tried.body.slice(0, 2_000))}`, { cause: error })
    })
    for (const { type, format = '' } of receipt.columns) {
      const kind = `${type} ${format}`.trim()
      types.set(kind, (types.get(kind) ?? 0) + 1)
    }
  }
  t.diagnostic(`${count} tables, ${[...types.values()].reduce((a, b) => a + b)} columns of ${types.size} types`)
  assert.ok(count < 500 || types.size >= 40, [...types.keys()].join())
})

/** A CSV text without its first record. */
function withoutHeader(text: string): string {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === '\n' && !isQuoted) return text.slice(at + 1)
  }
  return ''
}

test('columns of the corpora equal those that DuckDB reads from the accepted records', async (t) => {
  const corpora = join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora')
  if (!existsSync(corpora)) return t.skip('the corpora are missing')
  const { dataDir, client } = await startService(t)
  let count = 0
  for (const name of readdirSync(corpora, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.(csv|tsv)$/.test(name)) continue
    const answer = await client.send({ content: readFileSync(join(corpora, name)) })
    if (answer.status !== 200) continue
    const receipt = JSON.parse(answer.body.toString()) as UploadAnswer
    // DuckDB reads the export, in which a record of one empty field would be a blank line.
    if (receipt.duplicate || receipt.records.accepted === 0 || receipt.columns.length === 1) continue
    const exported = (await client.get(receipt.links.csv)).toString()
    const body = receipt.dialect.header ? withoutHeader(exported) : exported
    const lineTerminator = /[^\r]\n/.test(exported.replaceAll(/"[^"]*"/g, '')) ? '\n' : '\r\n'
    const layout = { width: receipt.columns.length, delimiter: ',', quote: '"', escape: null, lineTerminator } as const
    const tried = { body, records: receipt.records.accepted, layout }
    await assertSame(tried, receipt, dataDir).catch((error: unknown) => {
      throw new Error(name, { cause: error })
    })
    count++
  }
  t.diagnostic(`${count} files`)
  assert.ok(count > 800, `${count} files`)
})
