// scrub: lists the damaged files of a data directory. Knows how to show them, not how they are found.

import { defineCommand, onlyArgument } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { loadService } from '../../load-service.ts'
import { counted, shownBytes } from '../../terminal/format-amounts.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'
import { drawProgress } from '../../terminal/progress.ts'

export const scrub = defineCommand({
  name: 'scrub',
  summary: 'find damaged files in a data directory, offline',
  usage: '<data directory> [options]',
  about:
    'Reads every file of every dataset and compares its size and SHA-256 with the receipt, and the receipt with its checksum. Changes nothing and may run while the service does. Prints one line per damaged or missing file and exits with 0 if there is none. The service detects damage before it sends wrong bytes; scrub finds it while you still have a backup. It does not read the records again: use csv-upload verify for that.',
  options: {},
  examples: [
    { line: 'csv-upload scrub data', what: 'Everything that the service stores.' },
    { line: 'csv-upload scrub data --json', what: 'One line of JSON per damaged file.' },
  ],
  completes: 'files',
  async run({ terminal, signal }, { json, quiet }, args) {
    const dir = onlyArgument(args, 'data directory')
    // Loaded only here: other commands do not read a data directory.
    const { scrubDirectory } = await loadService(() => import('../../../verify.ts'))
    const progress = { datasets: 0, files: 0, bytes: 0 }
    const seen = () =>
      `${counted(progress.datasets, 'dataset')}, ${counted(progress.files, 'file')}, ${shownBytes(progress.bytes)} read`
    let damaged = 0
    {
      using _drawn = drawProgress(terminal, seen)
      for await (const damage of scrubDirectory(dir, progress, signal)) {
        damaged += 1
        if (json) await terminal.print(`${jsonLine(damage)}\n`)
        else
          await terminal.print(
            `${terminal.paint('red', 'FAIL')}  ${damage.id}  ${damage.file}  ${printable(damage.detail)}\n`,
          )
      }
    }
    if (!json && !quiet) await terminal.print(`${seen()}, ${damaged} damaged\n`)
    return damaged === 0 ? exitCodes.ok : exitCodes.failed
  },
})
