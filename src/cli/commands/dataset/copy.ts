// copy: copies a dataset into a database that the operator has configured. Knows the routes; the server does the copying.
import { setTimeout as sleep } from 'node:timers/promises'
import { datasetPath } from '../../../client/client.ts'
import { ClientError } from '../../../client/client-error.ts'
import { jsonOf } from '../../../client/http.ts'
import { text } from '../../../config/value-parsers.ts'
import { type CopyStatus, copyModes } from '../../../core/copies/copy-status.ts'
import { choice, defineCommand, onlyId, serverOptions, toggle, UsageError } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { counted } from '../../terminal/format-amounts.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'

const pollMs = 500

export const copy = defineCommand({
  name: 'copy',
  summary: 'copy a dataset into a database',
  usage: '<id> --to <name> [--table <name>] [--mode <mode>] [--key <columns>]',
  about:
    'Copies the accepted records into a table of a database that the server was started with (--copy-target), and waits until that is done. A copy is complete or not made at all. If you stop the command, the server continues; run it again to wait for the same copy.',
  options: {
    to: {
      flag: '--to',
      value: '<name>',
      fallback: null,
      ...text('the name of a target'),
      help: 'Name of the target, as configured on the server.',
    },
    table: {
      flag: '--table',
      value: '<name>',
      fallback: null,
      ...text('the name of a table'),
      help: 'Table; else the table of the target, else one named after the file.',
    },
    mode: {
      flag: '--mode',
      value: '<mode>',
      fallback: null,
      ...choice(copyModes),
      help: 'Replace the table, append to it, or upsert: append, and replace rows with the same key.',
    },
    key: {
      flag: '--key',
      value: '<columns>',
      fallback: null,
      ...text('names of columns, separated by commas'),
      help: 'Columns that identify a row, separated by commas; for --mode upsert.',
    },
    noWait: toggle('--no-wait', 'Do not wait until it is done.'),
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload copy 5f0c1a2b --to warehouse', what: 'A table named after the file.' },
    {
      line: 'csv-upload copy 5f0c1a2b --to warehouse --table people --mode upsert --key id',
      what: 'Rows with the same id are replaced.',
    },
  ],
  completes: 'nothing',
  async run(context, { json, to, table, mode, key, noWait, ...server }, args) {
    const prefix = onlyId(args)
    if (to === null) throw new UsageError('Cannot start: --to is missing')
    using client = connect(context, server)
    const id = await client.findId(prefix)
    const answer = await client.ask({
      method: 'POST',
      path: datasetPath(id, 'copies'),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        to,
        ...(table !== null && { table }),
        ...(mode !== null && { mode }),
        ...(key !== null && { key: key.split(',') }),
      }),
    })
    let status = readStatus(await jsonOf(answer, context.signal))
    while (!noWait && (status.state === 'waiting' || status.state === 'copying')) {
      await sleep(pollMs, undefined, { signal: context.signal })
      status = findStatus(await client.json(datasetPath(id, 'copies')), status)
    }
    await context.terminal.print(json ? `${jsonLine(status)}\n` : `${printable(sentence(status))}\n`)
    return status.state === 'failed' ? exitCodes.failed : exitCodes.ok
  },
})

function sentence({ state, records, to, table, problem }: CopyStatus): string {
  const where = `table ${table} of ${to}`
  if (state === 'done') return `${counted(records ?? 0, 'record')} copied into ${where}`
  if (state === 'failed') return `Not copied into ${where}: ${problem}`
  return `Being copied into ${where}${problem === null ? '' : `; the last try: ${problem}`}`
}

/** The requested copy, found by its table. */
function findStatus(answer: unknown, { to, table }: CopyStatus): CopyStatus {
  const copies = typeof answer === 'object' && answer !== null && 'copies' in answer ? answer.copies : null
  const found = Array.isArray(copies)
    ? copies.map(readStatus).find((one) => one.to === to && one.table === table)
    : null
  return found ?? readStatus(null)
}

/** @throws {ClientError} */
function readStatus(json: unknown): CopyStatus {
  if (typeof json === 'object' && json !== null && 'state' in json && 'table' in json) return json as CopyStatus // from our own service
  throw new ClientError({ kind: 'wrong', message: 'Cannot read the response: it is not a copy' })
}
