// Tests of rebuilding: head and scanner account for every byte of every corpus file, however it is cut. No server, no
// disk.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type CorpusSet, knownSets } from '../../corpus/sets.ts'
import { isServiceError } from '../../src/core/errors.ts'
import { type Random, randomFrom } from '../../src/core/random.testing.ts'
import type { Reject } from '../../src/core/receipt.ts'
import { createDecoder } from '../../src/reading/encoding/decoder.ts'
import { readHead } from '../../src/reading/read-head.ts'
import { headBytesMax, type Reading } from '../../src/reading/reading.ts'
import { dataStart, scanOptions } from '../../src/reading/scan-options.ts'
import { createFileScanner } from '../../src/reading/scanner/file-scanner.ts'
import type { OracleRange } from '../../src/reading/scanner/oracle-reading.testing.ts'
import type { FileScanOptions } from '../../src/reading/scanner/scanner.ts'
import { buildScanner, outcomeOf, randomCase, randomCuts } from '../../src/reading/scanner/scanner-cases.testing.ts'
import { createOracleScanner } from '../../src/reading/scanner/scanner-oracle.testing.ts'
import { createScanner } from '../../src/reading/scanner/wasm-scanner.ts'
import { seed } from '../support/samples.ts'

buildScanner()

const corpora = resolve(import.meta.dirname, '../../../shared/corpora')
const createFile = createFileScanner((options) => createScanner(options))
/** The oracle reads byte by byte, so it does not read larger files; they are still cut at random. */
const oracleBytesMax = 100_000
const cutBytesMax = 4_000_000
const recordBytesMax = 16_777_216

for (const name of ['twin', 'csv-spectrum', 'encodings', 'real', 'duckdb-csv', 'csvw']) {
  test(`head and scanner account for every byte of ${name}, however cut (SEED=${seed})`, (t) => {
    const set = existsSync(corpora) ? knownSets(corpora).find((one) => one.name === name) : undefined
    if (set === undefined) return t.skip('the corpora are not beside the checkout')
    checkSet(t, set)
  })
}

const encodings = [
  ...['windows-1252', 'windows-874', 'macintosh', 'ibm850', 'ibm866', 'koi8-r', 'iso-8859-5'],
  ...['shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr'],
  ...['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'],
]
for (const encoding of encodings) {
  test(`the scanner accounts for every byte of hostile input in ${encoding}, however cut (SEED=${seed})`, () => {
    const random = randomFrom(seed)
    for (let round = 0; round < 60; round++) {
      const { input, options } = randomCase(random, round % 3 === 0 ? 'large' : 'small')
      const body = hostile(random, input, encoding)
      const fileOptions = { ...options, encoding }
      const whole = outcomeOf(createFile(fileOptions), [body])
      assertTwin(`round ${round}`, { body, options: fileOptions, whole })
      assert.deepEqual(outcomeOf(createFile(fileOptions), randomCuts(random, body, 20)), whole, `round ${round}`)
    }
  })
}

function wrongByte(random: Random, encoding: string): number {
  const byte = 0x80 + random(128)
  // In EUC-JP, 0x8F begins three bytes: two of them decode differently at the end of a span than if more follow.
  return encoding === 'euc-jp' && byte === 0x8f ? 0x8e : byte
}

/** Converts input of one byte per character to the encoding, and adds valid and invalid bytes. */
function hostile(random: Random, input: Uint8Array, encoding: string): Buffer {
  const unitBytes = encoding.startsWith('utf-16') ? 2 : encoding.startsWith('utf-32') ? 4 : 1
  const bytes = Buffer.alloc(input.length * unitBytes)
  const rarity = 3 + random(60)
  for (const [i, byte] of input.entries()) {
    const odd = random(rarity) === 0
    const at = i * unitBytes
    // In GB18030, a digit may be part of a character, so a span that ends with one decodes differently than the whole.
    const isPart = encoding.startsWith('gb') && byte >= 0x30 && byte <= 0x39
    if (unitBytes === 1) bytes[at] = odd && byte >= 0x20 ? wrongByte(random, encoding) : isPart ? 0x61 : byte
    else {
      // In UTF-16, lone surrogates and pairs; in UTF-32, also numbers beyond Unicode.
      const unit = odd ? (random(2) === 0 ? 0xd800 + random(2048) : 0x100 + random(0xd600)) : byte
      if (encoding === 'utf-16le') bytes.writeUInt16LE(unit, at)
      else if (encoding === 'utf-16be') bytes.writeUInt16BE(unit, at)
      else if (encoding === 'utf-32le') bytes.writeUInt32LE(unit * (1 + random(40) * Number(odd)), at)
      else bytes.writeUInt32BE(unit * (1 + random(40) * Number(odd)), at)
    }
  }
  return bytes
}

