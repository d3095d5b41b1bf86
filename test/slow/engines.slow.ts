// Engines: ClickHouse and Spark read what the service has put into a bucket, by the SQL of `csv-upload publish`, and find the
// same values, counts, sums, extremes and types as the service. ENGINES_PYTHON names a Python that has chdb, pyspark or both.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from '../support/client.ts'
import { run } from '../support/client-generators.ts'
import { runCommand } from '../support/command.ts'
import { queryRows } from '../support/queries.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { createRandom } from '../support/samples.ts'

const python = process.env.ENGINES_PYTHON ?? 'python3'
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

const chdb = 'chdb==4.4.0'
const pyspark = 'pyspark==4.0.1'

/** Each column as its header cell, with its type in the receipt and its name in SQL. */
const columns = [
  { name: 'n', type: 'integer' },
  { name: 'id', type: 'integer' },
  { name: 'price', type: 'decimal(9,2)' },
  { name: 'exact', type: 'decimal(38,10)' },
  { name: 'ratio', type: 'number' },
  { name: 'flag', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'at', type: 'time' },
  { name: 'stamp', type: 'timestamp' },
  { name: 'instant', type: 'timestamptz' },
  { name: 'a, "b" ü', type: 'text' },
] as const
type Column = (typeof columns)[number]

const nasty = [
  '',
  ' ',
  'NULL',
  '\\N',
  '\\',
  "it's",
  '"',
  'a,b',
  'line\nfeed',
  'cr\r\nlf',
  '\t',
  '😀',
  'e\u0301',
  '\u00e9',
  '\ufeffbom',
  '\u2028',
  '\u0001',
  '%_',
  '`',
  '$(x)',
  'ß',
  'ﬀ',
  '\u202e rtl',
  'x'.repeat(5_000),
  `${'\uffff'.repeat(40)}a`,
  `${'\u{10ffff}'.repeat(40)}`,
]

const two = (number: number) => `${number}`.padStart(2, '0')

/** The cells of a record; null is an empty field without quotes. Large and small values come first. */
function cellsOf(i: number, random: (below: number) => number): (string | null)[] {
  const ends = (least: string, most: string) => (i === 0 ? least : i === 1 ? most : null)
  const orNull = (text: string) => (i > 1 && random(9) === 0 ? null : text)
  const day = `${1970 + random(130)}-${two(1 + random(12))}-${two(1 + random(28))}`
  const clock = `${two(random(24))}:${two(random(60))}:${two(random(60))}.${`${random(1_000_000)}`.padStart(6, '0')}`
  const digits = Array.from({ length: 27 }, () => random(10)).join('')
  return [
    `${i}`,
    orNull(ends('-9223372036854775808', '9223372036854775807') ?? `${random(1_000_000) - 500_000}`),
    orNull(ends('-9999999.99', '9999999.99') ?? `${random(2_000)}.${two(random(100))}`),
    orNull(
      ends(`-9${digits}.0000000001`, `9${digits}.9999999999`) ?? `1${digits}.${`${random(1e9)}`.padStart(10, '0')}`,
    ),
    orNull(ends('-9999999.5', '9999999.5') ?? `${(random(2_000_000) - 1_000_000) / 64}`),
    orNull(random(3) === 0 ? 'true' : 'false'),
    orNull(ends('0001-01-01', '9999-12-31') ?? day),
    orNull(ends('00:00:00.000000', '23:59:59.999999') ?? clock),
    orNull(ends('1900-01-01 00:00:00.000000', '2199-12-31 23:59:59.999999') ?? `${day} ${clock}`),
    orNull(ends('1900-01-01T00:00:00.000000Z', '2199-12-31T23:59:59.999999Z') ?? `${day}T${clock}+0${random(10)}:30`),
    orNull(i < 2_000 ? nasty[random(nasty.length)]! : `text ${random(1e9)} ${'y'.repeat(random(200))}`),
  ]
}

function csvOf(records: readonly (readonly (string | null)[])[], isSent: (column: number) => boolean): string {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
  const line = (cells: readonly string[]) => cells.filter((_, i) => isSent(i)).join(',')
  const lines = records.map((cells) =>
    line(cells.map((cell, i) => (cell === null ? '' : columns[i]!.type === 'text' ? quoted(cell) : cell))),
  )
  return `${[line(columns.map(({ name }) => quoted(name))), ...lines].join('\n')}\n`
}

/** How a dialect of SQL writes what differs. */
interface Dialect {
  name(name: string): string
  text(expression: string): string
  literal(value: string, type: Column['type']): string
}

const quotedText = (text: string) => `'${text.replaceAll("'", "''")}'`
const escapedText = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
const cast = (names: Readonly<Record<string, string>>) => (text: string, type: string) =>
  `CAST('${text}' AS ${names[type] ?? type})`

const duckTypes = { integer: 'BIGINT', number: 'DOUBLE' }
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

/** What Spark finds in the files itself. It has no type for a time. */
const sparkFinds = {
  integer: 'bigint',
  number: 'double',
  timestamp: 'timestamp_ntz',
  timestamptz: 'timestamp',
  text: 'string',
}

