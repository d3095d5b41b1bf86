// send: uploads files and prints what became of each. Knows how to show an upload; how it is sent is the client's business.
import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/client-error.ts'
import type { Sending, SentFile } from '../../../client/upload.ts'
import { text, wholeNumber } from '../../../config/value-parsers.ts'
import { type Context, defineCommand, serverOptions, toggle, UsageError } from '../../command.ts'
import { outcomeOf } from '../../command-error.ts'
import { connect } from '../../connect.ts'
import { declaredOptions } from '../../declared-options.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { type NamedFile, outgoingFiles } from '../../files-to-send.ts'
import { counted, shownBytes, shownTime } from '../../terminal/format-amounts.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'
import { drawProgress, progressText, RateMeter } from '../../terminal/progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export const send = defineCommand({
  name: 'send',
  summary: 'send CSV files and print their receipts',
  usage: '<file|pattern|->… [options]',
  about:
    'Sends each file and says what became of its records. The same file sent again is the same dataset, so retrying is safe, and failed uploads are retried. `-` is standard input; quoted patterns are expanded. With --json there is one line per file, in the order they finish: {"file", "ok": true, "receipt"} or {"file", "ok": false, "error"}.',
  options: {
    jobs: {
      flag: '--jobs',
      short: 'j',
      value: '<count>',
      fallback: '4',
      ...wholeNumber(1, 64),
      help: 'Files sent at once.',
    },
    ...declaredOptions,
    name: {
      flag: '--name',
      value: '<name>',
      fallback: 'stdin.csv',
      ...text('a file name'),
      help: 'File name for standard input.',
    },
    failOnRejects: toggle('--fail-on-rejects', 'Exit with code 3 if a file has rejected records.'),
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload send sales.csv', what: 'One file.' },
    { line: "csv-upload send 'exports/**/*.csv' --jobs 8", what: 'All files below a folder, eight at a time.' },
    { line: 'zcat sales.csv.gz | csv-upload send - --name sales.csv', what: 'The output of another program.' },
    {
      line: `csv-upload send sales.csv --dialect '{"delimiter":";"}' --schema @sales.schema.json`,
      what: 'Declared instead of detected.',
    },
    { line: "csv-upload send *.csv --json | jq -r '.receipt.id'", what: 'The ids for a script.' },
  ],
  completes: 'files',
  async run(context, values, args) {
    if (args.length === 0) throw new UsageError('Cannot start: no file given')
    const files = await outgoingFiles(args, values, values.name)
    using client = connect(context, values)
    const uploads = files.map((file) => new Upload(file))
    using _progress = drawProgress(context.terminal, statusLine(uploads))
    using _pauses = tellPauses(context.terminal, uploads)
    const queue = uploads.values()
    const work = async () => {
      for (const upload of queue) {
        const stopped = uploads.find((one) => one.stopsAll)
        await print(context.terminal, upload, await upload.run(client, context, stopped?.error), values.json)
      }
    }
    await Promise.all(Array.from({ length: Math.min(values.jobs, uploads.length) }, work))
    if (uploads.length > 1) context.terminal.say(summary(uploads))
    return exitCode(uploads, values.failOnRejects)
  },
})

/** One file on its way. */
class Upload {
  readonly file: NamedFile
  readonly sending: Sending = { phase: 'asking', sentBytes: 0, attempt: 1, pause: null }
  /** All that is needed of the receipt in the end; receipts of many files are not held in memory. */
  records: SentFile['receipt']['records'] | null = null
  error: unknown = null
  #beganMs = 0
  tookMs = 0

  constructor(file: NamedFile) {
    this.file = file
  }

  /**
   * Null if it failed, for the reason in `error`. Rejects only if the whole command ends.
   *
   * @param stoppedBy Why no further request makes sense.
   */
  async run(client: Client, { signal }: Context, stoppedBy: unknown): Promise<SentFile | null> {
    this.#beganMs = performance.now()
    try {
      if (stoppedBy) throw stoppedBy
      const sent = await client.send(this.file, this.sending)
      this.tookMs = performance.now() - this.#beganMs
      this.records = sent.receipt.records
      return sent
    } catch (error) {
      signal.throwIfAborted()
      this.error = error
      return null
    }
  }

  get isRunning(): boolean {
    return this.#beganMs > 0 && !this.isDone
  }

  get isDone(): boolean {
    return this.records !== null || this.error !== null
  }

  /** What fails so for one file, after all its retries, fails so for all. */
  get stopsAll(): boolean {
    if (!(this.error instanceof ClientError)) return false
    return this.error.failure.kind === 'unreachable' || outcomeOf(this.error).code === exitCodes.refusedKey
  }
}

