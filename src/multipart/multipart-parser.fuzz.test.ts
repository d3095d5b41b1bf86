// Fuzz tests of multipart-parser.ts: bodies built and broken by a seed, against a reading by regular expressions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, cutAt, recordParts, testLimits } from './testing.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const bodyCount = 4000

/** Mulberry32: a whole number from 0 to below `limit`. */
function createRandom(state: number): (limit: number) => number {
  let a = state
  return (limit) => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % limit
  }
}

type Random = ReturnType<typeof createRandom>
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item
const several = (random: Random, countMax: number, make: () => string) =>
  Array.from({ length: random(countMax + 1) }, make).join('')

const boundaries = ['B', 'BnD', '--', '----WebKitFormBoundaryTB2MiQ36fnSJlrhY', 'r'.repeat(300)]

function contentPieces(boundary: string): readonly string[] {
  const delimiter = `\r\n--${boundary}`
  return [
    ...['\r', '\n', '\r\n', '-', '--', ' ', '\t', '\0', '"', 'x', 'id,name\r\n1,Anna\r\n'],
    ...[delimiter, `${delimiter}x`, `${delimiter}-`, `${delimiter} `, delimiter.slice(0, -1), delimiter.slice(1)],
  ]
}

const headerLines = [
  'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n',
  'Content-Disposition: form-data; name=field\r\n',
  "Content-Disposition: form-data;\r\n name=file; filename*=utf-8''%e8%a1%a8.csv\r\n",
  'Content-Type: text/csv\r\n',
  'X-Other: \xe9\r\n',
]

/** The tokens of a valid body. */
function makeBody(random: Random, boundary: string): string[] {
  const pieces = contentPieces(boundary).filter((piece) => !piece.includes(`--${boundary}`))
  const tokens = random(4) === 0 ? ['preamble\r\n'] : []
  for (let count = random(4); count >= 0; count -= 1) {
    tokens.push(`--${boundary}`, pick(random, ['', '', ' ', ' \t']), '\r\n')
    if (random(5) > 0) tokens.push(pick(random, headerLines.slice(0, 3)))
    if (random(3) === 0) tokens.push(pick(random, headerLines.slice(3)))
    tokens.push(
      '\r\n',
      several(random, 6, () => pick(random, pieces)),
      '\r\n',
    )
  }
  return [...tokens, `--${boundary}--`, pick(random, ['', '\r\n', '\r\nepilogue', 'x'])]
}

/** Drops, doubles, swaps, replaces and cuts tokens and bytes. */
function mutate(random: Random, boundary: string, tokens: string[]): string {
  const mutated = [...tokens]
  for (let count = random(4); count > 0; count -= 1) {
    const at = random(mutated.length)
    const token = mutated[at] ?? ''
    const cut = random(token.length + 1)
    const replacements = [
      '',
      token + token,
      pick(random, tokens),
      pick(random, contentPieces(boundary)),
      token.slice(0, cut),
      token.slice(0, cut) + pick(random, contentPieces(boundary)) + token.slice(cut),
      token.slice(0, cut) + String.fromCharCode(random(256)) + token.slice(cut + 1),
    ]
    mutated[at] = pick(random, replacements)
  }
  return mutated.join('')
}

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

test(`createMultipartParser() reads mutated bodies alike in any chunks, and only refuses them (SEED=${seed})`, () => {
  const random = createRandom(seed)
  let wholeCount = 0
  let refusedCount = 0
  for (let index = 0; index < bodyCount; index += 1) {
    const boundary = pick(random, boundaries)
    const tokens = makeBody(random, boundary)
    const body = mutate(random, boundary, tokens)
    const bytes = bytesOf(body)
    const what = `SEED=${seed}, body ${index}: ${JSON.stringify(body)}`
    const recording = recordParts(boundary, [bytes])
    for (let round = 0; round < 3; round += 1) {
      const cuts = randomCuts(random, bytes.length)
      assert.deepEqual(recordParts(boundary, cutAt(bytes, cuts)), recording, `${what}, cut at ${cuts}`)
    }
    if (recording.problem === null) {
      wholeCount += 1
      const contents = recording.parts.map((part) => part.content)
      assert.deepEqual(contents, readWhole(boundary, body), what)
    } else {
      refusedCount += 1
      // A refusal the other reading does not share is about the head or the LF line ends, of which it knows nothing.
      const isAboutLines = /header|Content-Disposition|file name|LF/.test(recording.problem)
      assert.ok(isAboutLines || readWhole(boundary, body) === null, what)
    }
  }
  // Most bodies must be worth the while: a fuzz test that only sees refusals tests the error path alone.
  assert.ok(wholeCount > bodyCount / 4 && refusedCount > bodyCount / 10, `${wholeCount} whole, ${refusedCount} refused`)
})

test(`createMultipartParser() gives back the parts that were written (SEED=${seed})`, () => {
  const random = createRandom(seed)
  for (let index = 0; index < 500; index += 1) {
    const boundary = pick(random, boundaries)
    const pieces = contentPieces(boundary)
    const drawn = Array.from({ length: random(5) }, () => several(random, 20, () => pick(random, pieces)))
    const contents = drawn.filter((content) => !delimiterPattern(boundary).test(`\r\n${content}\r\n`))
    const written = contents.map((content) => `--${boundary}\r\n${headerLines[0]}\r\n${content}\r\n`).join('')
    const bytes = bytesOf(`${written}--${boundary}--\r\n`)
    const { parts, problem } = recordParts(boundary, cutAt(bytes, randomCuts(random, bytes.length)), testLimits)
    assert.equal(problem, null, `SEED=${seed}, body ${index}`)
    assert.deepEqual(
      parts.map((part) => part.content),
      contents,
      `SEED=${seed}, body ${index}`,
    )
  }
})
