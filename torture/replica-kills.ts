// Replica kills: processes of the service over one bucket of a real S3 server, whose clocks are 20 minutes apart, are
// killed in the middle of requests, again and again. What was acknowledged is there, and nothing else is left: the end of
// the server checks that.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, jsonOf, type UploadResponse } from '../test/support/client.ts'
import { RunningService, scratchDir } from '../test/support/running-service.ts'
import { noS3Server, startS3Server } from '../test/support/s3-server.ts'
import { createRandom, csvText } from '../test/support/samples.ts'

type Random = (below: number) => number

/** A dataset that one client sends, reads and deletes, through any replica. */
interface Owned {
  readonly content: Buffer
  id: string | null
  /** What the last answered request has made it; unknown if a later one got no response. */
  state: 'there' | 'gone' | 'unknown'
}

const replicaCount = 3
const clientCount = 4
const datasetsEach = 3
const clockStepMs = 600_000
/** A replica lives this long at most after its start. Milliseconds. */
const livesMsMax = 400

/** Kills replicas that many times, or until a time in epoch milliseconds. Returns what happened. */
export async function surviveReplicaKills(
  seed: number,
  kills: number,
  endsAt = Number.POSITIVE_INFINITY,
): Promise<Readonly<Record<string, number>>> {
  if (noS3Server !== undefined) throw new Error(noS3Server)
  const random = createRandom(seed)
  await using scratch = await scratchDir()
  await using server = await startS3Server()
  const prefix = `${randomUUID()}/`
  const flags = [
    '--store',
    `s3://${server.bucket}/${prefix}`,
    '--s3-endpoint',
    server.endpoint,
    '--s3-path-style',
    'yes',
  ]
  const start = (number: number) =>
    RunningService.start(join(scratch.path, `${number}`), flags, clockAhead(number * clockStepMs))
  /** One that was killed is there once it has started again. */
  const replicas = Array.from({ length: replicaCount }, (_, number) => start(number))
  const done = { kills: 0, requests: 0, unanswered: 0 }
  const isOver = () => done.kills >= kills || Date.now() >= endsAt
  try {
    const clients = Array.from({ length: clientCount }, (_, number) => new Owner(number, createRandom(seed + number)))
    const working = clients.map(async (client) => {
      while (!isOver()) {
        const isAnswered = await client.ask((await replicas[random(replicaCount)]!).url)
        done.requests += 1
        if (!isAnswered) done.unanswered += 1
      }
    })
    const killing = replicas.map(async (_, number) => {
      while (!isOver()) {
        const victim = await replicas[number]!
        await sleep(random(livesMsMax))
        if (isOver()) return
        done.kills += 1
        victim.kill('SIGKILL')
        replicas[number] = victim.ended.then(() => start(number))
      }
    })
    await Promise.all([...working, ...killing])
    for (const client of clients) for (const replica of replicas) await client.compare((await replica).url)
  } finally {
    for (const replica of replicas) await (await replica)[Symbol.asyncDispose]()
  }
  return done
}

class Owner {
  readonly #random: Random
  readonly #owned: readonly Owned[]

  constructor(number: number, random: Random) {
    this.#random = random
    this.#owned = Array.from({ length: datasetsEach }, (_, i) => ({
      content: Buffer.from(csvText('id,name', 20 + i * 2_000, (row) => `${row},client ${number} dataset ${i}`)),
      id: null,
      state: 'gone',
    }))
  }

  /** Does one thing; false if it got no response, and nobody knows whether it was done. */
  async ask(url: string): Promise<boolean> {
    const one = this.#owned[this.#random(datasetsEach)]!
    const roll = this.#random(6)
    try {
      const client = new Client(url)
      if (roll < 3) await this.#send(client, one)
      else if (roll < 5) await this.#remove(client, one)
      else await compareOne(client, one)
      return true
    } catch (error) {
      if (!isBroken(error)) throw error
      if (roll < 5) one.state = 'unknown'
      return false
    }
  }

  /** Every dataset is as the last answer said. */
  async compare(url: string): Promise<void> {
    const client = new Client(url)
    const listed = await client.datasetIds()
    for (const one of this.#owned) {
      await compareOne(client, one)
      if (one.id === null || one.state === 'unknown') continue
      assert.equal(listed.includes(one.id), one.state === 'there', `${one.id} is ${one.state}, but not in the list`)
    }
  }

  async #send(client: Client, one: Owned): Promise<void> {
    const answer = await client.send({ content: one.content })
    assert.equal(answer.status, 200, answer.body.toString())
    const receipt = jsonOf<UploadResponse>(answer)
    assert.notEqual(receipt.upload.outcome, 'repaired', 'a sound dataset was repaired')
    if (one.state !== 'unknown') assert.equal(receipt.duplicate === true, one.state === 'there', `it is ${one.state}`)
    one.id = receipt.id
    one.state = 'there'
  }

  async #remove(client: Client, one: Owned): Promise<void> {
    if (one.id === null) return
    const { status, body } = await client.ask('DELETE', `/qas/datasets/${one.id}`)
    if (one.state === 'unknown') assert.ok(status === 204 || status === 404, `${status} ${body}`)
    else assert.equal(status, one.state === 'there' ? 204 : 404, body.toString())
    one.state = 'gone'
  }
}

async function compareOne(client: Client, { id, content, state }: Owned): Promise<void> {
  if (id === null) return
  const { status, body } = await client.ask('GET', `/qas/datasets/${id}/original`)
  if (state === 'unknown') assert.ok(status === 200 || status === 404, `${status} ${body}`)
  else assert.equal(status, state === 'there' ? 200 : 404, `${id} is ${state}: ${status}`)
  if (status === 200) assert.ok(body.equals(content), `the bytes of ${id}`)
}

/** True for a connection that broke or was refused: its replica was killed. */
function isBroken(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(String(code))
}

/** The environment of a process whose wall clock is ahead. */
function clockAhead(ms: number): Readonly<Record<string, string>> {
  const program = `
    const Real = Date
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(Real.now() + ${ms}) : super(...given) }
      static now() { return Real.now() + ${ms} }
    }`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` }
}
