// verify: verifies datasets from their files alone. Knows how to show checks, not how they are made.

import { defineCommand, UsageError } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { loadService } from '../../load-service.ts'
import { shownBytes } from '../../terminal/format-amounts.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'
import { drawProgress } from '../../terminal/progress.ts'

export const verify = defineCommand({
  name: 'verify',
  summary: 'verify every byte and every value of a dataset, offline',
  usage: '<directory>… [options]',
  about:
    'Compares a dataset with its receipt, without a server: size and SHA-256 of the original and of every part; every record, read again from the original; the positions of all rejects; every value of every Parquet file: the records are written once more by the same writer, in the types that the receipt states, and compared with the stored values. So it finds every damaged, lost, moved or mixed-up value, but no mistake that the writer makes each time: scripts/verify.py, which shares no code with the service, finds those. Takes a directory of the service (data/datasets/<id>) or one from `csv-upload get --as dataset`. Exits with 0 if everything matches. With --json, prints one line per directory.',
  options: {},
  examples: [
    { line: 'csv-upload verify data/datasets/*', what: 'Everything that the service stores.' },
    { line: 'csv-upload get 5f0c… --as dataset -o copy && csv-upload verify copy', what: 'A downloaded copy.' },
  ],
  completes: 'files',
  async run({ terminal, signal }, { json, quiet }, args) {
    if (args.length === 0) throw new UsageError('Cannot start: no directory given')
    // Loaded only here: it also loads the scanner and the Parquet reader.
    const { createVerifier } = await loadService(() => import('../../../verify.ts'))
    await using verifier = createVerifier()
    let failed = 0
    for (const dir of args) {
      const progress = { bytes: 0 }
      using _drawn = drawProgress(terminal, () => `${printable(dir)}  ${shownBytes(progress.bytes)} read`)
      const checks = []
      for await (const check of verifier.verify(dir, progress, signal)) {
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
    if (!json && failed > 0) terminal.complain(`${failed} of ${args.length} failed`)
    return failed === 0 ? exitCodes.ok : exitCodes.failed
  },
})
