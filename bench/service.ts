// Service: starts the real service as a process of its own, as `npm start` does, on a free port.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RunningService {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts with an empty data directory; resolves when it answers. */
export async function startService(dataDir: string, flags: readonly string[] = []): Promise<RunningService> {
  rmSync(dataDir, { recursive: true, force: true })
  const bin = join(import.meta.dirname, '..', 'src', 'bin', 'csv-upload.ts')
  const args = [bin, 'serve', '--port', '0', '--data', dataDir, '--log-level', 'error', ...flags]
  // The launcher has given this process the flags that it gives the service.
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: ['ignore', 'inherit', 'pipe'] })
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const url = /http:\/\/[^\s/]+/.exec(line)?.[0]
    if (url === undefined) continue
    child.stderr.on('data', (bytes: Buffer) => process.stderr.write(bytes))
    const stop = async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    return { url, pid: child.pid ?? 0, stop }
  }
  throw new Error(`Cannot start the service: ${said.join('\n')}`)
}
