// Slow clients: heads and bodies that come in drips, downloads that nobody takes. Others are served meanwhile, in bounded memory.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { Client, contentType } from '../test/support/client.ts'
import { asLaunched, RunningService, scratchDir, until } from '../test/support/running-service.ts'

interface Scaled {
  /** Of each kind. */
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

/** Keeps so many connections of a kind open: one that is cut begins anew. */
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
      // What is answered is read, or the end would never be seen; of a download nothing is.
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

/** What the server has in memory now. */
export function residentMegabytes({ pid }: RunningService): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kilobytes) / 1_024
}

/** A file of 4.2 MB, another one for each index. */
function content(index: number): string {
  const lines = Array.from({ length: 140_000 }, (_, line) => `${line},${index},some text and more`)
  return `id,round,text\n${lines.join('\n')}\n`
}

/** Milliseconds of each of some fast uploads, one after another; each has to be taken. */
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
 * At the short scale only counts are held: every slow head and body is cut, every fast upload is taken. At the long one
 * also the memory of the server and the time of fast uploads, each against that without slow clients.
 */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  const { headCount, bodyCount, readerCount, uploadCount, flags } = scales[scale]
  await using scratch = await scratchDir()
  const shortFlags = scale === 'short' ? ['--body-idle-time', '1s', '--uploads-max', '30'] : []
  await using service = await RunningService.start(scratch.path, [...flags, ...shortFlags], asLaunched)
  const client = new Client(service.url)
  const large = await client.upload(Buffer.alloc(30_000_000, `${content(0).slice(0, 1_000)}\n`))
  // The most while uploads are taken, without slow clients and with them: what an upload leaves to the collector is in both.
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
    // At the long scale it drips just above the rate that is asked for, so that it stays; at the short one far below.
    const dripBytes = scale === 'long' ? 300 : 1
    const body = `${upload}Content-Length: 3000000\r\n\r\n--${contentType.split('=')[1]}\r\nContent-Disposition: form-data; name="file"; filename="slow.csv"\r\n\r\na,b\n`
    using bodies = new Slow(service.port, bodyCount, body, '1,2\n'.repeat(75).slice(0, dripBytes))
    const asks = `GET ${large.links.original} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    using readers = new Slow(service.port, readerCount, asks, '')
    await until('all are connected', () => service.connections() >= headCount + bodyCount + readerCount, 30_000)
    loaded = await fastUploads(client, uploadCount, seed + uploadCount)
    if (scale === 'short') {
      await until('slow heads are cut', () => heads.cuts >= headCount, 60_000)
      await until('slow bodies are cut', () => bodies.cuts >= bodyCount, 60_000)
    }
    Object.assign(cuts, { heads: heads.cuts, bodies: bodies.cuts })
    assert.ok(readers.cuts <= readerCount)
  } finally {
    clearInterval(watching)
  }
  await until('no connection is left', () => service.connections() === 0, 30_000)
  await until('nothing unfinished is left', () => service.incoming().length === 0, 30_000)
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
    'median meanwhile, ms': quantile(loaded, 0.5),
    'p99 alone, ms': aloneMs,
    'p99 meanwhile, ms': loadedMs,
    'growth of the server, MB': growthMegabytes,
    seed,
  }
}
