// watch: follows one upload to its end. Knows how to show progress; the client reads it from the server.
import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/client-error.ts'
import { failureOf, type SentStatus } from '../../../client/sent-status.ts'
import { type Context, defineCommand, onlyArgument, serverOptions } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { PhaseText } from '../../sending/send-progress.ts'
import { sentText } from '../../sending/sent-text.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'
import { drawProgress } from '../../terminal/progress.ts'
import { uploadIds } from './upload-ids.ts'

export const watch = defineCommand({
  name: 'watch',
  summary: 'follow an upload to its end',
  usage: '<upload id> [options]',
  about:
    'Shows the phase, size and rate of an upload from any client, and prints its receipt when it is done; exits with 1 if it fails. csv-upload uploads prints the ids; the first digits are enough. With --json, prints each change on one line, as the server sends it. Reconnects if the connection is lost, and polls every two seconds if events do not get through.',
  options: { ...serverOptions },
  examples: [
    { line: 'csv-upload watch 019aa1b2-4c80-7000-8000-0123456789ab', what: 'On a terminal, a live progress line.' },
    { line: 'csv-upload watch 019aa1b2-4c80 --json | jq -r .phase', what: 'Each change for a script.' },
  ],
  completes: 'nothing',
  async run(context, { json, ...server }, args) {
    const [prefix = ''] = uploadIds([onlyArgument(args, 'upload id')])
    using client = connect(context, server)
    const id = await client.findUpload(prefix)
    const last = await followed(context, client, id, json)
    if (last === null)
      throw new ClientError({ kind: 'wrong', message: `Cannot watch upload '${id}': no status arrived` })
    if (last.datasetId === null) throw new ClientError(failureOf(last))
    if (json) return exitCodes.ok
    const { receipt } = await client.receipt(last.datasetId)
    const duplicate = last.outcome !== 'new'
    const { terminal } = context
    await terminal.print(sentText(terminal, last.fileName ?? id, { ...receipt, duplicate }, null))
    return exitCodes.ok
  },
})

/** The last status. */
async function followed({ terminal }: Context, client: Client, id: string, json: boolean): Promise<SentStatus | null> {
  const phases = new PhaseText()
  let last: SentStatus | null = null
  using _progress = drawProgress(terminal, () =>
    last === null ? 'asking the server' : `${printable(last.fileName ?? id)}  ${phases.of(last)}`,
  )
  for await (const status of client.watch(id)) {
    last = status
    if (json) await terminal.print(`${jsonLine(status)}\n`)
  }
  return last
}
