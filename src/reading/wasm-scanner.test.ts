// WASM scanner: compared with its oracle on tables and on random bytes, however they are cut; and what only it promises.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Reject } from '../core/receipt.ts'
import { lookAhead } from './records.ts'
import type { Scanner, ScanOptions } from './scanner.ts'
import { cutAt, everyCut, randomCase, randomCuts, randomFrom } from './scanner-cases.ts'
import { createOracleScanner } from './scanner-oracle.ts'
import { createScanner } from './wasm-scanner.ts'

execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build-scanner.mjs', import.meta.url))])

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

const plain: ScanOptions = {
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

interface Outcome {
  /** Accepted bytes, each a character. */
  readonly text: string
  readonly accepted: number
  readonly blank: number
  readonly skipped: number
  readonly rejects: readonly Reject[]
}

function outcomeOf(scanner: Scanner, chunks: readonly Uint8Array[]): Outcome {
  const all = [...chunks.map((chunk) => scanner.push(chunk)), scanner.end()]
  const sum = (key: 'accepted' | 'blank' | 'skipped') => all.reduce((total, scanned) => total + scanned[key], 0)
  return {
    text: Buffer.concat(all.flatMap((scanned) => scanned.pieces)).toString('latin1'),
    accepted: sum('accepted'),
    blank: sum('blank'),
    skipped: sum('skipped'),
    rejects: all.flatMap((scanned) => scanned.rejects),
  }
}

interface Row {
  readonly title: string
  readonly input: string
  readonly options?: Partial<ScanOptions>
  readonly accepted: string
  /** line, bytes, reason, column. */
  readonly rejects?: readonly (readonly [number, number, Reject['reason'], (number | null)?])[]
  readonly blank?: number
  readonly skipped?: number
}

const manyLines = Array.from({ length: 84 }, (_, index) => `${index},x,y\n`).join('')

const rows: readonly Row[] = [
  {
    title: 'strict records as they are',
    input: 'a,b,c\r\n"d","e ""x"", f","g\nh"\n',
    accepted: 'a,b,c\r\n"d","e ""x"", f","g\nh"\n',
  },
  { title: 'a last record without line end', input: 'a,b,c\nd,e,f', accepted: 'a,b,c\nd,e,f\n' },
  { title: 'a last record with half a line end', input: 'a,b,c\r', accepted: 'a,b,c\r\n' },
  { title: 'empty fields', input: ',,\n"","",""\n', accepted: ',,\n"","",""\n' },
  { title: 'blank lines', input: '\n\r\na,b,c\n\n', accepted: 'a,b,c\n', blank: 3 },
  { title: 'blank lines of one column', input: '\na\n\n', options: { width: 1 }, accepted: 'a\n', blank: 2 },
  {
    title: 'comments',
    input: '#x"\na,b,c\n#\nd,#e,f\n# end',
    options: { comment: 35 },
    accepted: 'a,b,c\nd,#e,f\n',
    skipped: 3,
  },
  {
    title: 'wrong counts',
    input: 'a,b\na,b,c\na,b,c,d\n',
    accepted: 'a,b,c\n',
    rejects: [
      [1, 3, 'too_few_fields'],
      [3, 7, 'too_many_fields'],
    ],
  },
  { title: 'a record of one field', input: 'a\n', accepted: '', rejects: [[1, 1, 'too_few_fields']] },
  { title: 'stray quotes', input: '5" pipe,O"Brien,c\nd,e,f\n', accepted: '"5"" pipe","O""Brien",c\nd,e,f\n' },
  {
    title: 'stray quotes with escape',
    input: '5" \\pipe,b,c\n',
    options: { escape: 92 },
    accepted: '"5\\" \\\\pipe",b,c\n',
  },
  {
    title: 'stray quotes around a delimiter',
    input: 'a,b "x, y",c\nd,e,f\n',
    accepted: 'd,e,f\n',
    rejects: [[1, 12, 'quote_in_field', 2]],
  },
  { title: 'blanks after a closing quote', input: '"a" ,"b"\t,"c" \r\n', accepted: '"a","b","c"\r\n' },
  {
    title: 'blanks after a delimiter',
    input: 'a, "b, c",  d\nx,y,z\n',
    options: { skipInitialSpace: true },
    accepted: 'a,"b, c",d\nx,y,z\n',
  },
  { title: 'blanks after a delimiter that are text', input: 'a, b,c\n', accepted: 'a, b,c\n' },
  { title: 'a lone CR as text', input: 'a,b\rc,d\n', accepted: 'a,"b\rc",d\n' },
  {
    title: 'a lone CR where nothing is quoted',
    input: 'a,b\rc,d\na,"b,c\n',
    options: { quote: null },
    accepted: 'a,"b,c\n',
    rejects: [[1, 7, 'line_end_in_field', 2]],
  },
  {
    title: 'records that end with CR',
    input: 'a,b,c\rd,"e\rf",g\rh,i\nj,k',
    options: { lineEnd: 'cr' },
    accepted: 'a,b,c\rd,"e\rf",g\rh,"i\nj",k\r',
  },
  {
    title: 'text after a closing quote',
    input: 'a,"b" x,c\nd,e,f\n',
    accepted: 'd,e,f\n',
    rejects: [[1, 9, 'text_after_quote', 2]],
  },
  {
    title: 'escaped quotes',
    input: '"a\\"b","\\\\","c\\\nd"\n',
    options: { escape: 92 },
    accepted: '"a\\"b","\\\\","c\\\nd"\n',
  },
  {
    title: 'a doubled quote where it is escaped',
    input: '"a""b",c,d\n',
    options: { escape: 92 },
    accepted: '',
    rejects: [[1, 10, 'text_after_quote', 1]],
  },
  {
    title: 'a stray quote before a quoted field',
    input: 'a,"b,c\nd,"e",f\n',
    accepted: 'd,"e",f\n',
    rejects: [[1, 6, 'unclosed_quote', 2]],
  },
  {
    title: 'a stray quote long before the next',
    input: `a,"b,c\n${manyLines}d,"e",f\n`,
    accepted: `${manyLines}d,"e",f\n`,
    rejects: [[1, 6, 'unclosed_quote', 2]],
  },
  {
    title: 'a quote that never closes',
    input: `x,y,z\na,"b,c\n${manyLines}`,
    accepted: `x,y,z\n${manyLines}`,
    rejects: [[2, 6, 'unclosed_quote', 2]],
  },
  {
    title: 'a quote that never closes in the last line',
    input: 'x,y,z\na,"b,c',
    accepted: 'x,y,z\n',
    rejects: [[2, 6, 'unclosed_quote', 2]],
  },
  {
    title: 'a broken record of several lines',
    input: 'a,"one\ntwo\nthree" x,c\nd,e,f\n',
    accepted: 'd,e,f\n',
    rejects: [[1, 21, 'text_after_quote', 2]],
  },
  {
    title: 'short records of several lines',
    input: 'a,"x\ny"\na,"x\ny"\n',
    accepted: '',
    rejects: [
      [1, 7, 'too_few_fields'],
      [3, 7, 'too_few_fields'],
    ],
  },
  {
    title: 'a stray quote in a record of several lines',
    input: '5" x,"a\nb",c\nd,e,f\n',
    accepted: 'd,e,f\n',
    rejects: [[1, 12, 'quote_in_field', 1]],
  },
  {
    title: 'bad bytes',
    input: 'a,\xe9,c\nd,e,\xc3\xa9\ng,"h\n\xc3",\0\n',
    accepted: 'd,e,\xc3\xa9\n',
    rejects: [
      [1, 5, 'invalid_utf8', 2],
      [3, 9, 'invalid_utf8', 2],
    ],
  },
  { title: 'NUL bytes', input: 'a,b,\0\nd,e,f\n', accepted: 'd,e,f\n', rejects: [[1, 5, 'nul_byte', 3]] },
  {
    title: 'a structure that is wrong before its bytes',
    input: '\0\n',
    accepted: '',
    rejects: [[1, 1, 'too_few_fields']],
  },
  {
    title: 'records at the limit',
    input: '4,6,8\n4,6,89\n4,6,8\r\n4,6,89\r\n"4,6,89\n',
    options: { recordBytesMax: 5 },
    accepted: '4,6,8\n4,6,8\r\n',
    rejects: [
      [2, 6, 'record_too_long'],
      [4, 6, 'record_too_long'],
      [5, 7, 'record_too_long'],
    ],
  },
  {
    title: 'a quoted record beyond the limit',
    input: '"a\nb\nc",d\nf,g,h\n',
    options: { recordBytesMax: 7 },
    accepted: 'f,g,h\n',
    rejects: [
      [1, 2, 'unclosed_quote', 1],
      [2, 1, 'too_few_fields'],
      [3, 4, 'quote_in_field', 1],
    ],
  },
  {
    title: 'a quoted record at the limit',
    input: '"a\nb",d,e\n',
    options: { recordBytesMax: 9 },
    accepted: '"a\nb",d,e\n',
  },
  { title: 'nothing', input: '', accepted: '' },
]

for (const row of rows) {
  test(`createScanner() reads ${row.title}, however cut`, () => {
    const options = { ...plain, ...row.options }
    const input = Buffer.from(row.input, 'latin1')
    const told = outcomeOf(createOracleScanner(options), [input])
    assert.equal(told.text, row.accepted)
    assert.deepEqual(
      told.rejects.map((reject) => [reject.line, reject.byteLength, reject.reason, reject.column]),
      (row.rejects ?? []).map(([line, bytes, reason, column]) => [line, bytes, reason, column ?? null]),
    )
    assert.deepEqual([told.blank, told.skipped], [row.blank ?? 0, row.skipped ?? 0])
    for (const chunks of everyCut(input)) assert.deepEqual(outcomeOf(createScanner(options), chunks), told)
  })
}

test('createScanner() tells places and messages in terms of the original', () => {
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
    },
    {
      record: 11,
      line: 14,
      byteOffset: 5_000_000_020,
      byteLength: 8,
      column: 1,
      reason: 'text_after_quote',
      message: 'text after a closing quote at offset 5000000023',
    },
    {
      record: 12,
      line: 15,
      byteOffset: 5_000_000_029,
      byteLength: 5,
      column: 2,
      reason: 'invalid_utf8',
      message: 'byte at offset 5000000031 is not valid UTF-8',
    },
  ])
})

