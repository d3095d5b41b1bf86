// Server: the commands about a server, and what `serve` is, as help shows it. src/cli/serve.ts runs it.
import type { Client } from '../../client/client.ts'
import { readAs, shapes } from '../../client/response-shapes.ts'
import { option } from '../../config/option.ts'
import { allOptions } from '../../config/options.ts'
import { text } from '../../config/value-parsers.ts'
import { loadPart } from '../../core/load-part.ts'
import { type CommandHelp, type Context, defineCommand, noArguments } from '../command.ts'
import { outcomeOf } from '../command-error.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { ownManifest } from '../own-manifest.ts'
import { connect, serverOptions } from '../server-command.ts'
import { counted, shownBytes, shownTime } from '../terminal/format-amounts.ts'
import { printable } from '../terminal/printable.ts'

export const serveHelp: CommandHelp = {
  name: 'serve',
  summary: 'run the service until a signal',
  usage: '[options]',
  about:
    'Runs in the foreground. Precedence of options: command line, CSV_UPLOAD_* variables, --config file. SIGTERM or Ctrl-C lets uploads finish; a second one stops immediately.',
  options: allOptions,
  examples: [['csv-upload serve --port 9000 --data /var/lib/csv-upload', 'Another port and directory.']],
}

interface CheckResult {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'check this machine and the server',
  about:
    'Checks the local Node; if the server is on this machine, also the sandbox and DuckDB; with --data, or if no URL is given, also the disk and the store of the data directory; whether the server can be reached and accepts uploads, its version and its size limit. With --store, compares everything in a bucket with the receipts instead, and prints what no receipt names and what is missing; without a service that runs, nothing is in progress. Changes nothing. Exits with 0 if all checks pass. With --json, prints one document.',
  options: {
    ...serverOptions,
    data: option('--data <directory>', text('a directory')).help(
      'Data directory of a service on this machine.',
      'that of CSV_UPLOAD_DATA, or ./data',
    ),
    store: option('--store <url>', text('s3://bucket or s3://bucket/prefix')).help(
      'Bucket to check; its server is that of CSV_UPLOAD_S3_ENDPOINT and the like.',
    ),
  },
  examples: [
    ['csv-upload doctor --url https://files.example', 'A remote server.'],
    ['csv-upload doctor --store s3://csv-uploads/prod', 'What a bucket holds.'],
  ],
  args: noArguments,
  async run(context, { json, store, data, ...server }) {
    using client = connect(context, { ...server, retries: 0 })
    const isGiven = (server.url ?? context.environment.url) !== null
    const isHere = /^(localhost|127\.[\d.]+|\[::1\])$/.test(client.url.hostname)
    const checks =
      store === null
        ? [
            localNode(),
            ...(isHere || data !== null ? await machineFindings(data, isGiven) : []),
            ...(await serverFindings(client, context)),
          ]
        : await bucketFindings(store)
    const { terminal } = context
    const document = { ok: checks.every(({ ok }) => ok), url: store ?? client.url.href, checks }
    const line = ({ check, ok, detail }: CheckResult) =>
      `${terminal.mark(ok)}  ${check.padEnd(7)}  ${printable(detail)}\n`
    await terminal.printResult(json, document, () => checks.map(line).join(''))
    return exitCode(checks)
  },
})

function exitCode(findings: readonly CheckResult[]): ExitCode {
  const failed = new Set(findings.filter(({ ok }) => !ok).map(({ check }) => check))
  if (failed.has('reached')) return exitCodes.network
  if (failed.has('key')) return exitCodes.refusedKey
  return failed.size === 0 ? exitCodes.ok : exitCodes.failed
}

async function bucketFindings(store: string): Promise<readonly CheckResult[]> {
  // Loaded only here: it also loads the AWS SDK.
  const { openBucket } = await loadPart(() => import('../../publish.ts'))
  const { datasets, notes, unnamed, missing } = await openBucket(['--store', store])!.check()
  const detail = `${counted(datasets, 'dataset')}, ${counted(notes, 'attempt')} in progress or being removed`
  return [
    { check: 'bucket', ok: true, detail },
    ...unnamed.map((key) => ({ check: 'unnamed', ok: false, detail: key })),
    ...missing.map((what) => ({ check: 'missing', ok: false, detail: what })),
  ]
}

/** @param isGiven Whether the server has a URL; its data directory is then known only if it is given, too. */
async function machineFindings(data: string | null, isGiven: boolean): Promise<readonly CheckResult[]> {
  // Loaded only here: it also loads the engine.
  const { inspectMachine } = await import('../../inspect.ts')
  const machine = await inspectMachine(data === null ? [] : ['--data', data])
  const { sandbox, duckDbMissing, dataDir, freeBytes, storeUrl, owner } = machine
  const children = [
    { check: 'sandbox', ok: sandbox.isEnough, detail: `children here have ${sandbox.holds}` },
    { check: 'duckdb', ok: duckDbMissing === null, detail: duckDbMissing ?? 'installed' },
  ]
  if (data === null && isGiven) return children
  const stored = `format ${machine.format}, ${counted(machine.datasetCount, 'dataset')}`
  const held = owner === null ? 'not open' : `opened by ${owner}`
  const free = freeBytes === null ? 'no such directory yet' : `${shownBytes(freeBytes)} free`
  return [
    ...children,
    { check: 'disk', ok: freeBytes !== 0, detail: `${dataDir}: ${free}` },
    { check: 'store', ok: machine.isFormatKnown, detail: `${storeUrl || stored}, ${held}` },
  ]
}

function localNode(): CheckResult {
  const { node } = process.versions
  const { nodeVersionMin } = ownManifest()
  const ok = node.localeCompare(nodeVersionMin, 'en', { numeric: true }) >= 0
  return { check: 'node', ok, detail: `Node ${node} here, ${nodeVersionMin} or newer required` }
}

async function serverFindings(client: Client, { signal }: Context): Promise<readonly CheckResult[]> {
  const finding = async (check: string, look: () => Promise<string>): Promise<CheckResult> => {
    try {
      return { check, ok: true, detail: await look() }
    } catch (error) {
      signal.throwIfAborted()
      const { code, line } = outcomeOf(error)
      return { check: code === exitCodes.refusedKey ? 'key' : check, ok: false, detail: String(line) }
    }
  }
  const beganMs = performance.now()
  const reached = await finding('reached', async () => {
    ;(await client.open('/healthz')).resume()
    return `${client.url.origin} in ${shownTime(performance.now() - beganMs)}`
  })
  if (!reached.ok) return [reached]
  const ready = await finding('ready', async () => {
    await client.json('/readyz')
    return 'accepts uploads'
  })
  const version = await finding('version', async () => {
    const { info } = (await client.json('/openapi.json')) as { info?: { title?: unknown; version?: unknown } } // only shown
    return `${String(info?.title ?? 'server')} ${String(info?.version ?? 'of unknown version')}`
  })
  const limit = await finding('limit', async () => {
    const { scopes, limits } = readAs(shapes.caller, await client.json('/qas/caller'))
    if (!scopes.includes('upload')) return ''
    return `${shownBytes(limits.requestBytesMax)} per request (${limits.requestBytesMax} bytes)`
  })
  const mayNot = { check: 'key', ok: false, detail: 'the key does not allow uploads' }
  return [reached, ready, version, limit.detail === '' ? mayNot : limit]
}
