// Column threads: the threads that write columns, and their queue. Knows how they start and end, and nothing of columns.
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { FairQueue } from '../../io/turns/fair-queue.ts'
import { type ColumnResponse, type ThreadJob, type ThreadRequest, type ThreadResult, toJobError } from './column-job.ts'

export interface ColumnThreadsOptions {
  /** At least 1. */
  readonly size: number
  /** A thread that has not answered within this time is terminated. Milliseconds. */
  readonly jobMsMax: number
  readonly logger: Pick<Log, 'warn'>
  /** Called for each lost thread. */
  readonly onLost?: () => void
  /** The program of a thread; only tests use another. */
  readonly program?: URL
}

interface Task extends ThreadRequest {
  readonly signal: AbortSignal
  /** Its own listener: all jobs of an upload share a signal. */
  readonly onAbort: () => void
  isSecondTry: boolean
  resolve(result: ThreadResult<ThreadJob>): void
  reject(error: unknown): void
}

interface Thread {
  readonly worker: Worker
  current: { readonly task: Task; readonly deadline: NodeJS.Timeout } | null
  isEnding: boolean
}

/** Heap limit of a thread's JavaScript; its columns are outside of the heap. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 }

/** Threads without a job end this long after the last one: each holds some 15 MB. Milliseconds. */
const idleMsMax = 60_000

/** Threads are started on demand. */
export class ColumnThreads {
  readonly #options: ColumnThreadsOptions
  readonly #threads = new Set<Thread>()
  readonly #queue = new FairQueue<Task>()
  /** Jobs whose thread was lost: they go before all others. */
  readonly #secondTries: Task[] = []
  #isClosed = false
  #ending: NodeJS.Timeout | undefined

  constructor(options: ColumnThreadsOptions) {
    this.#options = options
  }

