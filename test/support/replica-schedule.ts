// Replica schedule: a random schedule of clients, faults, pauses and kills over three replicas, from a seed. Does not
// know what must hold.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../src/core/errors.ts'
import { datasetId, type Outcome, openService, publishOf, type ReplicaService } from './replica-service.ts'
import { type Fate, World, WorldProcess } from './replica-world.ts'
import { createRandom } from './samples.ts'

type Random = (below: number) => number

/** What a schedule did, for the checks. */
export interface ScheduleResult {
  readonly seed: number
  readonly world: World
  readonly prefix: string
  readonly ids: readonly string[]
  readonly outcomes: readonly Outcome[]
  /** By the name of the operation in the world. */
  readonly outcomeOf: ReadonlyMap<string, Outcome>
  /** Attempts whose files were damaged. */
  readonly damaged: ReadonlySet<string>
  /** Those still running, after everything has settled. */
  readonly services: readonly ReplicaService[]
  readonly kills: number
  readonly pauses: number
}

export interface Options extends Controls {
  /** A local directory for the processes. */
  readonly dir: string
  readonly check: (played: ScheduleResult) => Promise<void>
}

interface Controls {
  /** Ignores the conditions of requests for keys that match: a control, which must fail. */
  readonly ignores?: RegExp
  /** Sweeps find nothing: a control, which must fail. */
  readonly withoutSweeps?: boolean
}

interface Client {
  readonly ops: number
  done: number
  running: Outcome | null
}

const foreignKey = 'another-application/object'
const minuteMs = 60_000
const dayMs = 86_400_000
/** The longest time in which nothing moves, in real milliseconds. */
const stuckMsMax = 60_000

/** Plays the schedule of a seed, then lets two days pass without faults, and checks. @param dir Can be used again. */
export async function playSchedule(seed: number, { dir, check, ...options }: Options) {
  const one = new Schedule(seed, dir, options)
  try {
    await one.play()
    await check(one.played)
  } catch (error) {
    const log = one.world.log.join('\n')
    throw new Error(`SEED=${seed}: ${error instanceof Error ? error.message : String(error)}\n${log}`, { cause: error })
  } finally {
    await one.close()
  }
}

class Schedule {
  readonly world = new World()
  readonly #seed: number
  readonly #random: Random
  readonly #dir: string
  readonly #prefix: string
  readonly #ids: readonly string[]
  readonly #skews: readonly number[]
  readonly #services: (ReplicaService | null)[] = []
  readonly #opened: ReplicaService[] = []
  readonly #clients: Client[]
  readonly #outcomes: Outcome[] = []
  readonly #outcomeOf = new Map<string, Outcome>()
  readonly #damaged = new Set<string>()
  readonly #options: Controls
  #kills = 0
  #pauses = 0

  constructor(seed: number, dir: string, options: Controls) {
    const random = createRandom(seed)
    this.#seed = seed
    this.#random = random
    this.#dir = dir
    this.#options = options
    this.#prefix = random(4) === 0 ? '' : 'p/'
    this.#ids = random(3) === 0 ? [datasetId(1), datasetId(2)] : [datasetId(1)]
    this.#skews = [0, 1, 2].map(() => random(3) * 10 * minuteMs)
    this.#clients = Array.from({ length: 2 + random(2) }, () => ({ ops: 1 + random(3), done: 0, running: null }))
    const { ignores } = options
    if (ignores !== undefined) this.world.bucket.ignores = (key) => ignores.test(key)
  }

  get played(): ScheduleResult {
    return {
      seed: this.#seed,
      world: this.world,
      prefix: this.#prefix,
      ids: this.#ids,
      outcomes: this.#outcomes,
      outcomeOf: this.#outcomeOf,
      damaged: this.#damaged,
      services: this.#services.filter((one) => one !== null),
      kills: this.#kills,
      pauses: this.#pauses,
    }
  }

