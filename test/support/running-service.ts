// Running service: runs the real command line in a separate process, and observes it from outside.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const program = join(import.meta.dirname, '..', '..', 'src', 'bin', 'csv-upload.ts')

/** Memory settings of the launcher, see scripts/setup.mjs: for tests that measure memory as under `npm start`. */
export const asLaunched = {
  NODE_OPTIONS: '--max-semi-space-size=4',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_ARENA_MAX: '2',
}

/** A service and its data directory. Disposing kills the service but leaves the directory to its creator. */
export class RunningService implements AsyncDisposable {
  readonly url: string
  readonly dataDir: string
  /** Resolves to the exit code; null after a signal. */
  readonly ended: Promise<number | null>
  /** Resolves when neither it nor a child can write any more. */
  readonly outputEnded: Promise<unknown>
  /** The lines of its output: its log, and what it says about itself. */
  readonly said: readonly string[]
  readonly #child: ChildProcess
  #scratch: AsyncDisposable | null = null

  private constructor(child: ChildProcess, url: string, dataDir: string, said: readonly string[]) {
    this.#child = child
    this.said = said
    this.url = url
    this.dataDir = dataDir
    this.ended = once(child, 'exit').then(([code]) => code)
    this.outputEnded = once(child, 'close')
  }

  /**
   * Resolves when the service listens. By default with one thread that writes columns, and one reader.
   * `environment` extends that of this process; `wrapper` is a command that runs the service.
   */
  static async start(
    dataDir: string,
    flags: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
    wrapper: readonly string[] = [],
  ): Promise<RunningService> {
    const args = [
      program,
      'serve',
      '--port',
      '0',
      '--data',
      dataDir,
      '--log-level',
      'silent',
      '--converters',
      '1',
      ...flags,
    ]
    const env = { ...process.env, ...environment }
    const [command, ...rest] = [...wrapper, process.execPath, ...args]
    const child = spawn(command!, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const said: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
    const url = await new Promise<string | null>((resolve) => {
      const lines = createInterface({ input: child.stderr }).on('close', () => resolve(null))
      lines.on('line', (line) => {
        said.push(line)
        const found = /^Listening on (\S+)$/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    if (url !== null) return new RunningService(child, url, dataDir, said)
    throw new Error(`Cannot start the service: ${said.join('\n')}`)
  }

  /** The same in a directory of its own, which is removed when the service is disposed. */
  static async fresh(flags: readonly string[] = []): Promise<RunningService> {
    const scratch = await scratchDir()
    const service = await RunningService.start(join(scratch.path, 'data'), flags)
    service.#scratch = scratch
    return service
  }

  get pid(): number {
    return this.#child.pid!
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Its running child processes. */
  children(): readonly number[] {
    return readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  }

  /** The child processes that run a query or wait for one. */
  queries(): readonly number[] {
    return this.children().filter((pid) => procFile(pid, 'cmdline').includes('/query-main.'))
  }

  /** Starts the children that otherwise start on demand; resolves when they are ready. */
  async startChildren(): Promise<{ readonly reader: number; readonly query: number }> {
    const { status } = await fetch(`${this.url}/readyz`)
    if (status !== 200) throw new Error(`Cannot start children: /readyz returns ${status}`)
    const [query = 0] = this.queries()
    const [reader = 0] = this.children().filter((pid) => pid !== query)
    return { reader, query }
  }

  /** The targets of its open descriptors, such as `socket`, `pipe` or a path, sorted. */
  descriptors(): readonly string[] {
    const dir = `/proc/${this.pid}/fd`
    return readdirSync(dir)
      .flatMap((name) => linkTarget(join(dir, name)).replace(/:\[\d+\]$/, '') || [])
      .toSorted()
  }

  /** Number of its connections: one that has ended or was reset counts until its descriptor is closed. */
  connections(): number {
    const dir = `/proc/${this.pid}/fd`
    const own = new Set(
      readdirSync(dir).flatMap((name) => /^socket:\[(\d+)\]$/.exec(linkTarget(join(dir, name)))?.[1] ?? []),
    )
    // Reset connections are in no table, so other sockets are subtracted: listening ones and those to its processes.
    const rows = (table: string) =>
      readFileSync(`/proc/${this.pid}/net/${table}`, 'latin1')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
    // Columns: number, local and remote address, state (0A: listening), queues, timer, retransmits, user, timeout, inode.
    for (const fields of [...rows('tcp'), ...rows('tcp6')]) if (fields[3] === '0A') own.delete(fields[9] ?? '')
    // Columns: address, references, protocol, flags, type, state, inode, path.
    for (const fields of rows('unix')) own.delete(fields[6] ?? '')
    return own.size
  }

  /** Names of unfinished files. */
  incoming(): readonly string[] {
    return readdirSync(join(this.dataDir, 'incoming'))
  }

  /** Names of upload drafts, which are directories. Other unfinished data, such as scrubbing state, is in files. */
  drafts(): readonly string[] {
    const entries = readdirSync(join(this.dataDir, 'incoming'), { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  }

  /** Ids of all dataset directories, visible or not. */
  datasetDirs(): readonly string[] {
    return readdirSync(join(this.dataDir, 'datasets'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL')
    await this.ended
    await this.#scratch?.[Symbol.asyncDispose]()
  }
}

/** Empty if the descriptor has been closed since it was listed. */
function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Empty if the process has ended. */
export function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

/** A directory for one test, removed when disposed. */
export async function scratchDir(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'csv-upload-whole-'))
  // A killed browser may leave a process that still writes.
  const options = { recursive: true, force: true, maxRetries: 10 }
  return { path, [Symbol.asyncDispose]: () => rm(path, options) }
}

/** Whether processes can be observed; if not, tests that observe them are skipped. */
export const seesProcesses = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)

/** Whether the process runs; a zombie has ended. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}
