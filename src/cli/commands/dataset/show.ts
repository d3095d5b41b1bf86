// show: prints the receipt of a dataset. Knows the route, not the layout of a receipt.
import { defineCommand, onlyId, serverOptions } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { receiptText } from '../../terminal/format-receipt.ts'
import { jsonLine } from '../../terminal/printable.ts'

export const show = defineCommand({
  name: 'show',
  summary: 'show the receipt of a dataset',
  usage: '<id> [options]',
  about:
    'Prints how a file was read: record counts, columns with their types and why, notes and rejects. With --json, prints the receipt as the server sends it.',
  options: { ...serverOptions },
  examples: [{ line: 'csv-upload show 5f0c1a2b --json | jq .columns', what: 'The columns, for a script.' }],
  completes: 'nothing',
  async run(context, { json, ...server }, args) {
    const prefix = onlyId(args)
    using client = connect(context, server)
    const found = await client.receipt(await client.findId(prefix))
    await context.terminal.print(json ? `${jsonLine(found.json)}\n` : receiptText(found.receipt, context.terminal))
    return exitCodes.ok
  },
})
