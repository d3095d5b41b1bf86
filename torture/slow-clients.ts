// Slow clients: trickled heads and bodies, unread downloads. Others must be served meanwhile, in bounded memory.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { Client, contentType } from '../test/support/client.ts'
import { asLaunched, RunningService, scratchDir } from '../test/support/running-service.ts'
import { until } from '../test/support/until.ts'

interface Scaled {
  /** Numbers of connections, by kind. */
  readonly headCount: number
  readonly bodyCount: number
  readonly readerCount: number
  readonly uploadCount: number
  readonly flags: readonly string[]
}

const scales: Readonly<Record<'short' | 'long', Scaled>> = {
  short: { headCount: 20, bodyCount: 20, readerCount: 10, uploadCount: 10, flags: ['--headers-time', '1s'] },
  long: {
    headCount: 400,
    bodyCount: 400,
    readerCount: 200,
    uploadCount: 200,
    flags: ['--uploads-max', '1000', '--uploads-per-client-max', '1000'],
  },
}
const growthMegabytesMax = 64
const dripMs = 200

/** Keeps a number of connections of one kind open: replaces those that are cut. */
class Slow implements Disposable {
  cuts = 0
  readonly #sockets = new Set<Socket>()
  #isOver = false
  readonly #drip: NodeJS.Timeout

  constructor(port: number, count: number, begin: string, drip: string) {
    const open = () => {
      const socket = connect(port, '127.0.0.1')
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        this.#sockets.delete(socket)
        this.cuts += 1
        if (!this.#isOver) open()
      })
      // Responses are read, or the end would never be seen. Downloads are not.
      if (drip === '') socket.pause()
      else socket.resume()
      socket.write(begin)
    }
    for (let index = 0; index < count; index += 1) open()
    this.#drip = setInterval(() => {
      if (drip !== '') for (const socket of this.#sockets) if (socket.writable) socket.write(drip)
    }, dripMs)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearInterval(this.#drip)
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }
}

/** The resident memory of the server. */
export function residentMegabytes({ pid }: RunningService): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kilobytes) / 1_024
}

/** A file of 4.2 MB, different for each index. */
function content(index: number): string {
  const lines = Array.from({ length: 140_000 }, (_, line) => `${line},${index},some text and more`)
  return `id,round,text\n${lines.join('\n')}\n`
}

/** Sends fast uploads one after another, which must all be accepted; returns the milliseconds of each. */
async function fastUploads(client: Client, count: number, from: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let index = from; index < from + count; index += 1) {
    const text = content(index)
    const beganMs = performance.now()
    await client.upload(text)
    times.push(performance.now() - beganMs)
  }
  return times.toSorted((a, b) => a - b)
}

const quantile = (sorted: readonly number[], part: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!)

/**
 * At the short scale, checks only counts: every slow head and body is cut, every fast upload is accepted. At the long
 * scale, also compares the memory of the server and the time of fast uploads with those without slow clients.
 */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  const { headCount, bodyCount, readerCount, uploadCount, flags } = scales[scale]
  await using scratch = await scratchDir()
  const shortFlags = scale === 'short' ? ['--body-idle-time', '1s', '--uploads-max', '30'] : []
  await using service = await RunningService.start(scratch.path, [...flags, ...shortFlags], asLaunched)
  const client = new Client(service.url)
  const large = await client.upload(Buffer.alloc(30_000_000, `${content(0).slice(0, 1_000)}\n`))
  // Peaks during uploads, without and with slow clients: both include the garbage of uploads.
  let mostMegabytes = 0
  const watching = setInterval(() => {
    mostMegabytes = Math.max(mostMegabytes, residentMegabytes(service))
  }, 50)
  let loaded: readonly number[]
  let alone: readonly number[]
  let aloneMegabytes = 0
  const cuts = { heads: 0, bodies: 0 }
  try {
    alone = await fastUploads(client, uploadCount, seed)
    aloneMegabytes = mostMegabytes
    mostMegabytes = 0
    const upload = `POST /qas/uploadCsv HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${contentType}\r\n`
    using heads = new Slow(service.port, headCount, upload, 'X-A: b\r\n')
    // At the long scale, just above the minimum rate, so that it stays; at the short scale, far below.
    const dripBytes = scale === 'long' ? 300 : 1
    const body = `${upload}Content-Length: 3000000\r\n\r\n--${contentType.split('=')[1]}\r\nContent-Disposition: form-data; name="file"; filename="slow.csv"\r\n\r\na,b\n`
    using bodies = new Slow(service.port, bodyCount, body, '1,2\n'.repeat(75).slice(0, dripBytes))
    const asks = `GET ${large.links.original} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    using readers = new Slow(service.port, readerCount, asks, '')
    await until('all are connected', () => service.connections() >= headCount + bodyCount + readerCount)
    loaded = await fastUploads(client, uploadCount, seed + uploadCount)
    if (scale === 'short') {
      await until('slow heads are cut', () => heads.cuts >= headCount || heads.cuts)
      await until('slow bodies are cut', () => bodies.cuts >= bodyCount || bodies.cuts)
    }
    Object.assign(cuts, { heads: heads.cuts, bodies: bodies.cuts })
    assert.ok(readers.cuts <= readerCount)
  } finally {
    clearInterval(watching)
  }
  await until('no connection is left', () => service.connections() === 0)
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  const [aloneMs, loadedMs] = [quantile(alone, 0.99), quantile(loaded, 0.99)]
  const growthMegabytes = Math.round(mostMegabytes - aloneMegabytes)
  if (scale === 'long') {
    assert.ok(growthMegabytes <= growthMegabytesMax, `the server grew by ${growthMegabytes} MB`)
    assert.ok(loadedMs <= 2 * aloneMs, `p99 of fast uploads: ${loadedMs} ms, ${aloneMs} ms alone`)
  }
  return {
    'slow clients': headCount + bodyCount + readerCount,
    'heads cut': cuts.heads,
    'bodies cut': cuts.bodies,
    'fast uploads of 4.2 MB': loaded.length,
    'median alone, ms': quantile(alone, 0.5),
    'median with slow clients, ms': quantile(loaded, 0.5),
    'p99 alone, ms': aloneMs,
    'p99 with slow clients, ms': loadedMs,
    'growth of server memory, MB': growthMegabytes,
    seed,
  }
}