function assertSame(
  title: string,
  options: ScanOptions,
  ahead: typeof lookAhead,
  input: Uint8Array,
  cuts: Iterable<Uint8Array[]>,
) {
  const oracle = createOracleScanner(options, ahead)
  const told = outcomeOf(oracle, [input])
  for (const chunks of cuts) {
    const replay = () =>
      `SEED=${seed}, ${title}: ${JSON.stringify({ options, ahead, chunks: chunks.length })} ` +
      JSON.stringify(Buffer.from(input.subarray(0, 500)).toString('latin1'))
    let found: Outcome
    try {
      found = outcomeOf(createScanner(options, ahead), chunks)
    } catch (error) {
      throw new Error(`scanner failed, ${replay()}`, { cause: error })
    }
    // Built only on failure: the text is long.
    try {
      assert.deepEqual(found, told)
    } catch (error) {
      throw new Error(`scanner and oracle differ, ${replay()}\n${error instanceof Error ? error.message : error}`)
    }
  }
  let at = 0
  for (const range of oracle.ranges) {
    assert.equal(range.from, at)
    at = range.to
  }
  assert.equal(at, input.length)
  const kinds = oracle.ranges.map((range) => range.kind)
  const count = (kind: string) => kinds.filter((one) => one === kind).length
  assert.deepEqual(
    [count('accepted'), count('blank'), count('skipped'), count('rejected')],
    [told.accepted, told.blank, told.skipped, told.rejects.length],
  )
  assert.equal(
    told.rejects.at(-1)?.record ?? 0,
    kinds.lastIndexOf('rejected') < 0 ? 0 : options.start.records + kinds.lastIndexOf('rejected') + 1,
  )
}

