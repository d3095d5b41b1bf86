// Scanner cases: shared by scanner tests: running a scanner, seeded input and dialects, ways to split input into chunks.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../core/random.testing.ts'
import type { Reject } from '../../core/receipt.ts'
import type { LookAhead } from './record-rules.ts'
import type { IgnoredRange, RunawayValue, Scanner, ScanOptions, ScanResult } from './scanner.ts'
import { shownReject } from './shown-reject.ts'

/** Builds the WebAssembly module if its sources have changed, so that the tests run the current code. */
export function buildScanner(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../../scripts/build-scanner.mjs', import.meta.url))])
}

/** Comma, quote doubled, LF, three columns. */
export const plain: ScanOptions = {
  delimiter: 44,
  quote: 34,
  escape: null,
  comment: null,
  skipInitialSpace: false,
  lineEnd: 'lf',
  width: 3,
  recordBytesMax: 1000,
  start: { byteOffset: 0, records: 0, lines: 0 },
}

/** Everything that a scanner reported about one input. */
export interface Outcome {
  /** Accepted bytes, one character each. */
  readonly text: string
  readonly accepted: number
  readonly repairedLines: readonly number[]
  readonly otherEscapeLines: readonly number[]
  readonly runaways: readonly RunawayValue[]
  readonly blank: number
  readonly skipped: number
  /** Of each skipped record, where it is. */
  readonly skippedAt: readonly Pick<IgnoredRange, 'line' | 'readable'>[]
  readonly bytes: Readonly<Record<'blank' | 'skipped' | 'rejected', number>>
  readonly rejects: readonly Reject[]
  readonly consumedTo: number
  readonly lines: number
}

/** Feeds the chunks to the scanner, one by one, and ends it; the readable records numbered in `exclusions` are excluded. */
export function outcomeOf(
  scanner: Scanner,
  chunks: readonly Uint8Array[],
  exclusions: readonly number[] = [],
): Outcome {
  scanner.exclude(exclusions)
  const texts: string[] = []
  const taken = (scanned: ScanResult) => {
    // Copied immediately, because pieces are valid only until the next call.
    texts.push(Buffer.concat(scanned.pieces).toString('latin1'))
    return scanned
  }
  const pushed = chunks.map((chunk) => taken(scanner.push(chunk)))
  const last = taken(scanner.end())
  const all = [...pushed, last]
  const ignored = (of: IgnoredRange['kind']) => all.flatMap((one) => one.ignored.filter(({ kind }) => kind === of))
  const sum = (some: readonly IgnoredRange[]) => some.reduce((total, { count }) => total + count, 0)
  const bytesOf = (some: readonly { byteOffset: number; endOffset: number }[]) =>
    some.reduce((total, { byteOffset, endOffset }) => total + endOffset - byteOffset, 0)
  const [blank, skipped] = [ignored('blank'), ignored('skipped')]
  const rejected = bytesOf(all.flatMap(({ rejects }) => rejects))
  const emptyBytes = all.reduce((sum, { emptyAtEndBytes = 0 }) => sum + emptyAtEndBytes, 0)
  return {
    bytes: { blank: bytesOf(blank) + emptyBytes, skipped: bytesOf(skipped), rejected },
    text: texts.join(''),
    accepted: all.reduce((total, { accepted }) => total + accepted, 0),
    repairedLines: all.flatMap((scanned) => scanned.repairedLines),
    otherEscapeLines: all.flatMap((scanned) => scanned.otherEscapeLines),
    runaways: all.flatMap((scanned) => scanned.runaways),
    blank: sum(blank) + all.reduce((total, { emptyAtEnd = 0 }) => total + emptyAtEnd, 0),
    skipped: sum(skipped),
    skippedAt: skipped.map(({ line, readable }) => ({ line, readable })),
    rejects: all.flatMap(({ rejects }) => rejects.map((one) => ({ ...shownReject(one), detail: one.detail }))),
    consumedTo: last.consumedTo,
    lines: last.lines,
  }
}

/**
 * The accepted text with `<record>` in place of each reject, and the number of readable records before each. For
 * scanners that mark rejects.
 */
