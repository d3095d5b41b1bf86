// Child pool: children that do one piece of work at a time: started when there is work, kept while idle, and killed when they
// are late, at fault or no longer wanted. Knows nothing of the work.

import { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { unlessAborted } from '../../io/turns/unless-aborted.ts'
import { readyText, spentText } from './frames.ts'
import type { SandboxedChild } from './sandbox.ts'
import type { Child, ProcessExit } from './spawn-child.ts'
import type { WorkDir } from './work-dir.ts'

/** A child starts in 0.3 s of CPU time. Milliseconds. */
const startMsMaxUsual = 15_000

/** Once ready, a child is ready again within a millisecond. Milliseconds. */
const renewMsMax = 2_000

/** Idle children end after this time. Milliseconds. */
const idleMsMaxUsual = 60_000

/** A child ended although nobody wanted it to, or was ended through a fault of its own. */
export class ChildFault extends Error {
  readonly kind: 'did not start' | 'broke the protocol' | 'ended by itself' | 'was too late'

  constructor(kind: ChildFault['kind'], how: string) {
    super(how)
    this.kind = kind
  }
}

/** Whether this is the end of a child that has run nothing. */
export function hasNotStarted(error: unknown): boolean {
  return error instanceof ChildFault && error.kind === 'did not start'
}

/** A child and its work directory. It says that it is ready, and answers each message with one or more frames. */
export class PooledChild {
  /** Resolves to true once it waits for work, to false if it ends before that. */
  ready = Promise.resolve(false)
  /** False as soon as it has been killed, or has ended. */
  isAlive = true
  /** Resolves when it has ended and its directory is gone, to the first reason: that of `kill()`, or its fault. */
  readonly gone: Promise<unknown>
  /** Null if it uses files by their own paths. */
  readonly workDir: WorkDir | null
  readonly #child: Child
  readonly #frames: AsyncGenerator<Buffer, void, void>
  /** Maximum size of its next frame; 0 while it waits for work. Bytes. */
  #awaitedBytesMax = 0
  /** Awaited even before there is work, so that a waiting child that sends anything is ended. */
  #firstFrame: Promise<Buffer | null> = Promise.resolve(null)
  #hasStarted = false
  #reason: unknown = null
  /** What is being done in its work directory. Never rejects. */
  #fileTask: Promise<unknown> = Promise.resolve()

  constructor({ child, workDir }: SandboxedChild, startMsMax = startMsMaxUsual) {
    this.workDir = workDir
    this.#child = child
    this.#frames = child.frames(() => this.#awaitedBytesMax)
    this.gone = child.gone.then(async (exit) => {
      this.isAlive = false
      await this.#fileTask
      await workDir?.remove()
      return this.#reason ?? this.#faultOf(exit)
    })
    this.#await(startMsMax)
  }

  /** Does something in its work directory, if it has one, which is removed only after that. */
  async inWorkDir(use: (dir: WorkDir) => Promise<void>): Promise<void> {
    if (this.workDir === null) return
    const task = use(this.workDir)
    this.#fileTask = task.catch(() => {})
    await task
  }

  /** Gives it work, and resolves to its first frame. Rejects with the value of `gone` if it ends before. */
  async ask<Answer>(work: object, bytesMax: number, parse: (frame: Buffer) => Answer): Promise<Answer> {
    this.#awaitedBytesMax = bytesMax
    this.#child.send(work)
    const frame = (await this.#firstFrame) ?? (await this.#rejection())
    try {
      return parse(frame)
    } catch (error) {
      // It has read untrusted data, or run untrusted SQL.
      this.#child.kill(String(error))
      return await this.#rejection()
    }
  }

  /** Its next frame. Rejects as `ask()`. */
  async next(bytesMax: number): Promise<Buffer> {
    this.#awaitedBytesMax = bytesMax
    return (await this.#next()) ?? (await this.#rejection())
  }

  /** Expects it to be ready for more work, or spent. */
  renew(): void {
    this.#await(renewMsMax)
  }

  /** Only the first reason counts. */
  kill(reason: unknown): void {
    if (this.isAlive) this.#reason ??= reason
    this.isAlive = false
    this.#child.kill()
  }

  async #rejection(): Promise<never> {
    throw await this.gone
  }

  /** Waits for it to be ready, and then for an answer. Kills it if it is not ready in time. */
  #await(msMax: number): void {
    this.#awaitedBytesMax = readyText.length
    this.ready = this.#readReady()
    let isAwaited = true
    const onLate = () => {
      if (isAwaited) this.#child.kill(`it had not started after ${msMax} ms`)
    }
    // After a stall of the event loop, timers come first: what the child sent meanwhile is read before `onLate()`.
    const late = setTimeout(() => setImmediate(onLate), msMax)
    void this.ready.finally(() => {
      isAwaited = false
      clearTimeout(late)
    })
    this.#firstFrame = this.ready.then((isReady) => (isReady ? this.#next() : null))
  }

  async #readReady(): Promise<boolean> {
    const first = await this.#next()
    this.#awaitedBytesMax = 0
    const text = first?.toString()
    if (text === readyText) {
      this.#hasStarted = true
      return true
    }
    if (text === spentText) this.kill(new Error('it was spent'))
    else if (first !== null) this.#child.kill('its first frame was not expected')
    await this.gone
    return false
  }

  /** Null if it ends first; a frame that is too long ends it. */
  async #next(): Promise<Buffer | null> {
    try {
      const { value } = await this.#frames.next()
      return value ?? null
    } catch (error) {
      this.#child.kill(String(error))
      return null
    }
  }

  #faultOf({ how, killReason, startError }: ProcessExit): Error {
    const refused = toStoreError(startError)
    // A lack of descriptors, disk space or access keeps its own code.
    if (refused.code !== 'STORE_FAILED') return refused
    if (!this.#hasStarted) return new ChildFault('did not start', how)
    return new ChildFault(killReason === undefined ? 'ended by itself' : 'broke the protocol', how)
  }
}

