// Tests of the WASM scanner: it agrees with its oracle on random input however it is split, and what it guarantees beyond.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { compareWithOracle } from './compare-with-oracle.testing.ts'
import type { ScanResult } from './scanner.ts'
import {
  buildScanner,
  cutAt,
  everyCut,
  markedText,
  outcomeOf,
  plain,
  randomCase,
  randomCuts,
} from './scanner-cases.testing.ts'
import { createOracleScanner } from './scanner-oracle.testing.ts'
import { shownReject } from './shown-reject.ts'
import { createScanner } from './wasm-scanner.ts'

buildScanner()

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

test('createScanner() reports positions and messages in terms of the original', () => {
  const start = { byteOffset: 5_000_000_000, records: 7, lines: 9 }
  const input = Buffer.from('a,b,c\n"x\ny",b,c\n1,2\n"a"b,2,3\nu,\xff,w\n', 'latin1')
  const { rejects } = outcomeOf(createScanner({ ...plain, start }), [input])
  assert.deepEqual(rejects, [
    {
      record: 10,
      line: 13,
      byteOffset: 5_000_000_016,
      byteLength: 3,
      column: null,
      reason: 'too_few_fields',
      message: '2 fields, expected 3',
      detail: 2,
    },
    {
      record: 11,
      line: 14,
      byteOffset: 5_000_000_020,
      byteLength: 8,
      column: 1,
      reason: 'text_after_quote',
      message: 'text after a closing quote at offset 5000000023',
      detail: 5_000_000_023,
    },
    {
      record: 12,
      line: 15,
      byteOffset: 5_000_000_029,
      byteLength: 5,
      column: 2,
      reason: 'invalid_bytes',
      message: "byte at offset 5000000031 is not valid in the file's encoding",
      detail: 5_000_000_031,
    },
  ])
})

// test/system/scanner-oracle.test.ts compares five times as many.
compareWithOracle({ small: 300, large: 300, long: 8 })

test(`createScanner() reports only bytes of the file as verbatim, wherever it is split (SEED=${seed})`, () => {
  const random = randomFrom(seed + 3)
  let verbatim = 0
  for (let index = 0; index < 600; index++) {
    const { input, options, ahead, exclusions } = randomCase(random, index % 2 === 0 ? 'small' : 'large')
    const scanner = createScanner(options, ahead)
    scanner.exclude(exclusions)
    const { byteOffset } = options.start
    let from = byteOffset
    const check = ({ isVerbatim, pieces, consumedTo }: ScanResult) => {
      const bytes = Buffer.concat(pieces)
      const wanted = input.subarray(from - byteOffset, consumedTo - byteOffset)
      from = consumedTo
      if (!isVerbatim) return
      verbatim += bytes.length
      assert.deepEqual(bytes.subarray(0, wanted.length), Buffer.from(wanted), `SEED=${seed} ${index}`)
      const added = bytes.subarray(wanted.length).toString()
      assert.ok(added === '' || added === (options.lineEnd === 'cr' ? '\r' : '\n'), `SEED=${seed} ${index}`)
    }
    for (const chunk of randomCuts(random, input, 30)) check(scanner.push(chunk))
    check(scanner.end())
  }
  assert.ok(verbatim > 10_000, `only ${verbatim} bytes are`)
})

test('createScanner() finds invalid bytes anywhere in a block', () => {
  for (const bad of [
    '\xc3',
    '\xe2\x82',
    '\xf0\x9f\x98',
    '\x80',
    '\xed\xa0\x80',
    '\xc0\xaf',
    '\xf4\x90\x80\x80',
    '\xe0\x9f\xbf',
    '\0',
  ]) {
    for (let place = 0; place < 2 * 135; place++) {
      // Whether the bytes after it are ASCII decides which of two checks has to find it.
      const after = place % 2 === 0 ? 'a,b,c\n' : 'a,b,\xc3\xa9\n'
      const input = Buffer.from(`a,b,c\n1,${'x'.repeat(place >> 1)},${bad}\n${after.repeat(30)}`, 'latin1')
      const { accepted, rejects } = outcomeOf(createScanner(plain), [input])
      const reason = bad === '\0' ? 'nul_byte' : 'invalid_bytes'
      assert.deepEqual([accepted, rejects.length, rejects[0]?.reason, rejects[0]?.line], [31, 1, reason, 2])
      assert.ok(
        rejects[0]!.message.includes(` offset ${9 + (place >> 1)} `) ||
          rejects[0]!.message.endsWith(` offset ${9 + (place >> 1)}`),
      )
    }
  }
})

