// Tests of Trino: a coordinator and a worker read datasets in a bucket by the SQL of `csv-upload publish`, and find the
// same values, counts, sums and extremes as the service. TRINO_HOME is an unpacked trino-server.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { noTrino, startTrino, type Trino } from '../support/trino.ts'
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
  quotedName,
  quotedText,
  reportOf,
  upload,
} from './engine-samples.ts'

type Catalog = 'hive' | 'iceberg'

const types = { integer: 'BIGINT', number: 'DOUBLE', timestamp: 'TIMESTAMP(6)', time: 'TIME(6)' }

const dialects: Readonly<Record<Catalog, Dialect>> = {
  hive: {
    name: quotedName,
    text: (expression) => `CAST(${expression} AS VARCHAR)`,
    literal: (value, type) => {
      if (type === 'text') return quotedText(value)
      if (type === 'time') return canonical(value, type)
      return castAs({ ...types, timestamptz: 'TIMESTAMP(6)' })(canonicalInput(value, type), type)
    },
  },
  iceberg: {
    name: quotedName,
    text: (expression) => `CAST(${expression} AS VARCHAR)`,
    literal: (value, type) => {
      if (type === 'text') return quotedText(value)
      if (type === 'timestamptz') return `CAST('${canonicalInput(value, type)} UTC' AS TIMESTAMP(6) WITH TIME ZONE)`
      return castAs(types)(canonicalInput(value, type), type)
    },
  },
}

/** Types in `SHOW COLUMNS`, if a connector has other types than the receipt. */
const typesFound: Readonly<Record<Catalog, Readonly<Record<string, string>>>> = {
  hive: {
    integer: 'bigint',
    number: 'double',
    time: 'bigint',
    timestamp: 'timestamp(6)',
    timestamptz: 'timestamp(6)',
    text: 'varchar',
  },
  iceberg: {
    integer: 'bigint',
    number: 'double',
    time: 'time(6)',
    timestamp: 'timestamp(6)',
    timestamptz: 'timestamp(6) with time zone',
    text: 'varchar',
  },
}

/** Queries per statement: each is planned and read separately, but with less waiting in between. */
const questionsAtOnce = 12

if (noTrino !== undefined || noS3Server !== undefined) test('Trino', { skip: noTrino ?? noS3Server }, () => {})
else await declareTests()

