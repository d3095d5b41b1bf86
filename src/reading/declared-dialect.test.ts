// Tests of declared dialects: what is declared holds for every record, as in the suites of other parsers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCsvRewriter } from '../csv/csv-rewriter.ts'
import { readHead } from './read-head.ts'
import type { DeclaredDialect } from './reading.ts'
import { scanOptionsOf } from './scan-options.ts'
import { createFileScanner } from './scanner/file-scanner.ts'
import { buildScanner } from './scanner/scanner-cases.testing.ts'
import { createScanner } from './scanner/wasm-scanner.ts'

buildScanner()

/** The accepted records as RFC 4180, with LF, and the reasons of the rejects. */
function read(text: string, declared: DeclaredDialect, stepBytes = Infinity) {
  const bytes = Buffer.from(text)
  const reading = readHead(bytes, true, declared)
  const scanner = createFileScanner(createScanner)(scanOptionsOf(reading, 1_000_000))
  const rewrite = createCsvRewriter(reading.dialect)
  const rest = bytes.subarray(reading.before.bytes)
  const records: string[] = []
  const reasons: string[] = []
  const take = ({ pieces, rejects }: ReturnType<typeof scanner.end>) => {
    records.push(Buffer.concat(rewrite(pieces)).toString().replaceAll('\r\n', '\n'))
    reasons.push(...rejects.map(({ line, reason }) => `${line} ${reason}`))
  }
  for (let at = 0; at < rest.length; at += stepBytes) take(scanner.push(rest.subarray(at, at + stepBytes)))
  take(scanner.end())
  return { records: records.join(''), reasons, reading }
}

const outfile = { delimiter: '\t', quoteChar: null, escapeChar: '\\', header: false } as const
const escaped = { delimiter: ',', quoteChar: '"', escapeChar: '\\', header: false } as const

/** The records are compared as RFC 4180. */
const cases: readonly [what: string, text: string, declared: DeclaredDialect, records: string][] = [
  [
    'MySQL: tab, line feed, null and backslash',
    '1\ta\\\tb\t\\N\n2\tx\\\ny\tc:\\\\d\n',
    outfile,
    '1,a\tb,\\N\n2,"x\ny",c:\\d\n',
  ],
  ['MySQL: an escaped CR LF', '1\tx\\\r\ny\n2\tz\n', outfile, '1,"x\ny"\n2,z\n'],
  ['MySQL: OPTIONALLY ENCLOSED BY', '"a \\"b\\"",1\n"c\\\\",2\n', escaped, '"a ""b""",1\n"c\\",2\n'],
  ['MySQL: a backslash at the end of the file', '1\ta\n2\tb\\', outfile, '1,a\n2,b\\\n'],
  ['Python: escaped delimiters', 'abc\\,def,g\nh,i\n', { ...escaped, quoteChar: null }, '"abc,def",g\nh,i\n'],
  ['Python: an escaped quote outside quotes', '\\"a\\",b\nc,d\n', escaped, '"""a""",b\nc,d\n'],
  ['Python: an escape in quotes before a delimiter', '"a\\,b",c\nd,e\n', escaped, '"a,b",c\nd,e\n'],
  ['an escape before any other character', 'a\\bc,d\ne,f\n', escaped, 'a\\bc,d\ne,f\n'],
  ['univocity: escaped escapes', 'a\\\\,b\nc\\\\\\,d,e\n', escaped, 'a\\,b\n"c\\,d",e\n'],
  ['another escape', 'a^,b,c\nd,e\n', { ...escaped, escapeChar: '^' }, '"a,b",c\nd,e\n'],
  [
    'OpenCSV: doubled and escaped quotes',
    '"a""b",1\n"c\\"d",2\n',
    { ...escaped, doubleQuote: true },
    '"a""b",1\n"c""d",2\n',
  ],
  ['no escape: backslashes are text', '"a\\",b\n"c",d\n', { escapeChar: null, header: false }, '"a\\",b\n"c",d\n'],
  ['PostgreSQL: CR LF, LF in values', 'a,b\r\n1,x\ny\r\n2,z\r\n', { lineTerminator: '\r\n' }, '1,"x\ny"\n2,z\n'],
  [
    'Papa Parse: newline CR LF',
    'A,b\nc\r\nd,E\nf\r\n',
    { lineTerminator: '\r\n', header: false },
    'A,"b\nc"\nd,"E\nf"\n',
  ],
  ['CR LF declared, and none in the file', 'a,b\n1,2\n', { lineTerminator: '\r\n', header: true }, '1,2\n'],
  ['CR LF with a last LF alone', 'a,b\r\n1,2\r\n3,4\n', { lineTerminator: '\r\n', header: true }, '1,2\n3,4\n'],
  [
    'pandas: skipinitialspace',
    ' "a, b", "c"\n "d", e\n',
    { skipInitialSpace: true, header: false },
    '"a, b","c"\n"d",e\n',
  ],
  [
    'blanks as one delimiter',
    '  a   b\nc d\n',
    { delimiter: ' ', skipInitialSpace: true, header: false },
    'a,b\nc,d\n',
  ],
  [
    'blanks at the end',
    'a b  \nc d\ne f\n',
    { delimiter: ' ', skipInitialSpace: true, header: false },
    'a,b\nc,d\ne,f\n',
  ],
  ['a comment beyond ASCII', '§ x,y,z\na,b\n1,2\n§ end\n3,§4\n', { commentChar: '§' }, '1,2\n3,§4\n'],
  ['comment and delimiter beyond ASCII', '§ x\na¦b\n1¦2\n§ end\n', { commentChar: '§', delimiter: '¦' }, '1,2\n'],
]