export function markedText(scanner: Scanner, chunks: readonly Uint8Array[], exclusions: readonly number[] = []) {
  scanner.exclude(exclusions)
  let marked = ''
  const readable: number[] = []
  const take = ({ pieces, rejects }: ScanResult) => {
    let from = 0
    for (const { record, mark } of rejects) {
      if (mark === undefined) throw new Error(`record ${record} has no mark`)
      marked += `${Buffer.concat(pieces.slice(from, mark.pieces)).toString('latin1')}<${record}>`
      readable.push(mark.readable)
      from = mark.pieces
    }
    marked += Buffer.concat(pieces.slice(from)).toString('latin1')
  }
  for (const chunk of chunks) take(scanner.push(chunk))
  take(scanner.end())
  return { marked, readable }
}

/** Splits input at the given positions, in ascending order. */
export function cutAt(input: Uint8Array, places: readonly number[]): Uint8Array[] {
  return [...places, input.length].map((place, index) => input.subarray(places[index - 1] ?? 0, place))
}

/** The input whole, as single bytes, and split in two in every possible way. */
export function* everyCut(input: Uint8Array): Generator<Uint8Array[]> {
  yield [input]
  yield cutAt(input, [...input.keys()])
  for (let place = 1; place < input.length; place++) yield cutAt(input, [place])
}

export function randomCuts(random: Random, input: Uint8Array, countMax: number): Uint8Array[] {
  const places = Array.from({ length: 1 + random(countMax) }, () => random(input.length + 1))
  return cutAt(
    input,
    places.sort((a, b) => a - b),
  )
}

export interface Case {
  readonly input: Uint8Array
  readonly options: ScanOptions
  readonly ahead: LookAhead
  /** Readable records to be excluded, possibly beyond the last one. */
  readonly exclusions: readonly number[]
}

/**
 * Generates a dialect and input that is hostile to it.
 *
 * @param size `small`: up to 60 bytes; `large`: up to some kilobytes, mostly strict; `long`: up to 400 kilobytes, with
 * records longer than the look-ahead.
 */
export function randomCase(random: Random, size: 'small' | 'large' | 'long'): Case {
  const pick = <Value>(...values: readonly Value[]): Value => values[random(values.length)]!
  const limits = {
    small: pick(1, 3, 5, 8, 13, 30, 1000),
    large: pick(20, 64, 100, 300, 10_000),
    long: pick(50_000, 100_000, 300_000),
  }
  const options: ScanOptions = {
    delimiter: code(pick(',', ',', ';', '\t', '|', ' ')),
    quote: pick(code('"'), code('"'), code('"'), code("'"), null),
    escape: pick<number | 'nothing' | null>(null, null, code('\\'), 'nothing'),
    isEscapeDeclared: pick(false, false, true),
    doublesToo: pick(false, true),
    comment: pick(null, null, code('#')),
    keepsWideComments: pick(false, true),
    skipInitialSpace: pick(false, false, true),
    lineEnd: pick('lf', 'lf', 'lf', 'cr', 'crlf'),
    width: 1 + random(size === 'small' ? 3 : 5),
    padsShort: pick(false, false, true),
    recordBytesMax: limits[size],
    ...(random(2) === 0 && { runaway: { figureColumns: pick([], [1], [2], [1, 2]), linesMin: pick(1, 1, 2, 5) } }),
    start: { byteOffset: random(1000), records: random(10), lines: random(10) },
  }
  const ahead = { lines: 1 + random(6), bytes: pick(4, 10, 30, 200, 2000) }
  const dropRarity = pick(1, 2, 10, 1000)
  const exclusions = Array.from({ length: 400 }, (_, index) => index + 1).filter(() => random(dropRarity) === 0)
  const soup = () => soupOf(random, options, 1 + random(size === 'small' ? 60 : 300))
  if (size === 'small') return { input: soup(), options, ahead, exclusions }
  const parts: Uint8Array[] = []
  const faultRarity = pick(2, 5, 30, 1000)
  for (let count = random(size === 'large' ? 60 : 400); count >= 0; count--) {
    if (random(faultRarity) === 0) parts.push(soupOf(random, options, 1 + random(20)))
    else if (size === 'long' && random(20) === 0) parts.push(longText(random, options))
    else if (random(10) === 0) parts.push(runawayText(random, options))
    else parts.push(strictRecord(random, options))
  }
  if (random(4) === 0) parts.push(soup())
  return { input: Buffer.concat(parts), options, ahead, exclusions }
}

