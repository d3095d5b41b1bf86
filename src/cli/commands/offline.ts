// Offline: the commands that read datasets where they are stored, without a server. Knows how to show what is found.
import { option } from '../../config/option.ts'
import { oneOf, text } from '../../config/value-parsers.ts'
import { loadPart } from '../../core/load-part.ts'
import { defineCommand, onlyArgument, someArguments, UsageError } from '../command.ts'
import { engineSql, engines } from '../engine-sql.ts'
import { exitCodes } from '../exit-codes.ts'
import { counted, shownBytes } from '../terminal/format-amounts.ts'
import { printable } from '../terminal/printable.ts'
import { drawProgress } from '../terminal/progress.ts'

export const verify = defineCommand({
  name: 'verify',
  summary: 'verify every byte and every value of a dataset, offline',
  usage: '<directory>… [options]',
  about:
    'Compares a dataset with its receipt, without a server: size and SHA-256 of the original and of every part; every record, read again from the original; the positions of all rejects; every value of every Parquet file: the records are written once more by the same writer, in the types that the receipt states, and compared with the stored values. So it finds every damaged, lost, moved or mixed-up value, but no mistake that the writer makes each time: scripts/verify.py, which shares no code with the service, finds those. Takes a directory of the service (data/datasets/<id>) or one from `csv-upload get --as dataset`. Exits with 0 if everything matches. With --json, prints one line per directory.',
  examples: [
    ['csv-upload verify data/datasets/*', 'Everything that the service stores.'],
    ['csv-upload get 5f0c… --as dataset -o copy && csv-upload verify copy', 'A downloaded copy.'],
  ],
  args: someArguments('directory'),
  async run({ terminal, signal }, { json, quiet }, args) {
    // Loaded only here: it also loads the scanner and the Parquet reader.
    const { createVerifier } = await loadPart(() => import('../../verify.ts'))
    await using verifier = createVerifier()
    let failed = 0
    for (const dir of args) {
      const progress = { bytes: 0 }
      using _drawn = drawProgress(terminal, () => `${printable(dir)}  ${shownBytes(progress.bytes)} read`)
      const checks = []
      for await (const check of verifier.verify(dir, progress, signal)) {
        checks.push(check)
        if (json || (quiet && check.ok)) continue
        const what = args.length > 1 ? `${dir}: ${check.check}` : check.check
        await terminal.print(`${terminal.mark(check.ok)}  ${printable(what)}  ${printable(check.detail)}\n`)
      }
      const ok = checks.every((check) => check.ok)
      if (!ok) failed += 1
      if (json) await terminal.printJson({ directory: dir, ok, checks })
    }
    if (!json && failed > 0) terminal.complain(`${failed} of ${args.length} failed`)
    return failed === 0 ? exitCodes.ok : exitCodes.failed
  },
})

export const scrub = defineCommand({
  name: 'scrub',
  summary: 'find damaged files in a data directory, offline',
  usage: '<data directory> [options]',
  about:
    'Reads every file of every dataset and compares its size and SHA-256 with the receipt, and the receipt with its checksum. Changes nothing and may run while the service does. Prints one line per damaged or missing file and exits with 0 if there is none. The service detects damage before it sends wrong bytes; scrub finds it while you still have a backup. It does not read the records again: use csv-upload verify for that.',
  examples: [
    ['csv-upload scrub data', 'Everything that the service stores.'],
    ['csv-upload scrub data --json', 'One line of JSON per damaged file.'],
  ],
  args: onlyArgument('data directory'),
  async run({ terminal, signal }, { json, quiet }, dir) {
    // Loaded only here: other commands do not read a data directory.
    const { scrubDirectory } = await loadPart(() => import('../../verify.ts'))
    const progress = { datasets: 0, files: 0, bytes: 0 }
    const seen = () =>
      `${counted(progress.datasets, 'dataset')}, ${counted(progress.files, 'file')}, ${shownBytes(progress.bytes)} read`
    let damaged = 0
    {
      using _drawn = drawProgress(terminal, seen)
      for await (const damage of scrubDirectory(dir, progress, signal)) {
        damaged += 1
        const line = () => `${terminal.mark(false)}  ${damage.id}  ${damage.file}  ${printable(damage.detail)}\n`
        await terminal.printResult(json, damage, line)
      }
    }
    if (!json && !quiet) await terminal.print(`${seen()}, ${damaged} damaged\n`)
    return damaged === 0 ? exitCodes.ok : exitCodes.failed
  },
})

export const publish = defineCommand({
  name: 'publish',
  summary: 'print SQL that makes datasets in a bucket tables in an engine',
  usage: '<id>… --as <engine> [--table <name>] [--store <url>]',
  about:
    'Looks up datasets directly in the bucket of the service and prints the SQL for each: a table for Spark, ClickHouse or Trino, or a view for DuckDB, over its Parquet parts, with exact types. Nothing is copied or changed; once the dataset is deleted, the table no longer works. Name the bucket with the options or variables of csv-upload serve. Credentials are those that the AWS SDK finds; the engine needs its own.',
  options: {
    as: option('--as <engine>', oneOf(engines)).help('Engine that will read the datasets.'),
    table: option('--table <name>', text('a name of letters, digits and underscores')).help(
      'Name of the table, for a single dataset; else dataset_ and the first eight digits of its id.',
    ),
    store: option('--store <url>', text('s3://bucket or s3://bucket/prefix')).help(
      'Bucket of the service; else CSV_UPLOAD_STORE.',
    ),
    endpoint: option('--s3-endpoint <url>', text('a URL such as https://s3.example.org')).help(
      'Server of the bucket; else CSV_UPLOAD_S3_ENDPOINT, else AWS.',
    ),
    region: option('--s3-region <region>', text('a region')).help('Region of the bucket; else CSV_UPLOAD_S3_REGION.'),
    pathStyle: option('--s3-path-style <yes or no>', oneOf(['yes', 'no'])).help(
      'Name the bucket in the path; else CSV_UPLOAD_S3_PATH_STYLE.',
    ),
  },
  examples: [
    [
      'csv-upload publish 5f0c1a2b --as clickhouse --table people --store s3://csv-uploads/prod',
      'A ClickHouse table over the parts.',
    ],
    ['csv-upload publish 5f0c1a2b --as spark | spark-sql', 'With CSV_UPLOAD_STORE set.'],
    [
      'csv-upload publish 5f0c1a2b --as trino > people.sql',
      'An external table of the Hive connector; trino-iceberg makes a table of the Iceberg connector.',
    ],
  ],
  args: someArguments('dataset'),
  async run({ terminal }, { json, as, table, store, endpoint, region, pathStyle }, args) {
    if (as === null) throw new UsageError('Cannot start: --as is missing')
    if (table !== null && args.length > 1) throw new UsageError('Cannot use --table: there are several datasets')
    if (table !== null && !/^[a-z_]\w*$/i.test(table)) {
      const wanted = 'letters, digits and underscores, not beginning with a digit'
      throw new UsageError(`Cannot use --table: given "${table}", expected ${wanted}`)
    }
    const given = { '--store': store, '--s3-endpoint': endpoint, '--s3-region': region, '--s3-path-style': pathStyle }
    const argv = Object.entries(given).flatMap(([flag, value]) => (value === null ? [] : [flag, value]))
    // Loaded only here: it also loads the AWS SDK.
    const { openBucket } = await loadPart(() => import('../../publish.ts'))
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
  },
})