  /**
   * Gives a job to the next free thread. The jobs of one upload start in order. Uploads take turns by the bytes that
   * their jobs read, and a small job goes first. Once the promise has settled, no thread works on the job any more. A
   * job whose thread ends or is too late is repeated once by another thread. Rejects with the reason of `signal` if
   * that is aborted.
   *
   * @throws {ServiceError} CONVERSION_FAILED if the job fails, or costs a second thread; errors of the store
   */
  run<Job extends ThreadJob>(job: Job, signal: AbortSignal): Promise<ThreadResult<Job>> {
    return new Promise((settle, reject) => {
      signal.throwIfAborted()
      if (this.#isClosed) throw failure('the threads have been ended')
      const onAbort = () => this.#dropAborted()
      // A thread answers with the result of its job.
      const resolve = settle as Task['resolve']
      const bytes = 'segment' in job ? job.segment.bytes : 'records' in job ? job.records.length : 0
      const withdrawal = new Int32Array(new SharedArrayBuffer(4))
      this.#queue.push(clientOf(job), bytes, {
        job,
        withdrawal,
        signal,
        onAbort,
        isSecondTry: 'records' in job,
        resolve,
        reject,
      })
      signal.addEventListener('abort', onAbort, { once: true })
      this.#dispatch()
    })
  }

  /** Ends the threads; running and waiting jobs fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#ending)
    for (const task of this.#removeWaiting(() => true)) this.#reject(task, failure('the threads have been ended'))
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  /** Tells a running job to stop; until it has, nobody else may write its file. */
  #dropAborted(): void {
    for (const { current } of this.#threads)
      if (current?.task.signal.aborted) Atomics.store(current.task.withdrawal, 0, 1)
    for (const task of this.#removeWaiting(({ signal }) => signal.aborted)) this.#reject(task, task.signal.reason)
  }

  #removeWaiting(isUnwanted: (task: Task) => boolean): readonly Task[] {
    const tries = this.#secondTries.splice(0)
    this.#secondTries.push(...tries.filter((task) => !isUnwanted(task)))
    return [...tries.filter(isUnwanted), ...this.#queue.remove(isUnwanted)]
  }

  #dispatch(): void {
    while (!this.#isClosed) {
      const free = [...this.#threads].find(({ current, isEnding }) => current === null && !isEnding)
      if (free === undefined && this.#threads.size >= this.#options.size) return
      const task = this.#secondTries.shift() ?? this.#queue.shift()
      if (task === undefined) return
      try {
        this.#give(free ?? this.#start(), task)
      } catch (error) {
        // The system has no memory or place for another thread.
        this.#reject(task, lossOf(error))
      }
    }
  }

  #give(thread: Thread, task: Task): void {
    const deadline = setTimeout(() => this.#end(thread), this.#options.jobMsMax)
    thread.current = { task, deadline }
    const { job, withdrawal } = task
    // The text to write goes to the thread, and is gone with it: there is no second try.
    const transfer = 'records' in job ? [job.records.buffer] : []
    thread.worker.postMessage({ job, withdrawal } satisfies ThreadRequest, transfer)
  }

  #start(): Thread {
    const program = this.#options.program ?? new URL('./column-thread-main.ts', import.meta.url)
    const worker = new Worker(program, { resourceLimits })
    const thread: Thread = { worker, current: null, isEnding: false }
    worker.on('message', (answer: ColumnResponse) => this.#answered(thread, answer))
    worker.on('error', (error) => this.#gone(thread, error))
    worker.on('exit', (code) => this.#gone(thread, new Error(`it exited with ${code}`)))
    // Only a job keeps the process alive.
    worker.unref()
    this.#threads.add(thread)
    return thread
  }

  #endIdleLater(): void {
    clearTimeout(this.#ending)
    this.#ending = setTimeout(() => {
      for (const thread of this.#threads) {
        if (thread.current !== null) continue
        // It is not lost.
        this.#threads.delete(thread)
        this.#end(thread)
      }
    }, idleMsMax).unref()
  }

  #end(thread: Thread): void {
    thread.isEnding = true
    thread.worker.terminate()
  }

  #answered(thread: Thread, answer: ColumnResponse): void {
    const { current } = thread
    if (current === null || thread.isEnding) return
    if (answer.kind === 'failure' && answer.isBroken) {
      this.#end(thread)
      return
    }
    thread.current = null
    clearTimeout(current.deadline)
    this.#endIdleLater()
    const { task } = current
    this.#dispatch()
    if (task.signal.aborted) this.#reject(task, task.signal.reason)
    else if (answer.kind === 'failure') this.#reject(task, toJobError(answer))
    else {
      task.signal.removeEventListener('abort', task.onAbort)
      task.resolve(answer.result)
    }
  }

  /** An error is followed by the exit: the first of the two counts. */
  #gone(thread: Thread, error: unknown): void {
    if (!this.#threads.delete(thread)) return
    const { current } = thread
    if (!this.#isClosed) {
      this.#options.logger.warn({ how: String(error) }, 'a thread that writes columns ended')
      this.#options.onLost?.()
    }
    if (current !== null) {
      clearTimeout(current.deadline)
      const { task } = current
      if (task.signal.aborted) this.#reject(task, task.signal.reason)
      else if (task.isSecondTry || this.#isClosed) this.#reject(task, lossOf(error))
      else {
        task.isSecondTry = true
        this.#secondTries.push(task)
      }
    }
    this.#dispatch()
  }

  #reject(task: Task, error: unknown): void {
    task.signal.removeEventListener('abort', task.onAbort)
    task.reject(error)
  }
}

/** All files of one upload's segments are in one directory. */
function clientOf(job: ThreadJob): string {
  if ('records' in job) return job.client
  return dirname('segment' in job ? job.segment.path : (job.segments[0]?.path ?? ''))
}

/** A lack of descriptors or storage for another thread keeps its own code. */
function lossOf(error: unknown): ServiceError {
  const problem = `Cannot finish job: its thread was lost: ${error}`
  const storeError = toStoreError(Object.assign(new Error(problem), { code: errorCode(error) }))
  return storeError.code === 'STORE_FAILED' ? toJobError({ code: null, problem }) : storeError
}

function failure(problem: string): ServiceError {
  return toJobError({ code: null, problem: `Cannot finish job: ${problem}` })
}