function checkSet(t: TestContext, { files }: CorpusSet): void {
  const random = randomFrom(seed)
  let refused = 0
  let unjudged = 0
  const twins = new Map<string, number>()
  for (const { name, path } of files) {
    const bytes = readFileSync(path)
    const reading = readOrRefuse(bytes)
    if (reading === null) {
      refused++
      continue
    }
    const options = scanOptions({ ...reading, start: dataStart(reading) }, recordBytesMax)
    const body = bytes.subarray(reading.before.bytes)
    const whole = outcomeOf(createFile(options), [body])
    assertPlaced(name, whole.rejects, reading.before.bytes, bytes.length)
    if (body.length <= cutBytesMax) {
      assert.deepEqual(outcomeOf(createFile(options), randomCuts(random, body, 200)), whole, name)
    }
    const stretches = stretchesOf(options, body)
    assertSum(name, whole, stretches)
    for (const stretch of stretches) {
      if (options.encoding !== 'utf-8') assertTwin(name, stretch)
      else if (isOfOracle(options) && body.length <= oracleBytesMax) assertRebuilt(name, stretch)
      else unjudged++
    }
    if (options.encoding !== 'utf-8') twins.set(options.encoding, (twins.get(options.encoding) ?? 0) + 1)
  }
  const others = [...twins].map(([encoding, count]) => `${encoding} ${count}`).join(', ') || 'none'
  t.diagnostic(`${files.length} files: ${refused} refused as no CSV, ${unjudged} too large for the oracle`)
  t.diagnostic(`in other encodings, next to their twin in UTF-8: ${others}`)
}

/** The oracle supports only delimiters of one byte and the usual line ends. */
function isOfOracle({ delimiter, unusualLineEnd }: FileScanOptions): boolean {
  return delimiter < 0x80 && unusualLineEnd === undefined
}

/** Contiguous bytes to scan, and the outcome. */
interface Stretch {
  readonly options: FileScanOptions
  readonly body: Uint8Array
  readonly whole: ReturnType<typeof outcomeOf>
}

/** The body, or the parts above and below a gap in it. */
function stretchesOf({ gap, ...options }: FileScanOptions, body: Uint8Array): readonly Stretch[] {
  const stretch = (own: FileScanOptions, bytes: Uint8Array) => {
    return { options: own, body: bytes, whole: outcomeOf(createFile(own), [bytes]) }
  }
  if (gap === undefined) return [stretch(options, body)]
  const from = gap.byteOffset - options.start.byteOffset
  const above = stretch(options, body.subarray(0, from))
  const { accepted, blank, skipped, rejects, lines } = above.whole
  const start = {
    byteOffset: gap.byteOffset + gap.byteLength,
    records: options.start.records + accepted + blank + skipped + rejects.length + gap.records,
    lines: lines + gap.lines,
  }
  return [above, stretch({ ...options, start }, body.subarray(from + gap.byteLength))]
}

function assertSum(name: string, whole: Stretch['whole'], stretches: readonly Stretch[]): void {
  const rejects = stretches.flatMap((one) => one.whole.rejects)
  assert.deepEqual(whole.rejects, rejects, name)
  assert.equal(whole.text, stretches.map((one) => one.whole.text).join(''), name)
}

