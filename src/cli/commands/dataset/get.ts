// get: downloads a dataset in one of its formats. Knows their paths; save-file.ts makes files atomic.
import { existsSync } from 'node:fs'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { type Client, datasetPath } from '../../../client/client.ts'
import { ClientError } from '../../../client/client-error.ts'
import { bytesOf } from '../../../client/http.ts'
import { text } from '../../../config/value-parsers.ts'
import { type Context, choice, defineCommand, onlyId, serverOptions, toggle, UsageError } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { checked, type Expected, offeredName, refuseExisting, saveFile, temporaryBeside } from '../../save-file.ts'
import { shownBytes } from '../../terminal/format-amounts.ts'
import { jsonLine, printable, printableLines } from '../../terminal/printable.ts'
import { drawProgress, progressText, RateMeter } from '../../terminal/progress.ts'

/** The formats of a dataset: their paths, and the file extensions to use if the server sends no name. */
const forms = {
  original: { below: ['original'], ending: 'csv' },
  csv: { below: ['data.csv'], ending: 'csv' },
  parquet: { below: ['data.parquet'], ending: 'parquet' },
  ndjson: { below: ['data.ndjson'], ending: 'ndjson' },
  rejects: { below: ['rejects.csv'], ending: 'rejects.csv' },
  receipt: { below: [], ending: 'receipt.json' },
  profile: { below: ['profile'], ending: 'profile.json' },
} as const
type Form = keyof typeof forms

