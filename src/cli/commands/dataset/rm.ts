// rm: deletes datasets. Knows only their ids.
import { datasetIds, defineCommand, serverOptions, UsageError } from '../../command.ts'
import { outcomeOf } from '../../command-error.ts'
import { connect } from '../../connect.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'

export const rm = defineCommand({
  name: 'rm',
  summary: 'delete datasets',
  usage: '<id>… [options]',
  about:
    'Deletes each dataset permanently: original, data, rejects and receipt, without asking first. If one of them cannot be deleted, the others still are. With --json, prints one line per id.',
  options: { ...serverOptions },
  examples: [
    {
      line: 'csv-upload list --all --name test --json | jq -r .id | xargs csv-upload rm',
      what: 'Every dataset whose file name contains test.',
    },
  ],
  completes: 'nothing',
  async run(context, { json, ...server }, args) {
    if (args.length === 0) throw new UsageError('Cannot start: no id given')
    const prefixes = datasetIds(args)
    using client = connect(context, server)
    let code: ExitCode = exitCodes.ok
    for (const prefix of prefixes) {
      let id = prefix
      try {
        id = await client.findId(prefix)
        await client.remove(id)
        await context.terminal.print(json ? `${jsonLine({ id, ok: true })}\n` : `deleted ${printable(id)}\n`)
      } catch (error) {
        context.signal.throwIfAborted()
        const outcome = outcomeOf(error)
        if (code === exitCodes.ok) code = outcome.code
        if (json) await context.terminal.print(`${jsonLine({ id, ok: false, error: outcome.error })}\n`)
        else context.terminal.complain(`${context.terminal.paintError('red', `${printable(id)}:`)} ${outcome.line}`)
      }
    }
    return code
  },
})
