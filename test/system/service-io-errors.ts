// I/O errors: makes file calls of a running service or of its readers fail one at a time, and checks it after each.
import assert from 'node:assert/strict'
import { type Answer, bodyOf, Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { isAlive, RunningService, scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { type FaultyCall, FaultyCalls, type SeenCalls } from './crash/faulty-calls.ts'
import { randomFrom } from './crash/random.ts'
import { isWhole } from './service-kills.ts'

/** A file of several segments, with rejects. */
const flags = ['--segment-size', '64KB', '--converters', '1']

/** After this many calls at most, the service is restarted and everything that it stores is read again. */
const placesPerStart = 25

export interface FailedServiceCalls {
  /** Failed calls. */
  readonly failed: number
  readonly refused: number
  /** Refused, but complete, because the fault came after the commit. */
  readonly refusedButWhole: number
  /** Restarts needed because a directory could not be synced. */
  readonly restarts: number
}

const operations = ['upload', 'reading', 'delete'] as const
type Operation = (typeof operations)[number]

interface Place extends FaultyCall {
  readonly deed: Operation
}

/** Fails `count` calls, chosen by `seed` among all calls and errors of an upload, a second reading and a removal. */
export async function failServiceCalls({
  seed,
  count,
}: {
  readonly seed: number
  readonly count: number
}): Promise<FailedServiceCalls> {
  await using scratch = await scratchDir()
  const dataDir = `${scratch.path}/data`
  using calls = new FaultyCalls(dataDir)
  await using run = await FaultyRun.start(dataDir, calls)
  const random = randomFrom(seed)
  const places = (await run.places()).map((place) => ({ place, order: random() }))
  const chosen = places.toSorted((a, b) => a.order - b.order).slice(0, count)
  for (const [index, { place }] of chosen.entries()) {
    try {
      await run.fail(place)
      if (index % placesPerStart === placesPerStart - 1 || index === chosen.length - 1) await run.startAgain()
    } catch (cause) {
      throw new Error(`A promise was broken by ${JSON.stringify(place)} or one of those before`, { cause })
    }
  }
  return run.came
}

class FaultyRun implements AsyncDisposable {
  readonly #dataDir: string
  readonly #calls: FaultyCalls
  readonly came = { failed: 0, refused: 0, refusedButWhole: 0, restarts: 0 }
  /** The file of each existing dataset, acknowledged or not. */
  readonly #kept = new Map<string, string>()
  #service: RunningService
  #number = 0

  private constructor(dataDir: string, calls: FaultyCalls, service: RunningService) {
    this.#dataDir = dataDir
    this.#calls = calls
    this.#service = service
  }

  static async start(dataDir: string, calls: FaultyCalls): Promise<FaultyRun> {
    return new FaultyRun(dataDir, calls, await RunningService.start(dataDir, flags, calls.environment))
  }

  /** Every call, found by counting, with every error that it may return. */
  async places(): Promise<readonly Place[]> {
    const places: Place[] = []
    for (const deed of operations) {
      const { answer, seen } = await this.#do(deed)
      assert.ok(answer.status < 300, answer.body.toString())
      places.push(...seen.places.map((call) => ({ deed, ...call })))
    }
    return places
  }

  /** Fails one call, and checks that the response is right and the next upload is accepted. */
  async fail(place: Place): Promise<void> {
    const { answer, seen } = await this.#do(place.deed, place)
    if (seen.path === null) return
    this.came.failed += 1
    if (answer.status >= 300) this.came.refused += 1
    assert.ok(!seen.isSyncedAgain, `${seen.path} was synced again after its sync had failed`)
    // The next start removes what could not be removed, and files moved by a rename that may not be durable: if they
    // were removed now, an incomplete dataset could come back.
    const mayLeave = place.kind === 'unlink' || (place.deed === 'delete' && place.kind === 'sync')
    if (!mayLeave) await until('nothing unfinished is left', () => this.#service.incoming().length === 0)
    const next = await this.#send(this.#content())
    if (next.status === 200) return this.#service.incoming().length === 0 ? undefined : this.startAgain()
    // Only a directory that could not be synced has a lasting effect: it is not trusted until the next start.
    assert.ok(place.kind === 'sync' && /^(datasets|incoming|uploads)$/.test(seen.path), next.body.toString())
    this.came.restarts += 1
    await this.startAgain()
    assert.equal((await this.#send(this.#content())).status, 200)
  }

  /** Kills and restarts the service: all stored datasets are complete, and nothing else exists. */
  async startAgain(): Promise<void> {
    const children = this.#service.children()
    await this.#service[Symbol.asyncDispose]()
    await until('the children of the dead service have ended', () => !children.some(isAlive))
    this.#service = await RunningService.start(this.#dataDir, flags, this.#calls.environment)
    assert.deepEqual(this.#service.drafts(), [])
    assert.deepEqual(this.#service.datasetDirs().toSorted(), [...this.#kept.keys()].toSorted())
    await this.#holds()
    const client = this.#client
    for (const id of this.#kept.keys()) {
      assert.equal((await client.ask('DELETE', `/qas/datasets/${id}`)).status, 204)
      this.#kept.delete(id)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]()
  }

  get #client(): Client {
    return new Client(this.#service.url)
  }

  #content(): string {
    this.#number += 1
    return csvText('id,name', 5_000, (i) => (i % 500 === 3 ? `${i}` : `${i},name ${this.#number} and some more`))
  }

  /** Uploads a file while nothing fails. */
  async #send(content: string): Promise<Answer> {
    const answer = await this.#client.send({ content })
    await this.#note(answer, content)
    return answer
  }

  /** Performs an operation while the call fails, and records the outcome. */
  async #do(deed: Operation, call?: FaultyCall): Promise<{ readonly answer: Answer; readonly seen: SeenCalls }> {
    const content = this.#content()
    const client = this.#client
    if (deed === 'upload') {
      const body = bodyOf({ content })
      const answer = await this.#failing(call, () => client.ask('POST', '/qas/uploadCsv', body))
      await this.#note(answer.answer, content)
      return answer
    }
    const { id, links } = jsonOf<UploadResponse>(await this.#send(content))
    if (deed === 'reading') {
      const declared = Buffer.from('{"dialect":{"header":false}}')
      const answer = await this.#failing(call, () => client.askJson(links.readings, declared))
      await this.#note(answer.answer, content)
      return answer
    }
    const answer = await this.#failing(call, () => client.ask('DELETE', links.self))
    const isThere = (await client.datasetIds()).includes(id)
    assert.ok(!isThere || answer.answer.status >= 300, 'a removed dataset is visible')
    if (!isThere) this.#kept.delete(id)
    await this.#note(answer.answer)
    return answer
  }

  async #failing(call: FaultyCall | undefined, ask: () => Promise<Answer>) {
    this.#calls.arm(call)
    const answer = await ask()
    return { answer, seen: this.#calls.disarm() }
  }

  /** An accepted upload is complete; a refused one has an error record and is absent, or complete if refused late. */
  async #note(answer: Answer, content?: string): Promise<void> {
    const isTaken = answer.status < 300
    if (!isTaken) assert.ok([500, 503, 507].includes(refusalOf(answer).status), answer.body.toString())
    else if (content !== undefined) this.#kept.set(jsonOf<UploadResponse>(answer).id, content)
    const shown = await this.#client.datasetIds()
    const unknown = shown.filter((id) => !this.#kept.has(id))
    assert.ok(unknown.length <= (isTaken || content === undefined ? 0 : 1), 'more datasets are visible than were sent')
    for (const id of unknown) {
      this.came.refusedButWhole += 1
      this.#kept.set(id, content!)
    }
    assert.deepEqual(shown.toSorted(), [...this.#kept.keys()].toSorted())
    const last = [...this.#kept].at(-1)
    if (last !== undefined && content === last[1]) await this.#isWhole(...last)
  }

  async #holds(): Promise<void> {
    for (const [id, content] of this.#kept) await this.#isWhole(id, content)
  }

  async #isWhole(id: string, content: string): Promise<void> {
    await isWhole(this.#client, id)
    assert.equal((await this.#client.get(`/qas/datasets/${id}/original`)).toString(), content)
  }
}
