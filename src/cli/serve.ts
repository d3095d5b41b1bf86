// Serve: runs the service in the foreground until a signal. Knows nothing of the parts of the service.
import { existsSync, statSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { KeysError } from '../access/api-keys.ts'
import type { startApp } from '../app.ts'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { isServiceError } from '../core/errors.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { onStopSignal } from './stop-signals.ts'
import { messageOf } from './system-messages.ts'

/**
 * Serves until SIGTERM or SIGINT, then shuts down gracefully; a second signal ends the process immediately.
 *
 * @param start Starts the service and resolves when it listens.
 * @param say Takes one line for the person who started it.
 */
export async function serve(
  argv: readonly string[],
  start: typeof startApp,
  say: (line: string) => void,
): Promise<ExitCode> {
  const stopping = new AbortController()
  let dataDir = ''
  try {
    const config = readConfig(argv, undefined, (line) => say(`csv-upload: ${line}`))
    dataDir = config.dataDir
    // Registered first, so that a signal during startup shuts down gracefully too.
    const stopped = stopSignal()
    void stopped.then(() => stopping.abort())
    const app = await start(config, stopping.signal)
    keepHeapSmall()
    say(`Listening on ${app.url}`)
    say(`Try:  ${firstUpload(app.url, config)}`)
    const signal = await stopped
    say(`${signal}: letting uploads finish, then stopping (again: stop immediately)`)
    await app.close()
    return exitCodes.ok
  } catch (error) {
    // Stopped while it waited for a bucket.
    if (stopping.signal.aborted && error instanceof Error && error.name === 'AbortError') return exitCodes.ok
    const { code, line } = explain(error, dataDir)
    say(`csv-upload: ${line}`)
    return code
  }
}

/**
 * Keeps V8 from growing with many waiting clients. The space for new objects keeps the size it has after startup: it
 * would double with what survives a collection, and never shrink. And garbage may reach 40 % of live memory, not three
 * times that. For costs and benefits, see docs/decisions/memory-of-slow-clients.md.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=40')
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    onStopSignal(['SIGTERM', 'SIGINT'], resolve)
    // The launcher, if there is one, holds the other end of a channel. When it is killed, nothing else could stop this
    // process, so it exits too; the store is built for abrupt ends.
    process.on('disconnect', () => process.exit(exitCodes.failed))
  })
}

/** A command that uploads a file to this service, with a key if authentication is enabled. */
function firstUpload(url: string, { keys, jwtKeys }: Pick<Config, 'keys' | 'jwtKeys'>): string {
  const needsKey = keys !== '' || jwtKeys !== ''
  return `curl ${needsKey ? '-H "Authorization: Bearer $KEY" ' : ''}-F file=@your.csv ${url}/qas/uploadCsv`
}

/** Why the service did not start, or did not stop gracefully: one line and the exit code. */
function explain(error: unknown, dataDir: string): { readonly code: ExitCode; readonly line: string } {
  const line = oneLine(error)
  if (error instanceof KeysError) return { code: exitCodes.usage, line }
  if (error instanceof ConfigError) return { code: exitCodes.usage, line: `${line} (see csv-upload serve --help)` }
  if (isServiceError(error, 'DATA_DIRECTORY_IN_USE')) return { code: exitCodes.locked, line }
  if (error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')) {
    return { code: exitCodes.network, line: `Cannot listen: ${line}; choose another --host or --port` }
  }
  if (!isServiceError(error, 'STORE_FAILED') && !isServiceError(error, 'STORE_UNAVAILABLE')) {
    return { code: exitCodes.failed, line }
  }
  const { cause } = error
  if (cause instanceof Error && 'syscall' in cause && cause.syscall === 'mkdir') {
    return { code: exitCodes.failed, line: `${messageOf(cause)}; choose another --data` }
  }
  return { code: exitCodes.failed, line: line + otherOwner(dataDir) }
}

/** Says so if a directory belongs to another user, as the volume of a container may. */
function otherOwner(dir: string): string {
  const own = process.getuid?.()
  const owner = existsSync(dir) ? statSync(dir).uid : own
  if (!own || owner === own) return ''
  return `; ${dir} belongs to user ${owner}, and this process runs as user ${own}: change its owner, or choose another --data`
}

/** The message with its causes, which the operator may see, unlike a client. */
function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : ` (${oneLine(error.cause)})`
  return `${error.message}${cause}`.replaceAll(/\s+/g, ' ')
}
