// Query process: one query child and its work directory, from start to end. Knows no queue.
import { fileURLToPath } from 'node:url'
import { readyText } from '../sandbox/frames.ts'
import type { Sandbox, SandboxedChild, SandboxedProgram } from '../sandbox/sandbox.ts'
import { type Child, killUnlessStarted, type ProcessExit } from '../sandbox/spawn-child.ts'
import { inputPath, type WorkDir } from '../sandbox/work-dir.ts'
import { pieceBytesMax, type QueryJob, type QuerySettings, verdictBytesMax } from './query-job.ts'

export interface QueryProcessOptions extends QuerySettings {
  /** CPU time, including its start. Seconds. */
  readonly cpuSecondsMax: number
  /** The program of the child, for tests; default: a query's. */
  readonly programPath?: string
  /** It is killed if it has not started within this time; tests use less. Milliseconds. */
  readonly startMsMax?: number
}

const programPath = fileURLToPath(new URL('./query-main.ts', import.meta.url))

/** What Node and DuckDB reserve before the query (0.6 GB), and room for JavaScript. Bytes. */
const reservedBytes = 800_000_000
const heapMegabytes = 128

/** The resources of a query. */
export function queryProgram(options: QueryProcessOptions): SandboxedProgram {
  const { memoryBytesMax, spillBytesMax, cpuSecondsMax } = options
  const settings: QuerySettings = { memoryBytesMax, spillBytesMax }
  return {
    path: options.programPath ?? programPath,
    arguments: [JSON.stringify(settings)],
    heapMegabytes,
    limits: { dataBytesMax: reservedBytes + memoryBytesMax, cpuSecondsMax, fileBytesMax: spillBytesMax },
    // Operators spill to disk.
    writes: 'files it makes',
  }
}

/** A child that answers one query. */
export class QueryProcess {
  /** True once it waits for its query, false if it ended before. */
  readonly ready: Promise<boolean>
  /** Resolves when it has ended and its directory is gone. */
  readonly gone: Promise<ProcessExit>
  readonly #child: Child
  readonly #workDir: WorkDir | null
  /** Maximum size of its next frame; 0 while it waits for its query. Bytes. */
  #awaitedBytesMax = readyText.length
  readonly #frames: AsyncGenerator<Buffer, void, void>
  /** Awaited even before there is a query, so that a waiting child that sends anything is ended. */
  readonly #verdict: Promise<Buffer | null>
  #isGone = false

  private constructor({ child, workDir }: SandboxedChild, startMsMax?: number) {
    this.#child = child
    this.#workDir = workDir
    this.#frames = child.frames(() => this.#awaitedBytesMax)
    this.gone = child.gone.then(async (ending) => {
      this.#isGone = true
      await workDir?.remove()
      return ending
    })
    this.ready = this.#readReady()
    killUnlessStarted(child, this.ready, startMsMax)
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

  static start(sandbox: Sandbox, options: QueryProcessOptions): QueryProcess {
    return new QueryProcess(sandbox.start(queryProgram(options)), options.startMsMax)
  }

  get isGone(): boolean {
    return this.#isGone
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /**
   * Gives it files and returns their paths in its work directory. They become read-only, because DuckDB's list of
   * allowed files would allow writing.
   */
  async addFiles(paths: readonly string[]): Promise<readonly string[]> {
    await this.#workDir?.addInputs(paths)
    return paths.map((_, i) => inputPath(i))
  }

  /**
   * Disk space that its files take. DuckDB's limit applies to the files it counts, and the system's to each file; this is
   * the sum of all.
   */
  async spilledBytes(): Promise<number> {
    return (await this.#workDir?.writtenBytes()) ?? 0
  }

  /** Whether its work directory still exists. */
  get hasWorkDir(): boolean {
    return this.#workDir?.exists ?? false
  }

  /** Sends its query and resolves to its verdict; null if it ends first. */
  run(job: QueryJob): Promise<Buffer | null> {
    this.#awaitedBytesMax = verdictBytesMax
    this.#child.send(job)
    return this.#verdict
  }

  /** The next piece of its result, once the verdict is known; null if it ends first. */
  next(): Promise<Buffer | null> {
    this.#awaitedBytesMax = pieceBytesMax
    return this.#next()
  }

  /** The first `reason` given becomes part of its `Ending`. */
  kill(reason?: string): void {
    this.#child.kill(reason)
  }
}
