// Tasks: the commands that let the server do something with a dataset: query it, read it otherwise, copy it.
import { addAbortSignal } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { datasetPath } from '../../client/client.ts'
import { bytesOf, jsonOf } from '../../client/http.ts'
import { readAs, shapes } from '../../client/response-shapes.ts'
import { option, toggle } from '../../config/option.ts'
import { oneOf, text } from '../../config/value-parsers.ts'
import { type CopyStatus, copyModes } from '../../core/copies/copy-status.ts'
import { UsageError } from '../command.ts'
import { declaredOptions, declaredParts } from '../declared-options.ts'
import { exitCodes } from '../exit-codes.ts'
import { datasetCommand, onlyId, serverCommand } from '../server-command.ts'
import { counted } from '../terminal/format-amounts.ts'
import { receiptText, valueTable } from '../terminal/format-responses.ts'
import { printable } from '../terminal/printable.ts'

const mediaTypes = {
  table: 'application/json',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const

export const query = serverCommand({
  name: 'query',
  summary: 'query a dataset with SQL',
  usage: '<id> <sql|-> [options]',
  about:
    'Runs one read-only statement over the table `data`. `-` reads it from standard input. Prints the result as a table, or with --as in a format for programs; --json is --as json.',
  options: {
    as: option('--as <form>', oneOf(['table', 'json', 'ndjson', 'csv']), 'table').help(
      'One of table, json, ndjson, csv.',
    ),
  },
  examples: [
    [`csv-upload query 5f0c… 'SELECT region, sum(amount) FROM data GROUP BY region'`, 'A table.'],
    ['csv-upload query 5f0c… - --as csv < top.sql > top.csv', 'A statement from one file, the result to another.'],
  ],
  args([given, statement, more]) {
    if (given === undefined || statement === undefined)
      throw new UsageError('Cannot start: expected an id and a statement')
    if (more !== undefined) throw new UsageError(`Cannot use argument '${more}': put the statement in quotes`)
    return { prefix: onlyId([given]), statement }
  },
  async run({ client, terminal, signal }, { as, json }, { prefix, statement }) {
    const form = json ? 'json' : as
    const sql = statement === '-' ? await readText(addAbortSignal(signal, process.stdin)) : statement
    const path = datasetPath(await client.findId(prefix), 'query')
    const response = await client.post(path, JSON.stringify({ sql }), mediaTypes[form])
    if (form === 'json') await terminal.printJson(await jsonOf(response, signal))
    else if (form === 'table') {
      const page = readAs(shapes.rows, await jsonOf(response, signal))
      await terminal.print(valueTable(page, terminal.width))
      if (page.truncated)
        terminal.complain('There are more rows than the server returns at once: use a filter, or LIMIT and OFFSET.')
    } else await terminal.printBytes(bytesOf(response, signal))
  },
})

export const readings = datasetCommand({
  name: 'readings',
  summary: 'read a stored file with other settings, without sending it again',
  usage: '<id> [--dialect <json|@file>] [--schema <json|@file>]',
  about:
    'Reads the original of a dataset with another dialect or schema and prints the receipt of the resulting dataset. The first dataset stays as it is. The same settings make the same dataset again.',
  options: { ...declaredOptions },
  examples: [
    [`csv-upload readings 5f0c1a2b --dialect '{"delimiter":";"}'`, 'With another delimiter.'],
    ['csv-upload readings 5f0c1a2b --schema @sales.schema.json', 'Typed and validated.'],
  ],
  async fetch({ client, path, signal }, declared) {
    const parts = declaredParts(declared)
    if (parts.size === 0) throw new UsageError('Cannot start: expected --dialect, --schema or both')
    const members = [...parts].map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    const response = await client.post(await path('readings'), `{${members.join(',')}}`)
    return readAs(shapes.receipt, await jsonOf(response, signal))
  },
  show: receiptText,
})

const pollMs = 500

export const copy = datasetCommand({
  name: 'copy',
  summary: 'copy a dataset into a database',
  usage: '<id> --to <name> [--table <name>] [--mode <mode>] [--key <columns>]',
  about:
    'Copies the accepted records into a table of a database that the server was started with (--copy-target), and waits until that is done. A copy is complete or not made at all. If you stop the command, the server continues; run it again to wait for the same copy.',
  options: {
    to: option('--to <name>', text('the name of a target')).help('Name of the target, as configured on the server.'),
    table: option('--table <name>', text('the name of a table')).help(
      'Table; else the table of the target, else one named after the file.',
    ),
    mode: option('--mode <mode>', oneOf(copyModes)).help(
      'Replace the table, append to it, or upsert: append, and replace rows with the same key.',
    ),
    key: option('--key <columns>', text('names of columns, separated by commas')).help(
      'Columns that identify a row, separated by commas; for --mode upsert.',
    ),
    noWait: toggle('--no-wait', 'Do not wait until it is done.'),
  },
  examples: [
    ['csv-upload copy 5f0c1a2b --to warehouse', 'A table named after the file.'],
    [
      'csv-upload copy 5f0c1a2b --to warehouse --table people --mode upsert --key id',
      'Rows with the same id are replaced.',
    ],
  ],
  async fetch({ client, path, signal }, { to, table, mode, key, noWait }): Promise<CopyStatus> {
    if (to === null) throw new UsageError('Cannot start: --to is missing')
    const copies = await path('copies')
    // JSON leaves out what is undefined.
    const request = { to, table: table ?? undefined, mode: mode ?? undefined, key: key?.split(',') }
    let status = readAs(shapes.copy, await jsonOf(await client.post(copies, JSON.stringify(request)), signal))
    while (!noWait && (status.state === 'waiting' || status.state === 'copying')) {
      await sleep(pollMs, undefined, { signal })
      status = sameCopy(await client.json(copies), status)
    }
    return status
  },
  show: (status) => `${printable(sentence(status))}\n`,
  exitCode: ({ state }) => (state === 'failed' ? exitCodes.failed : exitCodes.ok),
})

function sentence({ state, records, to, table, problem }: CopyStatus): string {
  const where = `table ${table} of ${to}`
  if (state === 'done') return `${counted(records ?? 0, 'record')} copied into ${where}`
  if (state === 'failed') return `Not copied into ${where}: ${problem}`
  return `Being copied into ${where}${problem === null ? '' : `; the last try: ${problem}`}`
}

function sameCopy(response: unknown, { to, table }: CopyStatus): CopyStatus {
  const copies = readAs(shapes.copies, response).copies.map((one) => readAs(shapes.copy, one))
  return readAs(
    shapes.copy,
    copies.find((one) => one.to === to && one.table === table),
  )
}