test(`createScanner() equals its oracle on small hostile input, cut at every byte (SEED=${seed})`, () => {
  const random = randomFrom(seed)
  for (let index = 0; index < 2500; index++) {
    const { input, options, ahead } = randomCase(random, 'small')
    assertSame(`small ${index}`, options, ahead, input, everyCut(input))
  }
})

test(`createScanner() equals its oracle on larger input, cut anywhere (SEED=${seed})`, () => {
  const random = randomFrom(seed + 1)
  for (let index = 0; index < 2500; index++) {
    const { input, options, ahead } = randomCase(random, 'large')
    assertSame(`large ${index}`, options, ahead, input, [
      [input],
      randomCuts(random, input, 3),
      randomCuts(random, input, 40),
    ])
  }
})

test(`createScanner() equals its oracle where records are longer than chunks and look-ahead (SEED=${seed})`, () => {
  const random = randomFrom(seed + 2)
  for (let index = 0; index < 60; index++) {
    const { input, options } = randomCase(random, 'long')
    assertSame(`long ${index}`, options, lookAhead, input, [[input], randomCuts(random, input, 20)])
  }
})

test('createScanner() gives slices of what was pushed, joined', () => {
  const chunk = Buffer.from('a,b,c\n'.repeat(100_000))
  const scanner = createScanner(plain)
  const scanned = scanner.push(chunk)
  assert.equal(scanned.accepted, 100_000)
  assert.equal(scanned.pieces.length, 1)
  assert.equal(scanned.pieces[0]!.buffer, chunk.buffer)
})