async function declareTests(): Promise<void> {
  const scratch = await scratchDir()
  const s3 = await startS3Server()
  const store = ['--store', `s3://${s3.bucket}/trino`, '--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
  const [service, trino] = await Promise.all([RunningService.start(join(scratch.path, 'data'), store), startTrino(s3)])
  after(async () => {
    await trino[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    await s3[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  const partsOf = (url: string) => readdirSync(url.replace(`s3://${s3.bucket}`, join(s3.root, s3.bucket)))

  test('Trino reads the same with its Hive connector as the service', async () => {
    const asked = await uploadBoth(service, 'hive', 'a "b" ü; ` \\ $(x)')
    const published = await Promise.all(asked.made.map((one) => publish('trino', one, store)))
    for (const { sql } of published) await runAll(trino, 'hive', sql)
    await checkTypes(trino, 'hive', asked)
    await ask(trino, 'hive', asked)
    await checkPruning(trino, 'hive', asked.made[1]!)
    for (const { table } of asked.made) await trino.run('hive', `DROP TABLE ${table}`)
    for (const { url } of published) assert.notEqual(partsOf(url).length, 0)
  })

  test('Trino reads the same with its Iceberg connector as the service', async () => {
    const asked = await uploadBoth(service, 'iceberg')
    const published = await Promise.all(asked.made.map((one) => publish('trino-iceberg', one, store)))
    for (const { sql } of published) await runAll(trino, 'iceberg', sql)
    await checkTypes(trino, 'iceberg', asked)
    await ask(trino, 'iceberg', asked)
    await checkPruning(trino, 'iceberg', asked.made[1]!)
    const [small, large] = published
    await assert.rejects(runAll(trino, 'iceberg', small!.sql.split(';\n')[1]!), /File already exists/)
    const [kept, lost] = asked.made
    const ofTexts = async (name: string) =>
      (await trino.run('iceberg', `SELECT count(${name}), max(${name}) FROM ${kept!.table}`)).rows
    const before = await ofTexts(quotedName(kept!.columns.at(-1)!.name))
    await trino.run('iceberg', `ALTER TABLE ${kept!.table} RENAME COLUMN "a, ""b"" ü" TO texts`)
    assert.deepEqual(await ofTexts('texts'), before)
    // The docs warn of this.
    await trino.run('iceberg', `CALL iceberg.system.unregister_table('uploads', '${kept!.table}')`)
    assert.notEqual(partsOf(small!.url).length, 0)
    await trino.run('iceberg', `DROP TABLE ${lost!.table}`)
    assert.throws(() => partsOf(large!.url), { code: 'ENOENT' })
  })
}

async function uploadBoth(service: RunningService, name: string, textName?: string): Promise<EngineSamples> {
  const named = textName === undefined ? {} : { textName }
  const made = [
    await upload(service, `${name}_small`, 2_000, named),
    await upload(service, `${name}_large`, 150_000, named),
  ]
  return { made, reported: await Promise.all(made.map((one) => reportOf(service, one))) }
}

async function runAll(trino: Trino, catalog: Catalog, sql: string): Promise<void> {
  for (const statement of sql.trim().split(/;(?:\n|$)/)) if (statement !== '') await trino.run(catalog, statement)
}

async function checkTypes(trino: Trino, catalog: Catalog, { made }: EngineSamples): Promise<void> {
  for (const { table, columns } of made) {
    const { rows } = await trino.run(catalog, `SHOW COLUMNS FROM ${table}`)
    const wanted = columns.map(({ name, type }) => [name.toLowerCase(), typesFound[catalog][type] ?? type])
    assert.deepEqual(
      rows.map(([name, type]) => [
        name,
        String(type).replace('decimal(9, 2)', 'decimal(9,2)').replace('38, 10', '38,10'),
      ]),
      wanted,
    )
  }
}

async function ask(trino: Trino, catalog: Catalog, asked: EngineSamples): Promise<void> {
  const all = questions(dialects[catalog], asked.made)
  const ofOneValue = all.filter((sql) => /^SELECT CAST\(count\(\*\) AS VARCHAR\) FROM/.test(sql))
  const counts = new Map<string, string>()
  for (let start = 0; start < ofOneValue.length; start += questionsAtOnce) {
    const some = ofOneValue.slice(start, start + questionsAtOnce)
    const sql = some.map((one, i) => one.replace('SELECT ', `SELECT ${i}, `)).join(' UNION ALL ')
    for (const [i, count] of (await trino.run(catalog, sql)).rows) counts.set(some[Number(i)]!, String(count))
  }
  const results: (string | null)[][][] = []
  for (const sql of all) {
    const count = counts.get(sql)
    const rows = count === undefined ? (await trino.run(catalog, sql)).rows : [[count]]
    // The other samples use offsets, not zone names.
    results.push(rows.map((row) => row.map((cell) => (cell === null ? null : String(cell).replace(/ UTC$/, 'Z')))))
  }
  check(asked, results)
}

/** Asserts that a condition on a column with ascending values reads only a part of the file. */
async function checkPruning(trino: Trino, catalog: Catalog, { table, records }: PublishedSample): Promise<void> {
  const whole = await trino.run(catalog, `SELECT sum(n) FROM ${table}`)
  const none = await trino.run(catalog, `SELECT sum(n) FROM ${table} WHERE n > ${records}`)
  assert.equal(whole.stats.processedRows, records)
  assert.deepEqual(none.rows, [[null]])
  assert.equal(none.stats.processedRows, 0)
}
