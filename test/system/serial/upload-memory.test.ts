// Tests of upload memory: the memory for uploads in progress is bounded for all of them together, not for each.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client, contentType, uploadFraming } from '../../support/client.ts'
import { asLaunched, RunningService, scratchDir, seesProcesses } from '../../support/running-service.ts'
import { until } from '../../support/until.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const uploadCount = 24
/** Measured: 48 to 87; 152 with a head, a queue of objects and four buffers per upload (Node 24.21, 2026-11-21). */
const growthMegabytesMax = 120

const lines = Array.from({ length: 105_000 }, (_, line) => `${line},some text and more ${line},${line}.5\n`)
const content = (index: number) => Buffer.from(`id,text,amount\n${index},first,1.25\n${lines.join('')}`)

/** Highest resident memory so far, in megabytes of 1,048,576 bytes. */
function peakMegabytes({ pid }: RunningService): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kilobytes) / 1_024
}

/** The body in HTTP chunks of a size. */
function chunked(bytes: Buffer, chunkBytes: number): Buffer {
  const pieces: (Buffer | string)[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes)
    pieces.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n')
  }
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

/** An upload that stops half way until `finish`. */
class HalfUpload {
  readonly #socket: Socket
  readonly #rest: Buffer
  readonly #answer: Promise<string>

  constructor(port: number, index: number) {
    const { before, behind } = uploadFraming({})
    const body = Buffer.concat([Buffer.from(before), content(index), Buffer.from(behind)])
    const half = body.length >> 1
    this.#socket = connect(port, '127.0.0.1')
    this.#answer = this.#read()
    const head = `POST /qas/uploadCsv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`
    this.#socket.write(head)
    // Large chunks first, to limit the work of the parser; then single bytes, which take the most memory.
    this.#socket.write(chunked(body.subarray(0, half - 15_000), 1_000))
    this.#socket.write(chunked(body.subarray(half - 15_000, half), 1))
    this.#rest = Buffer.concat([chunked(body.subarray(half), 10_000), Buffer.from('0\r\n\r\n')])
  }

  /** Sends the rest; returns the status. */
  async finish(): Promise<string> {
    this.#socket.write(this.#rest)
    return (await this.#answer).slice(9, 12)
  }

  async #read(): Promise<string> {
    let text = ''
    this.#socket.setEncoding('latin1').on('data', (piece) => {
      text += piece
    })
    await once(this.#socket, 'close')
    return text
  }
}

/** Bytes on disk of each original in progress. */
function arrivedBytes({ dataDir }: RunningService): readonly number[] {
  const incoming = join(dataDir, 'incoming')
  return readdirSync(incoming).map(
    (name) => statSync(join(incoming, name, 'original'), { throwIfNoEntry: false })?.size ?? 0,
  )
}

test(`${uploadCount} uploads of 4 MB stopped half way take less than ${growthMegabytesMax} MB together`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(scratch.path, ['--converters', '1'], asLaunched)
  const client = new Client(service.url)
  for (let index = 0; index < 3; index += 1) await client.upload(content(1_000 + index))
  const beforeMegabytes = peakMegabytes(service)
  const uploads = Array.from({ length: uploadCount }, (_, index) => new HalfUpload(service.port, index))
  const isHalfWay = () => {
    const arrived = arrivedBytes(service)
    return (arrived.length === uploadCount && arrived.every((bytes) => bytes > 1_200_000)) || arrived
  }
  await until('the first half of each has been read', isHalfWay)
  const halfMegabytes = peakMegabytes(service)
  const statuses = await Promise.all(uploads.map((upload) => upload.finish()))
  assert.deepEqual(new Set(statuses), new Set(['200']))
  const growth = [halfMegabytes, peakMegabytes(service)].map((megabytes) => Math.round(megabytes - beforeMegabytes))
  t.diagnostic(`from ${Math.round(beforeMegabytes)} MB it grew by ${growth[0]} MB half way, by ${growth[1]} MB in all`)
  assert.ok(
    growth.every((megabytes) => megabytes < growthMegabytesMax),
    `it grew by ${growth.join(' and ')} MB`,
  )
})
