// send: uploads files, or continues uploads, and prints the outcome of each. The client does the sending.
import type { SentReceipt } from '../../client/response-shapes.ts'
import { option, toggle } from '../../config/option.ts'
import { oneOf, text, wholeNumber } from '../../config/value-parsers.ts'
import { accountOf, sumOfRecords } from '../../core/account.ts'
import { type CommandValues, type Context, UsageError } from '../command.ts'
import { outcomeOf } from '../command-error.ts'
import { declaredOptions } from '../declared-options.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { outgoingFiles } from '../sending/files-to-send.ts'
import { OutgoingUpload, uploadsToContinue } from '../sending/outgoing-upload.ts'
import { reportPauses, statusLine } from '../sending/send-progress.ts'
import { UnfinishedSends } from '../sending/unfinished-sends.ts'
import { serverCommand } from '../server-command.ts'
import { counted } from '../terminal/format-amounts.ts'
import { sentText } from '../terminal/format-responses.ts'
import { printable } from '../terminal/printable.ts'
import { drawProgress } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'

const options = {
  jobs: option('-j, --jobs <count>', wholeNumber(1, 64), '4').help('Files sent at once.'),
  ...declaredOptions,
  name: option('--name <name>', text('a file name'), 'stdin.csv').help('File name for standard input.'),
  failOnRejects: toggle('--fail-on-rejects', 'Exit with code 3 if a file has rejected records.'),
  failOn: option('--fail-on <severity>', oneOf(['doubt', 'serious'])).help(
    'Exit with code 3 if the verdict on a file is this severity or a higher one.',
  ),
  resume: toggle('--resume', 'Continue unfinished uploads to this server: all, or those of the given files.'),
} as const

export const send = serverCommand({
  name: 'send',
  summary: 'send CSV files and print their receipts',
  usage: '<file|pattern|->… | --resume [<file>…] [options]',
  about:
    'Sends each file and reports how many of its records were accepted or rejected. Failed uploads are retried, which is safe: sending the same file again makes the same dataset. If the connection breaks, a file of 8 MB or more continues where it stopped, as long as the server keeps receiving more of it. After Ctrl-C, a restart or --retries failures in a row, --resume continues it if the file is unchanged. `-` is standard input; quoted patterns are expanded. With --json, prints one line per file, in the order they finish: {"file", "ok": true, "receipt"} or {"file", "ok": false, "error"}, with "canContinue": true if --resume can continue it.',
  options,
  examples: [
    ['csv-upload send sales.csv', 'One file.'],
    ["csv-upload send 'exports/**/*.csv' --jobs 8", 'All files under a folder, eight at a time.'],
    ['csv-upload send --resume', 'All interrupted uploads.'],
    ['zcat sales.csv.gz | csv-upload send - --name sales.csv', 'The output of another program.'],
    [
      `csv-upload send sales.csv --dialect '{"delimiter":";"}' --schema @sales.schema.json`,
      'With a declared dialect and schema.',
    ],
    ["csv-upload send *.csv --json | jq -r '.receipt.id'", 'The ids for a script.'],
  ],
  args: (args) => args,
  async run(context, values, args) {
    const { client } = context
    const unfinished = new UnfinishedSends(context.environment.stateDir)
    const uploads = values.resume
      ? await continued(context, values, unfinished, client.url.href, args)
      : (await outgoingFiles(args, values, values.name)).map((file) => new OutgoingUpload(file, null))
    if (uploads.length === 0) return exitCodes.ok
    using _progress = drawProgress(context.terminal, statusLine(uploads))
    using _pauses = reportPauses(context.terminal, uploads)
    const queue = uploads.values()
    const work = async () => {
      for (const upload of queue) {
        const stopped = uploads.find((one) => one.stopsAll)
        const sent = await upload.run(client, unfinished, context.signal, stopped?.error)
        await print(context.terminal, upload, sent, values.json)
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(values.jobs, uploads.length) }, work))
    } finally {
      if (!values.json) sayHowToContinue(context.terminal, uploads, context.givenUrl)
    }
    if (uploads.length > 1) context.terminal.say(summary(uploads))
    return exitCode(uploads, values)
  },
})

type Values = CommandValues<typeof options>

async function continued(
  { terminal }: Context,
  { dialect, schema }: Values,
  unfinished: UnfinishedSends,
  url: string,
  args: readonly string[],
): Promise<readonly OutgoingUpload[]> {
  if (args.includes('-')) throw new UsageError('Cannot use --resume: standard input cannot be read again')
  if (dialect !== null || schema !== null) {
    throw new UsageError('Cannot use --resume: the dialect and schema declared when the upload began still apply')
  }
  const { uploads, otherUrls } = await uploadsToContinue(await unfinished.list(), url, args)
  for (const other of otherUrls) {
    terminal.say(`There are uploads to continue for another server: csv-upload send --resume --url ${printable(other)}`)
  }
  if (uploads.length === 0) terminal.say('Nothing to continue.')
  return uploads
}

function sayHowToContinue(terminal: Terminal, uploads: readonly OutgoingUpload[], url: string | null): void {
  const left = uploads.filter(({ canContinue }) => canContinue)
  if (left.length === 0) return
  const which = left.length === 1 ? printable(left[0]!.file.as) : counted(left.length, 'upload')
  terminal.complain(`To continue ${which}: csv-upload send --resume${url === null ? '' : ` --url ${printable(url)}`}`)
}

async function print(
  terminal: Terminal,
  { file, error, tookMs, canContinue }: OutgoingUpload,
  sent: SentReceipt | null,
  asJson: boolean,
): Promise<void> {
  if (sent !== null) {
    const line = { file: file.as, ok: true, receipt: sent }
    return await terminal.printResult(asJson, line, () => sentText(terminal, file.as, sent, tookMs))
  }
  const outcome = outcomeOf(error)
  const line = { file: file.as, ok: false, error: outcome.error, ...(canContinue && { canContinue }) }
  if (asJson) await terminal.printJson(line)
  else terminal.complain(`${terminal.paintError('red', `${printable(file.as)}:`)} ${outcome.line}`)
}

function summary(uploads: readonly OutgoingUpload[]): string {
  const sent = uploads.flatMap(({ records }) => records ?? [])
  const failed = uploads.length - sent.length
  const files = `${counted(sent.length, 'file')} sent${failed === 0 ? '' : `, ${failed} failed`}`
  return sent.length === 0 ? files : `${files}: ${accountOf(sumOfRecords(sent))}`
}

/** The code of the first file that failed; otherwise it depends on rejects and verdicts. */
function exitCode(uploads: readonly OutgoingUpload[], { failOnRejects, failOn }: Values): ExitCode {
  const failed = uploads.find(({ error }) => error !== null)
  if (failed !== undefined) return outcomeOf(failed.error).code
  const hasRejects = uploads.some(({ records }) => (records?.rejected ?? 0) > 0)
  const isBad = uploads.some(({ verdict }) => verdict === 'serious' || (verdict === 'doubt' && failOn === 'doubt'))
  return (failOnRejects && hasRejects) || (failOn !== null && isBad) ? exitCodes.rejects : exitCodes.ok
}
