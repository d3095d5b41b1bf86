// Interleave: runs tasks one step at a time, in every order with one switch between them, then in random ones from a
// seed. A task yields wherever it calls the file system or a watched object: faults between two awaits need no luck.
// What a task leaves running goes on in the same way, but for what waits for a timer.
import { AsyncLocalStorage } from 'node:async_hooks'
import fileSystem from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { createRandom } from './samples.ts'

/** Chooses one of the waiting steps; `last` is the task that ran last. */
type Choose = (waiting: readonly Step[], last: string) => number

interface Step {
  readonly task: string
  readonly name: string
  readonly go: () => void
}

const context = new AsyncLocalStorage<{ readonly task: string; readonly order: { isOver: boolean; waiting: Step[] } }>()

/** Waits for its turn if a task calls this, until all have ended; returns immediately otherwise. */
export async function turn(name: string): Promise<void> {
  const here = context.getStore()
  if (here === undefined || here.order.isOver) return
  await new Promise<void>((go) => void here.order.waiting.push({ task: here.task, name, go }))
}

/** The same object, each of whose methods waits for its turn, before it runs and before its result is seen. */
export function yielding<Target extends object>(target: Target): Target {
  return new Proxy(target, {
    get: (from, name) => {
      const member: unknown = Reflect.get(from, name)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]) => {
        const result: unknown = Reflect.apply(member, from, args)
        if (!(result instanceof Promise)) return result
        return result.finally(() => turn(`after ${String(name)}`))
      }
    },
  })
}

const gated = ['access', 'copyFile', 'link', 'mkdir', 'open', 'readFile', 'readdir', 'rename', 'rm', 'stat'] as const

/** Lets calls of the file system wait for their turn, until disposed. */
function gateFileCalls(): Disposable {
  const calls = fileSystem as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  const before = gated.map((name) => [name, calls[name]!] as const)
  for (const [name, call] of before) {
    calls[name] = async (...args) => {
      await turn(name)
      return await call(...args)
    }
  }
  syncBuiltinESMExports()
  return {
    [Symbol.dispose]: () => {
      for (const [name, call] of before) calls[name] = call
      syncBuiltinESMExports()
    },
  }
}

/** Resolves when every task waits for its turn, for another task, or has ended. */
export async function quiet(): Promise<void> {
  for (let idle = 0; idle < 2; idle += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().some((one) => one.includes('Req'))) idle = -1
  }
}

/** Runs the tasks to their ends, one step at a time. Throws what a task throws, with the order of the steps. */
async function runOnce({ tasks, always }: InterleavingCase, choose: Choose, hasFileSteps: boolean): Promise<void> {
  using _ = hasFileSteps ? gateFileCalls() : null
  const order = { isOver: false, waiting: [] as Step[] }
  const { waiting } = order
  const steps: string[] = []
  let running = Object.keys(tasks).length
  const ends = Object.entries(tasks).map(([task, work]) =>
    context
      .run({ task, order }, async () => {
        await turn('begin')
        await work()
      })
      .finally(() => (running -= 1)),
  )
  const all = Promise.allSettled(ends)
  let last = ''
  await quiet()
  for (let movedAt = performance.now(); running > 0 || waiting.length > 0; await quiet()) {
    try {
      always?.()
    } catch (error) {
      throw new Error(`Failed after ${steps.join(', ')}`, { cause: error })
    }
    const [step] = waiting.length === 0 ? [] : waiting.splice(choose(waiting, last), 1)
    if (performance.now() - movedAt > 60_000)
      throw new Error(`Nothing has moved for a minute after ${steps.join(', ')}`)
    if (step === undefined) continue
    movedAt = performance.now()
    last = step.task
    steps.push(`${step.task} ${step.name}`)
    step.go()
  }
  order.isOver = true
  for (const end of await all) {
    if (end.status === 'rejected') throw new Error(`Failed after ${steps.join(', ')}`, { cause: end.reason })
  }
}

/** Tasks, and what must hold after them. */
export interface InterleavingCase {
  readonly tasks: Readonly<Record<string, () => Promise<void>>>
  readonly check: () => Promise<void>
  /** What must hold between any two steps, such as for a process that is killed there. */
  readonly always?: () => void
}

export interface Orders {
  readonly seed: number
  /** Number of random orders. */
  readonly random: number
  /** Whether calls of the file system are steps. Default: yes. */
  readonly hasFileSteps?: boolean
}

/**
 * Runs tasks that `begin` makes, once for each order: each task in turn goes first, for any number of steps, before the
 * others run to their ends; then random orders. Returns the number of orders.
 * @throws {Error} with the steps of the first order that fails, and its seed
 */
export async function interleave(
  { seed, random: count, hasFileSteps = true }: Orders,
  begin: () => Promise<InterleavingCase>,
): Promise<number> {
  let orders = 0
  let names: readonly string[] = []
  const run = async (choose: Choose, which: string) => {
    orders += 1
    const one = await begin()
    names = Object.keys(one.tasks)
    try {
      await runOnce(one, choose, hasFileSteps)
      await one.check()
    } catch (error) {
      throw new Error(`${which}: ${String(error)}`, { cause: error })
    }
  }
  for (let first = 0; first === 0 || first < names.length; first += 1) {
    const isFirst = (task: string) => task === names[first]
    for (let before = 0, done = 0; done >= before; before += 1) {
      done = 0
      const choose: Choose = (waiting) => {
        const at = waiting.findIndex(({ task }) => isFirst(task) === done < before)
        if (isFirst(waiting[Math.max(at, 0)]!.task)) done += 1
        return Math.max(at, 0)
      }
      await run(choose, `${before} steps of task ${first} first`)
    }
  }
  for (let number = 0; number < count; number += 1) {
    const random = createRandom(seed + number)
    // A task goes on for a while: faults need few switches, at the right places.
    const stay = 2 + random(12)
    const choose: Choose = (waiting, last) => {
      const same = waiting.findIndex(({ task }) => task === last)
      return same >= 0 && random(stay) > 0 ? same : random(waiting.length)
    }
    await run(choose, `SEED=${seed + number}`)
  }
  return orders
}