const dialects: Readonly<Record<'clickhouse' | 'service' | 'spark', Dialect>> = {
  service: {
    name: (name) => `"${name.replaceAll('"', '""')}"`,
    text: (expression) => `CAST(${expression} AS VARCHAR)`,
    literal: (value, type) => (type === 'text' ? quotedText(value) : cast(duckTypes)(value, type)),
  },
  clickhouse: {
    name: (name) => `\`${name}\``,
    text: (expression) => `toString(${expression})`,
    literal: (value, type) => {
      if (type === 'text') return escapedText(value)
      return cast(clickhouseTypes)(
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
      return cast(sparkTypes)(canonicalInput(value, type), type)
    },
  },
}

/** One form for each value, whoever printed it: numbers without zeros at their end, times in UTC. */
function canonical(text: string, type: Column['type']): string {
  if (type === 'number') return `${Number(text)}`
  if (type.startsWith('decimal')) return text.includes('.') ? text.replace(/\.?0+$/, '').replace(/^-0$/, '0') : text
  if (type === 'time') {
    // Microseconds, where the engine has no such type.
    if (!text.includes(':')) return text
    const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number)
    return `${Math.round(((hours * 60 + minutes) * 60 + seconds) * 1e6)}`
  }
  return type === 'timestamp' || type === 'timestamptz' ? instant(text) : text
}

/** As ClickHouse takes it in a cast: in UTC and without a zone. */
function canonicalInput(text: string, type: Column['type']): string {
  return type === 'timestamp' || type === 'timestamptz' ? instant(text) : text
}

function instant(text: string): string {
  const [, date, time, , fraction = '', offset = ''] =
    /^([-\d]+)[T ]((?:\d\d:?){2,3})(\.(\d+))?(Z|[+-]\d\d(?::\d\d)?)?$/.exec(text) ?? []
  if (date === undefined) return text
  const zone = /^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset || 'Z'
  const seconds = new Date(`${date}T${time}${zone}`).toISOString().slice(0, 19).replace('T', ' ')
  return `${seconds}.${fraction.padEnd(6, '0')}`
}

/** Of each column: how many values, the extremes and, where that is exact, the sum. */
function aggregates(dialect: Dialect, table: string): string[] {
  return columns.map(({ name, type }) => {
    const column = dialect.name(name)
    const { text } = dialect
    const shown = ['count(*)', `count(${column})`, `min(${column})`, `max(${column})`]
    const where = type === 'number' ? ` WHERE ${dialect.name('n')} > 1` : ''
    const summed = { integer: 'DECIMAL(38,0)', 'decimal(9,2)': 'DECIMAL(38,2)', number: 'DOUBLE' }[type as string]
    if (summed !== undefined) shown.push(`sum(CAST(${column} AS ${summed}))`)
    return `SELECT ${shown.map(text).join(', ')} FROM ${table}${where}`
  })
}

/** Conditions on each column at its ends, in its middle and beside. */
function conditions(dialect: Dialect, values: readonly (readonly string[])[]): string[] {
  return columns.flatMap(({ name, type }, i) =>
    (values[i] ?? []).flatMap((value) => {
      const [column, literal] = [dialect.name(name), dialect.literal(value, type)]
      return (type === 'boolean' ? ['='] : ['=', '<', '>=']).map((operator) => `${column} ${operator} ${literal}`)
    }),
  )
}

interface Published {
  readonly id: string
  readonly table: string
  readonly records: number
  readonly cells: readonly (readonly (string | null)[])[]
  readonly values: readonly (readonly string[])[]
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
  const untimed = await upload(service, 'untimed', 500, 'time')
  const reported = await Promise.all(made.map((one) => reportOf(service, one)))

  const engine = { made, reported, dir: scratch.path, store, endpoint: s3.endpoint }
  test('ClickHouse reads from the bucket what the service says', { skip: missing('chdb', chdb) }, () =>
    askClickHouse(engine),
  )
  test('Spark reads from the bucket what the service says', { skip: missing('pyspark', pyspark) }, () =>
    askSpark(engine, untimed),
  )
}

/** Why an engine is left out; false where its module is there. */
function missing(module: string, wanted: string): string | false {
  return spawnSync(python, ['-c', `import ${module}`]).status !== 0 && `no ${module}: pip install ${wanted}`
}

interface Engine {
  readonly made: readonly Published[]
  readonly reported: readonly Awaited<ReturnType<typeof reportOf>>[]
  readonly dir: string
  /** Options that name the bucket. */
  readonly store: readonly string[]
  readonly endpoint: string
}

const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test-secret' }

async function publish(engine: Engine, as: 'clickhouse' | 'spark', { id, table }: Published) {
  const args = ['publish', id, '--as', as, '--table', table, '--json', ...engine.store]
  const { stdout } = await runCommand(args, { environment: credentials })
  return JSON.parse(stdout) as { readonly url: string; readonly sql: string }
}

