// open: shows a dataset, or the server's API description, in the browser. Knows how each system opens an address.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { datasetPath } from '../../../client/client.ts'
import { defineCommand, onlyId, serverOptions, toggle } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { jsonLine } from '../../terminal/printable.ts'

export const open = defineCommand({
  name: 'open',
  summary: 'open a dataset, or the API description, in the browser',
  usage: '[<id>] [options]',
  about:
    "Opens the receipt of a dataset or, without an id, the server's API description in the default browser, and prints its address. A server that requires keys refuses a browser.",
  options: { printOnly: toggle('--print', 'Print the address only.'), ...serverOptions },
  examples: [{ line: 'csv-upload open 5f0c1a2b', what: 'The receipt of a dataset.' }],
  completes: 'nothing',
  async run({ terminal, ...context }, { json, printOnly, ...server }, args) {
    const prefix = args.length === 0 ? null : onlyId(args)
    using client = connect({ terminal, ...context }, server)
    const path = prefix === null ? '/docs' : datasetPath(await client.findId(prefix))
    const address = client.url.href.replace(/\/+$/, '') + path
    await terminal.print(json ? `${jsonLine({ address })}\n` : `${address}\n`)
    if (!printOnly && !(await openInBrowser(address))) terminal.complain('Cannot find a browser to open it.')
    return exitCodes.ok
  },
})

/** The command that opens an address, by platform. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** False if there is no program to open it. */
async function openInBrowser(address: string): Promise<boolean> {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(command!, [...args, address], { stdio: 'ignore', detached: true })
  child.unref()
  return once(child, 'spawn').then(
    () => true,
    () => false,
  )
}
