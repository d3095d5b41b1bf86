// doctor: checks whether this machine and the server are ready for uploads, or what a bucket holds. Changes nothing.
import type { IncomingMessage } from 'node:http'
import { readCaller } from '../../../client/caller.ts'
import type { Client } from '../../../client/client.ts'
import { text } from '../../../config/value-parsers.ts'
import { type Context, defineCommand, noArguments, serverOptions } from '../../command.ts'
import { outcomeOf } from '../../command-error.ts'
import { connect } from '../../connect.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { loadService } from '../../load-service.ts'
import { counted, shownBytes, shownTime } from '../../terminal/format-amounts.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'

/** The oldest Node that the command line runs on; the service brings its own. */
const nodeVersionMin = [22, 0] as const
/** A smaller clock difference does no harm: only displayed times depend on it. */
const clockMsMax = 5_000

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'check this machine and the server',
  usage: '[options]',
  about:
    'Checks the local Node, whether the server can be reached and accepts uploads, its version, its clock and its size limit. With --store, compares everything in a bucket with the receipts instead, and prints what no receipt names and what is missing; without a service that runs, nothing is in progress. Changes nothing. Exits with 0 if all checks pass. With --json, prints one document.',
  options: {
    ...serverOptions,
    store: {
      flag: '--store',
      value: '<url>',
      fallback: null,
      ...text('s3://bucket or s3://bucket/prefix'),
      help: 'Bucket to check; its server is that of CSV_UPLOAD_S3_ENDPOINT and the like.',
    },
  },
  examples: [
    { line: 'csv-upload doctor --url https://files.example', what: 'A remote server.' },
    { line: 'csv-upload doctor --store s3://csv-uploads/prod', what: 'What a bucket holds.' },
  ],
  completes: 'nothing',
  async run(context, { json, store, ...server }, args) {
    noArguments(args)
    using client = connect(context, { ...server, retries: 0 })
    const findings =
      store === null ? [localNode(), ...(await serverFindings(client, context))] : await bucketFindings(store)
    const { terminal } = context
    if (json)
      await terminal.print(
        `${jsonLine({ ok: findings.every(({ ok }) => ok), url: store ?? client.url.href, checks: findings })}\n`,
      )
    else
      for (const { check, ok, detail } of findings) {
        const mark = ok ? terminal.paint('green', 'ok  ') : terminal.paint('red', 'FAIL')
        await terminal.print(`${mark}  ${check.padEnd(7)}  ${printable(detail)}\n`)
      }
    return exitCode(findings)
  },
})

function exitCode(findings: readonly Finding[]): ExitCode {
  const failed = new Set(findings.filter(({ ok }) => !ok).map(({ check }) => check))
  if (failed.has('reached')) return exitCodes.network
  if (failed.has('key')) return exitCodes.refusedKey
  return failed.size === 0 ? exitCodes.ok : exitCodes.failed
}

async function bucketFindings(store: string): Promise<readonly Finding[]> {
  // Loaded only here: it also loads the AWS SDK.
  const { openBucket } = await loadService(() => import('../../../publish.ts'))
  const { datasets, notes, unnamed, missing } = await openBucket(['--store', store])!.check()
  const detail = `${counted(datasets, 'dataset')}, ${counted(notes, 'attempt')} in progress or being removed`
  return [
    { check: 'bucket', ok: true, detail },
    ...unnamed.map((key) => ({ check: 'unnamed', ok: false, detail: key })),
    ...missing.map((what) => ({ check: 'missing', ok: false, detail: what })),
  ]
}

function localNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > nodeVersionMin[0] || (major === nodeVersionMin[0] && minor >= nodeVersionMin[1])
  return {
    check: 'node',
    ok,
    detail: `Node ${process.versions.node} here, ${nodeVersionMin.join('.')} or newer required`,
  }
}

async function serverFindings(client: Client, { signal }: Context): Promise<readonly Finding[]> {
  const beganMs = performance.now()
  let health: IncomingMessage
  try {
    health = await client.open('/healthz')
    health.resume()
  } catch (error) {
    signal.throwIfAborted()
    return [{ check: 'reached', ok: false, detail: String(outcomeOf(error).line) }]
  }
  const tookMs = performance.now() - beganMs
  return [
    { check: 'reached', ok: true, detail: `${client.url.origin} in ${shownTime(tookMs)}` },
    await finding('ready', async () => {
      await client.json('/readyz')
      return 'accepts uploads'
    }),
    clock(health.headers.date, tookMs),
    await finding('version', async () => {
      const { info } = (await client.json('/openapi.json')) as { info?: { title?: unknown; version?: unknown } } // only shown
      return `${String(info?.title ?? 'server')} ${String(info?.version ?? 'of unknown version')}`
    }),
    await limit(client, signal),
  ]

  async function finding(check: string, look: () => Promise<string>): Promise<Finding> {
    try {
      return { check, ok: true, detail: await look() }
    } catch (error) {
      signal.throwIfAborted()
      return { check, ok: false, detail: String(outcomeOf(error).line) }
    }
  }
}

/** The `Date` of the response has whole seconds and was set shortly before the response arrived. */
function clock(date: string | undefined, tookMs: number): Finding {
  const offMs = date === undefined ? 0 : Date.parse(date) + 500 - Date.now()
  if (date === undefined || Number.isNaN(offMs)) return { check: 'clock', ok: true, detail: 'the server sends no time' }
  const ok = Math.abs(offMs) <= clockMsMax + tookMs
  const detail = ok
    ? 'the same as here'
    : `the server is ${shownTime(Math.abs(offMs))} ${offMs > 0 ? 'ahead' : 'behind'}`
  return { check: 'clock', ok, detail }
}

/** What the server allows this caller to upload. */
async function limit(client: Client, signal: AbortSignal): Promise<Finding> {
  try {
    const { scopes, limits } = readCaller(await client.json('/qas/caller'))
    if (!scopes.includes('upload')) return { check: 'key', ok: false, detail: 'the key does not allow uploads' }
    const { requestBytesMax } = limits
    return { check: 'limit', ok: true, detail: `${shownBytes(requestBytesMax)} per request (${requestBytesMax} bytes)` }
  } catch (error) {
    signal.throwIfAborted()
    const { code, line } = outcomeOf(error)
    return { check: code === exitCodes.refusedKey ? 'key' : 'limit', ok: false, detail: String(line) }
  }
}
