// Shutdown: stops a service while uploads are in progress, in several ways. Throws if something acknowledged is lost,
// if an upload or a process is left, or if the exit code is wrong.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { type Answer, beginUpload, bodyOf, Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { isAlive, RunningService } from '../support/running-service.ts'
import { createRandom, csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { flags, isWhole } from './service-kills.ts'

/** All uploads end; none does, so that the grace period ends; the signal is repeated until the service ends. */
export const stopWays = ['ending', 'stalled', 'twice'] as const
export type StopWay = (typeof stopWays)[number]

const uploadsAtOnce = 8
const shutdownGraceMs = 1_500

export interface ShutdownCounts {
  readonly stops: number
  readonly kept: number
  readonly refused: number
  readonly unanswered: number
}

/** Stops a service `rounds` times, each time in one of the ways, with SIGTERM or SIGINT. */
export async function stopUnderLoad(
  dataDir: string,
  { seed, rounds }: { readonly seed: number; readonly rounds: number },
): Promise<ShutdownCounts> {
  const random = createRandom(seed)
  const came = { stops: 0, kept: 0, refused: 0, unanswered: 0 }
  for (let round = 0; round < rounds; round++) {
    const way = stopWays[round % stopWays.length] ?? 'ending'
    const contentOf = (i: number) => csvText('id,of', 20_000, (row) => `${row},${seed} ${round} ${i}`)
    const answers = await stopOnce(dataDir, way, contentOf, random)
    await using again = await RunningService.start(dataDir, flags)
    const client = new Client(again.url)
    const kept = await client.datasetIds()
    // Background work, such as scrubbing, may be writing its state.
    await until(`nothing unfinished is left (${way})`, () => again.incoming().length === 0)
    assert.deepEqual(again.datasetDirs().toSorted(), kept.toSorted())
    const acknowledged = answers.flatMap((answer) => (answer?.status === 200 ? jsonOf<UploadResponse>(answer).id : []))
    for (const id of acknowledged) assert.ok(kept.includes(id), `${id} was acknowledged but is lost (${way})`)
    // A client that is cut off may miss a commit; one that gets a response does not.
    assert.ok(way !== 'ending' || kept.length === acknowledged.length, 'more datasets exist than were acknowledged')
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

/** Starts and stops one service; returns the responses to its uploads, null if there was none. */
async function stopOnce(
  dataDir: string,
  way: StopWay,
  contentOf: (i: number) => string,
  random: (below: number) => number,
): Promise<readonly (Answer | null)[]> {
  const grace = way === 'stalled' ? ['--shutdown-grace', `${shutdownGraceMs}ms`] : []
  await using service = await RunningService.start(dataDir, [...flags, ...grace])
  const uploads = Array.from({ length: uploadsAtOnce }, (_, i) => {
    const body = bodyOf({ content: contentOf(i) })
    return beginUpload(service.url, body, Math.floor((body.length * (1 + random(1_000))) / 1_000))
  })
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
  // A terminal may send the first signal several times, so only a later one counts as the second.
  while (way === 'twice' && code === undefined) {
    service.kill(signal)
    await sleep(20)
  }
  await ended
  // If all uploads had already ended, the service did not wait for a second signal.
  const codes: readonly unknown[] = way === 'twice' ? [exitCodes.interrupted, exitCodes.ok] : [exitCodes.ok]
  assert.ok(codes.includes(code), `exited with ${code} (${way})`)
  await until('the children have ended', () => !children.some(isAlive))
  const answers = await Promise.all(uploads.map(({ answered }) => answered.catch(() => null)))
  for (const answer of answers) {
    if (answer !== null && answer.status !== 200) assert.equal(refusalOf(answer).status, 503)
  }
  assert.ok(way !== 'ending' || answers.some((answer) => answer !== null), 'no upload got a response')
  return answers
}
