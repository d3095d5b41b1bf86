// fix: opens the rejects of a dataset in an editor and submits the corrections. An edited file is never lost.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CorrectionSource, datasetPath } from '../../client/client.ts'
import { bytesOf } from '../../client/http.ts'
import type { SentReceipt } from '../../client/response-shapes.ts'
import { option, toggle } from '../../config/option.ts'
import { text } from '../../config/value-parsers.ts'
import type { MendedRecord } from '../../core/correction-rules.ts'
import type { CorrectionOutcome } from '../../core/responses.ts'
import { UsageError } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { saveFile, sha256Of } from '../save-file.ts'
import { onlyId, type ServerContext, serverCommand } from '../server-command.ts'
import { shownCount } from '../terminal/format-amounts.ts'
import { receiptText } from '../terminal/format-responses.ts'
import { printable } from '../terminal/printable.ts'

export const fix = serverCommand({
  name: 'fix',
  summary: 'correct rejected records in an editor and send them',
  usage: '<id> [--from <file> | --rule <json>…] [--dry-run]',
  about:
    'Opens the rejects of a dataset in $VISUAL or $EDITOR, sends those whose text you changed, and prints the receipt of the corrected dataset, in which the corrected records keep their positions. The first dataset stays as it is. Records that still cannot be read stay rejects and are listed; then, and if anything fails, the edited file is kept. With --from, no editor is opened: give rejects.csv with edited text, as saved by an editor or a spreadsheet program, or JSON lines of {"record", "text"} and rules. A rule mends all rejects of one cause, see docs/api.md: --rule gives one, and can be repeated; the first rule that mends a record wins.',
  options: {
    rule: option('--rule <json>', { ...text('a rule as a JSON object'), repeats: true }).help(
      'Mend all rejects of one cause; can be repeated.',
    ),
    dryRun: toggle('--dry-run', 'Print what --from or --rule would do, and store nothing.'),
    from: option('--from <file>', text('a file')).help('Edited rejects to send, instead of opening an editor.'),
  },
  examples: [
    ['csv-upload fix 5f0c1a2b', 'In an editor.'],
    [
      'csv-upload get 5f0c1a2b --as rejects -o r.csv && libreoffice r.csv && csv-upload fix 5f0c1a2b --from r.csv',
      'In a spreadsheet program.',
    ],
    [
      `csv-upload fix 5f0c1a2b --rule '{"reason":"too_few_fields","mend":"append"}' --dry-run`,
      'How many records the rule mends.',
    ],
    ["EDITOR='sed -i s/N.A//' csv-upload fix 5f0c1a2b", 'Removes N/A from all rejects.'],
  ],
  args: onlyId,
  async run(context, { json, from, rule, dryRun }, prefix) {
    const { client, terminal } = context
    if (from !== null && rule !== null) throw new UsageError('Cannot use --from with --rule: a file can have rules')
    if (from !== null && !(await stat(from)).isFile()) throw new UsageError(`Cannot send ${from}: it is not a file`)
    const source = from === null ? rule !== null && { lines: rule } : { path: from }
    if (source) {
      const sender = dryRun ? preview : send
      return await sender(context, await client.findId(prefix), source, json)
    }
    if (dryRun) throw new UsageError('Cannot use --dry-run: it needs --from or --rule')
    const { editor } = context.environment
    if (editor === null) {
      throw new UsageError('Cannot open an editor: set VISUAL or EDITOR, or send an edited file with --from')
    }
    const id = await client.findId(prefix)
    const { rejects } = await client.receipt(id)
    if (rejects.count > 0) return await edit(context, id, editor, json)
    terminal.say('Nothing to correct: the dataset has no rejects.')
    return exitCodes.ok
  },
})

