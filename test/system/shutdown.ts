// Stops: a service that is to stop while uploads of every progress are under way. Each throws where something that
// was answered is lost, or something is left: an upload, a process, a wrong exit code.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { bodyOf, Client, contentType, refusalOf } from '../support/client.ts'
import { isAlive, RunningService, until } from '../support/running-service.ts'
import { createRandom, csvText } from '../support/samples.ts'
import { flags, isWhole } from './service-kills.ts'

/** All uploads come to their end; none does, so that the grace ends; the signal is given again until it is obeyed. */
export const stopWays = ['ending', 'stalled', 'twice'] as const
export type StopWay = (typeof stopWays)[number]

const uploadsAtOnce = 8
const shutdownGraceMs = 1_500

export interface Stopped {
  readonly stops: number
  readonly kept: number
  readonly refused: number
  readonly unanswered: number
}

/** Stops a service `rounds` times, each in one of the ways and by SIGTERM or SIGINT. */
export async function stopUnderLoad(
  dataDir: string,
  { seed, rounds }: { readonly seed: number; readonly rounds: number },
): Promise<Stopped> {
  const random = createRandom(seed)
  const came = { stops: 0, kept: 0, refused: 0, unanswered: 0 }
  for (let round = 0; round < rounds; round++) {
    const way = stopWays[round % stopWays.length] ?? 'ending'
    const contentOf = (i: number) => csvText('id,of', 20_000, (row) => `${row},${seed} ${round} ${i}`)
    const answers = await stopOnce(dataDir, way, contentOf, random)
    await using again = await RunningService.start(dataDir, flags)
    const client = new Client(again.url)
    const kept = await client.datasetIds()
    // What starts with the service, such as scrubbing, may be writing its own state.
    await until(`nothing unfinished is left (${way})`, () => again.incoming().length === 0)
    assert.deepEqual(again.datasetDirs().toSorted(), kept.toSorted())
    const acknowledged = answers.flatMap((answer) => (answer?.status === 200 ? JSON.parse(answer.text).id : []))
    for (const id of acknowledged) assert.ok(kept.includes(id), `${id} was acknowledged and is lost (${way})`)
    // Who is cut off may not hear of a commit; who is answered does.
    assert.ok(way !== 'ending' || kept.length === acknowledged.length, 'more is there than was acknowledged')
    for (const id of kept) {
      await isWhole(client, id)
      await client.ask('DELETE', `/qas/datasets/${id}`)
    }
    came.stops += 1
    came.kept += acknowledged.length
    came.unanswered += answers.filter((answer) => answer === null).length
    came.refused += answers.filter((answer) => answer !== null && answer.status !== 200).length
  }
  return came
}

interface Heard {
  readonly status: number
  readonly text: string
}

/** One service, started and stopped; the answers to its uploads, null where none came. */
async function stopOnce(
  dataDir: string,
  way: StopWay,
  contentOf: (i: number) => string,
  random: (below: number) => number,
): Promise<readonly (Heard | null)[]> {
  const grace = way === 'stalled' ? ['--shutdown-grace', `${shutdownGraceMs}ms`] : []
  await using service = await RunningService.start(dataDir, [...flags, ...grace])
  const uploads = Array.from({ length: uploadsAtOnce }, (_, i) =>
    beginUpload(service.url, bodyOf({ content: contentOf(i) }), (1 + random(1_000)) / 1_000),
  )
  await until('an upload has begun', () => service.drafts().length > 0)
  await sleep(random(400))
  const children = service.children()
  const signal = random(2) === 0 ? 'SIGTERM' : 'SIGINT'
  service.kill(signal)
  let code: number | null | undefined
  const ended = service.ended.then((given) => {
    code = given
  })
  if (way === 'ending') for (const { end } of uploads) end()
  // A terminal gives the first signal several times: only one that comes later is a second one.
  while (way === 'twice' && code === undefined) {
    service.kill(signal)
    await sleep(20)
  }
  await ended
  // Where all of it had come to an end already, there was nothing to wait for and no time for a second signal.
  const codes: readonly unknown[] = way === 'twice' ? [exitCodes.interrupted, exitCodes.ok] : [exitCodes.ok]
  assert.ok(codes.includes(code), `ended with ${code} (${way})`)
  await until('the children have ended', () => !children.some(isAlive))
  const answers = await Promise.all(uploads.map(({ answered }) => answered))
  for (const answer of answers) {
    if (answer === null || answer.status === 200) continue
    assert.equal(refusalOf({ status: answer.status, headers: {}, body: Buffer.from(answer.text) }).status, 503)
  }
  assert.ok(way !== 'ending' || answers.some((answer) => answer !== null), 'nobody was answered')
  return answers
}

/** An upload of which this share is sent now, and the rest at `end`. */
function beginUpload(url: string, body: Buffer, share: number) {
  const headers = { 'content-type': contentType, 'content-length': body.length }
  const outgoing = request(`${url}/qas/uploadCsv`, { method: 'POST', headers, agent: false })
  const bytes = Math.floor(body.length * share)
  if (bytes === body.length) outgoing.end(body)
  else outgoing.write(body.subarray(0, bytes))
  return {
    end: () => void (outgoing.writableEnded || outgoing.end(body.subarray(bytes))),
    answered: heard(outgoing).catch(() => null),
  }
}

async function heard(outgoing: ReturnType<typeof request>): Promise<Heard> {
  const answered = once(outgoing, 'response')
  const [incoming] = (await answered) as [IncomingMessage]
  outgoing.on('error', () => {})
  const bytes = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
  return { status: incoming.statusCode ?? 0, text: bytes.toString() }
}
