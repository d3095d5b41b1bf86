// Tests of shutdown: a stop signal lets uploads finish and refuses others; a second one ends everything immediately.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { constants } from 'node:os'
import { after, test } from 'node:test'
import { beginUpload, bodyOf, Client } from '../support/client.ts'
import { isAlive, RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { csvText, seed } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { stopUnderLoad, stopWays } from './shutdown.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const content = csvText('id,name', 50_000, (i) => `${i},name ${i}`)
const body = bodyOf({ content })

/** Sends the first half of an upload; resolves when the service is working on it. */
async function halfSent(service: RunningService) {
  const upload = beginUpload(service.url, body, body.length >> 1)
  await until('the upload has begun', () => service.drafts().length > 0)
  return upload
}

/** The statuses of requests on connections of their own; null if it does not listen. */
function statuses({ url }: RunningService, ...paths: readonly string[]): Promise<readonly (number | null)[]> {
  const statusOf = async (path: string) => {
    const outgoing = request(url + path, { agent: false }).end()
    const [answer] = await once(outgoing, 'response')
    answer.resume()
    return answer.statusCode
  }
  return Promise.all(paths.map((path) => statusOf(path).catch(() => null)))
}

async function isUnready(service: RunningService): Promise<boolean> {
  return (await statuses(service, '/readyz'))[0] === 503
}

test('on a stop signal, the service finishes the upload in progress, refuses others, and exits with 0', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(scratch.path)
  // A connection opened before the signal, with a request only after it.
  const early = connect(service.port, '127.0.0.1')
  await once(early, 'connect')
  early.write('GET /qas/datasets HTTP/1.1\r\nHost: localhost\r\n')
  const { end, answered } = await halfSent(service)
  const children = service.children()
  service.kill('SIGTERM')
  await until('it is not ready', () => isUnready(service))
  const refused = Array.fromAsync(early as AsyncIterable<Buffer>)
  early.write('\r\n')
  const said = Buffer.concat(await refused).toString()
  assert.match(said, /^HTTP\/1\.1 503 /)
  // While it waits for the upload.
  assert.deepEqual(await statuses(service, '/healthz', '/metrics', '/readyz', '/'), [200, 200, 503, 503])
  end()
  assert.equal((await answered).status, 200)
  assert.equal(await service.ended, 0)
  await until('the children have ended', () => !children.some(isAlive))

  await using next = await RunningService.start(scratch.path)
  assert.deepEqual(next.drafts(), [])
  const receipt = await new Client(next.url).upload(content)
  assert.equal(receipt.duplicate, true)
  assert.equal(receipt.records.accepted, 50_000)
})

test('while it drains, a service is not ready, and serves reads, health and metrics but no new upload', async () => {
  await using service = await RunningService.fresh(['--drain-time', '1h', '--shutdown-grace', '1h'])
  const client = new Client(service.url)
  const { links } = await client.upload('a,b\n1,3\n')
  const { end, answered } = await halfSent(service)
  service.kill('SIGTERM')
  await until('it is not ready', () => isUnready(service))
  assert.deepEqual(await statuses(service, '/healthz', '/metrics', links.rows, '/readyz'), [200, 200, 200, 503])
  assert.equal((await client.ask('POST', '/qas/uploadCsv', bodyOf({ content: 'c\n4\n' }))).status, 503)
  end()
  assert.equal((await answered).status, 200)
})

test('children ignore stop signals, which systemd also sends to them', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.fresh(['--converters', '1'])
  const client = new Client(service.url)
  const { links } = await client.upload('a,b\n1,3\n')
  const { reader, query } = await service.startChildren()
  for (const child of [reader, query]) {
    // The last one that it ignores; Node handles the others from the beginning, by exiting.
    await until('the child ignores signals', () => handlesSignal(child, constants.signals.SIGHUP))
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(child, signal)
  }
  assert.deepEqual(JSON.parse((await client.get(links.rows)).toString()).rows, [[1, 3]])
  assert.ok(isAlive(reader))
  assert.ok(isAlive(query))
})

/** Whether a process has a handler of a signal, according to the kernel. */
function handlesSignal(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0'
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
}

test(`a service stopped under load loses nothing acknowledged and leaves nothing behind (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using place = await scratchDir()
  const came = await stopUnderLoad(place.path, { seed, rounds: stopWays.length })
  t.diagnostic(JSON.stringify(came))
})