function code(character: string): number {
  return character.charCodeAt(0)
}

const odds = [
  '\0',
  '\xc3',
  '\xa9',
  '\xc3\xa9',
  '\xe2\x82\xac',
  '\xe2\x82',
  '\xf0\x9f\x98\x80',
  '\xf0\x9f\x98',
  '\xed\xa0\x80',
  '\xf4\x90',
  '\xc0\x80',
  '\xff',
]

/** Bytes, mostly those with a meaning in the dialect. */
function soupOf(random: Random, options: ScanOptions, length: number): Uint8Array {
  const one = (byte: number | null) => String.fromCharCode(byte ?? code('"'))
  const special = [
    one(options.delimiter),
    one(options.quote),
    one(options.quote),
    '\n',
    '\n',
    '\r',
    '\r\n',
    '\\',
    ' ',
    '#',
    'a',
    'b',
    ',',
    '"',
    '\t',
  ]
  const oddRarity = 2 + random(60)
  let text = ''
  while (text.length < length)
    text += random(oddRarity) === 0 ? odds[random(odds.length)] : special[random(special.length)]
  return Buffer.from(text, 'latin1')
}

const words = [
  '',
  'a',
  '12',
  '2024-05-06',
  'some longer text of a field',
  'gr\xc3\xb6\xc3\x9fer',
  '\xe2\x82\xac 5',
  '\xf0\x9f\x98\x80',
]

function strictRecord(random: Random, options: ScanOptions): Uint8Array {
  const delimiter = String.fromCharCode(options.delimiter)
  const fields = Array.from({ length: options.width }, () => {
    const word = words[random(words.length)]!
    if (options.quote === null) return word.replaceAll(delimiter, '_')
    const quote = String.fromCharCode(options.quote)
    const quoted = typeof options.escape === 'number' ? String.fromCharCode(options.escape) + quote : quote + quote
    const other = typeof options.escape === 'number' ? quote + quote : `\\${quote}`
    const inner = ['', quoted, delimiter, '\n', '\r\n', '\r', other][random(7)]!
    return random(3) === 0 ? quote + word + inner + word + quote : word.replaceAll(delimiter, '_')
  })
  const lineEnd = options.lineEnd === 'cr' ? '\r' : random(3) === 0 ? '\r\n' : '\n'
  return Buffer.from(fields.join(delimiter) + lineEnd, 'latin1')
}

/** Plain records, some of which may become a single value through a quote before one field and one after another. */
function runawayText(random: Random, options: ScanOptions): Uint8Array {
  const delimiter = String.fromCharCode(options.delimiter)
  const quote = options.quote === null ? '' : String.fromCharCode(options.quote)
  const lineEnd = options.lineEnd === 'cr' ? '\r' : '\n'
  const count = 2 + random(20)
  const lines = Array.from({ length: count }, (_, line) => {
    if (random(12) === 0) return ['', 'odd', '\xff'][random(3)]!
    const fields = Array.from(
      { length: options.width },
      () => ['12', '', ' 7', 'x', '-', `${quote}${quote}`][random(6)]!,
    )
    const at = random(options.width)
    if (line === 0) fields[at] = quote + fields[at]
    if (line === count - 1) fields[at] += quote
    return fields.join(delimiter)
  })
  return Buffer.from(lines.map((line) => line + lineEnd).join(''), 'latin1')
}

/** Filler that may open, close or continue a record. */
function longText(random: Random, options: ScanOptions): Uint8Array {
  const quote = options.quote === null ? '' : String.fromCharCode(options.quote)
  const filler = ['x', 'xy\n', `${quote}${quote}`, 'x\r', '\xc3\xa9', String.fromCharCode(options.delimiter)][
    random(6)
  ]!
  const edge = () => ['', quote, '\n', `\n${quote}`, `${quote}\n`][random(5)]!
  return Buffer.from(edge() + filler.repeat(random(Math.ceil(90_000 / (filler.length || 1)))) + edge(), 'latin1')
}
