// Shared rate: limits the requests of each caller across all processes on a store. Knows no requests.
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { SharedObjects } from '../store/store.ts'

export interface SharedRateOptions {
  readonly shared: SharedObjects
  /** Limit per caller and window, for all processes together. */
  readonly max: number
  readonly windowMs: number
  /** Called if the store cannot be reached: for the rest of the window, the limit holds for this process alone. */
  readonly onFailed: (error: unknown) => void
}

/**
 * A process claims this fraction of the limit at a time, and grants as much before it reports a caller to the others.
 */
const parts = 32
/** With more callers, the oldest ones are forgotten. */
const callersMax = 5_000
/** After a refusal, the other processes are not asked again for this long. Milliseconds. */
const refusedMs = 1_000
/** After this time, the store counts as unreachable, and requests no longer wait for it. Milliseconds. */
const answerMsMax = 5_000
/**
 * An object that has not been written for this long was left by a process that has ended. By the clock of the store.
 * Milliseconds.
 */
const leftMs = 3_600_000
const prefix = 'rates/'

/** One caller at this process. */
interface Window {
  readonly sinceMs: number
  used: number
  /** Limit up to which other processes know of it, or need not know. */
  granted: number
  /** The claim that others see while more is requested. */
  asked: number
  refusedUntilMs: number
}

interface Claim {
  readonly count: number
  readonly endsAtMs: number
}

interface Other {
  readonly version: string
  readonly claims: ReadonlyMap<string, Claim>
}

/**
 * A process writes its claim for each caller before it reads the claims of others. So if two processes claim the last
 * of a limit, at least one sees the other. A claim covers part of the limit, not a single request: few requests wait
 * for the store.
 */
export class SharedRate implements AsyncDisposable {
  readonly #options: SharedRateOptions
  readonly #name = prefix + randomUUID()
  readonly #freeMax: number
  readonly #step: number
  /** Windows by a hash of the caller: the store does not learn who the callers are. */
  readonly #windows = new Map<string, Window>()
  #others: ReadonlyMap<string, Other> = new Map()
  #asking: Promise<void> | null = null
  #nextAsking: Promise<void> | null = null
  #hasWritten = false

  constructor(options: SharedRateOptions) {
    this.#options = options
    this.#freeMax = Math.floor(options.max / parts)
    this.#step = Math.ceil(options.max / parts)
  }

  /** Whether the caller may make one more request now. Never rejects. */
  async take(caller: string): Promise<boolean> {
    const key = createHash('sha256').update(caller).digest('base64url').slice(0, 22)
    for (;;) {
      const window = this.#window(key)
      if (window.used < window.granted) {
        window.used += 1
        return true
      }
      if (window.used >= this.#options.max || performance.now() < window.refusedUntilMs) return false
      window.asked = Math.min(this.#options.max, window.granted + this.#step)
      await this.#ask()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#nextAsking
    await this.#asking
    if (this.#hasWritten) await this.#options.shared.delete([this.#name]).catch(() => {})
  }

  #window(key: string): Window {
    const nowMs = performance.now()
    const known = this.#windows.get(key)
    if (known !== undefined && nowMs - known.sinceMs < this.#options.windowMs) return known
    const window = { sinceMs: nowMs, used: 0, granted: this.#freeMax, asked: 0, refusedUntilMs: 0 }
    this.#windows.delete(key)
    this.#windows.set(key, window)
    const [oldest] = this.#windows.keys()
    if (this.#windows.size > callersMax && oldest !== undefined) this.#windows.delete(oldest)
    return window
  }

  /** Concurrent callers share one exchange, which begins after they have asked. */
  #ask(): Promise<void> {
    this.#nextAsking ??= (this.#asking ?? Promise.resolve()).then(() => {
      this.#asking = this.#nextAsking
      this.#nextAsking = null
      return this.#exchange().finally(() => {
        this.#asking = null
      })
    })
    return this.#nextAsking
  }

  async #exchange(): Promise<void> {
    const asking = [...this.#windows].filter(([, { asked }]) => asked > 0)
    try {
      await inTime(this.#write().then(() => this.#readOthers()))
    } catch (error) {
      this.#options.onFailed(error)
      for (const [, window] of asking) this.#end(window, this.#options.max)
      return
    }
    let isLess = false
    for (const [key, window] of asking) {
      const { asked, granted } = window
      const room = Math.max(granted, Math.min(asked, this.#options.max - this.#claimed(key)))
      isLess ||= room < asked
      if (room <= granted) window.refusedUntilMs = performance.now() + refusedMs
      this.#end(window, room)
    }
    // Until others read this write, they count what was requested and not granted as used.
    if (isLess) await this.#write().catch(this.#options.onFailed)
  }

  #end(window: Window, granted: number): void {
    window.granted = granted
    window.asked = 0
  }

  async #write(): Promise<void> {
    const nowMs = performance.now()
    const { windowMs, shared } = this.#options
    const claims: Record<string, readonly [number, number]> = {}
    for (const [key, { sinceMs, granted, asked }] of this.#windows) {
      const leftMs = Math.ceil(sinceMs + windowMs - nowMs)
      if (leftMs > 0 && Math.max(asked, granted) > this.#freeMax) claims[key] = [Math.max(asked, granted), leftMs]
    }
    this.#hasWritten = true
    await shared.write(this.#name, Buffer.from(JSON.stringify(claims)))
  }

  async #readOthers(): Promise<void> {
    const { shared } = this.#options
    const listed = await Array.fromAsync(shared.list(prefix))
    const now = listed.find(({ name }) => name === this.#name)?.changedAt ?? 0
    const left = listed.filter(({ changedAt }) => changedAt < now - leftMs)
    if (left.length > 0) await shared.delete(left.map(({ name }) => name))
    const others = listed.filter(({ name, changedAt }) => name !== this.#name && changedAt >= now - leftMs)
    const read = others.map(async ({ name, version }) => {
      const known = this.#others.get(name)
      return [name, known?.version === version ? known : await this.#readOther(name, version)] as const
    })
    this.#others = new Map(await Promise.all(read))
  }

  /** Clocks are not compared: the rest of a window is counted from the moment when it is read. */
  async #readOther(name: string, version: string): Promise<Other> {
    const found = await this.#options.shared.get(name)
    const nowMs = performance.now()
    // Processes like this one wrote it; null for one that has just ended.
    const claims = Object.entries(
      JSON.parse(found?.bytes.toString() ?? '{}') as Record<string, readonly [number, number]>,
    )
    return {
      version,
      claims: new Map(claims.map(([key, [count, leftMs]]) => [key, { count, endsAtMs: nowMs + leftMs }])),
    }
  }

  #claimed(key: string): number {
    const nowMs = performance.now()
    const claims = this.#others.values().map(({ claims }) => claims.get(key))
    return claims.reduce((sum, claim) => sum + (claim !== undefined && claim.endsAtMs > nowMs ? claim.count : 0), 0)
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const done = new AbortController()
  const late = setTimeout(answerMsMax, undefined, { signal: done.signal }).then(() => {
    throw new Error(`Cannot ask other processes: no answer within ${answerMsMax} ms`)
  })
  try {
    await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
