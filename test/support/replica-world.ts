// Replica world: processes of the service over one fake bucket, in this process. Each call of the bucket is held until
// it is chosen; clocks and timers are the world's; a process can be paused, or killed in the middle of its calls.
import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { S3Client } from '@aws-sdk/client-s3'
import { type Command, FakeBucket, refusal, type StoredObject } from './fake-bucket.ts'
import { quiet } from './interleave.ts'

/** One thing that a process does for a client or by itself. */
export interface Operation {
  readonly name: string
  readonly process: WorldProcess
  /** ETags of the objects that it has read or written last, by key; null for none. */
  readonly seen: Map<string, string | null>
  /** Keys of its calls that failed, or whose response it never got. */
  readonly disturbed: Set<string>
}

/** What happens to a call: its response is lost and the SDK sends it again; it is lost, or refused, however often. */
export type Fate = 'carried' | 'lost' | 'lost for good' | 'refused for good'

/** A call of the bucket that waits, or the response to one. */
interface Step {
  readonly name: string
  readonly of: Operation
  readonly kind: 'call' | 'response'
  readonly go: () => void
}

interface Timer {
  dueAt: number
  readonly everyMs: number | null
  readonly fire: () => void
  readonly process: WorldProcess
}

/** A change of an object, by an operation. */
export interface Change {
  readonly at: number
  readonly key: string
  readonly before: StoredObject | null
  readonly after: StoredObject | null
  readonly by: Operation
  /** It is the object that the operation has read or written last. */
  readonly wasSeen: boolean
}

/** How often the SDK sends a request. */
const attemptsMax = 5
const context = new AsyncLocalStorage<Operation>()

/** A process of the service: what belongs to its memory ends with it. */
export class WorldProcess {
  readonly name: string
  readonly world: World
  /** How far its clock is ahead. Milliseconds. */
  readonly skewMs: number
  /** Its calls wait to be chosen. */
  isHeld = false
  isPaused = false
  state: 'alive' | 'killed' | 'released' = 'alive'
  #released = Promise.withResolvers<never>()

  constructor(world: World, name: string, skewMs: number) {
    this.world = world
    this.name = name
    this.skewMs = skewMs
    this.#released.promise.catch(() => {})
  }

  /** Does something as this process; timers and calls that it begins belong to it, too. */
  as<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const operation = { name: `${this.name} ${name}`, process: this, seen: new Map(), disturbed: new Set<string>() }
    this.world.operations.set(operation.name, operation)
    return context.run(operation, work)
  }

  /** Ends its calls for ever: each one that is under way may still reach the bucket. */
  kill(reaches: () => boolean): void {
    this.state = 'killed'
    const { world } = this
    for (const step of [...world.waiting]) {
      if (step.of.process === this && (step.kind === 'response' || !reaches())) world.drop(step)
    }
    for (const timer of [...world.timers]) if (timer.process === this) world.timers.delete(timer)
  }

  /** Lets the code of a killed process end, so that it leaves nothing in this one: all its calls fail. */
  release(): void {
    this.state = 'released'
    this.#released.reject(new Error('this process was killed'))
  }

  /** Never resolves; rejects once the process is released. */
  get gone(): Promise<never> {
    return this.#released.promise
  }
}

export class World {
  /** True time, in epoch milliseconds. A step takes a millisecond, so that ids sort as they were made. */
  now = 1_790_000_000_000
  readonly bucket = new FakeBucket(() => this.now)
  readonly waiting: Step[] = []
  readonly timers = new Set<Timer>()
  readonly changes: Change[] = []
  /** Every operation that ran, by name. */
  readonly operations = new Map<string, Operation>()
  /** What happened, in order. */
  readonly log: string[] = []
  /** Decides on each call. */
  fate: (command: string, key: string) => Fate = () => 'carried'
  /** Decides whether the response of a call waits, too. */
  delaysResponse: () => boolean = () => false
  #acting: Operation | null = null

  constructor() {
    this.bucket.changed = (key, before, after) => {
      const by = this.#acting
      if (by === null) return
      const wasSeen = (by.seen.get(key) ?? null) === (before?.etag ?? null)
      this.changes.push({ at: this.now, key, before, after, by, wasSeen })
      if (after === null) by.seen.set(key, null)
    }
  }

