// publish: prints the SQL with which an engine reads datasets directly from a bucket. Knows neither bucket nor engine.
import { text } from '../../../config/value-parsers.ts'
import { choice, defineCommand, UsageError } from '../../command.ts'
import { engineSql, engines } from '../../engine-sql.ts'
import { exitCodes } from '../../exit-codes.ts'
import { loadService } from '../../load-service.ts'

export const publish = defineCommand({
  name: 'publish',
  summary: 'print SQL that makes datasets in a bucket tables in an engine',
  usage: '<id>… --as <engine> [--table <name>] [--store <url>]',
  about:
    'Looks up datasets directly in the bucket of the service and prints the SQL for each: a table for Spark, ClickHouse or Trino, or a view for DuckDB, over its Parquet parts, with exact types. Nothing is copied or changed; once the dataset is deleted, the table no longer works. Name the bucket with the options or variables of csv-upload serve. Credentials are those that the AWS SDK finds; the engine needs its own.',
  options: {
    as: {
      flag: '--as',
      value: '<engine>',
      fallback: null,
      ...choice(engines),
      help: 'Engine that will read the datasets.',
    },
    table: {
      flag: '--table',
      value: '<name>',
      fallback: null,
      ...text('a name of letters, digits and underscores'),
      help: 'Name of the table, for a single dataset; else dataset_ and the first eight digits of its id.',
    },
    store: {
      flag: '--store',
      value: '<url>',
      fallback: null,
      ...text('s3://bucket or s3://bucket/prefix'),
      help: 'Bucket of the service; else CSV_UPLOAD_STORE.',
    },
    endpoint: {
      flag: '--s3-endpoint',
      value: '<url>',
      fallback: null,
      ...text('a URL such as https://s3.example.org'),
      help: 'Server of the bucket; else CSV_UPLOAD_S3_ENDPOINT, else AWS.',
    },
    region: {
      flag: '--s3-region',
      value: '<region>',
      fallback: null,
      ...text('a region'),
      help: 'Region of the bucket; else CSV_UPLOAD_S3_REGION.',
    },
    pathStyle: {
      flag: '--s3-path-style',
      value: '<yes or no>',
      fallback: null,
      ...choice(['yes', 'no']),
      help: 'Name the bucket in the path; else CSV_UPLOAD_S3_PATH_STYLE.',
    },
  },
  examples: [
    {
      line: 'csv-upload publish 5f0c1a2b --as clickhouse --table people --store s3://csv-uploads/prod',
      what: 'A ClickHouse table over the parts.',
    },
    { line: 'csv-upload publish 5f0c1a2b --as spark | spark-sql', what: 'With CSV_UPLOAD_STORE set.' },
    {
      line: 'csv-upload publish 5f0c1a2b --as trino > people.sql',
      what: 'An external table of the Hive connector; trino-iceberg makes a table of the Iceberg connector.',
    },
  ],
  completes: 'nothing',
  async run({ terminal }, { json, as, table, store, endpoint, region, pathStyle }, args) {
    if (args.length === 0) throw new UsageError('Cannot start: no dataset given')
    if (as === null) throw new UsageError('Cannot start: --as is missing')
    if (table !== null && args.length > 1) throw new UsageError('Cannot use --table: there are several datasets')
    if (table !== null && !/^[a-z_]\w*$/i.test(table)) {
      const wanted = 'letters, digits and underscores, not beginning with a digit'
      throw new UsageError(`Cannot use --table: given "${table}", wanted ${wanted}`)
    }
    const given = { '--store': store, '--s3-endpoint': endpoint, '--s3-region': region, '--s3-path-style': pathStyle }
    const argv = Object.entries(given).flatMap(([flag, value]) => (value === null ? [] : [flag, value]))
    // Loaded only here: it also loads the AWS SDK.
    const { openBucket } = await loadService(() => import('../../../publish.ts'))
    const bucket = openBucket(argv)
    if (bucket === null) throw new UsageError('Cannot start: no bucket given (--store)')
    for (const prefix of args) {
      const { receipt, url } = await bucket.find(prefix)
      const { id, columns, parts } = receipt
      const name = table ?? `dataset_${id.slice(0, 8)}`
      const files = parts.map(({ file }) => file.slice('data/'.length))
      const sql = engineSql(as, { name, columns, url: `${url}data/`, files, endpoint: bucket.endpoint })
      await terminal.print(json ? `${JSON.stringify({ id, table: name, url: `${url}data/`, files, sql })}\n` : sql)
    }
    return exitCodes.ok
  },
})
