// Tests of the commands that read a bucket: csv-upload publish prints SQL for its datasets, of which DuckDB runs its own;
// csv-upload doctor compares it with its receipts.
import assert from 'node:assert/strict'
import { cp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDuckDb } from '../../src/engine/duckdb/duckdb.ts'
import { Client } from '../support/client.ts'
import { runCommand } from '../support/command.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'

const content =
  'id,"a ""b"" `c`\\",price,at,when\n1,x,1.50,10:00:00,2024-01-02 03:04:05\n2,,-2.25,11:30:00,2024-01-03 00:00:00\n'

test('csv-upload publish prints SQL over the parts of a dataset in its bucket', { skip: noS3Server }, async () => {
  await using s3 = await startS3Server()
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env
  const url = `s3://${s3.bucket}/some/prefix`
  const flags = ['--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
  await using service = await RunningService.fresh(['--store', url, ...flags])
  const { id } = await new Client(service.url).upload({ content, fileName: 'prices.csv' })
  const environment = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, CSV_UPLOAD_STORE: url }
  const publish = (...args: string[]) => runCommand(['publish', ...args, ...flags], { environment })

  const { stdout: duckdb, code } = await publish(id.slice(0, 8), '--as', 'duckdb', '--table', 'prices')
  assert.equal(code, 0)
  const local = duckdb.replaceAll(`s3://${s3.bucket}/`, `${s3.root}/${s3.bucket}/`)
  assert.notEqual(local, duckdb)
  const engine = await openDuckDb({})
  await engine.run(local)
  const query = 'SELECT count(*), sum(price), max("when"), max("at"), count("a ""b"" `c`\\") FROM prices'
  const read = await engine.runAndReadAll(query)
  assert.deepEqual(read.getRowsJson(), [['2', '-0.75', '2024-01-03 00:00:00', '11:30:00', '1']])
  engine.closeSync()

  const attempt = /files\/([0-9a-f-]{36})\/data\/part-00000\.parquet/.exec(duckdb)?.[1]
  const directory = `${s3.bucket}/some/prefix/files/${attempt}/data/`
  const { stdout: spark } = await publish(id, '--as', 'spark')
  assert.equal(
    spark,
    `CREATE TABLE dataset_${id.slice(0, 8)} (
  \`id\` BIGINT,
  \`a "b" \`\`c\`\`\\\` STRING,
  \`price\` Decimal(9,2),
  \`at\` BIGINT,
  \`when\` TIMESTAMP_NTZ
) USING parquet LOCATION 's3a://${directory}';
`,
  )
  const { stdout: clickhouse } = await publish(id, '--as', 'clickhouse')
  assert.equal(
    clickhouse,
    `CREATE TABLE dataset_${id.slice(0, 8)} (
  \`id\` Nullable(Int64),
  \`a "b" \\\`c\\\`\\\\\` Nullable(String),
  \`price\` Nullable(Decimal(9,2)),
  \`at\` Nullable(Time64(6)),
  \`when\` Nullable(DateTime64(6, 'UTC'))
) ENGINE = S3('${s3.endpoint}/${directory}*.parquet', 'Parquet');
`,
  )
  const { stdout: trino } = await publish(id, '--as', 'trino')
  const location = `s3://${directory}`
  assert.equal(
    trino,
    `-- For timestamps: hive.timestamp-precision=MICROSECONDS and hive.parquet.time-zone=UTC in the catalog.
CREATE TABLE dataset_${id.slice(0, 8)} (
  "id" bigint,
  "a ""b"" \`c\`\\" varchar,
  "price" decimal(9,2),
  "at" bigint,
  "when" timestamp(6)
) WITH (external_location = '${location}', format = 'PARQUET');
`,
  )
  const { stdout: iceberg } = await publish(id, '--as', 'trino-iceberg', '--table', 'prices')
  assert.equal(
    iceberg,
    `CREATE TABLE prices (
  "id" bigint,
  "a ""b"" \`c\`\\" varchar,
  "price" decimal(9,2),
  "at" time(6),
  "when" timestamp(6)
);
ALTER TABLE prices EXECUTE add_files(location => '${location}', format => 'PARQUET');
`,
  )
  const { stdout: json } = await publish(id, '--as', 'spark', '--json')
  assert.deepEqual(JSON.parse(json), {
    id,
    table: `dataset_${id.slice(0, 8)}`,
    url: `s3://${directory}`,
    files: ['part-00000.parquet'],
    sql: spark,
  })

  const none = await publish('f'.repeat(32), '--as', 'spark')
  assert.equal(none.code, 1)
  assert.match(none.stderr, /no dataset has such an id/)
  for (const [args, message] of [
    [[id], /--as is missing/],
    [[id, '--as', 'oracle'], /spark/],
    [['--as', 'spark'], /no dataset given/],
    [[id, '--as', 'spark', '--table', 'a b'], /letters, digits/],
    [[id, id, '--as', 'spark', '--table', 'ab'], /several datasets/],
  ] as const) {
    const refused = await publish(...args)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, message)
  }
  const nowhere = await runCommand(['publish', id, '--as', 'spark'])
  assert.match(nowhere.stderr, /no bucket given/)
})

test('csv-upload doctor --store finds what no receipt names, and what is missing', { skip: noS3Server }, async () => {
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env
  const url = `s3://${s3.bucket}/some/prefix`
  const flags = { CSV_UPLOAD_S3_ENDPOINT: s3.endpoint, CSV_UPLOAD_S3_PATH_STYLE: 'yes' }
  const environment = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...flags }
  const doctor = (...args: string[]) => runCommand(['doctor', '--store', url, ...args], { environment })
  const ids: string[] = []
  {
    const store = ['--store', url, '--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
    await using service = await RunningService.start(join(scratch.path, 'data'), store)
    for (const text of ['n\n1\n', 'n\n2\n']) ids.push((await new Client(service.url).upload(text)).id)
  }
  const whole = await doctor()
  assert.deepEqual(
    [whole.code, whole.stdout],
    [0, 'ok    bucket   2 datasets, 0 attempts in progress or being removed\n'],
  )

  const root = join(s3.root, s3.bucket, 'some/prefix')
  const attempts = await readdir(join(root, 'files'))
  const original = join(root, 'files', attempts[0]!, 'original')
  await rename(original, `${original}.kept`)
  const other = attempts[0]!.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  await cp(join(root, 'files', attempts[1]!), join(root, 'files', other), { recursive: true })
  const damaged = await doctor('--json')
  assert.equal(damaged.code, 1)
  const { ok, checks } = JSON.parse(damaged.stdout) as { ok: boolean; checks: { check: string; detail: string }[] }
  assert.equal(ok, false)
  assert.deepEqual(
    checks
      .slice(1)
      .map(({ check, detail }) => [check, detail])
      .toSorted(),
    [
      ['missing', `files/${attempts[0]}/original`],
      ['unnamed', `files/${other}/`],
      ['unnamed', `files/${attempts[0]}/original.kept`],
    ].toSorted(),
  )
  await rename(`${original}.kept`, original)
  await rm(join(root, 'files', other), { recursive: true })
  assert.equal((await doctor()).code, 0)
})
