// get: downloads a dataset in one of its formats. Knows their paths; save-file.ts makes files atomic.
import { existsSync } from 'node:fs'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { datasetPath } from '../../client/client.ts'
import { ClientError } from '../../client/client-error.ts'
import { bytesOf } from '../../client/http.ts'
import type { SentReceipt } from '../../client/response-shapes.ts'
import { option, toggle } from '../../config/option.ts'
import { oneOf, text } from '../../config/value-parsers.ts'
import { type Context, UsageError } from '../command.ts'
import {
  type ByteFacts,
  checked,
  type ExpectedBytes,
  offeredName,
  refuseExisting,
  saveFile,
  temporaryBeside,
} from '../save-file.ts'
import { onlyId, type ServerContext, serverCommand } from '../server-command.ts'
import { shownBytes } from '../terminal/format-amounts.ts'
import { jsonLine, printable } from '../terminal/printable.ts'
import { drawProgress, progressText, RateMeter } from '../terminal/progress.ts'

/** The formats of a dataset: their paths, and the file extensions to use if the server sends no name. */
const forms = {
  original: { below: ['original'], ending: 'csv' },
  csv: { below: ['data.csv'], ending: 'csv' },
  parquet: { below: ['data.parquet'], ending: 'parquet' },
  ndjson: { below: ['data.ndjson'], ending: 'ndjson' },
  rejects: { below: ['rejects.csv'], ending: 'rejects.csv' },
  annotated: { below: ['annotated.csv'], ending: 'annotated.csv' },
  receipt: { below: [], ending: 'receipt.json' },
  profile: { below: ['profile'], ending: 'profile.json' },
} as const
type Form = keyof typeof forms

export const get = serverCommand({
  name: 'get',
  summary: 'download a dataset: original, csv, parquet, ndjson, …',
  usage: '<id> [--as <form>] [-o <file>]',
  about:
    'Writes a dataset in one format to a file, or with `-o -` to standard output. A file is complete or absent: it is written under a temporary name and renamed after every byte has arrived and the SHA-256 matches. `dataset` is a directory with the original, corrections if there are any, receipt.json and the parts, which csv-upload verify checks offline; `datapackage` is a directory with datapackage.json and the files it describes. With --json, prints what was written on one line.',
  options: {
    as: option('--as <form>', oneOf([...(Object.keys(forms) as Form[]), 'datapackage', 'dataset']), 'original').help(
      `One of ${Object.keys(forms).join(', ')}, datapackage, dataset.`,
    ),
    output: option('-o, --output <file>', text('a file, a directory or -')).help(
      'File, existing directory, or - for standard output; by default the name from the server.',
    ),
    header: toggle('--header', 'For csv: add a header line even if the file has none.'),
    spreadsheet: toggle(
      '--spreadsheet',
      'For csv and annotated: make it safe for Excel, with formulas escaped and a byte order mark.',
    ),
    delimiter: option('--delimiter <character>', oneOf([',', ';', 'tab']), ',').help(
      'For csv and annotated: delimiter between fields.',
    ),
    typed: toggle('--typed', 'For csv: typed values, for databases, instead of the text of the file.'),
    force: toggle('--force', 'Overwrite an existing file.'),
  },
  examples: [
    ['csv-upload get 5f0c…', 'The file as sent.'],
    ['csv-upload get 5f0c… --as parquet -o sales.parquet', 'Typed, under another name.'],
    ['csv-upload get 5f0c… --as csv -o - | head', 'To a pipe.'],
    ["csv-upload get 5f0c… --as csv --spreadsheet --delimiter ';' -o excel.csv", 'For Excel with decimal commas.'],
    ['csv-upload get 5f0c… --as annotated --spreadsheet', 'Each record with a verdict, for the sender.'],
    ['csv-upload get 5f0c… --as dataset -o copy && csv-upload verify copy', 'Everything, verified.'],
  ],
  args: onlyId,
  async run(context, { as, output, header, spreadsheet, delimiter, typed, force, json }, prefix) {
    const { client, terminal, signal } = context
    const id = await client.findId(prefix)
    if (as === 'dataset' || as === 'datapackage') {
      const dir = output ?? id
      if (dir === '-') throw new UsageError(`Cannot use --output: a ${as} is a directory, expected its name`)
      return await report(context, await getDirectory(context, as, id, dir), json)
    }
    const { below, ending } = forms[as]
    if (output === '-' && as === 'parquet' && terminal.isTerminal) {
      throw new UsageError('Cannot write Parquet to a terminal: name a file with --output, or use a pipe')
    }
    if (output !== null && output !== '-' && !(await isDirectory(output))) refuseExisting(output, force)
    const written = { ...(spreadsheet && { spreadsheet: 'excel' }), ...(delimiter !== ',' && { delimiter }) }
    const csvQuery = { ...written, ...(header && { header }), ...(typed && { typed }) }
    const query = as === 'csv' ? csvQuery : as === 'annotated' ? written : {}
    const path = datasetPath(id, ...below)
    if (output === '-') {
      const response = await client.open(path, query, { accept: '*/*' })
      await terminal.printBytes(checked(bytesOf(response, signal), expectedOf(response)))
      return undefined
    }
    const saved = await client.download(path, query, async (response) => {
      const name = offeredName(response.headers['content-disposition']) ?? `${id}.${ending}`
      const isInto = output === null || (await isDirectory(output))
      const file = isInto ? join(output ?? '', name) : output
      return { file, ...(await save(response, context, file, file, expectedOf(response), force)) }
    })
    return await report(context, saved, json)
  },
})

