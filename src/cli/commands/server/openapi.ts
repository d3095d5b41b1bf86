// openapi: prints the server's description of its routes. Does not know what it contains.
import { defineCommand, noArguments, serverOptions } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { jsonLine, printableLines } from '../../terminal/printable.ts'

export const openapi = defineCommand({
  name: 'openapi',
  summary: "print the server's OpenAPI description",
  usage: '[options]',
  about: 'Prints /openapi.json of the server, indented, or with --json on one line.',
  options: { ...serverOptions },
  examples: [{ line: 'csv-upload openapi > openapi.json', what: 'For a client generator.' }],
  completes: 'nothing',
  async run(context, { json, ...server }, args) {
    noArguments(args)
    using client = connect(context, server)
    const description = await client.json('/openapi.json')
    await context.terminal.print(
      `${json ? jsonLine(description) : printableLines(JSON.stringify(description, null, 2))}\n`,
    )
    return exitCodes.ok
  },
})
