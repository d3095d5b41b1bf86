// Tests of unhandled errors: a rejection ends nothing; a throw ends the process, and nothing acknowledged is lost.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginUpload, bodyOf, Client } from '../support/client.ts'
import { isAlive, RunningService, scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { flags, isWhole } from './service-kills.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const noSignals = 'this system has no such signals'

/** Starts a service with a planted rejection at SIGUSR2, and a planted throw at SIGWINCH. */
function startFaulty(): Promise<RunningService> {
  const program = `
    process.on('SIGUSR2', () => void Promise.reject(new TypeError('planted')))
    process.on('SIGWINCH', () => setImmediate(() => { throw new TypeError('planted') }))`
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` }
  return RunningService.start(scratch.path, flags, environment)
}

const body = bodyOf({ content: csvText('id,name', 20_000, (i) => `${i},name ${i}`) })

/** An upload of which half has arrived. */
async function halfSent(service: RunningService) {
  const upload = beginUpload(service.url, body, body.length >> 1)
  await until('the upload has begun', () => service.drafts().length > 0)
  return upload
}

test('an unhandled rejection ends no request and no service', async (t) => {
  if (process.platform === 'win32') return t.skip(noSignals)
  await using service = await startFaulty()
  const client = new Client(service.url)
  const { end, answered } = await halfSent(service)
  service.kill('SIGUSR2')
  // Signals are asynchronous: a response after them shows that they have been handled.
  for (let i = 0; i < 5; i++) assert.equal((await client.ask('GET', '/healthz')).status, 200)
  end()
  assert.equal((await answered).status, 200)
  assert.ok(isAlive(service.pid))
})

test('a throw outside requests ends the service, and loses nothing acknowledged', async (t) => {
  if (process.platform === 'win32') return t.skip(noSignals)
  const { id } = await (async () => {
    await using service = await startFaulty()
    const receipt = await new Client(service.url).upload('a,b\n1,2\n')
    const { answered } = await halfSent(service)
    const cut = assert.rejects(answered, { code: 'ECONNRESET' })
    service.kill('SIGWINCH')
    assert.equal(await service.ended, 1)
    await cut
    return receipt
  })()
  await using again = await RunningService.start(scratch.path, flags)
  assert.deepEqual(again.drafts(), [])
  const client = new Client(again.url)
  assert.ok((await client.datasetIds()).includes(id))
  await isWhole(client, id)
})