test('createScanner() tells of more rejects in one chunk than its table holds', () => {
  const { rejects } = outcomeOf(createScanner(plain), [Buffer.from('a,b\n\n'.repeat(10_000))])
  assert.equal(rejects.length, 10_000)
  assert.equal(rejects.at(-1)!.line, 19_999)
})

test('createScanner() reads a record of a million fields', () => {
  const record = `${'1,'.repeat(999_999)}1\n`
  const options = { ...plain, width: 1_000_000, recordBytesMax: 4_000_000 }
  const { accepted } = outcomeOf(createScanner(options), cutAt(Buffer.from(record + record), [65_536, 1_000_000]))
  assert.equal(accepted, 2)
})

test('createScanner() lets records of any length go by without holding them', () => {
  const chunk = Buffer.alloc(1_000_000, 'x')
  for (const first of ['a', '"', '#']) {
    const scanner = createScanner({ ...plain, comment: 35 })
    scanner.push(Buffer.from(first))
    const before = process.memoryUsage().rss
    for (let count = 0; count < 300; count++) scanner.push(chunk)
    assert.ok(process.memoryUsage().rss - before < 64_000_000)
    const last = scanner.push(Buffer.from('\r\na,b,c\nd\n'))
    assert.equal(last.accepted, 1)
    assert.equal(last.skipped, first === '#' ? 1 : 0)
    const lengths = last.rejects.map((reject) => [reject.line, reject.byteOffset, reject.byteLength])
    assert.deepEqual(lengths.at(-1), [3, 300_000_009, 1])
    if (first !== '#') assert.deepEqual(lengths[0], [1, 0, 300_000_001])
  }
})

test('createScanner() works in linear time on input that invites reading twice', { timeout: 20_000 }, () => {
  const options = { ...plain, recordBytesMax: 1 << 20 }
  for (const line of ['a","b\n', 'a,"b\n', '"\n', 'x,"a","b\n', 'a,"",c,"\n', '"a"" x\n']) {
    outcomeOf(createScanner(options), [Buffer.from(line.repeat(100_000))])
  }
  const dribble = createScanner(options)
  dribble.push(Buffer.from('"'))
  for (let count = 0; count < 500_000; count++) dribble.push(Buffer.from('x\n'))
  assert.equal(dribble.end().accepted, 0)
})