  /** Steps that can go now: what a paused process has sent arrives, but it does nothing itself. */
  get ready(): readonly Step[] {
    return this.waiting.filter(({ of, kind }) => kind === 'call' || !of.process.isPaused)
  }

  take(step: Step): void {
    this.drop(step)
    this.now += 1
    this.log.push(`${step.of.name}: ${step.name}`)
    step.go()
  }

  drop(step: Step): void {
    const at = this.waiting.indexOf(step)
    if (at >= 0) this.waiting.splice(at, 1)
  }

  /** Lets time pass. What a paused process would have done meanwhile, it does when it goes on. */
  pass(ms: number): void {
    this.now += ms
    for (const timer of [...this.timers]) {
      if (timer.dueAt > this.now || timer.process.isPaused) continue
      if (timer.everyMs === null) this.timers.delete(timer)
      else timer.dueAt = this.now + timer.everyMs
      timer.fire()
    }
  }

  /** Lets time pass until something is due; false if nothing ever is. */
  passToNext(): boolean {
    const due = [...this.timers].filter(({ process }) => !process.isPaused).map(({ dueAt }) => dueAt)
    if (due.length === 0) return false
    this.pass(Math.max(0, Math.min(...due) - this.now))
    return true
  }

  /** Resolves when every operation waits for a step or a timer, or has ended. Returns the steps that can go. */
  async settled(): Promise<readonly Step[]> {
    const before = this.waiting.length
    await quiet()
    // Files are written in threads: the order in which their calls come must not depend on them.
    const added = this.waiting.splice(before)
    this.waiting.push(...added.sort((a, b) => (`${a.of.name} ${a.name}` < `${b.of.name} ${b.name}` ? -1 : 1)))
    return this.ready
  }

  async call(of: Operation, command: Command, aborted?: AbortSignal): Promise<object> {
    const { process } = of
    if (process.state === 'killed') await process.gone
    if (process.state === 'released') throw new Error('this process was killed')
    if (!process.isHeld) return this.#carryOut(of, command)
    const key = keyOf(command)
    const name = command.constructor.name.replace('Command', '')
    const fate = this.fate(name, key)
    for (let attempt = 1; ; attempt += 1) {
      const isSent = fate !== 'refused for good' && (fate !== 'lost for good' || attempt === 1)
      const shown = `${name} ${key}${fate === 'carried' ? '' : ` (${fate})`}`
      const result = await this.#step(of, { name: shown, key, kind: 'call' }, aborted, () => {
        try {
          if (isSent) return { value: this.#carryOut(of, command) }
          return { failure: refusal('ServiceUnavailable', 503) }
        } catch (failure) {
          return { failure }
        }
      })
      if (process.isPaused || this.delaysResponse())
        await this.#step(of, { name: `response to ${shown}`, key, kind: 'response' }, aborted, () => {})
      const isLost = fate !== 'carried' && (fate !== 'lost' || attempt === 1)
      if (isLost && attempt < attemptsMax && fate === 'lost') continue
      if (isLost) {
        of.disturbed.add(key)
        throw refusal('ServiceUnavailable', 503)
      }
      if ('failure' in result) throw result.failure
      return result.value
    }
  }

  /** Waits until it is chosen. If its caller gives up, the effect may still come. */
  async #step<Result>(
    of: Operation,
    { name, key, kind }: Pick<Step, 'name' | 'kind'> & { readonly key: string },
    aborted: AbortSignal | undefined,
    effect: () => Result,
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const giveUp = () => {
      of.disturbed.add(key)
      reject(aborted?.reason)
    }
    this.waiting.push({
      name,
      of,
      kind,
      go: () => {
        const result = effect()
        // The response of a killed process never comes.
        if (of.process.state === 'alive') resolve(result)
      },
    })
    aborted?.addEventListener('abort', giveUp, { once: true })
    if (aborted?.aborted) giveUp()
    return await Promise.race([promise, of.process.gone]).finally(() => aborted?.removeEventListener('abort', giveUp))
  }

  #carryOut(of: Operation, command: Command): object {
    const key = keyOf(command)
    this.#acting = of
    try {
      const reply = this.bucket.send(command)
      if ('ETag' in reply && typeof reply.ETag === 'string') of.seen.set(key, reply.ETag)
      return reply
    } catch (error) {
      if (command.constructor.name !== 'PutObjectCommand') of.seen.set(key, null)
      throw error
    } finally {
      this.#acting = null
    }
  }
}

