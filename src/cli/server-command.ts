// Server command: what the commands that call a server have in common: its address and key, ids, pages, and JSON or text.
import { readFileSync } from 'node:fs'
import { Client, datasetPath } from '../client/client.ts'
import { defaultRules } from '../client/retry.ts'
import { type ClientEnvironment, clientVariables, defaultUrl } from '../config/client-environment.ts'
import { option } from '../config/option.ts'
import { text, wholeNumber } from '../config/value-parsers.ts'
import {
  type Command,
  type CommandValues,
  type Context,
  type Definition,
  type Description,
  defineCommand,
  type OptionRows,
  onlyArgument,
  someArguments,
  UsageError,
  type ValuesOf,
} from './command.ts'
import { outcomeOf } from './command-error.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { printable } from './terminal/printable.ts'
import { type TableColumn, tableText } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Options of every command that calls a server. */
export const serverOptions = {
  url: option('--url <url>', text('the address of a server')).help(
    'URL of the server; else CSV_UPLOAD_URL, else http://127.0.0.1:8080.',
  ),
  keyFile: option('--key-file <file>', text('a file')).help(
    'File with the API key; else CSV_UPLOAD_KEY or CSV_UPLOAD_KEY_FILE. A key is never an argument, which other users could see.',
  ),
  retries: option('--retries <count>', wholeNumber(0, 100), '5').help(
    'Number of retries if the server is busy or the connection fails; 0 for none.',
  ),
} satisfies OptionRows

/** Number of items of a list to skip. */
export function offsetOption(help: string) {
  return option('--offset <count>', wholeNumber(0, Number.MAX_SAFE_INTEGER), '0').help(help)
}

/** Maximum number of items of a list to print; default 20. */
export function limitOption(countMax: number, help: string) {
  return option('-n, --limit <count>', wholeNumber(1, countMax), '20').help(help)
}

export interface ServerContext extends Context {
  readonly client: Client
  /** The URL on the command line; null without one. */
  readonly givenUrl: string | null
}

/** A command that calls a server. */
export function serverCommand<Args, const Rows extends OptionRows = Record<never, never>>({
  options,
  run,
  ...definition
}: Definition<Rows, Args, ServerContext>): Command {
  return defineCommand<Args, OptionRows>({
    ...definition,
    options: { ...options, ...serverOptions },
    async run(context, values, args) {
      const all = values as CommandValues<Rows> & ValuesOf<typeof serverOptions> // the rows above
      using client = connect(context, all)
      return await run({ ...context, client, givenUrl: all.url }, all, args)
    },
  })
}

export interface DatasetContext extends ServerContext {
  /** The path of the dataset, or of something below it; finds its id first. @throws {ClientError} */
  path(...below: readonly string[]): Promise<string>
}

interface DatasetDefinition<Rows extends OptionRows, Response> extends Description<Rows> {
  fetch(context: DatasetContext, values: CommandValues<Rows>): Promise<Response>
  /** The text for humans instead of the JSON of the response, and a sentence that is no result. */
  show(response: Response, terminal: Terminal, values: CommandValues<Rows>): string | readonly [string, string | null]
  /** `ok` for every response without it. */
  exitCode?(response: Response): ExitCode
}

/** A command that requests something of one dataset, and prints the response. */
export function datasetCommand<Response, const Rows extends OptionRows = Record<never, never>>({
  fetch,
  show,
  exitCode = () => exitCodes.ok,
  ...description
}: DatasetDefinition<Rows, Response>): Command {
  return serverCommand<string, Rows>({
    usage: '<id> [options]',
    ...description,
    args: onlyId,
    async run(context, values, prefix) {
      const { client, terminal } = context
      const path = async (...below: readonly string[]) => datasetPath(await client.findId(prefix), ...below)
      const response = await fetch({ ...context, path }, values)
      const { json } = values as { json: boolean } // every command has that option
      const shown = json ? '' : show(response, terminal, values)
      const [result, sentence] = typeof shown === 'string' ? [shown, null] : shown
      await terminal.printResult(json, response, () => result)
      if (sentence !== null) terminal.say(sentence)
      return exitCode(response)
    },
  })
}

/** The given ids of datasets, each whole or only its first digits. @throws {UsageError} */
export function datasetIds(args: readonly string[]): readonly string[] {
  return idsOf(args, /^[0-9a-f]{8,32}$/i, 'id', 'the first 8 of its 32 hexadecimal digits, as send and list print them')
}

