// Shared rate: how often each caller may come to all processes on a store together. Knows no requests.
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { SharedObjects } from '../store/store.ts'

export interface SharedRateOptions {
  readonly shared: SharedObjects
  /** For each caller, within a window, at all processes together. */
  readonly max: number
  readonly windowMs: number
  /** The store could not be asked: for the rest of the window the limit holds for this process alone. */
  readonly onFailed: (error: unknown) => void
}

/** What a process takes at once of what it may take, and what it takes before the others know of a caller. */
const parts = 32
/** With more callers, those unknown for longest are forgotten. */
const callersMax = 5_000
/** After a refusal, others are not asked again for so long. Milliseconds. */
const refusedMs = 1_000
/** Then the store counts as unreachable, and requests wait no longer for it. Milliseconds. */
const answerMsMax = 5_000
/** What has not been written for so long was left by a process that has ended. By the clock of the store. Milliseconds. */
const leftMs = 3_600_000
const prefix = 'rates/'

/** One caller at this process. */
interface Window {
  readonly sinceMs: number
  used: number
  /** Up to here others know of it, or need not. */
  granted: number
  /** What others see while they are asked for more. */
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
 * A process writes what it claims for each caller before it reads what others claim, so that of two which claim the last
 * rest one at least sees the other. A claim is a part of the limit, not a request: few requests wait for the store.
 */
export class SharedRate implements AsyncDisposable {
  readonly #options: SharedRateOptions
  readonly #name = prefix + randomUUID()
  readonly #freeMax: number
  readonly #step: number
  /** By a hash: the store does not learn who calls. */
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

  /** Whether the caller may come once more now. Never rejects. */
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

  /** Many at once share one exchange, which begins after they came. */
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
    // Until others read it, they take for used what was asked for and not granted.
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

  /** Clocks are not compared: what is left of a window counts from the moment at which it is read. */
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
