// Replica checks: what must hold after a schedule over several replicas, whatever it did.

import { ServiceError } from '../../src/core/errors.ts'
import type { Upload } from '../../src/core/receipt.ts'
import { storedFiles } from '../../src/core/stored-files.ts'
import { foreignKey, type ScheduleResult } from './replica-schedule.ts'
import { isDamage, keepMs, type Outcome, type Publish, publishOf } from './replica-service.ts'

/** A change of the publish of a dataset. */
interface Turn {
  readonly id: string
  readonly at: number
  readonly before: Publish | null
  readonly after: Publish | null
  readonly by: string
}

/** The clock of the bucket is known within some seconds, and an upload of the last ten seconds is not counted anew. */
const ageToleranceMs = 30_000
const seenWithinMs = 10_000

/** @throws {Error} with everything that does not hold */
export async function checkReplicas(played: ScheduleResult): Promise<void> {
  const found = new Checks(played)
  found.changes()
  found.ends()
  found.bucket()
  await found.replicas()
  if (found.wrong.length > 0) throw new Error([...new Set(found.wrong)].join('\n'))
}

class Checks {
  readonly wrong: string[] = []
  readonly #played: ScheduleResult
  readonly #turns: readonly Turn[]
  /** What exists in the end, by id. */
  readonly #present = new Map<string, Publish>()

