// Reader pool: reader processes and their queue. Knows how processes start and end, nothing of their jobs.

import { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { childProgram } from '../sandbox/child-program.ts'
import { readyText } from '../sandbox/frames.ts'
import type { Sandbox, SandboxedChild, SandboxedProgram } from '../sandbox/sandbox.ts'
import { type Child, killUnlessStarted, startFailure, startProcess } from '../sandbox/spawn-child.ts'
import { inputPath, outputPath, type WorkDir } from '../sandbox/work-dir.ts'
import { parseResponse, responseBytesMax } from './parse-result.ts'
import { type Answer, type JobKind, type JobMessage, type Jobs, moveFiles, type ResponseMessage } from './reader-job.ts'

const programPath = childProgram(new URL('./reader-main.ts', import.meta.url))

/**
 * DuckDB keeps to its own limit except in some functions; beyond this one, the system refuses memory (Linux only). It
 * counts reserved rather than used memory: Node begins with 0.6 GB, and see `dataBytesMax` in reader-main.ts.
 */
const dataBytesMax = 4_000_000_000

/** CPU time of a child, which may live long: one that has used part of it is recycled, see `cpuSecondsUsual` there. */
const cpuSecondsMax = 200_000

export function readerProgram(path = programPath): SandboxedProgram {
  return { path, arguments: [], heapMegabytes: 128, limits: { dataBytesMax, cpuSecondsMax }, writes: 'one file' }
}

/** Starts a child that answers each message with one of its own; without a sandbox, it uses the paths of its job. */
export function startReader(program: SandboxedProgram, sandbox?: Sandbox): SandboxedChild {
  if (sandbox !== undefined) return sandbox.start(program)
  const { path, heapMegabytes, limits } = program
  return { child: startProcess({ path, heapMegabytes, limits }), workDir: null }
}

export interface ReaderPoolOptions {
  /** Maximum number of children, each with one thread. At least 1. */
  readonly size: number
  /** Deadline of a job; a child that misses it is killed. Milliseconds. */
  readonly jobMsMax: number
  readonly logger: Pick<Log, 'warn'>
  /** Confines the children to the files of their job. Default: limits only. */
  readonly sandbox?: Sandbox
  /** Called for each child that ended unexpectedly. */
  readonly onLost?: () => void
  /** The program to run, for tests. Default: a reader. */
  readonly programPath?: string
  /** A child that has not started within this time is killed; tests use less. Milliseconds. */
  readonly startMsMax?: number
  /** Idle children end this long after the last job; tests use less. Milliseconds. */
  readonly idleMsMax?: number
}

const idleMsMaxUsual = 60_000

type Outcome = { readonly answer: Answer } | { readonly error: unknown }

interface Task {
  readonly message: JobMessage
  /** A child died or was late on it before. */
  isSecondTry: boolean
  finish(outcome: Outcome): void
}

interface Worker {
  readonly child: Child
  /** Where it finds the files of its job; null if it uses their own paths. */
  readonly workDir: WorkDir | null
  /** Resolves when it and its work directory are gone. */
  readonly left: Promise<void>
  /** Resolves to null once it can work, or to the error if it ends before that. */
  readonly start: PromiseWithResolvers<ServiceError | null>
  isReady: boolean
  /** Its current job. */
  current: { readonly task: Task; readonly deadline: NodeJS.Timeout } | null
  /** Pending work in its work directory. Never rejects. */
  workDirTask: Promise<void>
  /** It has answered, and its work directory is being cleared. */
  isClearing: boolean
  isGone: boolean
  /** Why it was killed: the outcome of its job once it is gone. */
  ending: Outcome | null
  /** It was killed because it missed its deadline. */
  isLate: boolean
}

/** Starts children when a job or `check()` needs them: each takes 0.25 s of CPU time. */
export class ReaderPool {
  readonly #options: ReaderPoolOptions
  readonly #workers = new Set<Worker>()
  readonly #queue: Task[] = []
  #ending: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ReaderPoolOptions) {
    this.#options = options
  }

  /**
   * Gives a job to the next free child, in the order of calls. Once the promise has settled, no child works on the job
   * any more. If the child dies or is late, another child repeats the job once, so it must be safe to run twice: the
   * system may have killed or stopped the child for other reasons. Rejects with the reason of `signal` if that is
   * aborted.
   *
   * @throws {ServiceError} CONVERSION_FAILED if the job fails, takes too long or costs a second child, DISK_FULL
   */
  run<Kind extends JobKind>(kind: Kind, job: Jobs[Kind]['job'], signal: AbortSignal): Promise<Jobs[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      if (this.#isClosed) throw failure('the children have been ended')
      const task: Task = {
        // A kind with its own job, as listed by JobMessage.
        message: { kind, ...job } as unknown as JobMessage,
        isSecondTry: false,
        finish: (outcome) => {
          signal.removeEventListener('abort', abort)
          if ('error' in outcome) reject(outcome.error)
          else resolve(outcome.answer as Jobs[Kind]['answer'])
        },
      }
      const abort = () => this.#drop(task, { error: signal.reason })
      signal.addEventListener('abort', abort, { once: true })
      this.#queue.push(task)
      this.#dispatch()
    })
  }

  /**
   * Resolves when a child can work; starts one if there is none.
   * @throws {ServiceError} NOT_READY, TOO_MANY_OPEN_FILES, DISK_FULL, STORE_UNAVAILABLE
   */
  async check(): Promise<void> {
    for (const worker of this.#workers) {
      if (isFree(worker) && worker.workDir?.exists === false) {
        this.#end(worker, { error: failure('its work directory is gone') })
      }
    }
    const worker = [...this.#workers].find(({ ending, isGone }) => ending === null && !isGone) ?? this.#start()
    const problem = await worker.start.promise
    if (problem !== null) throw problem
  }

  /** Kills the children; running and waiting jobs fail. Resolves when all children are gone. */
  async close(): Promise<void> {
    this.#isClosed = true
    const outcome = { error: failure('the children have been ended') }
    for (const task of this.#queue.splice(0)) task.finish(outcome)
    const workers = [...this.#workers]
    for (const worker of workers) this.#end(worker, outcome)
    await Promise.all(workers.map(({ left }) => left))
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && !this.#isClosed) {
      const free = [...this.#workers].find(isFree)
      if (free === undefined && this.#workers.size >= this.#options.size) return
      this.#give(free ?? this.#start(), this.#queue.shift()!)
    }
  }

  #give(worker: Worker, task: Task): void {
    const { jobMsMax } = this.#options
    const onLate = () => {
      worker.isLate = worker.ending === null
      this.#end(worker, { error: failure(`no answer within ${jobMsMax} ms`) })
    }
    worker.current = { task, deadline: setTimeout(onLate, jobMsMax) }
    if (worker.workDir === null) worker.child.send(task.message)
    else worker.workDirTask = this.#hand(worker, worker.workDir, task)
  }

  async #hand(worker: Worker, workDir: WorkDir, task: Task): Promise<void> {
    const { message, reads } = moveFiles(task.message, inputPath, outputPath)
    try {
      await workDir.addInputs(reads)
      worker.child.send(message)
    } catch (error) {
      // Its work directory may be incomplete.
      this.#end(worker, { error: systemFailure(error) })
    }
  }

  /** Children without a job end if none follows for a while; the next job starts one. */
  #endIdleLater(): void {
    clearTimeout(this.#ending)
    const end = () => {
      for (const worker of [...this.#workers].filter(isFree))
        this.#end(worker, { error: failure('the child was idle') })
    }
    this.#ending = setTimeout(end, this.#options.idleMsMax ?? idleMsMaxUsual).unref()
  }

  #start(): Worker {
    this.#endIdleLater()
    const { sandbox, programPath, startMsMax } = this.#options
    const { child, workDir } = startReader(readerProgram(programPath), sandbox)
    const left = child.gone.then(async ({ how, startError }) => {
      worker.isGone = true
      worker.start.resolve(startFailure(startError ?? new Error(how), 'reader'))
      await worker.workDirTask
      await workDir?.remove()
      this.#gone(worker, `reader child ${how}`, startError)
    })
    const worker: Worker = {
      child,
      workDir,
      left,
      start: Promise.withResolvers(),
      isReady: false,
      current: null,
      workDirTask: Promise.resolve(),
      isClearing: false,
      isGone: false,
      ending: null,
      isLate: false,
    }
    this.#workers.add(worker)
    killUnlessStarted(child, worker.start.promise, startMsMax)
    void this.#listen(worker)
    return worker
  }

  /** Receives its answers. A child that sends anything else is killed, and another one repeats its job. */
  async #listen(worker: Worker): Promise<void> {
    const { child } = worker
    try {
      for await (const frame of child.frames(() => awaitedBytesMax(worker))) this.#answered(worker, frame)
    } catch (error) {
      child.kill(String(error))
    }
  }

  #answered(worker: Worker, frame: Buffer): void {
    const { current } = worker
    if (worker.ending !== null) return
    if (!worker.isReady) {
      if (frame.toString() !== readyText) throw new Error('Cannot take answer: the child is not ready')
      worker.isReady = true
      worker.start.resolve(null)
      return
    }
    if (current === null || worker.isClearing) throw new Error('Cannot take answer: nothing was asked')
    const message = parseResponse(current.task.message, frame)
    const { workDir } = worker
    if (workDir === null) this.#release(worker, message, outcomeOf(message))
    else worker.workDirTask = this.#tidy(worker, workDir, current.task, message)
  }

  /** Takes the result, if any, and clears the work directory, which the child may have left in any state. */
  async #tidy(worker: Worker, workDir: WorkDir, { message: job }: Task, message: ResponseMessage): Promise<void> {
    worker.isClearing = true
    try {
      if ('toPath' in job) await workDir.takeOutput(message.kind === 'answer' ? job.toPath : null)
      await workDir.clear()
    } catch (error) {
      // Files of this job may be left, which the next job would see.
      this.#end(worker, { error: systemFailure(error) })
    }
    worker.isClearing = false
    if (worker.ending === null) this.#release(worker, message, outcomeOf(message))
  }

  #release(worker: Worker, message: ResponseMessage, outcome: Outcome): void {
    const { current } = worker
    if (current === null) return
    worker.current = null
    clearTimeout(current.deadline)
    this.#endIdleLater()
    // Before the job is finished, so that its caller finds the next one already assigned.
    if (message.shouldRecycle) this.#end(worker, { error: failure('the child was worn out') })
    else this.#dispatch()
    current.task.finish(outcome)
  }

  /** Kills a child; its job, if any, ends when it is gone. */
  #end(worker: Worker, outcome: Outcome): void {
    worker.ending ??= outcome
    worker.child.kill()
  }

  #drop(task: Task, outcome: Outcome): void {
    const place = this.#queue.indexOf(task)
    if (place >= 0) {
      this.#queue.splice(place, 1)
      task.finish(outcome)
      return
    }
    for (const worker of this.#workers) {
      if (worker.current?.task !== task) continue
      // It may already be ending because it was late: nobody wants its job repeated now.
      worker.isLate = false
      worker.ending = outcome
      worker.child.kill()
    }
  }

  #gone(worker: Worker, how: string, startError: unknown): void {
    this.#workers.delete(worker)
    const { current, ending, isLate } = worker
    const isLost = ending === null || isLate
    if (isLost) {
      this.#options.logger.warn({ how }, isLate ? 'a reader child was too late' : 'a reader child ended by itself')
      this.#options.onLost?.()
    }
    const isAgain = isLost && current !== null && !current.task.isSecondTry && !this.#isClosed
    if (isAgain) {
      current.task.isSecondTry = true
      this.#queue.unshift(current.task)
    }
    this.#dispatch()
    if (current === null) return
    clearTimeout(current.deadline)
    if (!isAgain)
      current.task.finish(ending ?? { error: startError === undefined ? failure(how) : systemFailure(startError) })
  }
}

/** Size limit of its next frame in bytes: nothing is expected of a child without a job, or after its answer. */
function awaitedBytesMax({ isReady, current, isClearing }: Worker): number {
  if (!isReady) return readyText.length
  return current === null || isClearing ? 0 : responseBytesMax(current.task.message)
}

function isFree({ current, ending, isGone }: Worker): boolean {
  return current === null && ending === null && !isGone
}

/** A lack of disk space, descriptors or storage keeps its own code. */
function systemFailure(error: unknown): ServiceError {
  const storeError = toStoreError(error)
  return storeError.code === 'STORE_FAILED' ? new ServiceError('CONVERSION_FAILED', {}, error) : storeError
}

function outcomeOf(message: ResponseMessage): Outcome {
  if (message.kind === 'answer') return { answer: message.answer }
  const cause = new Error(message.problem)
  return { error: new ServiceError(message.isDiskFull ? 'DISK_FULL' : 'CONVERSION_FAILED', {}, cause) }
}

function failure(problem: string): ServiceError {
  return new ServiceError('CONVERSION_FAILED', {}, new Error(`Cannot finish job: ${problem}`))
}
