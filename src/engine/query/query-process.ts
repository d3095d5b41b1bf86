// Query process: what a query child may use, the one table that it serves, and how many statements. Knows no queue.
import { throwStoreError } from '../../core/storage-error.ts'
import { PooledChild } from '../sandbox/child-pool.ts'
import { childProgram } from '../sandbox/child-program.ts'
import type { Sandbox, SandboxedProgram } from '../sandbox/sandbox.ts'
import { inputPath } from '../sandbox/work-dir.ts'
import type { QueryTable, TableKey } from './query.ts'
import {
  growthBytesMax,
  parseVerdict,
  type QueryJob,
  type QuerySettings,
  type Verdict,
  verdictBytesMax,
} from './query-job.ts'

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
export class QueryProcess extends PooledChild {
  /** Of the only table that it opens; null until then. */
  key: TableKey | null = null
  readonly #queryMsMax: number
  #files: readonly string[] = []
  #verifiedAtMs = 0
  #isRetired = false
  #statementCount = 0
  #statementsMs = 0
  #startedMs = 0

  constructor(sandbox: Sandbox, options: QueryProcessOptions) {
    super(sandbox.start(queryProgram(options)), options.startMsMax)
    this.#queryMsMax = options.queryMsMax
  }

  /** Gives it the table, unless it has it and its files were verified a short time ago. */
  async open({ key, withPaths }: QueryTable): Promise<void> {
    const isOpen = this.key !== null
    if (isOpen && performance.now() - this.#verifiedAtMs < verifiedMsMax) return
    // Before anything else happens: from now on, it serves nothing else.
    this.key ??= key
    await withPaths(async (paths) => {
      // They become read-only, because DuckDB's list of allowed files would allow writing.
      if (!isOpen) await this.inWorkDir((dir) => dir.addInputs(paths)).catch(throwStoreError)
      this.#files = paths.map((_, i) => inputPath(i))
    })
    this.#verifiedAtMs = performance.now()
  }

  /** Sends a statement over its table and resolves to the verdict. */
  query(job: Omit<QueryJob, 'files'>): Promise<Verdict> {
    this.#statementCount += 1
    this.#startedMs = performance.now()
    return this.ask({ files: this.#files, ...job }, verdictBytesMax, parseVerdict)
  }

  /** Its statement is to be the last. */
  retire(): void {
    this.#isRetired = true
  }

  /** Expects it to be ready for another statement, unless it is retired or has run many. */
  override renew(): void {
    this.#statementsMs += performance.now() - this.#startedMs
    const isWornOut = this.#statementCount >= statementsMax || this.#statementsMs > this.#queryMsMax
    if (this.#isRetired || isWornOut) this.kill(new Error('it has run its last statement'))
    else super.renew()
  }
}