/** Keeps the edited file unless it was sent and accepted completely, since the user may still need it. */
async function edit(context: ServerContext, id: string, editor: string, json: boolean) {
  const { client, terminal, signal } = context
  const dir = await mkdtemp(join(tmpdir(), 'csv-upload-fix-'))
  const path = join(dir, `rejects-${id.slice(0, 8)}.csv`)
  let isKept = false
  try {
    const { sha256 } = await client.download(datasetPath(id, 'rejects.csv'), {}, (response) =>
      saveFile(path, bytesOf(response, signal), { bytes: null, sha256: null }, true),
    )
    isKept = true
    await openInEditor(editor, path)
    if ((await sha256Of(path)) === sha256) {
      isKept = false
      terminal.say('Nothing was changed, so nothing was sent.')
      return exitCodes.ok
    }
    const code = await send(context, id, { path }, json)
    isKept = code !== exitCodes.ok
    return code
  } finally {
    if (isKept) {
      const name = printable(path.replaceAll("'", "'\\''"))
      terminal.complain(`The edited file is kept. To send it: csv-upload fix ${id} --from '${name}'`)
    } else await rm(dir, { recursive: true, force: true })
  }
}

/**
 * Resolves when the editor has ended.
 *
 * @param editor A command, with arguments if need be: `code --wait`.
 * @throws {Error} if it cannot be started, or ends with a failure
 */
async function openInEditor(editor: string, path: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  // Run by a shell, since the editor may have arguments; the path is not part of the shell's command.
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit' })
    : spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`Cannot edit the file: ${editor} ended with ${signal ?? code}`)
}

async function send({ terminal, client }: ServerContext, id: string, source: CorrectionSource, asJson: boolean) {
  const receipt = await client.correct(id, source)
  await terminal.printResult(asJson, receipt, () => receiptText(receipt, terminal))
  const { corrected } = receipt
  if (corrected === undefined) return exitCodes.ok
  for (const line of ruleLines(corrected)) terminal.say(line)
  terminal.say(outcomeText(id, receipt, corrected))
  return complainOfRefused(terminal, corrected)
}

async function preview({ terminal, client }: ServerContext, id: string, source: CorrectionSource, asJson: boolean) {
  const corrected = await client.previewCorrections(id, source)
  const { sent, unchanged, refused, rules = [] } = corrected
  await terminal.printResult(asJson, corrected, () => {
    const shown = rules.flatMap(({ first }, i) => [ruleLines(corrected)[i] ?? '', ...first.flatMap(changeLines)])
    const would = `${shownCount(sent - unchanged - refused)} would be corrected, ${shownCount(unchanged)} unchanged, ${shownCount(refused)} refused`
    return [...shown, `${would}; nothing is stored.`, ''].join('\n')
  })
  return complainOfRefused(terminal, corrected)
}

function complainOfRefused(terminal: ServerContext['terminal'], { refused, firstRefused }: CorrectionOutcome) {
  for (const { record, reason, message } of firstRefused) {
    terminal.complain(`record ${record}: ${printable(reason)}: ${printable(message)}`)
  }
  return refused === 0 ? exitCodes.ok : exitCodes.rejects
}

function ruleLines({ rules = [] }: CorrectionOutcome): readonly string[] {
  return rules.map(({ records, mended, earlier }, i) => {
    const before = earlier === 0 ? '' : `, ${shownCount(earlier)} were taken before`
    return `Rule ${i + 1} mends ${shownCount(mended)} of ${shownCount(records)}${before}.`
  })
}

function changeLines({ line, text, correctedText }: MendedRecord): readonly string[] {
  return [`  line ${line}: ${printable(text)}`, `  ${' '.repeat(`line ${line}`.length)}→ ${printable(correctedText)}`]
}

function outcomeText(id: string, receipt: SentReceipt, corrected: CorrectionOutcome): string {
  const { sent, unchanged, refused } = corrected
  const replaced = sent - unchanged - refused
  const left = `${shownCount(unchanged)} unchanged, ${shownCount(refused)} refused`
  if (replaced === 0) return `Nothing was corrected: ${left}.`
  const where = receipt.id === id ? '' : ` in dataset ${receipt.id}`
  return `${shownCount(replaced)} corrected${where}, ${left}; ${shownCount(receipt.rejects.count)} rejects left.`
}