async function askClickHouse(engine: Engine): Promise<void> {
  const { made } = engine
  const published = await Promise.all(made.map((one) => publish(engine, 'clickhouse', one)))
  const tables = published.map(({ sql }) =>
    sql.trim().replace(/, 'Parquet'\);$/, ", 'test', 'test-secret', 'Parquet')"),
  )
  const path = join(engine.dir, 'clickhouse.json')
  await writeFile(path, JSON.stringify([...tables, ...questions(dialects.clickhouse, made)]))
  const results = JSON.parse(await run(python, [fixture('run_engine.py'), path], engine.dir))
  check(engine, results.slice(made.length))
}

async function askSpark(engine: Engine, untimed: Published): Promise<void> {
  const { made, endpoint } = engine
  const published = await Promise.all(made.map((one) => publish(engine, 'spark', one)))
  const { url } = await publish(engine, 'spark', untimed)
  const tables = published.map(({ sql }) => sql.trim().replace(/;$/, ''))
  const result = join(engine.dir, 'spark-result.json')
  const path = join(engine.dir, 'spark.json')
  const directories = [url.replace(/^s3:/, 's3a:')]
  const statements = [...tables, ...questions(dialects.spark, made)]
  await writeFile(path, JSON.stringify({ statements, directories, endpoint, result }))
  await run(python, [fixture('run_spark.py'), path], engine.dir)
  const { rows, types } = JSON.parse(await readFile(result, 'utf8'))
  check(engine, rows.slice(made.length))
  const wanted = columns.filter(({ type }) => type !== 'time')
  const found = wanted.map(({ name, type }) => [name, (sparkFinds as Readonly<Record<string, string>>)[type] ?? type])
  assert.deepEqual(types, [found])
}

/** Extremes, sums and counts of each table, and then all of the smaller one. */
function questions(dialect: Dialect, made: readonly Published[]): readonly string[] {
  const list = columns.map(({ name }) => dialect.text(dialect.name(name))).join(', ')
  const counts = (table: string, condition: string) =>
    `SELECT ${dialect.text('count(*)')} FROM ${table} WHERE ${condition}`
  return [
    ...made.flatMap(({ table, values }) => [
      ...aggregates(dialect, table),
      ...conditions(dialect, values).map((condition) => counts(table, condition)),
    ]),
    `SELECT ${list} FROM small ORDER BY ${dialect.name('n')} + 0`,
  ]
}

/** Takes the answers to these questions. */
function check({ made, reported }: Engine, results: (string | null)[][][]): void {
  const rows = results.pop()!
  for (const { aggregates: wanted, counts } of reported) {
    for (const [i, one] of wanted.entries()) assert.deepEqual(canonicalRow(results.shift()![0]!, i), one)
    for (const [i, count] of counts.entries()) assert.equal(results.shift()![0]![0], count, `condition ${i}`)
  }
  const small = made[0]!.cells.map((cells) => cells.map((cell, i) => cell && canonical(cell, columns[i]!.type)))
  const seen = rows.map((row) => row.map((cell, i) => cell && canonical(cell, columns[i]!.type)))
  for (const [i, one] of small.entries()) assert.deepEqual(seen[i], one)
  assert.equal(seen.length, small.length)
}

/** @param leftOut A type whose column is not sent. */
async function upload(
  service: RunningService,
  table: string,
  records: number,
  leftOut?: Column['type'],
): Promise<Published> {
  const random = createRandom(records)
  const cells = Array.from({ length: records }, (_, i) => cellsOf(i, random))
  const isSent = (i: number) => columns[i]!.type !== leftOut
  const content = csvOf(cells, isSent)
  const receipt = await new Client(service.url).upload({ content, fileName: `${table}.csv` })
  assert.deepEqual(
    receipt.columns.map(({ name, type }) => ({ name, type })),
    columns.filter((_, i) => isSent(i)),
  )
  assert.equal(receipt.records.accepted, records)
  // The ends, and one that is somewhere.
  const values = columns.map((_, i) => [0, 1, 1_001].flatMap((n) => cells[n]?.[i] ?? []))
  return { id: receipt.id, table, records, cells, values }
}

async function reportOf(service: RunningService, { id, values }: Published) {
  const dialect = dialects.service
  const wanted: (string | null)[][] = []
  for (const [i, sql] of aggregates(dialect, 'data').entries()) {
    const [row = []] = await queryRows(service.url, id, sql)
    wanted.push(canonicalRow(row as (string | null)[], i))
  }
  const counts = conditions(dialect, values).map((condition) => `CAST(count(*) FILTER (WHERE ${condition}) AS VARCHAR)`)
  const [row = []] = await queryRows(service.url, id, `SELECT ${counts.join(', ')} FROM data`)
  return { aggregates: wanted, counts: row as string[] }
}

/** The first two are counts, the others values of the column. */
function canonicalRow(row: readonly (string | null)[], column: number): (string | null)[] {
  const { type } = columns[column]!
  return row.map((cell, i) =>
    cell === null || i < 2 ? cell : canonical(cell, i === 4 && type === 'integer' ? 'decimal(9,2)' : type),
  )
}