  async play(): Promise<void> {
    this.world.bucket.send({
      constructor: { name: 'CreateMultipartUploadCommand' },
      input: { Key: foreignKey },
    })
    this.world.bucket.set(foreignKey, Buffer.from('kept'))
    for (const skew of this.#skews) await this.#open(skew)
    await this.#history()
    const faults = this.#random(2) === 0 ? 0 : 10 + this.#random(60)
    this.world.fate = () => (faults > 0 && this.#random(faults) === 0 ? this.#fate() : 'carried')
    this.world.delaysResponse = () => this.#random(4) === 0
    for (const { process } of this.played.services) process.isHeld = true
    await this.#interleave()
    await this.#settle()
  }

  async close(): Promise<void> {
    for (const { process } of this.#opened) {
      process.isHeld = false
      process.isPaused = false
      process.release()
    }
    await this.world.settled()
    for (const { process, store } of this.#opened) {
      await process.as('close', () => store.close()).catch(() => {})
      await rm(join(this.#dir, process.name, 'cache'), { recursive: true, force: true })
    }
  }

  async #open(skewMs: number): Promise<void> {
    const process = new WorldProcess(this.world, `r${this.#opened.length + 1}`, skewMs)
    const service = await openService(process, this.#dir, this.#prefix)
    this.#opened.push(service)
    const gone = this.#services.indexOf(null)
    if (gone >= 0) this.#services[gone] = service
    else this.#services.push(service)
  }

  /** Most schedules begin with a dataset, many with one that is old enough to expire. */
  async #history(): Promise<void> {
    for (const id of this.#ids) {
      if (this.#random(4) === 0) continue
      await this.#start('upload', id).ended
      this.world.pass(this.#random(2) === 0 ? 2 * dayMs : minuteMs)
      await this.world.settled()
    }
  }

  async #interleave(): Promise<void> {
    const stay = 2 + this.#random(12)
    let last = ''
    let movedAt = performance.now()
    for (;;) {
      const ready = await this.world.settled()
      const idle = this.#clients.filter((one) => one.running === null && one.done < one.ops)
      const isRunning = this.#clients.some((one) => one.running !== null)
      if (!isRunning && idle.length === 0) return
      if (performance.now() - movedAt > stuckMsMax) throw new Error('nothing has moved for a minute')
      await this.#disturb(ready.length)
      if (ready.length === 0 && idle.length === 0) {
        this.#goOn()
        this.world.passToNext()
        continue
      }
      movedAt = performance.now()
      const same = this.world.ready.filter(({ of }) => of.name === last)
      const from = same.length > 0 && this.#random(stay) > 0 ? same : this.world.ready
      const choice = this.#random(from.length + (from === same ? 0 : idle.length))
      const step = from[choice]
      if (step === undefined) {
        const client = idle[choice - from.length]
        if (client !== undefined) last = this.#next(client)
        continue
      }
      last = step.of.name
      this.world.take(step)
    }
  }

  /** Begins the next operation of a client. */
  #next(client: Client): string {
    const kinds = ['upload', 'upload', 'upload', 'delete', 'delete', 'delete if-match', 'expire', 'read'] as const
    const others = ['scrub', 'profile', 'list'] as const
    const roll = this.#random(kinds.length + others.length)
    const { seen, name, ended } = this.#start(kinds[roll] ?? others[roll - kinds.length] ?? 'read', this.#id())
    client.running = seen
    client.done += 1
    const leave = () => {
      if (client.running === seen) client.running = null
    }
    ended.then(leave, leave)
    return name
  }

  #start(kind: Outcome['kind'], of: string) {
    const alive = this.#services.filter((one) => one !== null)
    const service = alive[this.#random(alive.length)]!
    const { process } = service
    const id = kind === 'expire' || kind === 'list' ? null : of
    const seen: Outcome = {
      kind,
      process,
      id,
      beganAt: this.world.now,
      endedAt: Number.POSITIVE_INFINITY,
      isDone: false,
      failure: null,
      removed: new Set(),
    }
    const version = this.#random(400) === 0 ? 90 : this.#random(4)
    const label = `${this.#outcomes.length} ${kind}`
    const work: Record<Outcome['kind'], () => Promise<void>> = {
      upload: () => service.upload(seen, of, version, this.#random(4) === 0 ? 'b.csv' : 'a.csv'),
      delete: () => service.remove(seen, of),
      'delete if-match': () => service.removeIfMatch(seen, of),
      expire: () => service.expire(seen),
      read: () => service.read(of),
      scrub: () => service.scrub(of),
      profile: () => service.profile(of),
      list: () => service.list(seen),
      start: async () => {},
    }
    const end = (answer: string) => {
      if (process.state !== 'alive') return
      seen.endedAt = this.world.now
      this.world.log.push(`${process.name} ${label}: ended: ${answer}`)
    }
    this.#outcomes.push(seen)
    this.#outcomeOf.set(`${process.name} ${label}`, seen)
    this.world.log.push(`${process.name} ${label}: begins${id === null ? '' : ` with ${id.slice(0, 6)}`}`)
    const ended = process.as(label, work[kind]).then(
      () => {
        seen.isDone = process.state === 'alive'
        end(seen.upload?.outcome ?? 'done')
      },
      (failure) => {
        if (process.state === 'alive') seen.failure = failure
        end(failure instanceof ServiceError ? failure.code : String(failure))
      },
    )
    return { seen, name: `${process.name} ${label}`, ended }
  }

  /** Now and then, something happens besides the calls. */
  async #disturb(steps: number): Promise<void> {
    const roll = this.#random(400)
    if (roll < 4) this.#pass(1_000 * [1, 5, 11, 70][roll]!)
    else if (roll < 8) this.#pause()
    else if (roll < 16) this.#goOn()
    else if (roll < 19 && steps > 0) this.#kill()
    else if (roll < 22) await this.#restart()
    else if (roll < 25) this.#damage()
  }

  #pass(ms: number): void {
    this.world.log.push(`${ms / 1_000} s pass`)
    this.world.pass(ms)
  }

  #pause(): void {
    const running = this.#services.filter((one) => one !== null && !one.process.isPaused)
    if (running.length < 2) return
    const { process } = running[this.#random(running.length)]!
    process.isPaused = true
    this.#pauses += 1
    this.world.log.push(`${process.name} is paused`)
  }

  /** Paused ones go on, after minutes. */
  #goOn(): void {
    const paused = this.#opened.filter(({ process }) => process.isPaused && process.state === 'alive')
    if (paused.length === 0) return
    this.#pass((1 + this.#random(15)) * minuteMs)
    for (const { process } of paused) process.isPaused = false
    this.world.log.push(`${paused.map(({ process }) => process.name).join()} goes on`)
    this.world.pass(0)
  }

  #kill(): void {
    const alive = this.#services.filter((one) => one !== null)
    if (alive.length < 2) return
    const service = alive[this.#random(alive.length)]!
    this.world.log.push(`${service.process.name} is killed`)
    service.process.kill(() => this.#random(2) === 0)
    this.#services[this.#services.indexOf(service)] = null
    for (const client of this.#clients) if (client.running?.process === service.process) client.running = null
    this.#kills += 1
  }

  async #restart(): Promise<void> {
    if (!this.#services.includes(null)) return
    await this.#open(this.#skews[this.#services.indexOf(null)] ?? 0)
    const started = this.#opened.at(-1)!
    started.process.isHeld = true
    this.world.log.push(`${started.process.name} has started`)
  }

  /** A file of the current publish loses bytes. */
  #damage(): void {
    const id = this.#id()
    const found = this.world.bucket.objects.get(`${this.#prefix}datasets/${id}/receipt.json`)
    if (found === undefined) return
    const publish = publishOf(id, found)
    const key = `${this.#prefix}files/${publish?.attempt}/original`
    if (publish === null || !this.world.bucket.objects.has(key)) return
    this.world.bucket.set(key, this.#random(2) === 0 ? null : Buffer.from('damaged'))
    this.#damaged.add(publish.attempt)
    this.world.log.push(`the original of ${publish.attempt} is damaged`)
  }

  /** Nothing disturbs any more: what is under way ends, and two days pass. */
  async #settle(): Promise<void> {
    const { world } = this
    world.fate = () => 'carried'
    world.delaysResponse = () => false
    for (const { process } of this.#opened) {
      process.isPaused = false
      process.isHeld = false
    }
    world.pass(0)
    for (let ready = await world.settled(); ready.length > 0; ready = await world.settled()) world.take(ready[0]!)
    while (this.#services.includes(null)) await this.#open(0)
    world.log.push('everything has settled')
    // One sweeps for all: the others are as if they had been away.
    const [, ...others] = this.played.services
    for (const { process } of others) process.isPaused = true
    for (let day = 0; day < 3; day += 1) {
      if (this.#options.withoutSweeps !== true) world.pass(dayMs + 2 * 3_600_000)
      await world.settled()
    }
    for (const { process } of others) process.isPaused = false
    world.pass(10_000)
    await world.settled()
  }

  #id(): string {
    return this.#ids[this.#random(this.#ids.length)]!
  }

  #fate(): Fate {
    return (['lost', 'lost', 'lost for good', 'refused for good'] as const)[this.#random(4)]!
  }
}

export { foreignKey }