async function print(
  terminal: Terminal,
  { file, error, tookMs }: Upload,
  sent: SentFile | null,
  asJson: boolean,
): Promise<void> {
  if (sent === null) {
    const outcome = outcomeOf(error)
    if (asJson) await terminal.print(`${jsonLine({ file: file.as, ok: false, error: outcome.error })}\n`)
    else terminal.complain(`${terminal.paintError('red', `${printable(file.as)}:`)} ${outcome.line}`)
    return
  }
  if (asJson) {
    await terminal.print(`${jsonLine({ file: file.as, ok: true, receipt: sent.json })}\n`)
    return
  }
  const { id, records, rejects, notes } = sent.receipt
  const rejected =
    records.rejected === 0
      ? 'none rejected'
      : terminal.paint('yellow', `${counted(records.rejected, 'record')} rejected`)
  const facts = [
    `${counted(records.accepted, 'record')} accepted`,
    rejected,
    shownBytes(sent.receipt.file.bytes),
    shownTime(tookMs),
  ]
  const lines = [
    `${terminal.paint('bold', id)}  ${printable(file.as)}  ${facts.join(', ')}${storedBefore(sent.receipt)}`,
  ]
  for (const [reason, count] of Object.entries(rejects.reasons)) lines.push(`  ${count} × ${printable(reason)}`)
  for (const { code, message } of notes) {
    lines.push(terminal.paint('dim', `  note ${printable(code)}: ${printable(message)}`))
  }
  await terminal.print(`${lines.join('\n')}\n`)
}

function storedBefore({ duplicate, upload }: SentFile['receipt']): string {
  if (duplicate !== true) return ''
  return upload?.outcome === 'repaired' ? ' (already stored, damaged; now repaired)' : ' (already stored)'
}

function summary(uploads: readonly Upload[]): string {
  const sent = uploads.flatMap(({ records }) => records ?? [])
  const failed = uploads.length - sent.length
  const accepted = sent.reduce((sum, records) => sum + records.accepted, 0)
  const rejected = sent.reduce((sum, records) => sum + records.rejected, 0)
  const files = `${counted(sent.length, 'file')} sent${failed === 0 ? '' : `, ${failed} failed`}`
  return `${files}, ${counted(accepted, 'record')} accepted, ${counted(rejected, 'record')} rejected`
}

/** That of the first file that failed; then whether there are rejects. */
function exitCode(uploads: readonly Upload[], failOnRejects: boolean): ExitCode {
  const failed = uploads.find(({ error }) => error !== null)
  if (failed !== undefined) return outcomeOf(failed.error).code
  const hasRejects = uploads.some(({ records }) => (records?.rejected ?? 0) > 0)
  return failOnRejects && hasRejects ? exitCodes.rejects : exitCodes.ok
}

/** Without a progress display, each pause gets a line, so that the log says why nothing happens. */
function tellPauses(terminal: Terminal, uploads: readonly Upload[]): Disposable {
  const reported = new WeakSet<object>()
  const look = () => {
    for (const { file, sending } of uploads) {
      if (sending.pause === null || reported.has(sending.pause)) continue
      reported.add(sending.pause)
      terminal.say(`${printable(file.as)}: ${waitingFor(sending)}`)
    }
  }
  const timer = terminal.showsProgress ? undefined : setInterval(look, 100)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** All uploads as one line. */
function statusLine(uploads: readonly Upload[]): () => string {
  const meter = new RateMeter()
  const isKnown = uploads.every(({ file }) => file.bytes !== null)
  const totalBytes = isKnown ? uploads.reduce((sum, { file }) => sum + (file.bytes ?? 0), 0) : null
  return () => {
    const sentBytes = uploads.reduce(
      (sum, { sending, isDone, file }) => sum + (isDone ? (file.bytes ?? sending.sentBytes) : sending.sentBytes),
      0,
    )
    const running = uploads.filter((upload) => upload.isRunning)
    const [first] = running
    const done = uploads.filter(({ isDone }) => isDone).length
    const which = uploads.length === 1 ? printable(uploads[0]!.file.as) : `${done} of ${uploads.length} files`
    const waiting = running.length === 1 && first !== undefined ? waitingFor(first.sending) : null
    return `${which}  ${waiting ?? progressText(sentBytes, totalBytes, meter.rate(sentBytes))}`
  }
}

function waitingFor({ phase, pause, sentBytes }: Sending): string | null {
  if (pause !== null) {
    const leftMs = Math.max(0, pause.untilMs - performance.now())
    return `trying again in ${shownTime(leftMs)}: ${printable(pause.failure.message)}`
  }
  if (phase === 'asking') return 'asking the server'
  return phase === 'waiting' ? `${shownBytes(sentBytes)} sent, waiting for the receipt` : null
}