test('createScanner() returns joined slices of what was pushed', () => {
  const chunk = Buffer.from('a,b,c\n'.repeat(100_000))
  const scanner = createScanner(plain)
  const scanned = scanner.push(chunk)
  assert.equal(scanned.accepted, 100_000)
  assert.equal(scanned.pieces.length, 1)
  assert.equal(scanned.pieces[0]!.buffer, chunk.buffer)
})

test('createScanner() reports more rejects in one chunk than its table holds', () => {
  const { rejects } = outcomeOf(createScanner(plain), [Buffer.from('a,b\n\n'.repeat(10_000))])
  assert.equal(rejects.length, 10_000)
  assert.equal(rejects.at(-1)!.line, 19_999)
})

test('exclude() rejects readable records in place, whether given at once or one by one', () => {
  const count = 10_000
  const ordinals = Array.from({ length: count / 2 }, (_, index) => 2 * index + 1)
  const lines = Array.from({ length: count }, (_, index) => `${index},"x\ny",z\n`)
  const atOnce = outcomeOf(createScanner(plain), [Buffer.from(lines.join(''))], ordinals)
  assert.ok(atOnce.text === lines.filter((_, index) => index % 2 === 1).join(''))
  assert.equal(atOnce.accepted, count / 2)
  assert.equal(atOnce.rejects.length, count / 2)
  assert.deepEqual(atOnce.rejects[1], {
    record: 3,
    line: 5,
    byteOffset: 20,
    byteLength: 9,
    column: null,
    reason: 'constraint',
    message: 'a value breaks a constraint of the schema',
    detail: 3,
  })

  const scanner = createScanner(plain)
  const rejects = lines.flatMap((line, index) => {
    if (index % 2 === 0) scanner.exclude([index + 1])
    return scanner.push(Buffer.from(line)).rejects.map((one) => ({ ...shownReject(one), detail: one.detail }))
  })
  assert.deepEqual(rejects, atOnce.rejects)
})

test('exclude() refuses numbers that do not ascend or arrive too late', () => {
  const scanner = createScanner(plain)
  scanner.exclude([2, 5])
  assert.throws(() => scanner.exclude([5]), RangeError)
  assert.throws(() => scanner.exclude([7, 7]), RangeError)
  assert.throws(() => createScanner(plain).exclude([0]), RangeError)
  assert.equal(scanner.push(Buffer.from('a,b,c\n'.repeat(9))).accepted, 7)
  assert.throws(() => scanner.exclude([9]), RangeError)
  scanner.exclude([10])
  assert.equal(scanner.push(Buffer.from('a,b,c\n')).accepted, 0)
})

test('createScanner() reads a record of a million fields', () => {
  const record = `${'1,'.repeat(999_999)}1\n`
  const options = { ...plain, width: 1_000_000, recordBytesMax: 4_000_000 }
  const { accepted } = outcomeOf(createScanner(options), cutAt(Buffer.from(record + record), [65_536, 1_000_000]))
  assert.equal(accepted, 2)
})

