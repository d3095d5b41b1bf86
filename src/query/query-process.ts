// Query process: one query child from its start to its end, with the directory that is its own. Knows no queue.
import { fileURLToPath } from 'node:url'
import { readyText } from '../sandbox/frames.ts'
import type { Sandbox, SandboxedChild, SandboxedProgram } from '../sandbox/sandbox.ts'
import type { Child, Ending } from '../sandbox/spawn-child.ts'
import { inputPath, type WorkDir } from '../sandbox/work-dir.ts'
import { pieceBytesMax, type QueryJob, type QuerySettings, verdictBytesMax } from './query-job.ts'

export interface QueryProcessOptions extends QuerySettings {
  /** Processor time, its start included. Seconds. */
  readonly cpuSecondsMax: number
  /** The program of the child, for tests; a query's when left out. */
  readonly programPath?: string
}

const programPath = fileURLToPath(new URL('./query-main.ts', import.meta.url))

/** What Node and DuckDB reserve before they are asked for anything (0.6 GB), and room for JavaScript. Bytes. */
const reservedBytes = 800_000_000
const heapMegabytes = 128

/** What the program of a query needs. */
export function queryProgram(options: QueryProcessOptions): SandboxedProgram {
  const { memoryBytesMax, spillBytesMax, cpuSecondsMax } = options
  const settings: QuerySettings = { memoryBytesMax, spillBytesMax }
  return {
    path: options.programPath ?? programPath,
    arguments: [JSON.stringify(settings)],
    heapMegabytes,
    limits: { dataBytesMax: reservedBytes + memoryBytesMax, cpuSecondsMax, fileBytesMax: spillBytesMax },
    // For what does not fit in memory.
    writes: 'files it makes',
  }
}

/** A child that answers one query. */
export class QueryProcess {
  /** True when it waits for its query, false when it ended before. */
  readonly ready: Promise<boolean>
  /** Resolves when it has ended and its directory is gone. */
  readonly gone: Promise<Ending>
  readonly #child: Child
  readonly #workDir: WorkDir | null
  /** What its next frame may have at most: nothing is expected of a child that waits. Bytes. */
  #awaitedBytesMax = readyText.length
  readonly #frames: AsyncGenerator<Buffer, void, void>
  /** Asked for before there is a query: whatever a waiting child sends ends it. */
  readonly #verdict: Promise<Buffer | null>
  #isGone = false

  private constructor({ child, workDir }: SandboxedChild) {
    this.#child = child
    this.#workDir = workDir
    this.#frames = child.frames(() => this.#awaitedBytesMax)
    this.gone = child.gone.then(async (ending) => {
      this.#isGone = true
      await workDir?.remove()
      return ending
    })
    this.ready = this.#readReady()
    this.#verdict = this.ready.then((isReady) => (isReady ? this.#next() : null))
  }

  async #readReady(): Promise<boolean> {
    const first = await this.#next()
    this.#awaitedBytesMax = 0
    if (first?.toString() === readyText) return true
    if (first !== null) this.kill('its first words were others than expected')
    await this.gone
    return false
  }

  /** Null where it ends first; a frame that is too long ends it. */
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
    return new QueryProcess(sandbox.start(queryProgram(options)))
  }

  get isGone(): boolean {
    return this.#isGone
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /**
   * Gives it files, and tells the names it has for them. Nobody can write to them any more: DuckDB's list of allowed files
   * allows writing.
   */
  async addFiles(paths: readonly string[]): Promise<readonly string[]> {
    await this.#workDir?.addInputs(paths)
    return paths.map((_, i) => inputPath(i))
  }

  /**
   * What its directory for what does not fit in memory takes on the disk. The limits of DuckDB and of the system are for the
   * files that DuckDB counts and for each file; this is for all there are.
   */
  async spilledBytes(): Promise<number> {
    return (await this.#workDir?.writtenBytes()) ?? 0
  }

  /** Whether its directory is still there. */
  get hasWorkDir(): boolean {
    return this.#workDir?.exists ?? false
  }

  /** Gives it its query, and its verdict back; null where it ends first. */
  run(job: QueryJob): Promise<Buffer | null> {
    this.#awaitedBytesMax = verdictBytesMax
    this.#child.send(job)
    return this.#verdict
  }

  /** A piece of its answer, once the verdict is known; null where it ends first. */
  next(): Promise<Buffer | null> {
    this.#awaitedBytesMax = pieceBytesMax
    return this.#next()
  }

  /** The first `reason` given is in the words of its ending. */
  kill(reason?: string): void {
    this.#child.kill(reason)
  }
}
