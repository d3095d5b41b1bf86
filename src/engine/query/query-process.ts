// Query process: one query child, its work directory and the one table it serves, from start to end. Knows no queue.
import { throwStoreError } from '../../core/storage-error.ts'
import { childProgram } from '../sandbox/child-program.ts'
import { readyText } from '../sandbox/frames.ts'
import type { Sandbox, SandboxedChild, SandboxedProgram } from '../sandbox/sandbox.ts'
import { type Child, killUnlessStarted, type ProcessExit } from '../sandbox/spawn-child.ts'
import { inputPath, type WorkDir } from '../sandbox/work-dir.ts'
import type { QueryTable, TableKey } from './query.ts'
import { growthBytesMax, pieceBytesMax, type QueryJob, type QuerySettings, verdictBytesMax } from './query-job.ts'

export interface QueryProcessOptions extends QuerySettings {
  /** Time limit of a statement, from opening the table until the client has read the result. Milliseconds. */
  readonly queryMsMax: number
  /** The program of the child, for tests; default: a query's. */
  readonly programPath?: string
  /** It is killed if it has not started within this time; tests use less. Milliseconds. */
  readonly startMsMax?: number
}

const programPath = childProgram(new URL('./query-main.ts', import.meta.url))

/** What Node and DuckDB reserve before the query (0.6 GB), and room for JavaScript. Bytes. */
const reservedBytes = 800_000_000
const heapMegabytes = 128

/** Statements that a process runs at most. */
const statementsMax = 1_000

/** Once ready, a child is ready again within a millisecond. Milliseconds. */
const renewMsMax = 2_000

/** Verified files count as intact for this long. Milliseconds. */
const verifiedMsMax = 60_000

/** The resources of a query. */
export function queryProgram(options: QueryProcessOptions): SandboxedProgram {
  const { memoryBytesMax, spillBytesMax, queryMsMax } = options
  const settings: QuerySettings = { memoryBytesMax, spillBytesMax }
  return {
    path: options.programPath ?? programPath,
    arguments: [JSON.stringify(settings)],
    heapMegabytes,
    limits: {
      dataBytesMax: reservedBytes + memoryBytesMax + growthBytesMax(settings),
      // One thread cannot use more CPU time than wall-clock time; starting takes less than a second. A process takes no
      // other statement once its statements have taken the time of one.
      cpuSecondsMax: Math.ceil((2 * queryMsMax) / 1_000) + 2,
      fileBytesMax: spillBytesMax,
    },
    // Operators spill to disk.
    writes: 'files it makes',
  }
}

/** A child that runs the statements over one table, one after the other. */
export class QueryProcess {
  /** True once it waits for a statement, false if it ended before. */
  ready = Promise.resolve(false)
  /** False as soon as it has been killed, or has ended. */
  isAlive = true
  /** Of the only table that it opens; null until then. */
  key: TableKey | null = null
  /** Resolves when it has ended and its directory is gone. */
  readonly gone: Promise<ProcessExit>
  readonly #child: Child
  readonly #workDir: WorkDir | null
  readonly #queryMsMax: number
  /** Maximum size of its next frame; 0 while it waits for a statement. Bytes. */
  #awaitedBytesMax = 0
  readonly #frames: AsyncGenerator<Buffer, void, void>
  /** Awaited even before there is a statement, so that a waiting child that sends anything is ended. */
  #verdict: Promise<Buffer | null> = Promise.resolve(null)
  #files: readonly string[] = []
  #verifiedAtMs = 0
  #isRetired = false
  #statementCount = 0
  #statementsMs = 0
  #startedMs = 0

  private constructor({ child, workDir }: SandboxedChild, options: QueryProcessOptions) {
    this.#queryMsMax = options.queryMsMax
    this.#child = child
    this.#workDir = workDir
    this.#frames = child.frames(() => this.#awaitedBytesMax)
    this.gone = child.gone.then(async (ending) => {
      this.isAlive = false
      await workDir?.remove()
      return ending
    })
    this.#await(options.startMsMax)
  }

  static start(sandbox: Sandbox, options: QueryProcessOptions): QueryProcess {
    return new QueryProcess(sandbox.start(queryProgram(options)), options)
  }

  /** Whether its work directory still exists. */
  get hasWorkDir(): boolean {
    return this.#workDir?.exists ?? false
  }

  /** Gives it the table, unless it has it and its files were verified a short time ago. */
  async open({ key, withPaths }: QueryTable): Promise<void> {
    const isOpen = this.key !== null
    if (isOpen && performance.now() - this.#verifiedAtMs < verifiedMsMax) return
    // Before anything else happens: from now on, it serves nothing else.
    this.key ??= key
    await withPaths(async (paths) => {
      // They become read-only, because DuckDB's list of allowed files would allow writing.
      if (!isOpen) await this.#workDir?.addInputs(paths).catch(throwStoreError)
      this.#files = paths.map((_, i) => inputPath(i))
    })
    this.#verifiedAtMs = performance.now()
  }

  /**
   * Disk space that its files take. DuckDB's limit applies to the files it counts, and the system's to each file; this is
   * the sum of all.
   */
  async spilledBytes(): Promise<number> {
    return (await this.#workDir?.writtenBytes()) ?? 0
  }

  /** Sends a statement over its table and resolves to the verdict; null if it ends first. */
  run(job: Omit<QueryJob, 'files'>): Promise<Buffer | null> {
    this.#awaitedBytesMax = verdictBytesMax
    this.#statementCount += 1
    this.#startedMs = performance.now()
    this.#child.send({ files: this.#files, ...job })
    return this.#verdict
  }

  /** The next piece of its result, once the verdict is known; null if it ends first. */
  next(): Promise<Buffer | null> {
    this.#awaitedBytesMax = pieceBytesMax
    return this.#next()
  }

  /** Its statement is to be the last. */
  retire(): void {
    this.#isRetired = true
  }

  /** Expects it to be ready for another statement, unless it is retired or has run many. */
  renew(): void {
    this.#statementsMs += performance.now() - this.#startedMs
    const isWornOut = this.#statementCount >= statementsMax || this.#statementsMs > this.#queryMsMax
    if (this.#isRetired || isWornOut) this.kill()
    else this.#await(renewMsMax)
  }

  /** The first `reason` given becomes part of its `Ending`. */
  kill(reason?: string): void {
    this.isAlive = false
    this.#child.kill(reason)
  }

  /** Waits for it to be ready, and then for a verdict. Kills it if it is not ready in time. */
  #await(msMax?: number): void {
    this.#awaitedBytesMax = readyText.length
    this.ready = this.#readReady()
    killUnlessStarted(this.#child, this.ready, msMax)
    this.#verdict = this.ready.then((isReady) => (isReady ? this.#next() : null))
  }

  async #readReady(): Promise<boolean> {
    const first = await this.#next()
    this.#awaitedBytesMax = 0
    if (first?.toString() === readyText) return true
    if (first !== null) this.kill('its first frame was not expected')
    await this.gone
    return false
  }

  /** Null if the child ends first; a frame that is too long ends it. */
  async #next(): Promise<Buffer | null> {
    try {
      const { value } = await this.#frames.next()
      return value ?? null
    } catch (error) {
      this.kill(String(error))
      return null
    }
  }
}
