// query: queries a dataset with SQL. Knows how to show the result; the server decides what SQL may do.
import { addAbortSignal } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { datasetPath } from '../../../client/client.ts'
import { bytesOf, jsonOf } from '../../../client/http.ts'
import { text } from '../../../config/value-parsers.ts'
import { choice, defineCommand, onlyId, serverOptions, toggle, UsageError } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { saveFile } from '../../save-file.ts'
import { shownBytes } from '../../terminal/format-amounts.ts'
import { readRowPage, valueTable } from '../../terminal/format-values.ts'
import { jsonLine, printable, printableLines } from '../../terminal/printable.ts'

const mediaTypes = {
  table: 'application/json',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const

export const query = defineCommand({
  name: 'query',
  summary: 'query a dataset with SQL',
  usage: '<id> <sql|-> [options]',
  about:
    'Runs one read-only statement over the table `data`. `-` reads it from standard input. Prints the result as a table, or with --as in a format for programs; --json is --as json.',
  options: {
    as: {
      flag: '--as',
      value: '<form>',
      fallback: 'table',
      ...choice(['table', 'json', 'ndjson', 'csv']),
      help: 'One of table, json, ndjson, csv.',
    },
    output: {
      flag: '--output',
      short: 'o',
      value: '<file>',
      fallback: null,
      ...text('a file'),
      help: 'Output file for ndjson or csv; it is complete or absent.',
    },
    force: toggle('--force', 'Overwrite an existing file.'),
    ...serverOptions,
  },
  examples: [
    { line: `csv-upload query 5f0c… 'SELECT region, sum(amount) FROM data GROUP BY region'`, what: 'A table.' },
    {
      line: 'csv-upload query 5f0c… - --as csv -o top.csv < top.sql',
      what: 'A statement from one file, the result to another.',
    },
  ],
  completes: 'nothing',
  async run(context, { as, output, force, json, ...server }, args) {
    const [given, statement, more] = args
    if (given === undefined || statement === undefined)
      throw new UsageError('Cannot start: wanted an id and a statement')
    if (more !== undefined) throw new UsageError(`Cannot use argument '${more}': put the statement in quotes`)
    const prefix = onlyId([given])
    const form = json ? 'json' : as
    if (output !== null && (form === 'table' || form === 'json'))
      throw new UsageError('Cannot use --output: wanted --as ndjson or --as csv with it')
    const sql = statement === '-' ? await readText(addAbortSignal(context.signal, process.stdin)) : statement
    using client = connect(context, server)
    const answer = await client.ask({
      method: 'POST',
      path: datasetPath(await client.findId(prefix), 'query'),
      headers: { 'content-type': 'application/json', accept: mediaTypes[form] },
      body: JSON.stringify({ sql }),
    })
    const { terminal, signal } = context
    if (form === 'json') await terminal.print(`${jsonLine(await jsonOf(answer, signal))}\n`)
    else if (form === 'table') {
      const page = readRowPage(await jsonOf(answer, signal))
      await terminal.print(valueTable(page, terminal.width))
      if (page.truncated)
        terminal.complain('There are more rows than the server returns at once: use a filter, or LIMIT and OFFSET.')
    } else if (output !== null) {
      const { bytes } = await saveFile(output, bytesOf(answer, signal), { bytes: null, sha256: null }, force)
      terminal.say(`${printable(output)}  ${shownBytes(bytes)}`)
    } else {
      const decoder = new TextDecoder()
      for await (const chunk of bytesOf(answer, signal)) {
        await terminal.print(terminal.isTerminal ? printableLines(decoder.decode(chunk, { stream: true })) : chunk)
      }
    }
    return exitCodes.ok
  },
})