/** Ends work with the reason of a signal, or because it is `late` after some time, unless disposed before. */
export function endAt(
  signal: AbortSignal,
  msMax: number,
  late: () => unknown,
  end: (reason: unknown) => void,
): Disposable {
  const onAbort = () => end(signal.reason)
  const deadline = setTimeout(() => end(late()), msMax)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) queueMicrotask(onAbort)
  return {
    [Symbol.dispose]: () => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

export interface ChildPoolOptions {
  readonly logger: Pick<Log, 'warn'>
  /** Called for each child at fault. */
  readonly onLost?: () => void
  /** Idle children end after this time; tests use less. Milliseconds. */
  readonly idleMsMax?: number
}

/** Starts children when work or `check()` needs them: each takes 0.25 s of CPU time. */
export class ChildPool<Kept extends PooledChild> {
  readonly #name: string
  readonly #options: ChildPoolOptions
  readonly #create: () => Kept
  readonly #children = new Set<Kept>()
  /** Children without work, and the timers that end them; the longest idle first. */
  readonly #idle = new Map<Kept, NodeJS.Timeout>()
  /** Why it is closed; null until then. */
  #closed: Error | null = null

  /** @param name The kind of child, for the log. */
  constructor(name: string, options: ChildPoolOptions, create: () => Kept) {
    this.#name = name
    this.#options = options
    this.#create = create
  }

  /**
   * Gives work to the last idle child of the best `fit`, or to a new one if that is 0; `work` ends with `keep()` or `kill()`. If a child is
   * at fault, another may repeat the work, once. Work that is aborted before its child has started leaves it to the next.
   */
  async run<Result>(
    signal: AbortSignal,
    work: (child: Kept) => Promise<Result>,
    fit: (child: Kept) => number = () => 1,
    mayRepeat: (fault: ChildFault, isNew: boolean) => boolean = () => true,
  ): Promise<Result> {
    const idle = await this.#takeReady(fit, signal)
    try {
      return await work(idle ?? (await this.#startReady(signal)))
    } catch (error) {
      const isRepeated = error instanceof ChildFault && mayRepeat(error, idle === undefined)
      if (!isRepeated || signal.aborted || this.#closed !== null) throw error
      return await work(await this.#startReady(signal))
    }
  }

  /** Keeps a child for more work, unless it has ended, and ends those longest idle if they are more than `keptMax`. */
  keep(child: Kept, keptMax = Number.POSITIVE_INFINITY): void {
    if (!child.isAlive || this.#closed !== null) return
    const { idleMsMax = idleMsMaxUsual } = this.#options
    this.#idle.set(child, setTimeout(() => this.#end(child), idleMsMax).unref())
    const oldest = [...this.#idle.keys()]
    for (const one of oldest.slice(0, Math.max(0, oldest.length - keptMax))) this.#end(one)
  }

  /** Ends the idle children that are not wanted anymore, and returns those at work. */
  endIdle(isUnwanted: (child: Kept) => boolean): readonly Kept[] {
    const unwanted = [...this.#children].filter(isUnwanted)
    for (const child of unwanted) if (this.#idle.has(child)) this.#end(child)
    return unwanted.filter(({ isAlive }) => isAlive)
  }

  /**
   * Resolves when a child can work; starts one if there is none.
   * @throws {ServiceError} NOT_READY, TOO_MANY_OPEN_FILES, DISK_FULL, STORE_UNAVAILABLE
   */
  async check(): Promise<void> {
    this.endIdle(({ workDir }) => workDir?.exists === false)
    for (;;) {
      const child = [...this.#children].find(({ isAlive }) => isAlive) ?? this.#start()
      if (await child.ready) return
      const why = await child.gone
      if (why instanceof ServiceError) throw why
      if (hasNotStarted(why)) throw new ServiceError('NOT_READY', { problem: `no ${this.#name} starts` }, why)
      // It was spent, unwanted, or lost after it had worked: that says nothing about the next.
    }
  }

  /** Kills all children, and resolves when they are gone. Their work, and all that comes later, fails with `reason`. */
  async close(reason: Error): Promise<void> {
    this.#closed = reason
    for (const child of this.#children) this.#end(child, reason)
    await Promise.all([...this.#children].map(({ gone }) => gone))
  }

  async #takeReady(fit: (child: Kept) => number, signal: AbortSignal): Promise<Kept | undefined> {
    for (;;) {
      // One that has ended stays until its directory is gone.
      const fitting = [...this.#idle.keys()].filter((one) => one.isAlive && fit(one) > 0)
      const child = fitting.toSorted((one, other) => fit(one) - fit(other)).at(-1)
      if (child === undefined || (await this.#isReady(child, signal))) return child
      // It has failed to start, or was killed by somebody else.
    }
  }

  async #startReady(signal: AbortSignal): Promise<Kept> {
    const child = this.#start()
    if (await this.#isReady(child, signal)) return child
    throw await child.gone
  }

  async #isReady(child: Kept, signal: AbortSignal): Promise<boolean> {
    this.#wake(child)
    try {
      return await unlessAborted(child.ready, signal)
    } catch (error) {
      this.keep(child)
      throw error
    }
  }

  /** A new child, idle until it is taken. */
  #start(): Kept {
    if (this.#closed !== null) throw this.#closed
    const child = this.#create()
    this.#children.add(child)
    this.keep(child)
    void child.gone.then((why) => {
      this.#children.delete(child)
      this.#wake(child)
      if (!(why instanceof ChildFault)) return
      this.#options.logger.warn({ how: why.message }, `a ${this.#name} child ${why.kind}`)
      this.#options.onLost?.()
    })
    return child
  }

  #end(child: Kept, reason = new Error(`the ${this.#name} child has been ended`)): void {
    this.#wake(child)
    child.kill(reason)
  }

  #wake(child: Kept): void {
    clearTimeout(this.#idle.get(child))
    this.#idle.delete(child)
  }
}
