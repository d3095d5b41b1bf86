// Tests of the wall clock: set forward and back by years, during and between runs of the service, it loses, hides,
// duplicates, delays and ends nothing. Only the wall clock of the service is moved; its timers are not affected.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { beginUpload, bodyOf, Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { shiftedBy } from '../support/shifted-clock.ts'
import { until } from '../support/until.ts'
import { flags, isWhole } from './service-kills.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const day = 86_400_000
const jumps = [0, -400 * day, 30_000 * day, 3 * day, -day]

/** A clock for services started with its environment; it is right until it is set. */
async function movableClock(name: string) {
  const path = join(scratch.path, `${name}.offset`)
  const set = (ms: number) => writeFile(path, String(ms))
  await set(0)
  return { set, environment: shiftedBy(path) }
}

test('a clock that jumps loses nothing, and shows in ids and times of responses', async () => {
  const clock = await movableClock('datasets')
  const dataDir = join(scratch.path, 'datasets')
  const ids: string[] = []
  {
    await using service = await RunningService.start(dataDir, flags, clock.environment)
    const client = new Client(service.url)
    for (const ms of jumps) {
      await clock.set(ms)
      const { id, upload } = await client.upload(csvText('id,jump', 10, (i) => `${i},${ms}`))
      assert.match(upload.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.equal(Number.parseInt(upload.id.replace('-', '').slice(0, 12), 16), upload.receivedAt)
      assert.ok(upload.durationMs >= 0 && upload.durationMs < 60_000, 'durations do not use that clock')
      assert.ok(Math.abs(upload.receivedAt - Date.now() - ms) < 60_000)
      ids.push(id)
    }
    const again = await client.upload(csvText('id,jump', 10, (i) => `${i},0`))
    assert.deepEqual([again.id, again.duplicate], [ids[0], true])
    assert.deepEqual(
      await pages(client),
      [2, 3, 0, 4, 1].map((i) => ids[i]),
    )
  }
  // Restarted in the past, the service shows them in the same order, and does not delete what expires only later.
  await clock.set(-500 * day)
  await using again = await RunningService.start(dataDir, [...flags, '--keep-for', '1d'], clock.environment)
  const client = new Client(again.url)
  assert.deepEqual(
    await pages(client),
    [2, 3, 0, 4, 1].map((i) => ids[i]),
  )
  for (const id of ids) await isWhole(client, id)
})

test('a clock that jumps during uploads ends none of them, nor the wait for a stalled one', async () => {
  const clock = await movableClock('bodies')
  const limits = ['--body-idle-time', '5s', '--convert-time-max', '60s']
  await using service = await RunningService.start(
    join(scratch.path, 'bodies'),
    [...flags, ...limits],
    clock.environment,
  )
  const client = new Client(service.url)
  const body = bodyOf({ content: csvText('id,name', 20_000, (i) => `${i},name ${i}`) })
  const stalled = beginUpload(service.url, body, 1_000)
  for (const ms of [4_000 * day, -4_000 * day]) {
    await clock.set(0)
    const before = service.incoming().length
    const { end, answered } = beginUpload(service.url, body, body.length >> 1)
    await until('the upload has begun', () => service.incoming().length > before)
    await clock.set(ms)
    end()
    const answer = await answered
    assert.equal(answer.status, 200, answer.body.toString())
    const { upload, links } = jsonOf<UploadResponse>(answer)
    assert.ok(upload.durationMs < 60_000)
    await client.ask('DELETE', links.self)
  }
  // The jumps did not restart its wait: it is refused in time.
  const { status } = await stalled.answered
  assert.equal(status, 408)
})

test('a clock that jumps neither lifts a request limit nor locks a caller out', async () => {
  const clock = await movableClock('limits')
  const limits = ['--requests-per-minute', '3']
  await using service = await RunningService.start(join(scratch.path, 'limits'), limits, clock.environment)
  const client = new Client(service.url)
  const statuses: number[] = []
  for (const ms of [0, 0, 0, 0, 4_000 * day, -4_000 * day]) {
    await clock.set(ms)
    const { status, headers } = await client.ask('GET', '/qas/datasets')
    statuses.push(status)
    if (status === 429) assert.ok(Number(headers['retry-after']) <= 60)
  }
  assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429])
})

/** The ids of all datasets, from pages of one. */
async function pages(client: Client): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const query: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const page = JSON.parse((await client.get(`/qas/datasets?limit=1${query}`)).toString())
    ids.push(...page.datasets.map(({ id }: { id: string }) => id))
    after = page.after
  }
  return ids
}
