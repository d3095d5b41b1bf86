// fix: opens the rejects of a dataset in an editor and submits the corrections. An edited file is never lost.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Client, datasetPath } from '../../../client/client.ts'
import { bytesOf } from '../../../client/http.ts'
import type { SentReceipt } from '../../../client/uploaded-receipt.ts'
import { text } from '../../../config/value-parsers.ts'
import { type Context, defineCommand, onlyId, serverOptions, UsageError } from '../../command.ts'
import { connect } from '../../connect.ts'
import { editFile } from '../../edit-file.ts'
import { exitCodes } from '../../exit-codes.ts'
import { saveFile } from '../../save-file.ts'
import { shownCount } from '../../terminal/format-amounts.ts'
import { receiptText } from '../../terminal/format-receipt.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'

export const fix = defineCommand({
  name: 'fix',
  summary: 'correct rejected records in an editor and send them',
  usage: '<id> [--from <file>]',
  about:
    'Opens the rejects of a dataset in $VISUAL or $EDITOR, sends those whose text you changed, and prints the receipt of the corrected dataset, in which the corrected records keep their positions. The first dataset stays as it is. Texts that still cannot be read stay rejects and are listed; then, and if anything fails, the edited file is kept. With --from, no editor is opened: give rejects.csv with edited texts, as saved by an editor or a spreadsheet program, or JSON lines of {"record", "text"}.',
  options: {
    from: {
      flag: '--from',
      value: '<file>',
      fallback: null,
      ...text('a file'),
      help: 'Edited rejects to send, instead of opening an editor.',
    },
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload fix 5f0c1a2b', what: 'In an editor.' },
    {
      line: 'csv-upload get 5f0c1a2b --as rejects -o r.csv && libreoffice r.csv && csv-upload fix 5f0c1a2b --from r.csv',
      what: 'In a spreadsheet program.',
    },
    { line: "EDITOR='sed -i s/,,/,/' csv-upload fix 5f0c1a2b", what: 'The same change to all rejects.' },
  ],
  completes: 'files',
  async run(context, { json, from, ...server }, args) {
    const prefix = onlyId(args)
    using client = connect(context, server)
    if (from !== null) {
      if (!(await stat(from)).isFile()) throw new UsageError(`Cannot send ${from}: it is not a file`)
      return await send(context, client, await client.findId(prefix), from, json)
    }
    const { editor } = context.environment
    if (editor === null) {
      throw new UsageError('Cannot open an editor: set VISUAL or EDITOR, or send an edited file with --from')
    }
    const id = await client.findId(prefix)
    const { receipt } = await client.receipt(id)
    if (receipt.rejects.count === 0) {
      context.terminal.say('Nothing to correct: the dataset has no rejects.')
      return exitCodes.ok
    }
    return await edit(context, client, id, editor, json)
  },
})

/** Keeps the edited file unless it was sent and accepted completely, since the user may still need it. */
async function edit(context: Context, client: Client, id: string, editor: string, json: boolean) {
  const dir = await mkdtemp(join(tmpdir(), 'csv-upload-fix-'))
  const path = join(dir, `rejects-${id.slice(0, 8)}.csv`)
  let isKept = false
  try {
    const { sha256 } = await client.download(datasetPath(id, 'rejects.csv'), {}, (answer) =>
      saveFile(path, bytesOf(answer, context.signal), { bytes: null, sha256: null }, true),
    )
    isKept = true
    await editFile(editor, path)
    if ((await sha256Of(path)) === sha256) {
      isKept = false
      context.terminal.say('Nothing was changed, so nothing was sent.')
      return exitCodes.ok
    }
    const ended = await send(context, client, id, path, json)
    isKept = ended !== exitCodes.ok
    return ended
  } finally {
    if (isKept) {
      const name = printable(path.replaceAll("'", "'\\''"))
      context.terminal.complain(`The edited file is kept. To send it: csv-upload fix ${id} --from '${name}'`)
    } else await rm(dir, { recursive: true, force: true })
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function send({ terminal }: Context, client: Client, id: string, path: string, asJson: boolean) {
  const { receipt, json } = await client.correct(id, path)
  await terminal.print(asJson ? `${jsonLine(json)}\n` : receiptText(receipt, terminal))
  const { corrected } = receipt
  if (corrected === undefined) return exitCodes.ok
  terminal.say(outcomeText(id, receipt, corrected))
  for (const { record, reason, message } of corrected.firstRefused) {
    terminal.complain(`record ${record}: ${printable(reason)}: ${printable(message)}`)
  }
  return corrected.refused === 0 ? exitCodes.ok : exitCodes.rejects
}

function outcomeText(id: string, receipt: SentReceipt, corrected: NonNullable<SentReceipt['corrected']>): string {
  const { sent, unchanged, refused } = corrected
  const replaced = sent - unchanged - refused
  const left = `${shownCount(unchanged)} unchanged, ${shownCount(refused)} refused`
  if (replaced === 0) return `Nothing was corrected: ${left}.`
  const where = receipt.id === id ? '' : ` in dataset ${receipt.id}`
  return `${shownCount(replaced)} corrected${where}, ${left}; ${shownCount(receipt.rejects.count)} rejects left.`
}
