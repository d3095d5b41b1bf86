// Multipart: bodies built and broken by a seed, read by the parser in any chunks, against a reading by regular expressions.
import assert from 'node:assert/strict'
import { type Random, randomFrom } from '../src/core/random.testing.ts'
import { bytesOf, cutAt, recordParts, testLimits } from '../src/multipart/record-parts.testing.ts'
import { boundaries, contentPieces, headerLines, makeBody, mutate, pick, several } from './multipart-mutations.ts'

/** Mutated bodies by scale; of whole ones an eighth as many. */
const bodyCounts = { short: 4_000, long: 2_000_000 } as const

const delimiterPattern = (boundary: string) => new RegExp(`\r\n--${boundary}(?:--|[ \t]{0,256}\r\n)`, 'g')

/** Contents of the parts of a whole body, read at once; null where a delimiter, a head's end or the close is missing. */
function readWhole(boundary: string, body: string): string[] | null {
  const delimiter = delimiterPattern(boundary)
  // The line end before the first delimiter may be the beginning of the body.
  const text = `\r\n${body}`
  const contents: string[] = []
  let found = delimiter.exec(text)
  if (found === null && new RegExp(`\r\n--${boundary}(?:-|[ \t]*\r?)$`).test(text)) return null
  while (found !== null && !found[0].endsWith('--')) {
    const headStart = delimiter.lastIndex
    const emptyLine = text.indexOf('\r\n\r\n', headStart)
    const contentStart = text.startsWith('\r\n', headStart) ? headStart + 2 : emptyLine + 4
    if (contentStart === 3) return null
    delimiter.lastIndex = contentStart - 2
    found = delimiter.exec(text)
    if (found === null) return null
    contents.push(text.slice(contentStart, Math.max(contentStart, found.index)))
  }
  return contents
}

function randomCuts(random: Random, length: number): number[] {
  return Array.from({ length: random(8) }, () => random(length + 1)).sort((a, b) => a - b)
}

/** How many of some mutated bodies were whole and how many refused. Each is read whole and in three random cuts. */
export function readMutatedBodies(seed: number, bodyCount: number) {
  const random = randomFrom(seed)
  let wholeCount = 0
  let refusedCount = 0
  for (let index = 0; index < bodyCount; index += 1) {
    const boundary = pick(random, boundaries)
    const tokens = makeBody(random, boundary)
    const body = mutate(random, boundary, tokens)
    const bytes = bytesOf(body)
    // Made only for a failure: it would cost more than the reading.
    const what = () => `SEED=${seed}, body ${index}: ${JSON.stringify(body)}`
    const recording = recordParts(boundary, [bytes])
    for (let round = 0; round < 3; round += 1) {
      const cuts = randomCuts(random, bytes.length)
      holds(recordParts(boundary, cutAt(bytes, cuts)), recording, () => `${what()}, cut at ${cuts}`)
    }
    if (recording.problem === null) {
      wholeCount += 1
      const contents = recording.parts.map((part) => part.content)
      holds(contents, readWhole(boundary, body), what)
    } else {
      refusedCount += 1
      // A refusal the other reading does not share is about the head or the LF line ends, of which it knows nothing.
      const isAboutLines = /header|Content-Disposition|file name|LF/.test(recording.problem)
      if (!isAboutLines && readWhole(boundary, body) !== null) assert.fail(what())
    }
  }
  return { wholeCount, refusedCount }
}

/** Bodies that hold what was written into them give just that back. */
export function readWrittenBodies(seed: number, bodyCount: number): void {
  const random = randomFrom(seed)
  for (let index = 0; index < bodyCount; index += 1) {
    const boundary = pick(random, boundaries)
    const pieces = contentPieces(boundary)
    const drawn = Array.from({ length: random(5) }, () => several(random, 20, () => pick(random, pieces)))
    const contents = drawn.filter((content) => !delimiterPattern(boundary).test(`\r\n${content}\r\n`))
    const written = contents.map((content) => `--${boundary}\r\n${headerLines[0]}\r\n${content}\r\n`).join('')
    const bytes = bytesOf(`${written}--${boundary}--\r\n`)
    const { parts, problem } = recordParts(boundary, cutAt(bytes, randomCuts(random, bytes.length)), testLimits)
    const read = parts.map((part) => part.content)
    holds([problem, ...read], [null, ...contents], () => `SEED=${seed}, body ${index}`)
  }
}

/** Equal, told only where it is not. */
function holds(seen: unknown, expected: unknown, what: () => string): void {
  if (JSON.stringify(seen) !== JSON.stringify(expected)) assert.deepEqual(seen, expected, what())
}

/** @throws {AssertionError} for a body that is read in two ways, with its seed. */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  const bodies = bodyCounts[scale]
  const began = performance.now()
  const { wholeCount, refusedCount } = readMutatedBodies(seed, bodies)
  readWrittenBodies(seed, bodies / 8)
  const seconds = Math.round((performance.now() - began) / 1_000)
  return { bodies: bodies + bodies / 8, whole: wholeCount, refused: refusedCount, seconds, seed }
}
