// Tests of slow clients: fifty at a service that still serves others, and one more than it has places for.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { residentMegabytes, run } from '../../torture/slow-clients.ts'
import { Client, contentType } from '../support/client.ts'
import { RunningService, seesProcesses } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { Conversation } from '../wire/conversation.ts'
import { recordFaults } from '../wire/outcome-faults.ts'

test(`slow clients of every kind are cut, and others are served meanwhile (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  t.diagnostic(JSON.stringify(await run('short', seed)))
})

test('a slow body gives its place to an upload that needs it, and otherwise keeps it', async () => {
  // It trickles above the minimum rate, and could continue for a day.
  const flags = ['--uploads-max', '1', '--body-idle-time', '60s', '--body-rate-min', '1']
  await using service = await RunningService.fresh(flags)
  const client = new Client(service.url)
  using talk = await Conversation.open(service.port)
  const head = `POST /qas/uploadCsv HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\nContent-Length: 9999\r\n\r\n`
  await talk.send(`${head}--${contentType.split('=')[1]}\r\n`)
  const drip = setInterval(() => void talk.send('x'), 250)
  try {
    let status = 503
    let refusals = 0
    // At first it keeps the place; an upload that retries, as the response says, gets it.
    await until('the place is given up', () => {
      if (status === 503) {
        status = 0
        void client.send({ content: 'a,b\n1,2\n' }).then((answer) => {
          status = answer.status
          if (status === 503) refusals += 1
        })
      }
      return status === 200 || refusals
    })
    assert.ok(refusals > 0, 'the place was taken away too early')
    const [answer] = (await talk.answered(1)).final
    assert.equal(answer?.status, 408)
    assert.deepEqual(recordFaults(answer), [])
  } finally {
    clearInterval(drip)
  }
})

const readerCount = 40
/** Measured: at most 12 MB; 64 with the 1.5 MB per download that piped Node streams hold. */
const growthMegabytesMax = 32

for (const link of ['original', 'csv', 'ndjson'] as const) {
  test(`${readerCount} downloads of 30 MB (${link}) that are not read take little memory`, async (t) => {
    if (!seesProcesses) return t.skip('this system does not show processes')
    await using service = await RunningService.fresh()
    const client = new Client(service.url)
    const { links } = await client.upload(Buffer.alloc(30_000_000, `${'x'.repeat(50)},1\n`))
    // Memory for the first download stays allocated.
    await client.get(links[link])
    const before = residentMegabytes(service)
    const sockets: Socket[] = []
    try {
      for (let index = 0; index < readerCount; index += 1) {
        const socket = connect(service.port, '127.0.0.1').pause()
        socket.on('error', () => {})
        socket.write(`GET ${links[link]} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        sockets.push(socket)
      }
      await until('all are connected', () => service.connections() >= readerCount)
      await until(
        'all on the way is full',
        isSteady(() => readFileSync(`/proc/${service.pid}/io`, 'latin1')),
      )
      const growth = residentMegabytes(service) - before
      t.diagnostic(`the server grew by ${growth.toFixed(1)} MB`)
      assert.ok(growth <= growthMegabytesMax, `the server grew by ${growth} MB`)
    } finally {
      for (const socket of sockets) socket.resetAndDestroy()
    }
  })
}

/** Returns true when a text has been the same a hundred times in a row; the text until then. */
function isSteady(look: () => string): () => unknown {
  let seen = ''
  let count = 0
  return () => {
    const now = look()
    count = now === seen ? count + 1 : 0
    seen = now
    return count >= 100 || now
  }
}