/** The key of a command, its first one, or the prefix. */
function keyOf({ input }: Command): string {
  const { Key, Prefix, Delete } = input as {
    readonly Key?: string
    readonly Prefix?: string
    readonly Delete?: { readonly Objects: readonly { readonly Key: string }[] }
  }
  return Key ?? Prefix ?? Delete?.Objects.map((one) => one.Key).join(' ') ?? ''
}

/**
 * Gives everything that runs as a process of a world the world's bucket, clocks and timers, until disposed. Everything
 * else goes on as before.
 */
export function patchGlobals(): Disposable {
  const before = {
    now: Date.now,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    sleep: timersPromises.setTimeout,
  }
  const current = () => {
    const operation = context.getStore()
    return operation?.process.state === 'released' ? undefined : operation
  }
  const start = (everyMs: number | null, call: () => void, ms: number) => {
    const { process } = current()!
    const { world } = process
    const fire = AsyncLocalStorage.bind(() => {
      if (process.state === 'alive') call()
    })
    const timer: Timer = { dueAt: world.now + Math.max(1, ms), everyMs, fire, process }
    world.timers.add(timer)
    const stop = () => void world.timers.delete(timer)
    const handle = { stop, ref: () => handle, unref: () => handle, hasRef: () => true, [Symbol.dispose]: stop }
    return handle
  }
  const stopOr = (clear: (timer: never) => void) => (timer: { stop?: () => void } | undefined) => {
    if (timer?.stop !== undefined) timer.stop()
    else clear(timer as never)
  }
  Date.now = () => {
    const process = current()?.process
    return process === undefined ? before.now() : process.world.now + process.skewMs
  }
  const monotonic = performance.now.bind(performance)
  performance.now = () => current()?.process.world.now ?? monotonic()
  const patched = {
    setTimeout: (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      current() === undefined ? before.setTimeout(call, ms, ...args) : start(null, () => call(...args), ms),
    setInterval: (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      current() === undefined ? before.setInterval(call, ms, ...args) : start(ms, () => call(...args), ms),
    clearTimeout: stopOr(before.clearTimeout as never),
    clearInterval: stopOr(before.clearInterval as never),
  }
  Object.assign(globalThis, patched)
  const sleep = (ms = 0, value?: unknown, options?: { readonly signal?: AbortSignal }) => {
    if (current() === undefined) return before.sleep(ms, value, options)
    return new Promise((resolve, reject) => {
      const timer = start(null, () => resolve(value), ms)
      const stop = () => {
        timer.stop()
        reject(options?.signal?.reason)
      }
      options?.signal?.addEventListener('abort', stop, { once: true })
    })
  }
  Object.assign(timersPromises, { setTimeout: sleep })
  syncBuiltinESMExports()
  // A method: the client whose call it is decides what watches its responses.
  async function send(this: S3Client, command: Command, options?: { readonly abortSignal?: AbortSignal }) {
    const operation = context.getStore()
    if (operation === undefined) throw new Error('a call of a bucket outside of the world')
    const { world } = operation.process
    const carry = async () => {
      const output = await world.call(operation, command, options?.abortSignal)
      return { response: { headers: { date: new Date(world.now).toUTCString() } }, output }
    }
    return (await watched(this, carry)({ input: command.input })).output
  }
  Object.assign(S3Client.prototype, { send })
  return {
    [Symbol.dispose]: () => {
      Date.now = before.now
      Reflect.deleteProperty(performance, 'now')
      Reflect.deleteProperty(S3Client.prototype, 'send')
      const { setTimeout, clearTimeout, setInterval, clearInterval } = before
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval })
      Object.assign(timersPromises, { setTimeout: before.sleep })
      syncBuiltinESMExports()
    },
  }
}

type Handler = (args: { readonly input: object }) => Promise<{ readonly output: object }>

/** A handler, with what the service has added to a client to watch its responses; the SDK's own steps have names. */
function watched(client: S3Client, handler: Handler): Handler {
  const added: ((next: Handler, context: object) => Handler)[] = []
  const collect = {
    add: (middleware: (typeof added)[number], { name }: { readonly name?: string }) => {
      if (name === undefined) added.push(middleware)
    },
    addRelativeTo: () => {},
  }
  client.middlewareStack.applyToStack(collect as never)
  return added.reduce((next, middleware) => middleware(next, {}), handler)
}
