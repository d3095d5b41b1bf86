// Floods: more connections than descriptors, thousands of aborts, frozen peers, endless bodies. Afterwards the service
// responds as before, and holds no more descriptors, files, children or upload places than before.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { bodyOf, Client, contentType, uploadFraming } from '../test/support/client.ts'
import { asLaunched, RunningService, scratchDir } from '../test/support/running-service.ts'
import { createRandom } from '../test/support/samples.ts'
import { until } from '../test/support/until.ts'

type Figures = Readonly<Record<string, number | string>>

const counts = {
  short: { connections: 120, aborts: 200, frozen: 5, largeCount: 0, largeMegabytes: 0 },
  long: { connections: 2_000, aborts: 10_000, frozen: 50, largeCount: 64, largeMegabytes: 100 },
} as const

/**
 * Maximum memory of the server, in MB of 1,048,576 bytes, for any number of uploads: they share write buffers, and
 * their heads wait on disk (docs/decisions/memory-of-many-uploads.md).
 */
const serverMegabytesMax = 256
/** Maximum growth of memory after thousands of aborts; when memory is freed is up to the garbage collector. */
const abortGrowthMegabytesMax = 64

const head = (bytes: number) =>
  `POST /qas/uploadCsv HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\nContent-Length: ${bytes}\r\n\r\n`

function statusNumber({ pid }: RunningService, name: string): number {
  const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}

async function isAtRest(service: RunningService): Promise<void> {
  await until('no client is connected', () => service.connections() === 0)
  await until('nothing unfinished is left', () => service.incoming().length === 0)
}

/** Whether `prlimit` is available to limit descriptors. */
export const canLimit = spawnSync('prlimit', ['--version']).status === 0

/** Opens more connections than there are descriptors. Accepted ones, and later requests, must get a response. */
export async function floodConnections(scale: 'short' | 'long'): Promise<Figures> {
  await using scratch = await scratchDir()
  await using service = await RunningService.start(scratch.path, ['--headers-time', '1s', '--converters', '1'])
  const client = new Client(service.url)
  await client.upload('a,b\n1,2\n')
  await isAtRest(service)
  const nofile = service.descriptors().length + 40
  const limited = spawnSync('prlimit', ['--pid', String(service.pid), `--nofile=${nofile}:${nofile}`])
  assert.equal(limited.status, 0, String(limited.stderr))
  const sockets: Socket[] = []
  const count = counts[scale].connections
  try {
    for (let index = 0; index < count; index += 1) {
      const socket = connect(service.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume()
      socket.write(head(1_000_000))
      sockets.push(socket)
    }
    await until('the descriptors are used up', () => service.descriptors().length >= nofile - 2)
  } finally {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  await isAtRest(service)
  // Connections that waited to be accepted when descriptors ran out are reset; the client's may be one of them.
  const { records } = await client.upload('a,b\n3,4\n').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error
    await isAtRest(service)
    return await client.upload('a,b\n3,4\n')
  })
  assert.equal(records.accepted, 1)
  return { connections: count, descriptors: nofile }
}

/** Sends the beginning of an upload and disconnects, with a reset or an end. */
async function abort(port: number, body: Buffer, bytes: number, turns: number, isReset: boolean): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(head(body.length))
  socket.write(body.subarray(0, bytes))
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  if (isReset) socket.resetAndDestroy()
  else socket.destroy()
}

/** Aborts uploads at random bytes, eight at once; descriptors, children, files and memory must then be as before. */
export async function floodAborts(scale: 'short' | 'long', seed: number): Promise<Figures> {
  await using scratch = await scratchDir()
  await using service = await RunningService.start(scratch.path, ['--segment-size', '64KB', '--converters', '1'])
  const client = new Client(service.url)
  const lines = Array.from({ length: 20_000 }, (_, line) => `${line},some text,${line}.5`)
  const body = bodyOf({ content: `id,text,amount\n${lines.join('\n')}\n` })
  const many = (count: number, random: (below: number) => number) =>
    Array.from({ length: 8 }, async () => {
      for (let index = 0; index < count / 8; index += 1) {
        await abort(service.port, body, random(body.length - 10), random(60), random(2) === 0)
      }
    })
  await client.upload('a,b\n1,2\n')
  // The first aborts let buffers and pools grow to their size.
  await Promise.all(many(counts[scale].aborts / 5, createRandom(seed)))
  await isAtRest(service)
  const before = { descriptors: service.descriptors(), children: service.children().length }
  const beforeMegabytes = statusNumber(service, 'VmRSS')
  await Promise.all(many(counts[scale].aborts, createRandom(seed + 1)))
  await isAtRest(service)
  await until('there are as many children as before', () => service.children().length === before.children)
  await until('the descriptors are as before', () => isDeepStrictEqual(service.descriptors(), before.descriptors))
  const growthMegabytes = statusNumber(service, 'VmRSS') - beforeMegabytes
  assert.equal((await client.datasetIds()).length, 1, 'an aborted upload became a dataset')
  if (scale === 'long') assert.ok(growthMegabytes <= abortGrowthMegabytesMax, `it grew by ${growthMegabytes} MB`)
  return { aborts: counts[scale].aborts, 'growth after aborts, MB': growthMegabytes, datasets: 1 }
}