/** Null if the file is refused, which must be for an expected reason. */
function readOrRefuse(bytes: Uint8Array): Reading | null {
  if (bytes.length === 0) return null
  try {
    return readHead(bytes.subarray(0, headBytesMax), bytes.length <= headBytesMax)
  } catch (error) {
    if (isServiceError(error, 'NOT_CSV') || isServiceError(error, 'NOT_READABLE')) return null
    throw error
  }
}

/** Asserts that rejects are in the file, after the header, in order and without overlap. */
function assertPlaced(
  name: string,
  rejects: readonly { readonly byteOffset: number; readonly byteLength: number }[],
  start: number,
  fileBytes: number,
): void {
  let end = start
  for (const { byteOffset, byteLength } of rejects) {
    assert.ok(byteOffset >= end && byteOffset + byteLength <= fileBytes, `${name}: a reject at ${byteOffset}`)
    end = byteOffset + byteLength
  }
}

interface Span {
  readonly from: number
  readonly to: number
}

/**
 * A body that is not UTF-8 is compared with its twin, the whole body decoded at once: the rejects are as many and have
 * the same texts, and so do the accepted records between them. The twin's scanner accepts the same.
 */
function assertTwin(name: string, { body, options, whole }: Stretch): void {
  const decoded = createDecoder(options.encoding, 'replace')(body, true)
  const twin = twinOf(decoded)
  const start = { ...options.start, byteOffset: 0 }
  const found = outcomeOf(createFile({ ...options, encoding: 'utf-8', start }), [twin])
  assert.ok(found.text === whole.text, `${name}: the accepted bytes differ from those of its twin`)
  assert.deepEqual(
    [whole.accepted, whole.blank, whole.skipped, whole.lines],
    [found.accepted, found.blank, found.skipped, found.lines],
    name,
  )
  assert.equal(whole.consumedTo, options.start.byteOffset + body.length, name)
  const kind = ({ record, line, column, reason }: Reject) => ({ record, line, column, reason })
  assert.deepEqual(whole.rejects.map(kind), found.rejects.map(kind), name)
  const own = spans(whole.rejects, options.start.byteOffset, body.length)
  for (const [i, { from, to }] of spans(found.rejects, 0, twin.length).entries()) {
    const text = createDecoder(options.encoding, 'replace')(body.subarray(own[i]!.from, own[i]!.to), true)
    assert.ok(
      twinOf(text).equals(twin.subarray(from, to)),
      `${name}: bytes ${own[i]!.from} to ${own[i]!.to} of the body`,
    )
  }
}

/** Text as UTF-8, with an invalid byte for each character that stands for a wrong one. */
function twinOf(text: string): Buffer {
  const parts = text.split(/\ufffd|\p{Surrogate}/u).map((part) => Buffer.from(part))
  return Buffer.concat(parts.flatMap((part, i) => (i === 0 ? [part] : [Buffer.of(0xff), part])))
}

/** Splits all bytes into rejects and what is between them. */
function spans(rejects: readonly Reject[], start: number, bodyBytes: number): readonly Span[] {
  const edges = rejects.flatMap(({ byteOffset, byteLength }) => [byteOffset - start, byteOffset - start + byteLength])
  return [...edges, bodyBytes].map((to, i) => ({ from: edges[i - 1] ?? 0, to }))
}

/** Asserts that the ranges of the oracle, equal to the scanner's, cover the body without gap or overlap, as counted. */
function assertRebuilt(name: string, { body, options, whole }: Stretch): void {
  const oracle = createOracleScanner(options)
  assert.deepEqual(outcomeOf(oracle, [body]), whole, name)
  let end = 0
  for (const { from, to } of oracle.ranges) {
    assert.equal(from, end, name)
    end = to
  }
  assert.equal(end, body.length, name)
  const count = (kind: OracleRange['kind']) => oracle.ranges.filter((range) => range.kind === kind).length
  assert.deepEqual(
    [count('accepted'), count('blank'), count('skipped'), count('rejected')],
    [whole.accepted, whole.blank, whole.skipped, whole.rejects.length],
    name,
  )
  for (const [i, { from }] of oracle.ranges.filter(({ kind }) => kind === 'rejected').entries()) {
    assert.equal(whole.rejects[i]?.byteOffset, options.start.byteOffset + from, name)
  }
}
