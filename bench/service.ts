// Service: starts the real service in its own process, as `npm start` does, on a free port.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RunningService {
  readonly url: string
  readonly pid: number
  /** Default: SIGTERM. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface StartOptions {
  /** Keep the contents of the data directory, which is otherwise emptied. */
  readonly keepData?: boolean
  readonly flags?: readonly string[]
  /** Runs the service on these cores only, as `taskset` names them. */
  readonly cores?: string
}

/** Resolves when the service listens. */
export async function startService(dataDir: string, options: StartOptions = {}): Promise<RunningService> {
  if (!options.keepData) rmSync(dataDir, { recursive: true, force: true })
  const bin = join(import.meta.dirname, '..', 'src', 'bin', 'csv-upload.ts')
  const args = [bin, 'serve', '--port', '0', '--data', dataDir, '--log-level', 'error', ...(options.flags ?? [])]
  // The launcher gave this process the same flags that it gives the service.
  const node = [process.execPath, ...process.execArgv, ...args]
  const [command = '', ...rest] = options.cores === undefined ? node : ['taskset', '-c', options.cores, ...node]
  const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'pipe'] })
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const url = /http:\/\/[^\s/]+/.exec(line)?.[0]
    if (url === undefined) continue
    child.stderr.on('data', (bytes: Buffer) => process.stderr.write(bytes))
    const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal)
      await once(child, 'exit')
    }
    return { url, pid: child.pid ?? 0, stop }
  }
  throw new Error(`Cannot start the service: ${said.join('\n')}`)
}
