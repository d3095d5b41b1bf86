// Multipart: compares the multipart parser, fed any chunks of generated and mutated bodies, with regular expressions.
import assert from 'node:assert/strict'
import { type Random, randomFrom } from '../src/core/random.testing.ts'
import { bytesOf, cutAt, recordParts, testLimits } from '../src/multipart/record-parts.testing.ts'
import { boundaries, contentPieces, headerLines, makeBody, mutate, pick, several } from './multipart-mutations.ts'

/** Mutated bodies by scale; plus an eighth as many valid ones. */
const bodyCounts = { short: 4_000, long: 2_000_000 } as const

const delimiterPattern = (boundary: string) => new RegExp(`\r\n--${boundary}(?:--|[ \t]{0,256}\r\n)`, 'g')

/** Contents of the parts of a body, read at once; null if a delimiter, the end of a head, or the close is missing. */
function readWhole(boundary: string, body: string): string[] | null {
  const delimiter = delimiterPattern(boundary)
  // The first delimiter may be at the start of the body, without a line end before it.
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

/** Counts how many mutated bodies were valid and how many refused. Each is read whole and with three random splits. */
export function readMutatedBodies(seed: number, bodyCount: number) {
  const random = randomFrom(seed)
  let wholeCount = 0
  let refusedCount = 0
  for (let index = 0; index < bodyCount; index += 1) {
    const boundary = pick(random, boundaries)
    const tokens = makeBody(random, boundary)
    const body = mutate(random, boundary, tokens)
    const bytes = bytesOf(body)
    // A function, because building the text takes longer than reading the body.
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
      // The regular expressions ignore heads and LF line ends, for which the parser may refuse a body.
      const isAboutLines = /header|Content-Disposition|file name|LF/.test(recording.problem)
      if (!isAboutLines && readWhole(boundary, body) !== null) assert.fail(what())
    }
  }
  return { wholeCount, refusedCount }
}

/** Checks that valid bodies give back exactly what was written into them. */
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

/** Asserts equality; builds the message only on failure. */
function holds(seen: unknown, expected: unknown, what: () => string): void {
  if (JSON.stringify(seen) !== JSON.stringify(expected)) assert.deepEqual(seen, expected, what())
}

/** @throws {AssertionError} with its seed, for a body that the two read differently. */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  const bodies = bodyCounts[scale]
  const began = performance.now()
  const { wholeCount, refusedCount } = readMutatedBodies(seed, bodies)
  readWrittenBodies(seed, bodies / 8)
  const seconds = Math.round((performance.now() - began) / 1_000)
  return { bodies: bodies + bodies / 8, whole: wholeCount, refused: refusedCount, seconds, seed }
}
