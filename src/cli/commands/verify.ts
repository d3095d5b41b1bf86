// verify: proves datasets on their files alone and names what fails. Knows how to show a proof, not how it is made.

import { defineCommand, UsageError } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { shownBytes } from '../terminal/format-amounts.ts'
import { jsonLine, printable } from '../terminal/printable.ts'
import { drawProgress } from '../terminal/progress.ts'

export const verify = defineCommand({
  name: 'verify',
  summary: 'prove a dataset on its files, offline',
  usage: '<directory>… [options]',
  about:
    'Holds a dataset against its receipt, without a server: bytes and SHA-256 of the original and of every part; every record read again from the original, as the receipt says how; the places of all rejects; the records of every Parquet file. Takes a directory that the service keeps (data/datasets/<id>) or one from `csv-upload get --as dataset`. Ends with 0 when everything holds. With --json there is one line a directory.',
  options: {},
  examples: [
    { line: 'csv-upload verify data/datasets/*', what: 'Everything a service keeps.' },
    { line: 'csv-upload get 5f0c… --as dataset -o copy && csv-upload verify copy', what: 'A copy from elsewhere.' },
  ],
  completes: 'files',
  async run({ terminal, signal }, { json, quiet }, args) {
    if (args.length === 0) throw new UsageError('Cannot start: no directory is named')
    // Loaded only here: it brings the scanner and the Parquet reader along.
    const { verifyDataset } = await import('../../verify.ts')
    let failed = 0
    for (const dir of args) {
      const progress = { bytes: 0 }
      using _drawn = drawProgress(terminal, () => `${printable(dir)}  ${shownBytes(progress.bytes)} read`)
      const checks = []
      for await (const check of verifyDataset(dir, progress, signal)) {
        checks.push(check)
        if (json || (quiet && check.ok)) continue
        const mark = check.ok ? terminal.paint('green', 'ok  ') : terminal.paint('red', 'FAIL')
        await terminal.print(
          `${mark}  ${printable(args.length > 1 ? `${dir}: ${check.check}` : check.check)}  ${printable(check.detail)}\n`,
        )
      }
      const ok = checks.every((check) => check.ok)
      if (!ok) failed += 1
      if (json) await terminal.print(`${jsonLine({ directory: dir, ok, checks })}\n`)
    }
    if (!json && failed > 0) terminal.complain(`${failed} of ${args.length} not proved`)
    return failed === 0 ? exitCodes.ok : exitCodes.failed
  },
})
