// Mutated uploads: sends mutated uploads to a running service, which must accept or refuse each, and survive.
import { readFileSync } from 'node:fs'
import type { Random } from '../src/core/random.testing.ts'
import { RunningService, scratchDir } from '../test/support/running-service.ts'
import { createRandom } from '../test/support/samples.ts'
import { until } from '../test/support/until.ts'
import { Conversation } from '../test/wire/conversation.ts'
import { recordFaults } from '../test/wire/outcome-faults.ts'
import { makeBody, mutate } from './multipart-mutations.ts'

/** Uploads by scale. */
const uploadCounts = { short: 400, long: 100_000 } as const
const atOnce = 8

const typeLines: readonly ((boundary: string) => string)[] = [
  (boundary) => `multipart/form-data; boundary=${boundary}`,
  (boundary) => `multipart/form-data; boundary="${boundary}"`,
  (boundary) => `multipart/mixed; charset=x; BOUNDARY=${boundary}`,
  (boundary) => `multipart/form-data; boundary=${boundary}x`,
  () => 'multipart/form-data',
  () => 'multipart/form-data; boundary=',
  () => 'multipart/form-data; boundary="',
  () => 'text/csv',
]

/** The one request of a connection, and whether its response may be the 500 of the contract. */
interface Made {
  readonly bytes: Buffer
  readonly isWithoutBoundary: boolean
}

function makeRequest(random: Random): Made {
  const boundary = ['B', 'BnD', '--', 'r'.repeat(300)][random(4)]!
  const body = Buffer.from(mutate(random, boundary, makeBody(random, boundary)), 'latin1')
  // Usually the matching type, so that the body is read.
  const type = random(4) > 0 ? typeLines[0]! : typeLines[random(typeLines.length)]!
  const isChunked = random(3) === 0
  const declared = random(20) === 0 ? Math.max(0, body.length - random(40)) : body.length
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${declared}`
  const head = `POST /qas/uploadCsv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type(boundary)}\r\n${length}\r\n\r\n`
  const sent = isChunked ? inChunks(random, body) : body
  return {
    bytes: Buffer.concat([Buffer.from(head, 'latin1'), sent]),
    isWithoutBoundary: !/boundary=[^"]/i.test(type(boundary)),
  }
}

/** Applies the chunked coding, sometimes with one byte changed. */
function inChunks(random: Random, body: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const piece = body.subarray(at, at + 1 + random(100))
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
    at += piece.length
  }
  const whole = Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
  if (random(10) === 0) whole[random(whole.length)] = random(256)
  return whole
}

/** Faults in the responses to a request; empty if there are none. */
async function faultsOf(port: number, random: Random, { bytes, isWithoutBoundary }: Made): Promise<readonly string[]> {
  using talk = await Conversation.open(port)
  const cut = random(bytes.length)
  await talk.send(bytes.subarray(0, cut))
  await talk.send(bytes.subarray(cut))
  talk.socket.end()
  await talk.ended()
  return talk.answers.final.flatMap((answer) => {
    if (answer.status === 200) return []
    const isAllowed = answer.status < 500 || (answer.status === 500 && isWithoutBoundary)
    return [...(isAllowed ? [] : [`status ${answer.status}: ${answer.body}`]), ...recordFaults(answer)]
  })
}

/**
 * Sends mutated uploads, several at once, each half-closed after its last byte.
 *
 * @throws {Error} for a response that is neither a receipt nor an error record, or if anything is left behind; the
 *   message has the request in base64, to be added to `torture/multipart-corpus.txt`.
 */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  await using scratch = await scratchDir()
  await using service = await RunningService.start(scratch.path, ['--body-idle-time', '2s', '--uploads-max', '64'])
  const kept = keptRequests()
  const total = kept.length + uploadCounts[scale]
  let begun = 0
  const work = async (lane: number) => {
    const random = createRandom(seed + lane)
    while (begun < total) {
      const index = begun++
      const keptBytes = kept[index]
      const made = keptBytes === undefined ? makeRequest(random) : { bytes: keptBytes, isWithoutBoundary: true }
      const faults = await faultsOf(service.port, random, made)
      if (faults.length > 0) {
        throw new Error(`${faults.join('; ')} (seed ${seed}) for the request ${made.bytes.toString('base64')}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, lane) => work(lane)))
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  const datasets = service.datasetDirs().length
  return { uploads: total, 'from the corpus': kept.length, datasets, crashes: 0, seed }
}

/** The requests of the corpus. */
function keptRequests(): readonly Buffer[] {
  const text = readFileSync(new URL('./multipart-corpus.txt', import.meta.url), 'utf8')
  return text.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : Buffer.from(line, 'base64')))
}