export const get = defineCommand({
  name: 'get',
  summary: 'download a dataset: original, csv, parquet, ndjson, …',
  usage: '<id> [--as <form>] [-o <file>]',
  about:
    'Writes a dataset in one format to a file, or with `-o -` to standard output. A file is complete or absent: it is written under a temporary name and renamed after every byte has arrived and the SHA-256 matches. `dataset` is a directory with the original, corrections if there are any, receipt.json and the parts, which csv-upload verify checks offline; `datapackage` is a directory with datapackage.json and the files it describes. With --json, prints what was written on one line.',
  options: {
    as: {
      flag: '--as',
      value: '<form>',
      fallback: 'original',
      ...choice([...(Object.keys(forms) as Form[]), 'datapackage', 'dataset']),
      help: `One of ${Object.keys(forms).join(', ')}, datapackage, dataset.`,
    },
    output: {
      flag: '--output',
      short: 'o',
      value: '<file>',
      fallback: null,
      ...text('a file, a directory or -'),
      help: 'File, existing directory, or - for standard output; by default the name from the server.',
    },
    header: toggle('--header', 'For csv: add a header line even if the file has none.'),
    spreadsheet: toggle(
      '--spreadsheet',
      'For csv: make it safe for Excel, with formulas escaped and a byte order mark.',
    ),
    delimiter: {
      flag: '--delimiter',
      value: '<character>',
      fallback: ',',
      ...choice([',', ';', 'tab']),
      help: 'For csv: delimiter between fields.',
    },
    typed: toggle('--typed', 'For csv: typed values, for databases, instead of the text of the file.'),
    force: toggle('--force', 'Overwrite an existing file.'),
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload get 5f0c…', what: 'The file as sent.' },
    { line: 'csv-upload get 5f0c… --as parquet -o sales.parquet', what: 'Typed, under another name.' },
    { line: 'csv-upload get 5f0c… --as csv -o - | head', what: 'To a pipe.' },
    { line: "csv-upload get 5f0c… --as csv --spreadsheet --delimiter ';'", what: 'For Excel with decimal commas.' },
    { line: 'csv-upload get 5f0c… --as dataset -o copy && csv-upload verify copy', what: 'Everything, verified.' },
  ],
  completes: 'nothing',
  async run(context, { as, output, header, spreadsheet, delimiter, typed, force, json, ...server }, args) {
    const prefix = onlyId(args)
    using client = connect(context, server)
    const id = await client.findId(prefix)
    if (as === 'dataset' || as === 'datapackage') {
      const dir = output ?? id
      if (dir === '-') throw new UsageError(`Cannot use --output: a ${as} is a directory, wanted its name`)
      const files = await (as === 'dataset' ? datasetFiles(client, id) : packageFiles(client, id))
      return done(context, await getDirectory(client, context, files, dir), json)
    }
    const { below, ending } = forms[as]
    if (output === '-' && as === 'parquet' && context.terminal.isTerminal) {
      throw new UsageError('Cannot write Parquet to a terminal: name a file with --output, or use a pipe')
    }
    if (output !== null && output !== '-' && !(await isDirectory(output))) refuseExisting(output, force)
    const query = as === 'csv' ? csvQuery({ header, spreadsheet, delimiter, typed }) : {}
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

interface CsvWishes {
  readonly header: boolean
  readonly spreadsheet: boolean
  readonly delimiter: string
  readonly typed: boolean
}

function csvQuery({ header, spreadsheet, delimiter, typed }: CsvWishes) {
  return {
    ...(header && { header }),
    ...(spreadsheet && { spreadsheet: 'excel' }),
    ...(delimiter !== ',' && { delimiter }),
    ...(typed && { typed }),
  }
}

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

/** A terminal gets only text without control characters; a pipe gets the bytes. */
async function toStandardOutput(answer: IncomingMessage, { terminal, signal }: Context): Promise<void> {
  const decoder = new TextDecoder()
  const chunks = checked(bytesOf(answer, signal), expectedOf(answer))
  for await (const chunk of chunks) {
    await terminal.print(terminal.isTerminal ? printableLines(decoder.decode(chunk, { stream: true })) : chunk)
  }
}

/** What the response headers state about the body: `Content-Length`, and `Repr-Digest` (RFC 9530). */
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

/** A file in a directory to download. */
interface RemoteFile extends Expected {
  /** Path relative to the directory. */
  readonly file: string
  /** Path relative to the dataset. */
  readonly below: readonly string[]
}

/** A directory to create: one JSON document, and downloaded files. */
interface RemoteDirectory {
  readonly id: string
  readonly document: { readonly file: string; readonly json: unknown }
  readonly files: readonly RemoteFile[]
}

/** The directory that the service stores, without the files that it does not serve. */
async function datasetFiles(client: Client, id: string): Promise<RemoteDirectory> {
  const { receipt, json } = await client.receipt(id)
  const parts = receipt.parts.map((part, i) => ({
    file: partPath(part.file),
    below: ['parts', `${i}.parquet`],
    bytes: part.bytes,
    sha256: part.sha256,
  }))
  const { bytes, sha256 } = receipt.file
  const { corrections } = receipt
  const corrected =
    corrections === undefined
      ? []
      : [{ file: 'corrections', below: ['corrections'], bytes: corrections.bytes, sha256: corrections.sha256 }]
  const files = [{ file: 'original', below: ['original'], bytes, sha256 }, ...corrected, ...parts]
  return { id: receipt.id, document: { file: 'receipt.json', json }, files }
}

/** datapackage.json and the files that it describes. */
async function packageFiles(client: Client, id: string): Promise<RemoteDirectory> {
  const { receipt } = await client.receipt(id)
  const json = await client.json(datasetPath(id, 'datapackage.json'))
  const { bytes, sha256 } = receipt.file
  const files = [
    { file: 'original', below: ['original'], bytes, sha256 },
    { file: 'data.csv', below: ['data.csv'], bytes: null, sha256: null },
  ]
  return { id, document: { file: 'datapackage.json', json }, files }
}

/** Writes a directory that is complete or absent, like a file. */
async function getDirectory(
  client: Client,
  context: Context,
  { id, document, files }: RemoteDirectory,
  dir: string,
): Promise<Written> {
  if (existsSync(dir)) throw new Error(`Cannot write ${dir}: it exists; remove it or choose another name`)
  using temporary = temporaryBeside(dir)
  let written = 0
  for (const { file, below, ...expected } of files) {
    const path = join(temporary.path, file)
    await mkdir(dirname(path), { recursive: true })
    const { bytes } = await client.download(datasetPath(id, ...below), {}, (answer) => {
      const chunks = watched(bytesOf(answer, context.signal), context, file, expected.bytes)
      return saveFile(path, chunks, expected, false)
    })
    written += bytes
  }
  await writeFile(join(temporary.path, document.file), `${jsonLine(document.json)}\n`, { flush: true })
  await mkdir(dirname(dir), { recursive: true })
  await rename(temporary.path, dir)
  return { file: dir, bytes: written, sha256: null }
}

/** Ensures that a path sent by a server does not lead out of the directory. */
function partPath(file: string): string {
  if (/^data\/[0-9a-z][0-9a-z.-]*$/.test(file)) return file
  throw new ClientError({
    kind: 'wrong',
    message: `Cannot keep part ${JSON.stringify(file)}: this is not the name of a part`,
  })
}
