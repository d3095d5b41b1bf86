// Tests of the CSV rewriter: RFC 4180 output, with every value unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Dialect } from '../core/receipt.ts'
import { createCsvRewriter, csvLine } from './csv-rewriter.ts'

const rfc4180: Dialect = {
  delimiter: ',',
  quoteChar: '"',
  doubleQuote: true,
  escapeChar: null,
  lineTerminator: '\n',
  header: true,
  skipRows: 0,
  commentChar: null,
  skipInitialSpace: false,
}

function rewritten(text: string, dialect: Partial<Dialect>): string {
  const rewrite = createCsvRewriter({ ...rfc4180, ...dialect })
  return Buffer.concat(rewrite([Buffer.from(text)])).toString()
}

test('createCsvRewriter() returns the same bytes, not a copy, if they are RFC 4180 already', () => {
  const pieces = [Buffer.from('a,"b ""c""",\r\n')]
  assert.equal(createCsvRewriter({ ...rfc4180, lineTerminator: '\r\n' })(pieces), pieces)
  const withLineFeed = [Buffer.from('a,"b ""c""",\n')]
  assert.equal(createCsvRewriter(rfc4180)(withLineFeed), withLineFeed)
})

const table: readonly [string, Partial<Dialect>, string, string][] = [
  ['semicolons become commas', { delimiter: ';' }, 'a;b\n', 'a,b\n'],
  ['a comma in a plain field makes quotes', { delimiter: ';', lineTerminator: '\r\n' }, '1,5;b\r\n', '"1,5",b\r\n'],
  ['an unquoted empty field stays unquoted', { delimiter: ';' }, ';;\n', ',,\n'],
  ['a quoted empty field stays quoted', { delimiter: ';' }, '"";x\n', '"",x\n'],
  ['a delimiter of several bytes', { delimiter: '、' }, 'a、"b、c"、、漢,\n', 'a,"b、c",,"漢,"\n'],
  ['tabs', { delimiter: '\t' }, 'a b\t"c\td"\n', 'a b,"c\td"\n'],
  ['single quotes become double', { quoteChar: "'" }, "'a,b','it''s','\"'\n", '"a,b","it\'s",""""\n'],
  ['a double quote is text where nothing is quoted', { quoteChar: null }, 'a"b,c\n', '"a""b",c\n'],
  ['an escaped quote is doubled', { escapeChar: '\\', doubleQuote: false }, '"a\\"b\\\\c",d\n', '"a""b\\c",d\n'],
  ['an escape before anything else is text', { escapeChar: '\\', doubleQuote: false }, '"a\\nb"\n', '"a\\nb"\n'],
  ['CR alone becomes CRLF', { lineTerminator: '\r' }, 'a,b\rc,"d\re"\r', 'a,b\r\nc,"d\re"\r\n'],
  ['a line feed is text where CR ends records', { lineTerminator: '\r' }, 'a\nb,c\r', '"a\nb",c\r\n'],
  ['line ends in quotes stay', { delimiter: '|' }, '"a\r\nb"|c\n', '"a\r\nb",c\n'],
]
for (const [what, dialect, input, output] of table) {
  test(`createCsvRewriter() rewrites, however the input is split: ${what}`, () => {
    const rewrite = createCsvRewriter({ ...rfc4180, ...dialect })
    const bytes = Buffer.from(input)
    for (let place = 1; place < bytes.length; place++) {
      assert.equal(Buffer.concat(rewrite([bytes.subarray(0, place), bytes.subarray(place)])).toString(), output)
    }
  })
  test(`createCsvRewriter() rewrites: ${what}`, () => assert.equal(rewritten(input, dialect), output))
}

test('createCsvRewriter() keeps every value of random records, as csv-parse reads them', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  console.log(`seed ${seed}`)
  let state = seed + 1
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const letters = ['a', 'ü', ',', ';', '"', "'", '\n', '\r\n', ' ', '1']
  for (let round = 0; round < 300; round++) {
    const [delimiter, quoteChar] = [
      [';', "'"],
      ['\t', '"'],
      ['|', "'"],
    ][random(3)] as [string, string]
    const width = 1 + random(4)
    const rows = Array.from({ length: 1 + random(5) }, () =>
      Array.from({ length: width }, () => Array.from({ length: random(5) }, () => letters[random(10)]).join('')),
    )
    const cell = (text: string) => quoteChar + text.replaceAll(quoteChar, quoteChar + quoteChar) + quoteChar
    const input = rows.map((row) => `${row.map(cell).join(delimiter)}\n`).join('')
    const output = rewritten(input, { delimiter, quoteChar })
    assert.deepEqual(parse(output, { relax_column_count: false }), rows, JSON.stringify({ seed, input, output }))
  }
})

test('createCsvRewriter() gives every record the same line end, and leaves line ends in quotes', () => {
  const mixed = [Buffer.from('a,b\r\n"1\n2","3\r\n4"\nc,""\r\n')]
  const toLineFeed = createCsvRewriter(rfc4180)
  assert.equal(Buffer.concat(toLineFeed(mixed)).toString(), 'a,b\n"1\n2","3\r\n4"\nc,""\n')
  const toBoth = createCsvRewriter({ ...rfc4180, lineTerminator: '\r\n' })
  assert.equal(Buffer.concat(toBoth(mixed)).toString(), 'a,b\r\n"1\n2","3\r\n4"\r\nc,""\r\n')
})

test('csvLine() quotes only where necessary, and uses the line end of the records', () => {
  const fields = ['id', 'a,b', 'say "x"', '']
  const line = 'id,"a,b","say ""x""",'
  assert.equal(csvLine(fields, rfc4180), `${line}\n`)
  assert.equal(csvLine(fields, { ...rfc4180, lineTerminator: '\r\n' }), `${line}\r\n`)
  assert.equal(csvLine(fields, { ...rfc4180, lineTerminator: '\r' }), `${line}\r\n`)
})

test('createCsvRewriter() writes the requested delimiter, and quotes values that contain it', () => {
  const semicolons = createCsvRewriter(rfc4180, ';')
  const text = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()
  assert.equal(text(semicolons([Buffer.from('a,"b;c",d;e,"x,y"\n')])), 'a;"b;c";"d;e";"x,y"\n')
  const same = createCsvRewriter({ ...rfc4180, delimiter: ';' }, ';')
  const pieces = [Buffer.from('a;b\n')]
  assert.equal(same(pieces), pieces, 'text that has the delimiter already is not copied')
  const tabs = createCsvRewriter({ ...rfc4180, delimiter: ';' }, '\t')
  assert.equal(text(tabs([Buffer.from('a;b\tc\n')])), 'a\t"b\tc"\n')
})
