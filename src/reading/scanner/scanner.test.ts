// Tests of the scanner: the definition of a record as a table of inputs and outcomes, for both the oracle and the scanner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reject } from '../../core/receipt.ts'
import type { ScanOptions } from './scanner.ts'
import { buildScanner, everyCut, outcomeOf, plain } from './scanner-cases.testing.ts'
import { createOracleScanner } from './scanner-oracle.testing.ts'
import { createScanner } from './wasm-scanner.ts'

buildScanner()

interface Row {
  readonly title: string
  readonly input: string
  readonly options?: Partial<ScanOptions>
  readonly exclusions?: readonly number[]
  readonly accepted: string
  readonly repairedLines?: readonly number[]
  readonly otherEscapeLines?: readonly number[]
  /** line, lines, whether they were read as records. */
  readonly runaways?: readonly (readonly [number, number, boolean])[]
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
  {
    title: 'an escaped delimiter before surplus ones',
    input: 'a\\   \nb\\\\  \nc\\ \n',
    options: { delimiter: 32, escape: 92, isEscapeDeclared: true, skipInitialSpace: true, width: 1 },
    accepted: 'a\\ \nb\\\\\nc\\ \n',
  },
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
    title: 'comments of the width as records where that is wanted',
    input: '# a\n#b,c,d\n# "x,y\n#"e",f,g\n# 1,2\n#h,"i\nj,k,l\n',
    options: { comment: 35, keepsWideComments: true },
    accepted: '#b,c,d\n"#""e""",f,g\nj,k,l\n',
    skipped: 4,
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
  {
    title: 'a record of several lines with a wrong count as one reject, whatever surplus its lines have',
    input: '1,Ann,ok\n2,Bob,"Main St 5\nBerlin,10115,DE,\nTel 5",x\n3,Cy,ok\n',
    accepted: '1,Ann,ok\n3,Cy,ok\n',
    rejects: [[2, 42, 'too_many_fields']],
  },
  {
    title: 'short records filled up where that is wanted, on one line only',
    input: 'a\na,"b"\r\n\na,b,c\na,b,c,d\n5" x,y\n"a\nb"\na,b,c\n"",',
    options: { padsShort: true },
    accepted: 'a,,\na,"b",\r\na,b,c\n"5"" x",y,\na,b,c\n"",,\n',
    blank: 1,
    rejects: [
      [5, 7, 'too_many_fields'],
      [7, 5, 'too_few_fields'],
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
    input: '"a""b",c,d\n"a\\"b",c,d\n"a\\\\""b",c,d\n',
    options: { escape: 92 },
    accepted: '"a\\"b",c,d\n"a\\"b",c,d\n',
    otherEscapeLines: [1],
    rejects: [[3, 12, 'text_after_quote', 1]],
  },
  {
    title: 'quotes neither doubled nor escaped',
    input: '"a "b" c",d,"e"\n"f"" ,"g\n"h"","i"\r\n"j, "k", l"\n',
    options: { escape: 'nothing' },
    accepted: '"a ""b"" c",d,"e"\n"f""","g\n""h""","i"\r\n',
    rejects: [[4, 11, 'quote_in_field', 2]],
  },
  {
    title: 'a quote too many that can only be text',
    input: '"1,"a, b",c\n1,2,3\n1,""a, b",c\n1,2,3\n1,"a "x" b",""\n',
    accepted: '"""1","a, b",c\n1,2,3\n1,"""a, b",c\n1,2,3\n1,"a ""x"" b",""\n',
    repairedLines: [1, 3, 5],
  },
  {
    title: 'quotes that may be text or not',
    input: '1,"A" B "C",d\n1,"5" x 3" y",d\n1,"A"B"C",d\n1,"a ("b") c",d\n1,2,3\n1,"5" pipe",d\n1,2,3\n',
    accepted: '1,"a (""b"") c",d\n1,2,3\n1,"5"" pipe",d\n1,2,3\n',
    rejects: [
      [1, 13, 'text_after_quote', 2],
      [2, 15, 'text_after_quote', 2],
      [3, 11, 'text_after_quote', 2],
    ],
    repairedLines: [4, 6],
  },
  {
    title: 'quotes that are escaped by a backslash in some records',
    input:
      '1,"say \\"hi\\"",d\n1,"5\\"",d\r\n1,"a, \\"b\\", c","" \n1,2,3\n1,"a\\",b",3\n1,2,3\n' +
      '1,"C:\\x \\"y\\"",d\n1,2,3\n1,"\\"a\\" ""b""",d\n1,2,3\n1,"C:\\",d\n',
    accepted:
      '1,"say ""hi""",d\n1,"5""",d\r\n1,"a, ""b"", c",""\n1,2,3\n1,"a"",b",3\n1,2,3\n' + '1,2,3\n1,2,3\n1,"C:\\",d\n',
    otherEscapeLines: [1, 2, 3, 5],
    rejects: [
      [7, 16, 'text_after_quote', 2],
      [9, 17, 'text_after_quote', 2],
    ],
  },
  {
    title: 'a quote too many that is no clear text',
    input: '1,"a ""x"" and "y" b",c\nd,e,f\n"1,"a"b",c\nd,e,f\n1,2,"3"4,5\nd,e,f\n1,"a, "b\xe9" c",d\n',
    accepted: 'd,e,f\nd,e,f\nd,e,f\n',
    rejects: [
      [1, 23, 'text_after_quote', 2],
      [3, 10, 'text_after_quote', 1],
      [5, 10, 'text_after_quote', 3],
      [7, 15, 'text_after_quote', 2],
    ],
  },
  {
    title: 'a quote too many before a line that is no strict record',
    input: '1,"a "x" b",c\nsays "she", he says\nd,e,f\n',
    accepted: 'd,e,f\n',
    rejects: [
      [1, 13, 'text_after_quote', 2],
      [2, 19, 'quote_in_field', 1],
    ],
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
      [1, 5, 'invalid_bytes', 2],
      [3, 9, 'invalid_bytes', 2],
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
  {
    title: 'readable records that are to be dropped',
    input: '1,2\na,"b\nc",d\n\n1,"a "x" b",c\ne,f,g\n5" x,y,z\r\nx,y\n"h" ,i,j\nk,l,m',
    exclusions: [1, 2, 4, 5, 6],
    accepted: 'e,f,g\n',
    repairedLines: [],
    otherEscapeLines: [],
    blank: 1,
    rejects: [
      [1, 3, 'too_few_fields'],
      [2, 9, 'constraint'],
      [5, 13, 'constraint'],
      [7, 8, 'constraint'],
      [8, 3, 'too_few_fields'],
      [9, 8, 'constraint'],
      [10, 5, 'constraint'],
    ],
  },
  {
    title: 'lines that a stray quote would swallow as records, the first a reject',
    input: '1,a,"b\n2,c,d\n\n3,e,f"\n4,g,h\n',
    options: { runaway: { figureColumns: [1], linesMin: 2 } },
    accepted: '2,c,d\n3,e,"f"""\n4,g,h\n',
    blank: 1,
    rejects: [[1, 6, 'unclosed_quote', 3]],
    runaways: [[1, 4, true]],
  },
  {
    title: 'fewer such lines than are wanted as a value',
    input: '1,a,"b\n2,c,d\n3,e,f"\n4,g,h\n',
    options: { runaway: { figureColumns: [1], linesMin: 3 } },
    accepted: '1,a,"b\n2,c,d\n3,e,f"\n4,g,h\n',
    runaways: [[1, 3, false]],
  },
  {
    title: 'lines without figures where the table has them as a value, not doubted',
    input: '1,a,"b\nx,c,d\n3,e,f"\n4,g,h\n',
    options: { runaway: { figureColumns: [1], linesMin: 1 } },
    accepted: '1,a,"b\nx,c,d\n3,e,f"\n4,g,h\n',
  },
  {
    title: 'lines of another width as a value, delimiters of a value on one line left out',
    input: '"1,1","b\n2,c,d\n3",f\n',
    options: { runaway: { figureColumns: [], linesMin: 1 } },
    accepted: '"1,1","b\n2,c,d\n3",f\n',
  },
  {
    title: 'a runaway with one odd line among ten, and bad bytes in it',
    input: `1,x,"a\n${'2,b,y\n'.repeat(5)}3,\xff,z\nodd\n${'4,c,y\n'.repeat(3)}5,d,"\n6,e,f\n`,
    options: { runaway: { figureColumns: [1], linesMin: 5 } },
    accepted: `${'2,b,y\n'.repeat(5)}${'4,c,y\n'.repeat(3)}6,e,f\n`,
    rejects: [
      [1, 6, 'unclosed_quote', 3],
      [7, 5, 'invalid_bytes', 2],
      [8, 3, 'too_few_fields'],
      [12, 5, 'unclosed_quote', 3],
    ],
    runaways: [[1, 12, true]],
  },
  { title: 'nothing', input: '', accepted: '' },
]

for (const row of rows) {
  test(`createScanner() reads ${row.title}, however it is split`, () => {
    const options = { ...plain, ...row.options }
    const input = Buffer.from(row.input, 'latin1')
    const expected = outcomeOf(createOracleScanner(options), [input], row.exclusions)
    assert.equal(expected.text, row.accepted)
    assert.deepEqual(
      expected.rejects.map((reject) => [reject.line, reject.byteLength, reject.reason, reject.column]),
      (row.rejects ?? []).map(([line, bytes, reason, column]) => [line, bytes, reason, column ?? null]),
    )
    if (row.repairedLines !== undefined) assert.deepEqual(expected.repairedLines, row.repairedLines)
    assert.deepEqual(expected.otherEscapeLines, row.otherEscapeLines ?? [])
    assert.deepEqual(
      expected.runaways.map(({ line, lineCount, isSplit }) => [line, lineCount, isSplit]),
      row.runaways ?? [],
    )
    assert.deepEqual([expected.blank, expected.skipped], [row.blank ?? 0, row.skipped ?? 0])
    for (const chunks of everyCut(input)) {
      assert.deepEqual(outcomeOf(createScanner(options), chunks, row.exclusions), expected)
    }
  })
}