/** Freezes the process of clients in the middle of uploads and downloads: they send no byte, no end, no reset. */
export async function freezePeers(scale: 'short' | 'long'): Promise<Figures> {
  await using scratch = await scratchDir()
  const count = counts[scale].frozen
  // More upload places than peers: not all go to one address.
  const flags = ['--uploads-max', String(2 * count), '--body-idle-time', '2s', '--headers-time', '2s']
  await using service = await RunningService.start(scratch.path, flags)
  const client = new Client(service.url)
  await client.upload('a,b\n1,2\n')
  await isAtRest(service)
  const before = service.descriptors()
  const script = `
    const { connect } = require('node:net')
    let open = 0
    for (let i = 0; i < ${count}; i++) {
      const socket = connect(${service.port}, '127.0.0.1', () => {
        socket.write(${JSON.stringify(head(1_000_000))})
        if (++open === ${count}) console.log('open')
      })
    }`
  const peers = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(peers.stdout, 'data')
    await until('all peers are connected', () => service.connections() === count)
    peers.kill('SIGSTOP')
    // Their kernel still acknowledges what the service sends, so only a time limit can free their connections.
    await until('frozen peers are disconnected', () => service.connections() === 0)
    await until('the descriptors are as before', () => isDeepStrictEqual(service.descriptors(), before))
    assert.equal((await client.upload('a,b\n5,6\n')).records.accepted, 1)
  } finally {
    peers.kill('SIGKILL')
  }
  return { 'frozen peers': count }
}

/** Sends a chunked body until it is refused; no byte of it may remain. */
export async function endlessChunks(): Promise<Figures> {
  await using scratch = await scratchDir()
  await using service = await RunningService.start(scratch.path, [
    '--max-file-size',
    '8MB',
    '--max-request-size',
    '9MB',
  ])
  const { before } = uploadFraming({})
  const sending = request(new URL('/qas/uploadCsv', service.url), {
    method: 'POST',
    agent: false,
    headers: { 'content-type': contentType },
  })
  sending.on('error', () => {})
  const answered = once(sending, 'response')
  let status = 0
  void answered.then(([answer]) => {
    status = answer.statusCode
    answer.resume()
  })
  sending.write(`${before}a,b\n`)
  let sentBytes = 0
  while (status === 0) {
    const piece = Buffer.alloc(65_536, '1,2\n')
    sentBytes += piece.length
    if (!sending.write(piece)) await Promise.race([once(sending, 'drain'), answered])
    else await sleep(0)
  }
  sending.destroy()
  assert.equal(status, 413)
  await isAtRest(service)
  assert.deepEqual(service.datasetDirs(), [])
  return { 'endless body refused after, MB': Math.round(sentBytes / 1_048_576) }
}

/** Sends large uploads all at once, each with different content; memory must stay below a bound. */
async function manyLarge(scale: 'short' | 'long'): Promise<Figures> {
  const { largeCount, largeMegabytes } = counts[scale]
  if (largeCount === 0) return {}
  await using scratch = await scratchDir()
  await using service = await RunningService.start(scratch.path, [], asLaunched)
  const { before, behind } = uploadFraming({})
  const block = Buffer.from(Array.from({ length: 40_000 }, (_, i) => `${i},some text ${i},${i}.25\n`).join(''))
  const one = async (index: number): Promise<void> => {
    const sending = request(new URL('/qas/uploadCsv', service.url), {
      method: 'POST',
      agent: false,
      headers: { 'content-type': contentType },
    })
    const answered = once(sending, 'response')
    sending.write(`${before}id,text,amount\n${index},first,1.25\n`)
    for (let sent = 0; sent < largeMegabytes * 1_048_576; sent += block.length) {
      if (!sending.write(block)) await once(sending, 'drain')
    }
    sending.end(behind)
    const [answer] = await answered
    answer.resume()
    await once(answer, 'end')
    assert.equal(answer.statusCode, 200)
  }
  const beganMs = performance.now()
  await Promise.all(Array.from({ length: largeCount }, (_, index) => one(index)))
  const seconds = Math.round((performance.now() - beganMs) / 1_000)
  const peakMegabytes = statusNumber(service, 'VmHWM')
  assert.ok(peakMegabytes <= serverMegabytesMax, `the server took ${peakMegabytes} MB for ${largeCount} at once`)
  return {
    'concurrent large uploads': `${largeCount} × ${largeMegabytes} MB in ${seconds} s`,
    'peak memory of the server, MB': peakMegabytes,
  }
}

/** Runs all floods, one after another. */
export async function run(scale: 'short' | 'long', seed: number): Promise<Figures> {
  return {
    ...(canLimit ? await floodConnections(scale) : {}),
    ...(await floodAborts(scale, seed)),
    ...(await freezePeers(scale)),
    ...(await endlessChunks()),
    ...(await manyLarge(scale)),
    seed,
  }
}
