// Tests of the webhook on the whole service: it receives successful and failed uploads, and is off by default.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Client } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

test('--webhook receives signed events of successful and failed uploads', async () => {
  const calls: { headers: IncomingHttpHeaders; text: string }[] = []
  const receiver = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
    calls.push({ headers: request.headers, text })
    response.writeHead(204).end()
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  after(() => receiver.close())
  const url = `http://localhost:${(receiver.address() as AddressInfo).port}/hook`
  const environment = { CSV_UPLOAD_WEBHOOK: url, CSV_UPLOAD_WEBHOOK_SECRET: 'a secret' }
  await using service = await RunningService.start(scratch.path, ['--webhook-network', '127.0.0.1,::1'], environment)
  const client = new Client(service.url)
  const receipt = await client.upload('a,b\n1,2\n')
  await client.refused({ content: 'PK\u0003\u0004zip' })
  await until('both have arrived', () => calls.length >= 2)
  const received = calls.map(({ text }) => JSON.parse(text)).toSorted((a, b) => a.type.localeCompare(b.type))
  assert.deepEqual(
    received.map(({ type }) => type),
    ['upload.done', 'upload.failed'],
  )
  assert.deepEqual(
    [received[0].data.id, received[0].data.datasetId, received[0].data.owner],
    [receipt.upload.id, receipt.id, ''],
  )
  assert.equal(received[1].data.error.status, 422)
  for (const { headers, text } of calls) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
    const wanted = createHmac('sha256', 'a secret').update(signed).digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${wanted}`)
  }
})

test('--webhook without a secret, or with a URL that is not http or https, aborts startup', async () => {
  const start = (...flags: string[]) => RunningService.start(scratch.path, flags)
  await assert.rejects(start('--webhook', 'https://example.org/'), /it has no --webhook-secret/)
  await assert.rejects(start('--webhook', 'ftp://example.org/', '--webhook-secret', 'x'), /expected a URL/)
})
