// readings: reads the stored original of a dataset with other settings. Knows the route; the server does the reading.
import { datasetPath } from '../../../client/client.ts'
import { jsonOf } from '../../../client/http.ts'
import { readReceipt } from '../../../client/uploaded-receipt.ts'
import { defineCommand, onlyId, serverOptions, UsageError } from '../../command.ts'
import { connect } from '../../connect.ts'
import { declaredOptions, declaredParts } from '../../declared-options.ts'
import { exitCodes } from '../../exit-codes.ts'
import { receiptText } from '../../terminal/format-receipt.ts'
import { jsonLine } from '../../terminal/printable.ts'

export const readings = defineCommand({
  name: 'readings',
  summary: 'read a stored file with other settings, without sending it again',
  usage: '<id> [--dialect <json|@file>] [--schema <json|@file>]',
  about:
    'Reads the original of a dataset with another dialect or schema and prints the receipt of the resulting dataset. The first dataset stays as it is. The same settings make the same dataset again.',
  options: { ...declaredOptions, ...serverOptions },
  examples: [
    { line: `csv-upload readings 5f0c1a2b --dialect '{"delimiter":";"}'`, what: 'With another delimiter.' },
    { line: 'csv-upload readings 5f0c1a2b --schema @sales.schema.json', what: 'Typed and validated.' },
  ],
  completes: 'files',
  async run(context, { json, dialect, schema, ...server }, args) {
    const prefix = onlyId(args)
    const parts = declaredParts({ dialect, schema })
    if (parts.size === 0) throw new UsageError('Cannot start: wanted --dialect, --schema or both')
    using client = connect(context, server)
    const members = [...parts].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    const answer = await client.ask({
      method: 'POST',
      path: datasetPath(await client.findId(prefix), 'readings'),
      headers: { 'content-type': 'application/json' },
      body: `{${members.join(',')}}`,
    })
    const receipt = await jsonOf(answer, context.signal)
    await context.terminal.print(json ? `${jsonLine(receipt)}\n` : receiptText(readReceipt(receipt), context.terminal))
    return exitCodes.ok
  },
})
