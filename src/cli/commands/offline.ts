// Offline: the commands that read datasets where they are stored, without a server. Knows how to show what is found.
import { loadPart } from '../../core/load-part.ts'
import { defineCommand, onlyArgument, someArguments } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { counted, shownBytes } from '../terminal/format-amounts.ts'
import { printable } from '../terminal/printable.ts'
import { drawProgress } from '../terminal/progress.ts'

export const verify = defineCommand({
  name: 'verify',
  summary: 'verify every byte and every value of a dataset, offline',
  usage: '<directory>… [options]',
  about:
    'Compares a dataset with its receipt, without a server: size and SHA-256 of the original and of every part; every record, read again from the original; the positions of all rejects; every value of every Parquet file: the records are written once more by the same writer, in the types that the receipt states, and compared with the stored values. So it finds every damaged, lost, moved or mixed-up value, but no mistake that the writer makes each time: scripts/verify.py, which shares no code with the service, finds those. Takes a directory of the service (data/datasets/<id>) or one from `csv-upload get --as dataset`. Exits with 0 if everything matches. With --json, prints one line per directory.',
  examples: [
    ['csv-upload verify data/datasets/*', 'Everything that the service stores.'],
    ['csv-upload get 5f0c… --as dataset -o copy && csv-upload verify copy', 'A downloaded copy.'],
  ],
  args: someArguments('directory'),
  async run({ terminal, signal }, { json, quiet }, args) {
    // Loaded only here: it also loads the scanner and the Parquet reader.
    const { createVerifier } = await loadPart(() => import('../../verify.ts'))
    await using verifier = createVerifier()
    let failed = 0
    for (const dir of args) {
      const progress = { bytes: 0 }
      using _drawn = drawProgress(terminal, () => `${printable(dir)}  ${shownBytes(progress.bytes)} read`)
      const checks = []
      for await (const check of verifier.verify(dir, progress, signal)) {
        checks.push(check)
        if (json || (quiet && check.ok)) continue
        const what = args.length > 1 ? `${dir}: ${check.check}` : check.check
        await terminal.print(`${terminal.mark(check.ok)}  ${printable(what)}  ${printable(check.detail)}\n`)
      }
      const ok = checks.every((check) => check.ok)
      if (!ok) failed += 1
      if (json) await terminal.printJson({ directory: dir, ok, checks })
    }
    if (!json && failed > 0) terminal.complain(`${failed} of ${args.length} failed`)
    return failed === 0 ? exitCodes.ok : exitCodes.failed
  },
})

export const scrub = defineCommand({
  name: 'scrub',
  summary: 'find damaged files in a data directory, offline',
  usage: '<data directory> [options]',
  about:
    'Reads every file of every dataset and compares its size and SHA-256 with the receipt, and the receipt with its checksum. Changes nothing and may run while the service does. Prints one line per damaged or missing file and exits with 0 if there is none. The service detects damage before it sends wrong bytes; scrub finds it while you still have a backup. It does not read the records again: use csv-upload verify for that.',
  examples: [
    ['csv-upload scrub data', 'Everything that the service stores.'],
    ['csv-upload scrub data --json', 'One line of JSON per damaged file.'],
  ],
  args: onlyArgument('data directory'),
  async run({ terminal, signal }, { json, quiet }, dir) {
    // Loaded only here: other commands do not read a data directory.
    const { scrubDirectory } = await loadPart(() => import('../../verify.ts'))
    const progress = { datasets: 0, files: 0, bytes: 0 }
    const seen = () =>
      `${counted(progress.datasets, 'dataset')}, ${counted(progress.files, 'file')}, ${shownBytes(progress.bytes)} read`
    let damaged = 0
    {
      using _drawn = drawProgress(terminal, seen)
      for await (const damage of scrubDirectory(dir, progress, signal)) {
        damaged += 1
        const line = () => `${terminal.mark(false)}  ${damage.id}  ${damage.file}  ${printable(damage.detail)}\n`
        await terminal.printResult(json, damage, line)
      }
    }
    if (!json && !quiet) await terminal.print(`${seen()}, ${damaged} damaged\n`)
    return damaged === 0 ? exitCodes.ok : exitCodes.failed
  },
})