/** A directory has no hash of its own. */
type SavedFile = Partial<ByteFacts> & Pick<ByteFacts, 'bytes'> & { readonly file: string }

async function report({ terminal }: Context, { file, bytes, sha256 }: SavedFile, asJson: boolean): Promise<undefined> {
  if (asJson) await terminal.printJson({ file, bytes, sha256 })
  else terminal.say(`${printable(file)}  ${shownBytes(bytes)}`)
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}

/** What the response headers state about the body: `Content-Length`, and `Repr-Digest` (RFC 9530). */
function expectedOf({ headers }: IncomingMessage): ExpectedBytes {
  const length = headers['content-length']
  const digest = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(String(headers['repr-digest'] ?? ''))?.[1]
  return {
    bytes: length === undefined ? null : Number(length),
    sha256: digest === undefined ? null : Buffer.from(digest, 'base64').toString('hex'),
  }
}

/** Saves a body and shows how much of it has arrived. */
async function save(
  response: IncomingMessage,
  { terminal, signal }: Context,
  path: string,
  shownAs: string,
  expected: ExpectedBytes,
  force: boolean,
): Promise<ByteFacts> {
  const meter = new RateMeter()
  let bytes = 0
  const line = () => `${printable(shownAs)}  ${progressText(bytes, expected.bytes, meter.rate(bytes))}`
  using _progress = drawProgress(terminal, line)
  const counted = async function* () {
    for await (const chunk of bytesOf(response, signal)) {
      yield chunk
      bytes += chunk.length
    }
  }
  return await saveFile(path, counted(), expected, force)
}

/** A file in a directory, where it is below the dataset, and what is known of it. */
type RemoteFile = readonly [file: string, below: readonly string[], expected: ExpectedBytes]

/** The directory that the service stores, without the files that it does not serve. */
function datasetFiles({ file, corrections, parts }: SentReceipt): readonly RemoteFile[] {
  return [
    ['original', ['original'], file],
    ...(corrections === undefined ? [] : [['corrections', ['corrections'], corrections] as const]),
    ...parts.map((part, i) => [partPath(part.file), ['parts', `${i}.parquet`], part] as const),
  ]
}

/** Writes a directory that is complete or absent, like a file: one JSON document, and the files that it describes. */
async function getDirectory(
  context: ServerContext,
  as: 'dataset' | 'datapackage',
  id: string,
  dir: string,
): Promise<SavedFile> {
  if (existsSync(dir)) throw new Error(`Cannot write ${dir}: it exists; remove it or choose another name`)
  const { client } = context
  const receipt = await client.receipt(id)
  const packaged: readonly RemoteFile[] = [
    ['original', ['original'], receipt.file],
    ['data.csv', ['data.csv'], { bytes: null, sha256: null }],
  ]
  const [name, json, files] =
    as === 'dataset'
      ? (['receipt.json', receipt, datasetFiles(receipt)] as const)
      : (['datapackage.json', await client.json(datasetPath(id, 'datapackage.json')), packaged] as const)
  using temporary = temporaryBeside(dir)
  let written = 0
  for (const [file, below, expected] of files) {
    const path = join(temporary.path, file)
    await mkdir(dirname(path), { recursive: true })
    const take = (response: IncomingMessage) => save(response, context, path, file, expected, false)
    const { bytes } = await client.download(datasetPath(id, ...below), {}, take)
    written += bytes
  }
  await writeFile(join(temporary.path, name), `${jsonLine(json)}\n`, { flush: true })
  await mkdir(dirname(dir), { recursive: true })
  await rename(temporary.path, dir)
  return { file: dir, bytes: written }
}

/** Ensures that a path sent by a server does not lead out of the directory. */
function partPath(file: string): string {
  if (/^data\/[0-9a-z][0-9a-z.-]*$/.test(file)) return file
  throw ClientError.of('wrong', `Cannot keep part ${JSON.stringify(file)}: this is not the name of a part`)
}