/** The same for uploads. @throws {UsageError} */
export function uploadIds(args: readonly string[]): readonly string[] {
  const wanted = 'the first 8 of its 36 characters, as csv-upload uploads prints them'
  return idsOf(args, /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i, 'upload id', wanted)
}

function idsOf(args: readonly string[], pattern: RegExp, what: string, wanted: string): readonly string[] {
  const wrong = someArguments(what)(args).find((arg) => !pattern.test(arg))
  if (wrong === undefined) return args.map((id) => id.toLowerCase())
  throw new UsageError(`Cannot use ${what} '${wrong}': expected at least ${wanted}`)
}

/** The only id of a dataset. @throws {UsageError} */
export function onlyId(args: readonly string[]): string {
  return datasetIds([onlyArgument('id')(args)])[0]!
}

/** How to show items of a list: one row of a table, or one line of JSON, per item. */
export interface ListView<Item> {
  readonly columns: readonly TableColumn[]
  readonly cells: (item: Item) => readonly string[]
  readonly none: string
}

/** Prints items as they arrive, or as a table at the end, up to a number of them. */
export async function printList<Item>(
  { terminal }: Context,
  items: AsyncIterable<Item>,
  countMax: number,
  asJson: boolean,
  { columns, cells, none }: ListView<Item>,
): Promise<undefined> {
  const rows: (readonly string[])[] = []
  let count = 0
  for await (const item of items) {
    if (asJson) await terminal.printJson(item)
    else rows.push(cells(item))
    count += 1
    if (count >= countMax) break
  }
  if (rows.length > 0) await terminal.print(tableText(columns, rows, terminal.width))
  if (count === 0) terminal.say(none)
}

export interface IdAction {
  readonly find: (prefix: string) => Promise<string>
  /** What has happened to it, in words that the id follows. */
  readonly action: (id: string) => Promise<string>
}

/** Does the same to each of several ids. If one of them fails, the others are still done. */
export async function forEachId(
  { terminal, signal }: Context,
  prefixes: readonly string[],
  asJson: boolean,
  { find, action }: IdAction,
): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  for (const prefix of prefixes) {
    let id = prefix
    try {
      id = await find(prefix)
      const done = await action(id)
      await terminal.printResult(asJson, { id, ok: true }, () => `${done} ${printable(id)}\n`)
    } catch (error) {
      signal.throwIfAborted()
      const outcome = outcomeOf(error)
      if (code === exitCodes.ok) code = outcome.code
      if (asJson) await terminal.printJson({ id, ok: false, error: outcome.error })
      else terminal.complain(`${terminal.paintError('red', `${printable(id)}:`)} ${outcome.line}`)
    }
  }
  return code
}

/** Creates the client; nothing is sent yet. @throws {UsageError} for an invalid address or key */
export function connect(context: Context, values: ValuesOf<typeof serverOptions>): Client {
  const address = { url: serverUrl(values.url, context.environment), key: apiKey(values.keyFile, context.environment) }
  return new Client(address, { ...defaultRules, retriesMax: values.retries }, context.signal)
}

function serverUrl(given: string | null, environment: ClientEnvironment): URL {
  const as = given !== null ? '--url' : clientVariables.url
  const text = given ?? environment.url ?? defaultUrl
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`Cannot use ${as}: given ${JSON.stringify(text)}, expected an address such as ${defaultUrl}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `Cannot use ${as}: it contains a user or a password; put a key into ${clientVariables.key} or --key-file`,
    )
  }
  if (url.search !== '' || url.hash !== '') throw new UsageError(`Cannot use ${as}: it has a query or a fragment`)
  return url
}

/** Never shows the key, not even an invalid one. */
function apiKey(keyFile: string | null, environment: ClientEnvironment): string | null {
  if (keyFile === null && environment.key !== null) return checkedKey(environment.key, clientVariables.key)
  const path = keyFile ?? environment.keyFile
  const as = keyFile !== null ? '--key-file' : clientVariables.keyFile
  if (path === null) return null
  try {
    return checkedKey(readFileSync(path, 'utf8'), as)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`Cannot use ${as}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function checkedKey(text: string, as: string): string {
  const key = text.trim()
  // The characters allowed in a bearer token: RFC 6750 section 2.1.
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(key)) return key
  throw new UsageError(`Cannot use ${as}: it does not contain a key`)
}
