// Commands: runs the programs of peers, and installs what they need from the usual registries. Knows no peer.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a command to its end; returns its output. @throws {Error} with its output, if it fails. */
export async function run(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { stdout } = await execute(command, args, { ...(cwd && { cwd }), maxBuffer: 16_777_216 })
  return stdout
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** Starts a command in the background; ends it when disposed. */
export function start(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly uid?: number; readonly env?: NodeJS.ProcessEnv } = {},
): { readonly child: ChildProcess } & AsyncDisposable {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  child.on('error', () => {})
  return {
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
      child.kill('SIGTERM')
      const killing = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await once(child, 'exit')
      clearTimeout(killing)
    },
  }
}

/** Repeats until it does not throw. */
export async function eventually(ask: () => Promise<unknown>, secondsMax = 60): Promise<void> {
  for (const endMs = performance.now() + secondsMax * 1_000; ; ) {
    try {
      await ask()
      return
    } catch (error) {
      if (performance.now() > endMs) throw error
      await sleep(200)
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port')
  return address.port
}

/** A Python with packages, installed once. */
export async function python(directory: string, packages: readonly string[]): Promise<string> {
  const dir = join(directory, `python-${packages.join('-')}`)
  const path = join(dir, 'bin', 'python')
  if (!existsSync(join(dir, 'done'))) {
    await run('python3', ['-m', 'venv', dir])
    await run(path, ['-m', 'pip', 'install', '--quiet', ...packages])
    mkdirSync(join(dir, 'done'))
  }
  return path
}

/** A folder with npm packages, installed once. */
export async function nodeModules(directory: string, packages: readonly string[]): Promise<string> {
  const dir = join(directory, 'node')
  mkdirSync(dir, { recursive: true })
  if (!existsSync(join(dir, 'done'))) {
    await run('npm', [
      'install',
      '--prefix',
      dir,
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--ignore-scripts',
      ...packages,
    ])
    mkdirSync(join(dir, 'done'))
  }
  return dir
}
