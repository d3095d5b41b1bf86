// get: downloads a dataset in one of its forms. Knows which form is where; how a file stays whole is the business of save-file.ts.
import { existsSync } from 'node:fs'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { type Client, datasetPath } from '../../client/client.ts'
import { ClientError } from '../../client/client-error.ts'
import { bytesOf } from '../../client/http.ts'
import { text } from '../../config/value-parsers.ts'
import { type Context, choice, defineCommand, onlyId, serverOptions, toggle, UsageError } from '../command.ts'
import { connect } from '../connect.ts'
import { exitCodes } from '../exit-codes.ts'
import { checked, type Expected, offeredName, refuseExisting, saveFile, temporaryBeside } from '../save-file.ts'
import { shownBytes } from '../terminal/format-amounts.ts'
import { jsonLine, printable, printableLines } from '../terminal/printable.ts'
import { drawProgress, progressText, RateMeter } from '../terminal/progress.ts'

/** What a dataset can be had as: where that is, and what a file of it is called where the server does not say. */
const forms = {
  original: { below: ['original'], ending: 'csv' },
  csv: { below: ['data.csv'], ending: 'csv' },
  parquet: { below: ['data.parquet'], ending: 'parquet' },
  ndjson: { below: ['data.ndjson'], ending: 'ndjson' },
  rejects: { below: ['rejects.csv'], ending: 'rejects.csv' },
  receipt: { below: [], ending: 'receipt.json' },
  profile: { below: ['profile'], ending: 'profile.json' },
  datapackage: { below: ['datapackage.json'], ending: 'datapackage.json' },
} as const
type Form = keyof typeof forms

export const get = defineCommand({
  name: 'get',
  summary: 'download a dataset: original, csv, parquet, ndjson, …',
  usage: '<id> [--as <form>] [-o <file>]',
  about:
    'Writes one form of a dataset to a file, or with `-o -` to standard output. A file is whole or absent: it is written beside its place and moved there when every byte has come, and its SHA-256 is right where the server tells it. The form `dataset` is a directory with original, receipt.json and parts, which csv-upload verify can prove. With --json a line says what was written.',
  options: {
    as: {
      flag: '--as',
      value: '<form>',
      fallback: 'original',
      ...choice([...(Object.keys(forms) as Form[]), 'dataset']),
      help: `One of ${Object.keys(forms).join(', ')}, dataset.`,
    },
    output: {
      flag: '--output',
      short: 'o',
      value: '<file>',
      fallback: null,
      ...text('a file, a directory or -'),
      help: 'File, existing directory, or - for standard output; else the name that the server gives, here.',
    },
    header: toggle('--header', 'For csv: begin with the column names also where the file has none.'),
    force: toggle('--force', 'Write over a file that exists.'),
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload get 5f0c…', what: 'The file as it was sent.' },
    { line: 'csv-upload get 5f0c… --as parquet -o sales.parquet', what: 'Typed, under another name.' },
    { line: 'csv-upload get 5f0c… --as csv -o - | head', what: 'Into a pipe.' },
    { line: 'csv-upload get 5f0c… --as dataset -o copy && csv-upload verify copy', what: 'Everything, proved.' },
  ],
  completes: 'nothing',
  async run(context, { as, output, header, force, json, ...server }, args) {
    const id = onlyId(args)
    using client = connect(context, server)
    if (as === 'dataset') {
      const dir = output ?? id
      if (dir === '-') throw new UsageError('Cannot use --output: a dataset is a directory, wanted its name')
      return done(context, await getDataset(client, context, id, dir), json)
    }
    const { below, ending } = forms[as]
    if (output === '-' && as === 'parquet' && context.terminal.isTerminal) {
      throw new UsageError('Cannot write Parquet to a terminal: name a file with --output, or use a pipe')
    }
    if (output !== null && output !== '-' && !(await isDirectory(output))) refuseExisting(output, force)
    const query = as === 'csv' && header ? { header: true } : {}
    const path = datasetPath(id, ...below)
    if (output === '-') {
      await toStandardOutput(await client.open(path, query, { accept: '*/*' }), context)
      return exitCodes.ok
    }
    const written = await client.download(path, query, async (answer) => {
      const name = offeredName(answer.headers['content-disposition']) ?? `${id}.${ending}`
      const isInto = output === null || (await isDirectory(output))
      return toFile(answer, context, isInto ? join(output ?? '', name) : output, force)
    })
    return done(context, written, json)
  },
})

