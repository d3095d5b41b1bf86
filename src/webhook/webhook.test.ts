// Tests of the webhook with a real receiver: signatures, retries, bounds, and refused addresses.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { publicOr } from './public-addresses.ts'
import { Webhook, type WebhookOptions } from './webhook.ts'

interface Call {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const calls: Call[] = []
/** Response statuses, in order; 200 if there are none. */
const statuses: number[] = []
const receiver = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
  calls.push({ headers: request.headers, body })
  response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end('whatever')
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
after(() => receiver.close())
const { port } = receiver.address() as AddressInfo

function open(given: Partial<WebhookOptions> = {}) {
  const outcomes: string[] = []
  const warnings: { readonly problem?: string; readonly tries?: number }[] = []
  let wake = () => {}
  const webhook = new Webhook({
    url: `http://127.0.0.1:${port}/hook`,
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    networks: ['127.0.0.0/8'],
    logger: { warn: (fields) => void warnings.push(fields) },
    onSettled: (outcome) => {
      outcomes.push(outcome)
      wake()
    },
    retryMs: [1, 1, 1],
    ...given,
  })
  const ended = async (count: number) => {
    while (outcomes.length < count) await new Promise<void>((resolve) => (wake = resolve))
    return outcomes
  }
  calls.length = 0
  statuses.length = 0
  return { webhook, outcomes, warnings, ended }
}

const message = (id: string) => ({ type: 'upload.done' as const, id, data: { id } })

test('Webhook.send() signs a message as Standard Webhooks requires, with the key in Base64', async () => {
  const { webhook, ended } = open()
  using _ = webhook
  webhook.send(message('msg_1'))
  assert.deepEqual(await ended(1), ['delivered'])
  const [{ headers, body }] = calls as [Call]
  assert.deepEqual(JSON.parse(body).data, { id: 'msg_1' })
  assert.deepEqual([JSON.parse(body).type, headers['webhook-id']], ['upload.done', 'msg_1'])
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000) < 10)
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const wanted = createHmac('sha256', key).update(`msg_1.${headers['webhook-timestamp']}.${body}`).digest('base64')
  assert.equal(headers['webhook-signature'], `v1,${wanted}`)
})

test('Webhook.send() retries a message under one id until it is accepted, or the last try has failed', async () => {
  const { webhook, ended, warnings } = open()
  using _ = webhook
  statuses.push(500, 302)
  webhook.send(message('msg_2'))
  assert.deepEqual(await ended(1), ['delivered'])
  assert.deepEqual(
    calls.map(({ headers }) => headers['webhook-id']),
    ['msg_2', 'msg_2', 'msg_2'],
  )
  calls.length = 0
  statuses.push(500, 500, 500, 503)
  webhook.send(message('msg_3'))
  assert.deepEqual(await ended(2), ['delivered', 'failed'])
  assert.equal(calls.length, 4)
  statuses.push(410)
  webhook.send(message('msg_4'))
  assert.deepEqual(await ended(3), ['delivered', 'failed', 'failed'])
  assert.equal(calls.length, 5)
  assert.equal(warnings.length, 2)
})

test('Webhook.send() drops the oldest message beyond its bound', async () => {
  const { webhook, ended } = open({ pendingMax: 2, retryMs: [60_000] })
  using _ = webhook
  statuses.push(...Array(5).fill(500))
  for (const id of ['a', 'b', 'c']) webhook.send(message(id))
  assert.deepEqual(await ended(1), ['dropped'])
})

test('Webhook.send() drops no message that is being sent, and reports each as what became of it', async (t) => {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>()
  const arrived: string[] = []
  const slow = createServer(async (request, response) => {
    arrived.push(String(request.headers['webhook-id']))
    await gate
    response.end()
  })
  await once(slow.listen(0, '127.0.0.1'), 'listening')
  t.after(() => slow.close())
  const settled: string[] = []
  const { webhook, ended } = open({
    url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`,
    pendingMax: 5,
  })
  using _ = webhook
  for (const id of ['a', 'b', 'c', 'd']) webhook.send(message(id))
  while (arrived.length < 4) await once(slow, 'request')
  for (const id of ['e', 'f', 'g']) webhook.send(message(id))
  settled.push(...(await ended(2)))
  release()
  assert.deepEqual(
    [settled, await ended(7)],
    [
      ['dropped', 'dropped'],
      ['dropped', 'dropped', ...Array(5).fill('delivered')],
    ],
  )
  assert.deepEqual(arrived.toSorted(), ['a', 'b', 'c', 'd', 'g'])
})

test('Webhook.send() refuses non-public addresses, by number and by name, even if a name changes', async () => {
  for (const url of [`http://127.0.0.1:${port}/`, `http://[::1]:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`]) {
    const { webhook, ended, warnings } = open({ url, networks: [] })
    using _ = webhook
    webhook.send(message('msg_5'))
    assert.deepEqual(await ended(1), ['failed'], url)
    assert.match(warnings[0]?.problem ?? '', /no public address/)
    assert.equal(warnings[0]?.tries, 1, 'it was tried again')
  }
  let asked = 0
  const resolve = async () => {
    asked += 1
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const url = `http://hook.example:${port}/`
  const { webhook, ended, warnings } = open({ url, networks: [], resolve })
  using _ = webhook
  webhook.send(message('msg_6'))
  assert.deepEqual(await ended(1), ['failed'])
  assert.match(warnings[0]?.problem ?? '', /hook\.example: it has no public address/)
  assert.deepEqual([asked, calls.length], [1, 0])
  // The webhook connects to the address it has checked, so there is only one lookup.
  const named = open({ url, networks: ['127.0.0.1'], resolve })
  using __ = named.webhook
  named.webhook.send(message('msg_7'))
  assert.deepEqual(await named.ended(1), ['delivered'])
  assert.deepEqual([asked, calls.length], [2, 1])
})

test('publicOr() recognizes special addresses of both families, and addresses that embed another', () => {
  const isPublic = publicOr([])
  for (const address of ['93.184.215.14', '172.15.0.1', '172.32.0.1', '2606:2800:21f:cb07::1'])
    assert.equal(isPublic(address), true, address)
  const inside = '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 224.0.0.1'
  const special =
    '255.255.255.255 :: ::1 fe80::1 fc00::1 ff02::1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:a00:1::1 2001:db8::1'
  for (const address of `${inside} ${special}`.split(' ')) assert.equal(isPublic(address), false, address)
  const named = publicOr(['10.0.0.0/8', 'fd00::/8'])
  assert.deepEqual(['10.9.9.9', 'fd12::1', '11.0.0.1', '192.168.0.1'].map(named), [true, true, true, false])
})
