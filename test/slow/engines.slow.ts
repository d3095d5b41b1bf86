// Tests of engines: ClickHouse and Spark read datasets in a bucket by the SQL of `csv-upload publish`, and ClickHouse by
// the recipe of the docs. They find the same values, counts, sums, extremes and types as the service. ENGINES_PYTHON names a Python that has chdb, pyspark or
// both.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { run } from '../support/client-generators.ts'
import { codeBlocks } from '../support/code-blocks.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import {
  canonical,
  canonicalInput,
  castAs,
  check,
  type Dialect,
  type EngineSamples,
  type PublishedSample,
  publish,
  questions,
  reportOf,
  upload,
} from './engine-samples.ts'

const python = process.env.ENGINES_PYTHON ?? 'python3'
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

const chdb = 'chdb==4.4.0'
const pyspark = 'pyspark==4.0.1'

const escapedText = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
const utc = "DateTime64(6, 'UTC')"
const clickhouseTypes = {
  integer: 'Int64',
  number: 'Float64',
  boolean: 'Bool',
  date: 'Date32',
  time: 'Time64(6)',
  timestamp: utc,
  timestamptz: utc,
}

const sparkTypes = { integer: 'BIGINT', number: 'DOUBLE', timestamp: 'TIMESTAMP_NTZ', timestamptz: 'TIMESTAMP' }

/** Types that Spark finds in the files. It has no type for times. */
const sparkFinds = {
  integer: 'bigint',
  number: 'double',
  timestamp: 'timestamp_ntz',
  timestamptz: 'timestamp',
  text: 'string',
}

const dialects: Readonly<Record<'clickhouse' | 'spark', Dialect>> = {
  clickhouse: {
    name: (name) => `\`${name}\``,
    text: (expression) => `toString(${expression})`,
    literal: (value, type) => {
      if (type === 'text') return escapedText(value)
      return castAs(clickhouseTypes)(
        type === 'decimal(9,2)' || type === 'decimal(38,10)' ? value : canonicalInput(value, type),
        type,
      )
    },
  },
  spark: {
    name: (name) => `\`${name}\``,
    text: (expression) => `CAST(${expression} AS STRING)`,
    literal: (value, type) => {
      if (type === 'text') return escapedText(value)
      if (type === 'time') return canonical(value, type)
      return castAs(sparkTypes)(canonicalInput(value, type), type)
    },
  },
}

if (noS3Server !== undefined) test('engines', { skip: noS3Server }, () => {})
else await declareTests()

async function declareTests(): Promise<void> {
  const scratch = await scratchDir()
  const s3 = await startS3Server()
  const store = ['--store', `s3://${s3.bucket}/engines`, '--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
  const service = await RunningService.start(join(scratch.path, 'data'), store)
  after(async () => {
    await service[Symbol.asyncDispose]()
    await s3[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  const made = await Promise.all([upload(service, 'small', 2_000), upload(service, 'large', 150_000)])
  const untimed = await upload(service, 'untimed', 500, { leftOut: 'time' })
  const reported = await Promise.all(made.map((one) => reportOf(service, one)))

  const engine = { made, reported, dir: scratch.path, store, endpoint: s3.endpoint }
  test('ClickHouse reads the same from the bucket as the service', { skip: missing('chdb', chdb) }, () =>
    askClickHouse(engine),
  )
  test('ClickHouse reads the same by the recipe of the docs', { skip: missing('chdb', chdb) }, () =>
    runRecipe(engine, service.url),
  )
  test('Spark reads the same from the bucket as the service', { skip: missing('pyspark', pyspark) }, () =>
    askSpark(engine, untimed),
  )
}

/** Why an engine is skipped; false if its module is installed. */
function missing(module: string, wanted: string): string | false {
  return spawnSync(python, ['-c', `import ${module}`]).status !== 0 && `no ${module}: pip install ${wanted}`
}

interface Engine extends EngineSamples {
  readonly dir: string
  /** Options that name the bucket. */
  readonly store: readonly string[]
  readonly endpoint: string
}

async function askClickHouse(engine: Engine): Promise<void> {
  const { made } = engine
  const published = await Promise.all(made.map((one) => publish('clickhouse', one, engine.store)))
  const tables = published.map(({ sql }) =>
    sql.trim().replace(/, 'Parquet'\);$/, ", 'test', 'test-secret', 'Parquet')"),
  )
  const path = join(engine.dir, 'clickhouse.json')
  await writeFile(path, JSON.stringify([...tables, ...questions(dialects.clickhouse, made)]))
  const results = JSON.parse(await run(python, [fixture('run_engine.py'), path], engine.dir))
  check(engine, results.slice(made.length))
}

/** Makes a table of each dataset over HTTP and another from the bucket, as printed in docs/engines.md. */
async function runRecipe(engine: Engine, address: string): Promise<void> {
  const page = await readFile(join(import.meta.dirname, '../../docs/engines.md'), 'utf8')
  const [, section = ''] = /^## ClickHouse\n(.*?)^## /ms.exec(page) ?? []
  const recipes = codeBlocks(section).map(({ code }) => code.trim().replace(/;$/, ''))
  assert.equal(recipes.length, 2)
  for (const [i, recipe] of recipes.entries()) {
    const made = engine.made.map((one) => ({ ...one, table: `${one.table}_${i}` }))
    const tables = await Promise.all(
      made.map(async (one) => {
        const { url } = await publish('clickhouse', one, engine.store)
        return recipe
          .replace('TABLE people', `TABLE ${one.table}`)
          .replace('http://127.0.0.1:8080', address)
          .replace('<id>', one.id)
          .replace(/https:.*\/data\//, url.replace('s3:/', engine.endpoint))
          .replace("'<key>', '<secret>'", "'test', 'test-secret'")
      }),
    )
    const path = join(engine.dir, `recipe-${i}.json`)
    await writeFile(path, JSON.stringify([...tables, ...questions(dialects.clickhouse, made)]))
    const results = JSON.parse(await run(python, [fixture('run_engine.py'), path], engine.dir))
    check({ made, reported: engine.reported }, results.slice(made.length))
  }
}

async function askSpark(engine: Engine, untimed: PublishedSample): Promise<void> {
  const { made, endpoint } = engine
  const published = await Promise.all(made.map((one) => publish('spark', one, engine.store)))
  const { url } = await publish('spark', untimed, engine.store)
  const tables = published.map(({ sql }) => sql.trim().replace(/;$/, ''))
  const result = join(engine.dir, 'spark-result.json')
  const path = join(engine.dir, 'spark.json')
  const directories = [url.replace(/^s3:/, 's3a:')]
  const statements = [...tables, ...questions(dialects.spark, made)]
  await writeFile(path, JSON.stringify({ statements, directories, endpoint, result }))
  await run(python, [fixture('run_spark.py'), path], engine.dir)
  const { rows, types } = JSON.parse(await readFile(result, 'utf8'))
  check(engine, rows.slice(made.length))
  const wanted = untimed.columns.filter(({ type }) => type !== 'time')
  const found = wanted.map(({ name, type }) => [name, (sparkFinds as Readonly<Record<string, string>>)[type] ?? type])
  assert.deepEqual(types, [found])
}