interface Written {
  readonly file: string
  readonly bytes: number
  readonly sha256: string | null
}

async function done({ terminal }: Context, { file, bytes, sha256 }: Written, asJson: boolean) {
  if (asJson) await terminal.print(`${jsonLine({ file, bytes, ...(sha256 !== null && { sha256 }) })}\n`)
  else terminal.say(`${printable(file)}  ${shownBytes(bytes)}`)
  return exitCodes.ok
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}

async function toFile(answer: IncomingMessage, context: Context, path: string, force: boolean): Promise<Written> {
  const expected = expectedOf(answer)
  const chunks = watched(bytesOf(answer, context.signal), context, path, expected.bytes)
  return { file: path, ...(await saveFile(path, chunks, expected, force)) }
}

/** A terminal gets text only, made harmless; a pipe gets the bytes. */
async function toStandardOutput(answer: IncomingMessage, { terminal, signal }: Context): Promise<void> {
  const decoder = new TextDecoder()
  const chunks = checked(bytesOf(answer, signal), expectedOf(answer))
  for await (const chunk of chunks) {
    await terminal.print(terminal.isTerminal ? printableLines(decoder.decode(chunk, { stream: true })) : chunk)
  }
}

/** What the head of an answer tells of its body: `Content-Length`, and `Repr-Digest` (RFC 9530). */
function expectedOf({ headers }: IncomingMessage): Expected {
  const length = headers['content-length']
  const digest = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(String(headers['repr-digest'] ?? ''))?.[1]
  return {
    bytes: length === undefined ? null : Number(length),
    sha256: digest === undefined ? null : Buffer.from(digest, 'base64').toString('hex'),
  }
}

/** Passes bytes on and shows how many there were. */
async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  { terminal }: Context,
  name: string,
  totalBytes: number | null,
): AsyncGenerator<Uint8Array> {
  const meter = new RateMeter()
  let bytes = 0
  using _progress = drawProgress(
    terminal,
    () => `${printable(name)}  ${progressText(bytes, totalBytes, meter.rate(bytes))}`,
  )
  for await (const chunk of chunks) {
    yield chunk
    bytes += chunk.length
  }
}

/** A directory as the service keeps one, but for what it does not give out; whole or absent like a file. */
async function getDataset(client: Client, context: Context, id: string, dir: string): Promise<Written> {
  if (existsSync(dir)) throw new Error(`Cannot write ${dir}: it exists; remove it or name another`)
  const { receipt, json } = await client.receipt(id)
  using temporary = temporaryBeside(dir)
  await mkdir(join(temporary.path, 'data'), { recursive: true })
  const files = [
    { file: 'original', below: ['original'], ...receipt.file },
    ...receipt.parts.map((part, i) => ({ ...part, file: partPath(part.file), below: ['parts', `${i}.parquet`] })),
  ]
  for (const { file, below, bytes, sha256 } of files) {
    const path = join(temporary.path, file)
    await client.download(datasetPath(receipt.id, ...below), {}, (answer) => {
      const chunks = watched(bytesOf(answer, context.signal), context, file, bytes)
      return saveFile(path, chunks, { bytes, sha256 }, false)
    })
  }
  await writeFile(join(temporary.path, 'receipt.json'), `${jsonLine(json)}\n`, { flush: true })
  await mkdir(dirname(dir), { recursive: true })
  await rename(temporary.path, dir)
  return { file: dir, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), sha256: null }
}

/** A server's path is not followed anywhere else. */
function partPath(file: string): string {
  if (/^data\/[0-9a-z][0-9a-z.-]*$/.test(file)) return file
  throw new ClientError({
    kind: 'wrong',
    message: `Cannot keep part ${JSON.stringify(file)}: that is no name of a part`,
  })
}