for (const [what, text, declared, records] of cases) {
  test(`a declared dialect holds: ${what}`, () => {
    const { reasons, ...whole } = read(text, declared)
    assert.deepEqual([whole.records, reasons], [records, []])
    for (let step = 1; step < 4; step += 1) assert.equal(read(text, declared, step).records, records, `step ${step}`)
  })
}

test('scanOptions() of declared members: rejects say what a record lacks, on its line in the file', () => {
  const lineEnds = read('a,b,c\r\n1,x\ny,z\r\n2,x\ny\r\n3,4,5\r\n', { lineTerminator: '\r\n' })
  assert.deepEqual([lineEnds.records, lineEnds.reasons], ['1,"x\ny",z\n3,4,5\n', ['4 too_few_fields']])
  const unquoted = read('a,b\r\n1,x\ny\r\n2,z\r\n', { lineTerminator: '\r\n', quoteChar: null })
  assert.deepEqual([unquoted.records, unquoted.reasons], ['2,z\n', ['2 line_end_in_field']])
  const escapes = read('1\ta\\\nb\n2\n3\tc\n', outfile)
  assert.deepEqual([escapes.records, escapes.reasons], ['1,"a\nb"\n3,c\n', ['3 too_few_fields']])
  const none = read('id,t\n1,"a ""b"""\n2,"c \\"d\\""\n3,e\n4,f\n', { escapeChar: null })
  assert.deepEqual(none.reasons, ['3 text_after_quote'])
})

test('readHead() stores what was declared in the dialect, and notes two kinds of line ends', () => {
  const codes = (text: string, declared: DeclaredDialect = {}) =>
    readHead(Buffer.from(text), true, declared).notes.map(({ code }) => code)
  assert.deepEqual(read('1,a\\,b\n2,c\n', escaped).reading.dialect.declared, ['escapeChar'])
  assert.deepEqual(read('a,b\r\n1,2\r\n', { lineTerminator: '\r\n' }).reading.dialect.declared, ['lineTerminator'])
  assert.equal(read('a,b\r\n1,2\r\n', {}).reading.dialect.declared, undefined)
  assert.deepEqual(codes('a,b\r\n1,2\r\n3,4\n5,6\r\n'), ['LINE_ENDS_MIXED'])
  assert.deepEqual(codes('a,b\r\n1,2\r\n3,"4\n"\r\n5,6'), [])
  assert.deepEqual(codes('a,b\r\n1,2\r\n3,4\n5,6\r\n', { lineTerminator: '\r\n' }), [])
})

for (const [label, name] of [
  ['utf16', 'utf-16le'],
  ['UTF-16', 'utf-16be'],
  ['utf_32', 'utf-32be'],
  ['utf32', 'utf-32le'],
  ['utf-8-sig', 'utf-8'],
  ['UTF_8_BOM', 'utf-8'],
  ['latin-1', 'windows-1252'],
  ['iso8859_2', 'iso-8859-2'],
  ['windows1250', 'windows-1250'],
  ['cp1251', 'windows-1251'],
  ['cp932', 'shift_jis'],
  ['mac_roman', null],
] as const) {
  test(`readHead() takes the encoding label ${label}`, () => {
    const encode = () => {
      const text = 'a,b\n1,2\n'
      if (name?.startsWith('utf-16'))
        return name === 'utf-16le' ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf16le').swap16()
      if (!name?.startsWith('utf-32')) return Buffer.from(text)
      const units = Buffer.alloc(text.length * 4)
      for (const [at, character] of [...text].entries()) {
        if (name === 'utf-32le') units.writeUInt32LE(character.charCodeAt(0), at * 4)
        else units.writeUInt32BE(character.charCodeAt(0), at * 4)
      }
      return units
    }
    const readLabel = () => readHead(encode(), true, { encoding: label })
    if (name === null) return assert.throws(readLabel)
    const { encoding, names } = readLabel()
    return assert.deepEqual([encoding.name, names], [name, ['a', 'b']])
  })
}
