// Tests of the lingering close on raw sockets: each limit on waiting for a client after its response.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { closeLingering, type LingerLimits } from './lingering-close.ts'

const wide: LingerLimits = { idleMs: 60_000, totalMs: 60_000, bytesPerSecondMin: 10_000, bytesMax: 1e12 }

/** Both ends of a connection; the server's end reads and drops all bytes, as HTTP does. */
async function pair(): Promise<{ ours: Socket; client: Socket } & AsyncDisposable> {
  const server = createServer({ allowHalfOpen: true })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const [ours] = (await once(server, 'connection')) as [Socket]
  ours.on('error', () => {}).resume()
  client.on('error', () => {}).resume()
  const dispose = async () => {
    client.destroy()
    ours.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { ours, client, [Symbol.asyncDispose]: dispose }
}

test('closeLingering() sends what was written, then waits for the client to end', async () => {
  await using both = await pair()
  const received: Buffer[] = []
  both.client.on('data', (chunk) => received.push(chunk))
  both.ours.write('last words')
  closeLingering(both.ours, wide)
  await once(both.client, 'end')
  assert.equal(Buffer.concat(received).toString(), 'last words')
  const sent = Promise.withResolvers<void>()
  both.client.write(Buffer.alloc(5_000_000), () => sent.resolve())
  await sent.promise
  assert.equal(both.ours.destroyed, false)
  both.client.end()
  await once(both.ours, 'close')
})

test('closeLingering() destroys the socket if nothing arrives for idleMs', async () => {
  await using both = await pair()
  const beganMs = performance.now()
  closeLingering(both.ours, { ...wide, idleMs: 300 })
  await once(both.ours, 'close')
  assert.ok(performance.now() - beganMs >= 300)
})

test('closeLingering() destroys the socket after totalMs, even if bytes still arrive slowly', async () => {
  await using both = await pair()
  const drip = setInterval(() => both.client.write('x'), 20)
  closeLingering(both.ours, { ...wide, idleMs: 400, totalMs: 900 })
  const beganMs = performance.now()
  await once(both.ours, 'close')
  clearInterval(drip)
  assert.ok(performance.now() - beganMs >= 800, 'it ended before totalMs')
})

test('closeLingering() lets a client that sends fast enough go on after totalMs', async () => {
  await using both = await pair()
  // As much as the rate demands for a minute, so that later pauses do not count.
  both.client.write(Buffer.alloc(600_000))
  const drip = setInterval(() => both.client.write('x'), 20)
  closeLingering(both.ours, { ...wide, totalMs: 300 })
  // The limits are checked several times in this time.
  await setTimeout(1_500)
  clearInterval(drip)
  assert.equal(both.ours.destroyed, false)
})

test('closeLingering() destroys the socket after more than bytesMax', async () => {
  await using both = await pair()
  closeLingering(both.ours, { ...wide, bytesMax: 1_000 })
  both.client.write(Buffer.alloc(1_001))
  await once(both.ours, 'close')
})