  constructor(played: ScheduleResult) {
    this.#played = played
    const key = (id: string) => `${played.prefix}datasets/${id}/receipt.json`
    const idOf = new Map(played.ids.map((id) => [key(id), id]))
    this.#turns = played.world.changes.flatMap(({ key: changed, at, before, after, by, wasSeen }) => {
      const id = idOf.get(changed)
      if (id === undefined) return []
      const turn = { id, at, before: publishOf(id, before), after: publishOf(id, after), by: by.name }
      // Whatever is in the place of a receipt may only be replaced by who has read it.
      if (before !== null && !wasSeen) this.#say(`${by.name} acted on a receipt object that it had not read`)
      return turn.before?.attempt === turn.after?.attempt ? [] : [turn]
    })
    for (const id of played.ids) {
      const publish = publishOf(id, played.world.bucket.objects.get(key(id)) ?? null)
      if (publish !== null) this.#present.set(id, publish)
    }
  }

  /** Whoever acts on a publish has seen it, and may act so. */
  changes(): void {
    const { outcomeOf, damaged } = this.#played
    const made = new Set<string>()
    const removedBy = new Set<string>()
    for (const { id, before, after, by, at } of this.#turns) {
      const outcome = outcomeOf.get(by)
      const kind = outcome?.kind ?? 'none'
      if (after !== null) {
        if (kind !== 'upload') this.#say(`${by} made a publish`)
        if (made.has(after.attempt)) this.#say(`${by} brought back a publish`)
        made.add(after.attempt)
        if (before !== null && !damaged.has(before.attempt)) this.#say(`${by} replaced a publish that was sound`)
      } else {
        if (!['delete', 'delete if-match', 'expire'].includes(kind)) this.#say(`${by} removed a publish`)
        if (kind !== 'expire' && removedBy.has(by)) this.#say(`${by} removed two publishes`)
        removedBy.add(by)
        if (outcome?.kind === 'expire') this.#expired(id, at, outcome)
      }
    }
  }

  /** A dataset expires only if nobody has sent it for long enough. */
  #expired(id: string, at: number, by: Outcome): void {
    for (const upload of this.#uploads(id)) {
      const landed = this.#turns.some((turn) => turn.by === this.#nameOf(upload) && turn.after !== null && turn.at > at)
      if (landed || upload.beganAt > at || upload.endedAt < at - keepMs + ageToleranceMs) continue
      if (upload.endedAt > at && this.#turns.some((turn) => turn.id === id && turn.after !== null && turn.at > at))
        continue
      const age = Math.round((at - upload.endedAt) / 1_000)
      this.#say(`${this.#nameOf(by)} expired a dataset ${age} s after an upload of its bytes, ${this.#nameOf(upload)}`)
    }
  }

  /** What each operation was answered is true. */
  ends(): void {
    for (const outcome of this.#played.outcomes) {
      const { id, kind, failure, isDone, upload } = outcome
      const name = this.#nameOf(outcome)
      if (failure !== null) this.#failed(outcome, failure)
      for (const removed of outcome.removed) {
        const isTrue = this.#turns.some(
          (turn) => turn.id === removed && turn.after === null && this.#during(turn.at, outcome),
        )
        if (!isTrue) this.#say(`${name} said that it removed what nobody did`)
      }
      if (id === null) this.#listed(outcome)
      if (kind !== 'upload' || !isDone || id === null) continue
      const own = this.#turns.filter((turn) => turn.by === name && turn.after !== null)
      if (upload?.outcome !== 'duplicate' && own.length !== 1) this.#say(`${name} made ${own.length} publishes`)
      if (upload?.outcome === 'new' && own.some(({ before }) => before !== null))
        this.#say(`${name} repaired, and said new`)
      if (upload?.outcome === 'duplicate' && !this.#existed(id, outcome, 'once'))
        this.#say(`${name} was a duplicate of nothing`)
    }
  }

  #failed(outcome: Outcome, failure: unknown): void {
    const { id, kind } = outcome
    const name = this.#nameOf(outcome)
    const { disturbed } = this.#operation(name) ?? { disturbed: new Set() }
    const code = failure instanceof ServiceError ? failure.code : null
    if (isDamage(failure)) {
      if (this.#played.damaged.size === 0) this.#say(`${name} found damage in a sound dataset: ${String(failure)}`)
    } else if (code === 'DATASET_NOT_FOUND') {
      // A deletion that meets a repair has not read what there is then, and finds nothing.
      const isReplaced = this.#turns.some((turn) => turn.id === id && this.#during(turn.at, outcome))
      if (id !== null && !isReplaced && this.#existed(id, outcome, 'always'))
        this.#say(`${name} did not find what was there`)
    } else if (code === 'PRECONDITION_FAILED') {
      const isTrue = this.#turns.some((turn) => turn.id === id && this.#during(turn.at, outcome))
      if (!isTrue) this.#say(`${name} was refused though nothing had changed`)
    } else if (code === 'STORE_UNAVAILABLE') {
      const own =
        kind !== 'expire' && this.#turns.some((turn) => turn.by === name && (turn.after !== null || kind !== 'upload'))
      const isUncertain = [...disturbed].some((key) => key.endsWith('/receipt.json'))
      // Calls are shared: the listing of an operation may be that of another one.
      const isDisturbed = [...this.#played.world.operations.values()].some(
        (one) => one.process === outcome.process && one.disturbed.size > 0,
      )
      if (!isDisturbed) this.#say(`${name} failed without a fault`)
      else if (own && !isUncertain) this.#say(`${name} was carried out, and answered with ${code}`)
    } else this.#say(`${name} failed: ${failure instanceof Error ? failure.stack : String(failure)}`)
  }

  #listed(outcome: Outcome): void {
    if (outcome.listed === undefined) return
    for (const id of this.#played.ids) {
      const name = this.#nameOf(outcome)
      const isThere = outcome.listed.includes(id)
      if (isThere && !this.#existed(id, outcome, 'once')) this.#say(`${name} shows a dataset that is gone`)
      if (isThere || !this.#existed(id, outcome, 'always')) continue
      const made = this.#turns.findLast((turn) => turn.id === id && turn.after !== null && turn.at < outcome.beganAt)
      const maker = made && this.#played.outcomeOf.get(made.by)
      if (maker === undefined || !maker.isDone || maker.endedAt > outcome.beganAt - seenWithinMs) continue
      if ((this.#operation(made!.by)?.disturbed.size ?? 0) > 0 || this.#hasJustChanged(id, outcome)) continue
      this.#say(`${name} hides a dataset ${outcome.beganAt - maker.endedAt} ms after its upload`)
    }
  }

  /** A listing that was under way while the process itself changed a dataset says nothing about that one. */
  #hasJustChanged(id: string, { process, beganAt, endedAt }: Outcome): boolean {
    return this.#played.outcomes.some(
      (one) =>
        ['upload', 'delete', 'delete if-match', 'expire'].includes(one.kind) &&
        one.process === process &&
        (one.id ?? id) === id &&
        one.endedAt >= beganAt - seenWithinMs &&
        one.beganAt <= endedAt,
    )
  }

  /** The bucket holds exactly what the receipts name. */
  bucket(): void {
    const { world, prefix, damaged } = this.#played
    const { objects, multiparts } = world.bucket
    if (!objects.has(foreignKey) || multiparts.size === 0) this.#say('something of another application is gone')
    for (const { key } of multiparts.values()) if (key !== foreignKey) this.#say(`a multipart upload of ${key} is left`)
    const named = new Set([foreignKey])
    for (const [id, { attempt, since, receipt }] of this.#present) {
      named.add(`${prefix}datasets/${id}/receipt.json`)
      for (const { file } of storedFiles(receipt)) {
        const key = `${prefix}files/${attempt}/${file}`
        named.add(key)
        if (!objects.has(key) && !damaged.has(attempt)) this.#say(`${file} of ${id.slice(0, 6)} is missing`)
      }
      const entries = [...objects.keys()].filter((key) => key.startsWith(`${prefix}index/`) && key.includes(id))
      const own = entries.filter((key) => key.includes(`/${attempt}/`))
      if (own.length === 0) this.#say(`the entry of ${id.slice(0, 6)} is missing`)
      for (const key of own) named.add(key)
      this.#records(id, since)
    }
    for (const key of objects.keys()) {
      const own = key.slice(prefix.length)
      if (named.has(key) || own.startsWith('state/') || own.startsWith('probe/')) continue
      const [, id = '', since] = /^datasets\/([0-9a-f]{32})\/uploads\/([0-9a-f-]{36})\//.exec(own) ?? []
      const [, attempt = ''] = /^files\/([0-9a-f-]{36})\/derived\//.exec(own) ?? []
      if (this.#present.get(id)?.since === since || [...this.#present.values()].some((one) => one.attempt === attempt))
        continue
      this.#say(`${own.replace(/[0-9a-f]{32}|[0-9a-f-]{36}/, '…')} is left`)
    }
  }

  /** Each acknowledged upload of what is there has a record, and each record is true. */
  #records(id: string, since: string): void {
    const { world, prefix, outcomeOf } = this.#played
    const start = `${prefix}datasets/${id}/uploads/${since}/`
    const records = [...world.bucket.objects]
      .filter(([key]) => key.startsWith(start))
      .map(([, { body }]) => JSON.parse(body.toString()) as Upload) // only the store writes there
    const born = this.#turns.findLast((turn) => turn.id === id && turn.before === null)
    if (born === undefined) return
    const repairs = this.#turns.filter(
      (turn) => turn.id === id && turn.before !== null && turn.after !== null && turn.at > born.at,
    )
    const count = (outcome: string) => records.filter((one) => one.outcome === outcome).length
    if (count('new') > 1) this.#say(`${count('new')} records say new`)
    if (count('repaired') > repairs.length) this.#say(`${count('repaired')} records say repaired, of ${repairs.length}`)
    for (const upload of this.#uploads(id)) {
      const name = this.#nameOf(upload)
      if (upload.beganAt <= born.at && name !== born.by && !repairs.some(({ by }) => by === name)) continue
      const record = records.find((one) => one.id === upload.upload?.id)
      if (record === undefined) this.#say(`the record of an acknowledged upload, ${name}, is missing`)
      else if (record.outcome !== upload.upload?.outcome) this.#say(`the record of ${name} says ${record.outcome}`)
    }
    const maker = outcomeOf.get(born.by)?.upload?.id
    if (maker !== undefined && records.some((one) => one.outcome === 'new' && one.id !== maker))
      this.#say('a record of another upload says new')
  }

  /** Every replica lists and counts exactly what exists. */
  async replicas(): Promise<void> {
    const wanted = [...this.#present.keys()].toSorted()
    const receipts = [...this.#present.values()].flatMap(({ receipt }) => storedFiles(receipt))
    const usage = { datasets: wanted.length, bytes: receipts.reduce((sum, { bytes }) => sum + bytes, 0) }
    for (const { process, store } of this.#played.services) {
      await process.as('checks', async () => {
        await store.catchUp()
        const counted = store.usage('')
        if (JSON.stringify(counted) !== JSON.stringify(usage))
          this.#say(`${process.name} counts ${JSON.stringify(counted)}, expected ${JSON.stringify(usage)}`)
        const { datasets: listed } = await store.list({ limit: 100, after: null, owner: '', name: null })
        const ids = listed.map(({ receipt }) => receipt.id).toSorted()
        if (ids.join() !== wanted.join()) this.#say(`${process.name} lists ${ids.length} of ${wanted.length} datasets`)
      })
    }
  }

  #uploads(id: string): readonly Outcome[] {
    return this.#played.outcomes.filter((one) => one.kind === 'upload' && one.id === id && one.isDone)
  }

  #during(at: number, { beganAt, endedAt }: Outcome): boolean {
    return at >= beganAt && at <= endedAt
  }

  /** Whether the dataset existed while an operation ran. */
  #existed(id: string, outcome: Outcome, when: 'once' | 'always'): boolean {
    const turns = this.#turns.filter((turn) => turn.id === id)
    const during = turns.filter(({ at }) => this.#during(at, outcome))
    const first = turns.findLast(({ at }) => at < outcome.beganAt)?.after ?? null
    if (when === 'once') return first !== null || during.some(({ after }) => after !== null)
    return first !== null && during.every(({ after }) => after !== null)
  }

  #nameOf(outcome: Outcome): string {
    return [...this.#played.outcomeOf].find(([, one]) => one === outcome)?.[0] ?? outcome.kind
  }

  #operation(name: string) {
    return this.#played.world.operations.get(name)
  }

  #say(text: string): void {
    this.wrong.push(text)
  }
}
