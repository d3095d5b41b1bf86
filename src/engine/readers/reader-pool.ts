// Reader pool: which reader child does which job, and where it finds the files. Knows nothing of what a job reads.

import { ServiceError } from '../../core/errors.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { Semaphore } from '../../io/turns/semaphore.ts'
import { unlessAborted } from '../../io/turns/unless-aborted.ts'
import { ChildFault, ChildPool, type ChildPoolOptions, endAt, PooledChild } from '../sandbox/child-pool.ts'
import { childProgram } from '../sandbox/child-program.ts'
import type { Sandbox, SandboxedChild, SandboxedProgram } from '../sandbox/sandbox.ts'
import { startProcess } from '../sandbox/spawn-child.ts'
import { inputPath, outputPath } from '../sandbox/work-dir.ts'
import { parseResponse, responseBytesMax } from './parse-result.ts'
import type { JobKind, JobMessage, Jobs, ResponseMessage } from './reader-job.ts'

const programPath = childProgram(new URL('./reader-main.ts', import.meta.url))

/**
 * DuckDB keeps to its own limit except in some functions; beyond this one, the system refuses memory (Linux only). It
 * counts reserved rather than used memory: Node begins with 0.6 GB, and see `dataBytesMax` in reader-main.ts.
 */
const dataBytesMax = 4_000_000_000

/** CPU time of a child, which may live long: one that has used part of it ends, see `cpuSecondsUsual` there. */
const cpuSecondsMax = 200_000

export function readerProgram(path = programPath): SandboxedProgram {
  return { path, arguments: [], heapMegabytes: 128, limits: { dataBytesMax, cpuSecondsMax }, writes: 'one file' }
}

/** Starts a child that answers each message with one of its own; without a sandbox, it uses the paths of its job. */
export function startReader(program: SandboxedProgram, sandbox?: Sandbox): SandboxedChild {
  return sandbox?.start(program) ?? { child: startProcess(program), workDir: null }
}

export interface ReaderPoolOptions extends ChildPoolOptions {
  /** Maximum number of jobs at once, each in a child with one thread. At least 1. */
  readonly size: number
  /** Deadline of a job; a child that misses it is killed. Milliseconds. */
  readonly jobMsMax: number
  /** Confines the children to the files of their job. Default: limits only. */
  readonly sandbox?: Sandbox
  /** The program to run, for tests. Default: a reader. */
  readonly programPath?: string
  /** A child that has not started within this time is killed; tests use less. Milliseconds. */
  readonly startMsMax?: number
}

export class ReaderPool {
  readonly #jobMsMax: number
  readonly #turns: Semaphore
  readonly #children: ChildPool<PooledChild>

  constructor(options: ReaderPoolOptions) {
    const { size, jobMsMax, programPath, sandbox, startMsMax } = options
    this.#jobMsMax = jobMsMax
    this.#turns = new Semaphore(size)
    const program = readerProgram(programPath)
    const start = () => new PooledChild(startReader(program, sandbox), startMsMax)
    this.#children = new ChildPool('reader', options, start)
  }

  /**
   * Gives a job to the next free child, in the order of calls. Once the promise has settled, no child works on the job
   * any more. If the child dies or is late, another child repeats the job once, so it must be safe to run twice: the
   * system may have killed or stopped the child for other reasons. Rejects with the reason of `signal` if that is
   * aborted.
   *
   * @throws {ServiceError} CONVERSION_FAILED if the job fails, takes too long or costs a second child, DISK_FULL
   */
  async run<Kind extends JobKind>(
    kind: Kind,
    job: Jobs[Kind]['job'],
    signal: AbortSignal,
  ): Promise<Jobs[Kind]['answer']> {
    signal.throwIfAborted()
    // A kind with its own job, as listed by JobMessage.
    const message = { kind, ...job } as unknown as JobMessage
    let hasBegun = false
    const running = this.#turns.run(async () => {
      signal.throwIfAborted()
      hasBegun = true
      return await this.#children.run(signal, (child) => this.#work(child, message, signal))
    })
    try {
      const response = await unlessAborted(running, signal).catch((error) =>
        hasBegun ? running : Promise.reject(error),
      )
      return resultOf(response) as Jobs[Kind]['answer']
    } catch (error) {
      throw signal.aborted ? signal.reason : failure(error)
    }
  }

  /**
   * Resolves when a child can work; starts one if there is none.
   * @throws {ServiceError} NOT_READY, TOO_MANY_OPEN_FILES, DISK_FULL, STORE_UNAVAILABLE
   */
  check(): Promise<void> {
    return this.#children.check()
  }

  /** Kills the children; running and waiting jobs fail. Resolves when all children are gone. */
  close(): Promise<void> {
    return this.#children.close(new Error('the readers have been ended'))
  }

  async #work(child: PooledChild, job: JobMessage, signal: AbortSignal): Promise<ResponseMessage> {
    const late = () => new ChildFault('was too late', `no answer within ${this.#jobMsMax} ms`)
    using _ = endAt(signal, this.#jobMsMax, late, (reason) => child.kill(reason))
    try {
      await child.inWorkDir((dir) => dir.addInputs(job.paths))
      const message = child.workDir === null ? job : inWorkDir(job)
      const response = await child.ask(message, responseBytesMax(job), (frame) => parseResponse(job, frame))
      // Takes the result, if any, and clears the directory, which the child may have left in any state.
      await child.inWorkDir(async (dir) => {
        if ('toPath' in job) await dir.takeOutput(response.kind === 'answer' ? job.toPath : null)
        await dir.clear()
      })
      child.renew()
      this.#children.keep(child)
      return response
    } catch (error) {
      // Files of this job may be missing, or be left where the next job would see them.
      child.kill(error)
      throw await child.gone
    }
  }
}

/** The same job, with the names that its files have in a work directory. */
function inWorkDir(job: JobMessage): JobMessage {
  const paths = job.paths.map((_, i) => inputPath(i))
  return 'toPath' in job ? { ...job, paths, toPath: outputPath } : { ...job, paths }
}

function resultOf(response: ResponseMessage): unknown {
  if (response.kind === 'answer') return response.answer
  const cause = new Error(response.problem)
  throw new ServiceError(response.isDiskFull ? 'DISK_FULL' : 'CONVERSION_FAILED', {}, cause)
}

/** A lack of disk space, descriptors or storage keeps its own code. */
function failure(error: unknown): ServiceError {
  const storeError = toStoreError(error)
  return storeError.code === 'STORE_FAILED' ? new ServiceError('CONVERSION_FAILED', {}, error) : storeError
}