test('createScanner() skips records of any length without holding them', () => {
  const chunk = Buffer.alloc(1_000_000, 'x')
  for (const first of ['a', '"', '#']) {
    const scanner = createScanner({ ...plain, comment: 35 })
    scanner.push(Buffer.from(first))
    const before = process.memoryUsage().rss
    for (let count = 0; count < 300; count++) scanner.push(chunk)
    assert.ok(process.memoryUsage().rss - before < 64_000_000)
    const last = scanner.push(Buffer.from('\r\na,b,c\nd\n'))
    assert.equal(last.accepted, 1)
    assert.equal(last.ignored.length, first === '#' ? 1 : 0)
    const lengths = last.rejects.map((reject) => [reject.line, reject.byteOffset, reject.byteLength])
    assert.deepEqual(lengths.at(-1), [3, 300_000_009, 1])
    if (first !== '#') assert.deepEqual(lengths[0], [1, 0, 300_000_001])
  }
})

test('createScanner() reads an escape at the limit or at the end of the file the same way, however the input is split', () => {
  const escaped = { ...plain, escape: 92, isEscapeDeclared: true }
  for (const [text, more] of [
    ['\t\\\\b"##\\\r\n', { delimiter: 32, width: 2, padsShort: true, recordBytesMax: 8 }],
    ['a"\\\r\\\\\n\r\n1,2,3\n', { recordBytesMax: 1 }],
  ] as const) {
    const input = Buffer.from(text)
    const options = { ...escaped, ...more }
    const expected = outcomeOf(createOracleScanner(options), [input])
    for (const chunks of everyCut(input)) assert.deepEqual(outcomeOf(createScanner(options), chunks), expected, text)
  }
})

test('createScanner() takes linear time on input that invites repeated reading', () => {
  // About half a second; reading each line up to the limit would take half a minute.
  const before = process.cpuUsage()
  const options = { ...plain, recordBytesMax: 1 << 20 }
  for (const line of ['a","b\n', 'a,"b\n', '"\n', 'x,"a","b\n', 'a,"",c,"\n', '"a"" x\n']) {
    outcomeOf(createScanner(options), [Buffer.from(line.repeat(100_000))])
  }
  const dribble = createScanner(options)
  dribble.push(Buffer.from('"'))
  for (let count = 0; count < 500_000; count++) dribble.push(Buffer.from('x\n'))
  assert.equal(dribble.end().accepted, 0)
  assert.ok(process.cpuUsage(before).user < 8_000_000)
})

test('createScanner() takes little memory for a thousand scanners, even in the middle of a record', () => {
  const before = process.memoryUsage().external
  const scanners = Array.from({ length: 1_000 }, () => createScanner(plain))
  for (const scanner of scanners) scanner.push(Buffer.from('1,2,3\n4,"5'.repeat(20)))
  const grownBytes = process.memoryUsage().external - before
  assert.ok(grownBytes < 8_000_000, `${grownBytes} bytes`)
  for (const scanner of scanners) assert.ok(scanner.end().consumedTo > 0)
})

test(`createScanner() marks the same positions of rejects, however the input is split (SEED=${seed})`, () => {
  const random = randomFrom(seed)
  let count = 0
  for (let round = 0; round < 300; round++) {
    const { input, options, ahead, exclusions } = randomCase(random, round % 3 === 0 ? 'large' : 'small')
    const marking = () => createScanner({ ...options, marksRejects: true }, ahead)
    const whole = markedText(marking(), [input], exclusions)
    assert.deepEqual(markedText(marking(), randomCuts(random, input, 20), exclusions), whole, `round ${round}`)
    const oracle = createOracleScanner(options, ahead)
    const { text, rejects } = outcomeOf(oracle, [input], exclusions)
    // Without the marks, the accepted text is complete.
    assert.equal(whole.marked.length, text.length + rejects.reduce((sum, { record }) => sum + `<${record}>`.length, 0))
    // Records that are excluded are readable, so the next mark counts them.
    let accepted = 0
    let excluded = 0
    const readable: number[] = []
    for (const { kind } of oracle.ranges) {
      if (kind === 'accepted') accepted++
      if (kind !== 'rejected') continue
      const reject = rejects[readable.length]
      readable.push(accepted + excluded)
      if (reject?.reason === 'constraint') excluded++
    }
    assert.deepEqual(whole.readable, readable, `round ${round}`)
    count += readable.length
  }
  assert.ok(count > 300, String(count))
})
