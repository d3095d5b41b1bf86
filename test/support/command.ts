// Command: runs the real command line in a separate process, with pipes or on a pseudo-terminal. Knows no command.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const program = join(import.meta.dirname, '..', '..', 'src', 'bin', 'csv-upload.ts')
const nodeArgs = ['--disable-warning=ExperimentalWarning', program]

/** Cache of compiled code, shared by processes; the same as for `npm test`. */
const { NODE_COMPILE_CACHE } = process.env
const ownEnvironment = { PATH: process.env.PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Standard input; empty by default. */
  readonly input?: string | Uint8Array
  /** Leaves standard input open afterwards. */
  readonly holdsInput?: boolean
  readonly environment?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A running command. `ended` resolves to its whole output. */
export function startCommand(
  args: readonly string[],
  { input = '', holdsInput = false, environment = {}, cwd }: RunOptions = {},
) {
  const child = spawn(process.execPath, [...nodeArgs, ...args], {
    env: { ...ownEnvironment, ...environment },
    ...(cwd !== undefined && { cwd }),
  })
  child.stdin.on('error', () => {})
  if (holdsInput) child.stdin.write(input)
  else child.stdin.end(input)
  return { child: child as ChildProcess, ended: endOf(child) }
}

/** Runs a command to its end. */
export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  return startCommand(args, options).ended
}

/** Runs commands in a directory, with these variables. */
export function commandsIn(cwd: string, environment: Readonly<Record<string, string>>) {
  const command = (...args: readonly string[]) => runCommand(args, { environment, cwd })
  /** Writes a file and sends it; returns the receipt. */
  const sent = async (
    name: string,
    content: string | Uint8Array,
  ): Promise<{ id: string; file: { sha256: string } }> => {
    await writeFile(join(cwd, name), content)
    const { stdout, stderr, code } = await command('send', name, '--json')
    assert.deepEqual([stderr, code], ['', 0])
    return JSON.parse(stdout).receipt
  }
  return { command, sent }
}

async function endOf(child: ReturnType<typeof spawn>): Promise<CommandResult> {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')])
  return { code, stdout, stderr }
}

/** Why there is no pseudo-terminal here; null if there is one. */
export const noTerminal = hasScript() ? null : 'util-linux script is not here'

function hasScript(): boolean {
  return /util-linux/.test(String(spawnSync('script', ['--version']).stdout ?? ''))
}

/** Runs a command on a terminal of 80 columns; returns all output to the screen, and the exit code. */
export async function runOnTerminal(args: readonly string[], { environment = {}, cwd }: RunOptions = {}) {
  const line = [process.execPath, ...nodeArgs, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const child = spawn('script', ['-qefc', `stty cols 80; ${line}`, '/dev/null'], {
    env: { ...ownEnvironment, TERM: 'xterm', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(cwd !== undefined && { cwd }),
  })
  const [screen, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code: code as number | null, screen }
}
