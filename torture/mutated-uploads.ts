// Mutated uploads: valid uploads broken by a seed, sent to a running service, which takes or refuses each and lives.
import { readFileSync } from 'node:fs'
import type { Random } from '../src/core/random.testing.ts'
import { RunningService, scratchDir, until } from '../test/support/running-service.ts'
import { createRandom } from '../test/support/samples.ts'
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

/** The one request a conversation sends, and whether its answer may be the 500 of the contract. */
interface Made {
  readonly bytes: Buffer
  readonly isWithoutBoundary: boolean
}

function makeRequest(random: Random): Made {
  const boundary = ['B', 'BnD', '--', 'r'.repeat(300)][random(4)]!
  const body = Buffer.from(mutate(random, boundary, makeBody(random, boundary)), 'latin1')
  // Mostly the type that fits, so that the body is read.
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

/** In the chunked coding, now and then with one byte of it changed. */
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

/** What is wrong with the answers to a request; empty when nothing is. */
async function faultsOf(port: number, random: Random, { bytes, isWithoutBoundary }: Made): Promise<readonly string[]> {
  using talk = await Conversation.open(port)
  const cut = random(bytes.length)
  await talk.send(bytes.subarray(0, cut))
  await talk.send(bytes.subarray(cut))
  talk.socket.end()
  if (!(await talk.until(() => talk.hasEnded, 60_000))) return ['the connection stays open']
  return talk.answers.final.flatMap((answer) => {
    if (answer.status === 200) return []
    const isAllowed = answer.status < 500 || (answer.status === 500 && isWithoutBoundary)
    return [...(isAllowed ? [] : [`status ${answer.status}: ${answer.body}`]), ...recordFaults(answer)]
  })
}

/**
 * Sends mutated uploads, some at once, half-closed behind the last byte.
 *
 * @throws {Error} for an answer that is neither a receipt nor a refusal with its record, and when anything is left behind;
 *   the message holds the request in base64, to be kept in `torture/multipart-corpus.txt`.
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
  return { uploads: total, kept: kept.length, datasets: service.datasetDirs().length, crashes: 0, seed }
}

/** Requests that were of interest once, one a line in base64. */
function keptRequests(): readonly Buffer[] {
  const text = readFileSync(new URL('./multipart-corpus.txt', import.meta.url), 'utf8')
  return text.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : Buffer.from(line, 'base64')))
}
