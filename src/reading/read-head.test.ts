// Tests of the head: decisions for realistic files, and that declarations win.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../core/errors.ts'
import { readHead } from './read-head.ts'
import { columnsMax, type DeclaredDialect, headBytesMax, type Reading } from './reading.ts'

const people = ['id,name,born', '1,Ann,1990-05-01', '2,Bob,1985-11-23', '3,Cy,2001-01-31', '4,Dee,1999-12-12']
const lines = (rows: readonly string[], end = '\n') => rows.map((row) => row + end).join('')
const numbers = (count: number, row: (at: number) => string) => Array.from({ length: count }, (_, at) => row(at + 1))

const messagesOf = ({ notes }: Pick<Reading, 'notes'>) => notes.map(({ message }) => message).join(' ')

/** A reading in one line: delimiter and quote, width, records before the data, first names. */
function read(text: string | Uint8Array, declared: DeclaredDialect = {}, isWhole = true): string {
  const { dialect, width, names, before } = readHead(Buffer.from(text), isWhole, declared)
  const marks = [dialect.delimiter, dialect.quoteChar ?? 'none'].map((mark) => (mark === '\t' ? 'tab' : mark)).join(' ')
  return `${marks} | ${width} | ${before.header} ${before.skipped} ${before.blank} | ${names.join(' ')}`
}

const cases: readonly [what: string, text: string, wanted: string][] = [
  ['a plain table', lines(people), ', " | 3 | 1 0 0 | id name born'],
  ['a table without a header', lines(people.slice(1)), ', " | 3 | 0 0 0 | column_1 column_2 column_3'],
  ['semicolons with decimal commas', 'a;b\n1,5;2,5\n3,5;4,5\n', '; " | 2 | 1 0 0 | a b'],
  [
    'names of three capitals and a figure',
    'DAY 1;DAY 2;VAR001\n1;2;3,5\n4;5;7,5\n',
    '; " | 3 | 1 0 0 | DAY 1 DAY 2 VAR001',
  ],
  ['tabs with commas in the text', 'a\tb\n1\tx, y\n2\tz, w\n', 'tab " | 2 | 1 0 0 | a b'],
  ['bars', 'a|b\n1|x,y\n2|z,w\n', '| " | 2 | 1 0 0 | a b'],
  ['section signs', 'a§b§c\n1,5§x, y§2\n2,5§z, w§3\n', '§ " | 3 | 1 0 0 | a b c'],
  ['Arabic semicolons', `الاسم؛العمر؛المدينة\n${'علي؛32؛حلب\n'.repeat(5)}`, '؛ " | 3 | 1 0 0 | الاسم العمر المدينة'],
  ['ideographic commas', `名前、年齢\n${'田中、32\n'.repeat(9)}`, '、 " | 2 | 1 0 0 | 名前 年齢'],
  [
    'tabs below a record with an open quote',
    '1\tx;\t"y\tz\n2\tx;\tv\tw\n3\tx;\tv\tw\n4\tx;\tv\tw\n',
    'tab " | 4 | 0 0 0 | column_1 column_2 column_3 column_4',
  ],
  [
    'quotes inside fields that are not escaped, above a record with an open one',
    `id,text,no\n${lines(numbers(6, (at) => `${at},"say "x${at}" now",${at}`))}7,"open,7\n`,
    ', " | 3 | 1 0 0 | id text no',
  ],
  [
    'quotes around words of titles',
    `no\ttitle\n${lines(numbers(20, (at) => `${at}\t"A${at}" ${at % 3 === 0 ? 'and "B"' : 'song'}`))}`,
    'tab none | 2 | 1 0 0 | no title',
  ],
  [
    'a file that was appended to itself, with its byte order mark',
    '\ufeffid,name\n1,Ann\n2,Bob\n\ufeffid,name\n3,Cy\n4,Dee\n',
    ', " | 2 | 1 0 0 | id name',
  ],
  ['record separators', 'a\u001eb\n1,5\u001e2\n3,5\u001e4\n', '\u001e " | 2 | 1 0 0 | a b'],
  ['prose with ideographic commas', 'id,memo\n1,赤、青\n2,白、黒、緑\n3,金\n', ', " | 2 | 1 0 0 | id memo'],
  ['spaces', `no at what\n${lines(numbers(9, (at) => `${at} 12:0${at} "x y"`))}`, '  " | 3 | 1 0 0 | no at what'],
  ['single quotes', "a,b\n'x, y',1\n'z, w',2\n'p, q',3\n", ", ' | 2 | 1 0 0 | a b"],
  ['apostrophes', "a,b\nO'Brien,1\nrock 'n' roll,2\n'tis,3\n", ', " | 2 | 1 0 0 | a b'],
  [
    'inches in a file without quoting',
    'size\tno\n"3 inch\t1\n"4 inch\t2\n"5 inch\t3\n',
    'tab none | 2 | 1 0 0 | size no',
  ],
  [
    'CR with more LF in quotes',
    '"n"|"ok"|"m"\r"An"|"y"|"p\ni\nt"\r"Bo"|"n"|"w"\r"Cy"|"n"|"d\nz"\r',
    '| " | 3 | 1 0 0 | n ok m',
  ],
  ['line ends in quotes', 'a,b\n"x\ny, z",1\n"p\n\nq",2\n', ', " | 2 | 1 0 0 | a b'],
  ['titles above the table', `Sales 2024\n\nAll regions\n${lines(people)}`, ', " | 3 | 1 2 1 | id name born'],
  [
    'more titles than records',
    `Instrument: A\nOperator: B\nDate: 1, May\nRun: 3\n\n${lines(people.slice(0, 3))}`,
    ', " | 3 | 1 4 1 | id name born',
  ],
  [
    'more titles than records, and no blank line',
    `Instrument: A\nOperator: B\nUnit: C\nRun: 3\nLot: 4\nBy: me\n${lines(people)}`,
    ', " | 3 | 1 6 0 | id name born',
  ],
  [
    'a text that ends with some commas',
    'One.\nTwo, three.\nFour.\nFive.\nA, b, c.\nD, e, f.\n',
    '; " | 1 | 1 0 0 | One.',
  ],
  ['lists in cells', 'col1,col2\n1;2;3,4;5;6\na;b;c,d;e;f\n', ', " | 2 | 1 0 0 | col1 col2'],
  ['a title above decimal commas', 'Sales, total\nid;sum\n1;1,5\n2;2,5\n', '; " | 2 | 1 1 0 | id sum'],
  [
    'line feeds in texts of a CR file',
    'id;type;text\r1;toy;box\r2;toy;x\r3;book;One\nof,\na\nkind, \nso\r',
    '; " | 3 | 1 0 0 | id type text',
  ],
  ['a first line that names the delimiter', 'sep=;\nid;a,b,c\n1;a,b,c\n2;d,e,f\n', '; " | 2 | 1 1 0 | id a,b,c'],
  ['such a line in quotes, above a header alone', '"sep=\t"\r\nid\tname\tn\r\n', 'tab " | 3 | 1 1 0 | id name n'],
  ['such a line that is wrong', `sep=;\n${lines(people)}`, ', " | 3 | 1 1 0 | id name born'],
  ['such a line above one column', 'sep=;\nn\n1\n2\n3\n', '; " | 1 | 1 1 0 | n'],
  [
    'a table drawn with lines',
    '+----+------+\n| id | name |\n+----+------+\n|  1 | Ann  |\n|  2 | Bob  |\n+----+------+\n2 rows in set\n',
    '| " | 4 | 1 1 0 | column_1 id name column_4',
  ],
  ['titles padded to full width', `Sales,,\n,,\n${lines(people)}`, ', " | 3 | 1 2 0 | id name born'],
  [
    'titles above a header with gaps',
    'Costs,,,,\n,,,,\nland,sum,,,\nFR,1,2,3,4\nDE,5,6,7,8\n',
    ', " | 5 | 1 2 0 | land sum column_3 column_4 column_5',
  ],
  ['many short records as no titles', `${'a,b\n'.repeat(11)}${'1,2,3\n'.repeat(20)}`, ', " | 3 | 1 0 0 | a b column_3'],
  [
    'names and values above a blank line and a header',
    `Report,2021\nBy:,me\n\n${lines(people)}`,
    ', " | 3 | 1 2 1 | id name born',
  ],
  [
    'records of several values above a header',
    `Report,2021\nBy:,me\n${lines(people)}`,
    ', " | 3 | 1 0 0 | id name born',
  ],
  ['a title, then such a record', `Sales\nBy:,me\n${lines(people)}`, ', " | 3 | 1 1 0 | id name born'],
  [
    'a short first record without a header',
    'Ann\nBob,1,x\nCy,2,y\nDee,3,z\n',
    ', " | 3 | 0 0 0 | column_1 column_2 column_3',
  ],
  ['a sparse one', 'Ann,,\nBob,1,x\nCy,2,y\nDee,3,z\n', ', " | 3 | 0 0 0 | column_1 column_2 column_3'],
  ['an odd one', '1,"a" x,5\n2,b,6\n3,c,7\n', ', " | 3 | 0 0 0 | column_1 column_2 column_3'],
  ['an escaped one', '1\ta\\\nb\t\\N\n2\tb\tc\n3\td\te\n4\tf\tg\n', 'tab " | 3 | 0 0 0 | column_1 column_2 column_3'],
  ['a title set off by a blank line', 'Sales\n\n7,2,3\n4,5,6\n7,8,9\n', ', " | 3 | 0 1 1 | column_1 column_2 column_3'],
  ['a figure alone above the header', `2021\n${lines(people)}`, ', " | 3 | 1 0 0 | id name born'],
  [
    'a header above records of another width',
    `day,n\n2021-01-01,5\n2021-01-02,5\n${'2021-02-01,6,x\n'.repeat(5)}`,
    ', " | 3 | 1 0 0 | day n column_3',
  ],
  [
    'a header of a logger, its units, and how they were measured',
    'time,nr,air,rain\nTS,RN,Deg C,mm\n"","",Avg,Tot\n2024-01-01,1,5.5,0\n2024-01-02,2,6.5,1\n2024-01-03,3,7.5,0\n',
    ', " | 4 | 1 2 0 | time nr air rain',
  ],
  [
    'channels above units',
    'x-axis,1,2\nsecond,Volt,Volt\n-1.0E-3,0.5,1.5\n-0.9E-3,0.6,1.6\n-0.8E-3,0.7,1.7\n',
    ', " | 3 | 1 1 0 | x-axis 1 2',
  ],
  [
    'groups of columns beside row names',
    ',North,,South,\n,sum,n,sum,n\nA,1.5,2,3.5,4\nB,2.5,3,4.5,5\n',
    ', " | 5 | 2 0 0 | column_1 North sum North n South sum South n',
  ],
  [
    'more names and values above a table than records in it',
    'Account:;1234;\nFrom:;1 May;\nTo:;2 May;\nOpening:;5.00;\nClosing:;7.00;\n\nday;what;who;why;how;sum;ok\n1;a;b;c;d;5;y\n2;e;f;g;h;6;n\n3;e;f;g;h;6;n\n4;e;f;g;h;6;n\n',
    '; " | 7 | 1 5 1 | day what who why how sum ok',
  ],
  [
    'names and values above a table, padded to its width',
    `Sales,,,,\nRegion:,EMEA,,,\nPeriod:,May,,,\n,,,,\nid,name,born,city,n\n${lines(people.slice(1).map((row) => `${row},Rome,7`))}`,
    ', " | 5 | 1 4 0 | id name born city n',
  ],
  ['row names as R writes them', '"a" "b"\n"1" 5 6\n"2" 7 8\n', '  " | 3 | 1 0 0 | column_1 a b'],
  ['row names that are texts', 'a,b\nr1,1,2\nr2,3,4\nr3,5,6\n', ', " | 3 | 1 0 0 | column_1 a b'],
  ['row names above which all names are the same', '"x";"x"\n"k";1;2\n"m";3;4\n', '; " | 3 | 1 0 0 | column_1 x x_2'],
  ['a single record with a row name', '"a";"b"\n"r1";1;2\n', '; " | 3 | 1 0 0 | column_1 a b'],
  ['a single record too long', 'a,b\n1,2,3\n', ', " | 2 | 1 0 0 | a b'],
  ['an empty column after the last name', 'a,b\n1,2,\n3,4,\n', ', " | 3 | 1 0 0 | a b column_3'],
  ['as many wide records as narrow ones', '1,2\n3,4\n5,6,7\n8,9,0\n', ', " | 2 | 0 0 0 | column_1 column_2'],
  ['remarks', `# made by hand\n${lines(people)}# end\n`, ', " | 3 | 1 1 0 | id name born'],
  ['a header that begins like a remark', '#id,name\n1,a\n2,b\n', ', " | 2 | 1 0 0 | #id name'],
  ['values that begin like a remark', 'tag,n\n#a,1\n#b,2\n#c,3\n', ', " | 2 | 1 0 0 | tag n'],
  ['a header of two records', 'a,b\na,b\n1,2\n3,4\n5,6\n', ', " | 2 | 2 0 0 | a a b b'],
  ['units below the names', 'speed,time\nkm/h,s\n1,2\n3,4\n5,6\n7,8\n', ', " | 2 | 1 1 0 | speed time'],
  ['a name too few', lines(['id,name', ...people.slice(1)]), ', " | 3 | 1 0 0 | id name column_3'],
  ['an empty name too many', lines(['id,,name,born', ...people.slice(1)]), ', " | 3 | 1 0 0 | id name born'],
  ['a stray quote in the header', lines(['"id,name,born', ...people.slice(1)]), ', " | 3 | 1 0 0 | "id name born'],
  ['a header with another delimiter', lines(['id;name;born', ...people.slice(1)]), ', " | 3 | 1 0 0 | id name born'],
  ['a delimiter at the end of every line', lines(people, ',\n'), ', " | 4 | 1 0 0 | id name born column_4'],
  ['figures in quotes as names', '"2023","2024"\n1,2\n3,4\n5,6\n', ', " | 2 | 1 0 0 | 2023 2024'],
  ['a first record that needs its quotes', '"1,5","2,5"\n3,4\n5,6\n7,8\n', ', " | 2 | 0 0 0 | column_1 column_2'],
  ['years as names', 'land,1990,1991\nFR,1.5,2.5\nDE,3.5,4.5\n', ', " | 3 | 1 0 0 | land 1990 1991'],
  ['column numbers as names', ',0,1,2\n0,x,1.5,7\n1,y,2.5,9\n', ', " | 4 | 1 0 0 | column_1 0 1 2'],
  ['repeated names', 'a,a,b\n1,2,3\n4,5,6\n', ', " | 3 | 1 0 0 | a a_2 b'],
  ['a header alone', 'id,name,born\n', ', " | 3 | 1 0 0 | id name born'],
  ['one record of values', '1,Ann,1990-05-01\n', ', " | 3 | 0 0 0 | column_1 column_2 column_3'],
  ['one column of figures', 'n\n1\n2\n3\n', ', " | 1 | 1 0 0 | n'],
  ['one column of texts with commas', 'note\nOne, two.\nThree\nFour, five, six\n', '; " | 1 | 1 0 0 | note'],
  ['one value', 'x', ', " | 1 | 0 0 0 | column_1'],
  ['blank lines only', '\n\n', ', " | 0 | 0 0 2 | '],
]

for (const [what, text, wanted] of cases) test(`readHead() reads ${what}`, () => assert.equal(read(text), wanted))

test('readHead() finds delimiters that occur in no value, and hardly any other', () => {
  const rows = ['id,name,day,sum', ...numbers(12, (at) => `${at},Ann ${at},1990-05-${at + 9},${at}.25`)]
  for (let code = 1; code < 0x7f; code += 1) {
    const delimiter = String.fromCharCode(code)
    if (/[\w\s"'()./[\]{}-]/.test(delimiter)) continue
    const { dialect, width } = readHead(Buffer.from(lines(rows).replaceAll(',', delimiter)), true)
    assert.deepEqual([dialect.delimiter, width], [delimiter, 4])
  }
})

test('readHead() is not misled by multi-line texts longer than the sample on which layouts are tried', () => {
  const text = `"${'Come and see the shop of all of us\r\n'.repeat(1200).trim()}"`
  const rows = ['text,status', ...numbers(40, (at) => `${text},${at}`)]
  assert.equal(read(lines(rows, '\r\n')), ', " | 2 | 1 0 0 | text status')
})

test('readHead() considers all records of a head with an unclosed quote', () => {
  const rows = ['a,b', 'x,"y', 'z,w', ...numbers(30, (at) => `${at},${at}`)]
  const { evidence } = readHead(Buffer.from(lines(rows)), false)
  assert.deepEqual([evidence.dialect.fitting, evidence.dialect.records], [32, 33])
})

test('readHead() uses the width of most records, not of the first', () => {
  assert.equal(readHead(Buffer.from(`a,b\n${'1,2,3\n'.repeat(5)}`), true).width, 3)
  assert.equal(readHead(Buffer.from(`a,b,c\n${'1,2,3\n'.repeat(5)}4,5\n6\n7,8,9,10\n`), true).width, 3)
})

test('readHead() gives the same reading whichever record is broken', () => {
  const rows = ['ref,day,note', ...numbers(20, (at) => `R${at},2024-01-${at + 9},"said ""no"", twice"`)]
  const wanted = read(lines(rows))
  for (let at = 1; at < rows.length; at += 1) {
    for (const broken of [
      '"R1,2024-01-10,x',
      'R1,,2024-01-10,x',
      'R12024-01-10,x',
      'R1 2024-01-10 x',
      '"a"b,c,d',
      'a,b,"',
    ]) {
      assert.equal(read(lines(rows.with(at, broken))), wanted, `${broken} at ${at}`)
    }
  }
})

test('readHead() distinguishes doubled, escaped and plain quotes', () => {
  const rows = (quote: string) => `a,b\n${lines(numbers(9, (at) => `${at},"say ${quote}x${quote}, then go"`))}`
  const escapes = (text: string) => {
    const { doubleQuote, escapeChar } = readHead(Buffer.from(text), true).dialect
    return [doubleQuote, escapeChar]
  }
  assert.deepEqual(escapes(rows('""')), [true, null])
  assert.deepEqual(escapes(rows('\\"')), [false, '\\'])
  assert.deepEqual(escapes(rows('"')), [false, null])
})

test('readHead() detects the line end of most records', () => {
  const ending = (text: string) => readHead(Buffer.from(text), true).dialect.lineTerminator
  assert.equal(ending(lines(people, '\r\n')), '\r\n')
  assert.equal(ending(lines(people, '\r')), '\r')
  assert.equal(ending(lines(people)), '\n')
  assert.equal(ending('a,b\r\n"x\ny\nz\nw",1\r\n'), '\r\n')
  assert.equal(ending('a,b\nx\ry,1\nz\rw,2\n'), '\n')
  assert.equal(ending(`${lines(people, '\r')}5,Eve,1970-01-01\n`), '\r')
})

test('readHead() detects blanks after every delimiter', () => {
  assert.equal(readHead(Buffer.from('a, b\n1, "x, y"\n2, "z"\n'), true).dialect.skipInitialSpace, true)
  assert.equal(readHead(Buffer.from('a, b\n1, x\n2, y\n'), true).dialect.skipInitialSpace, true)
  assert.equal(readHead(Buffer.from('a,b\n1, x\n2,y\n'), true).dialect.skipInitialSpace, false)
  // Blanks that align numbers to the right are part of the fields.
  const { dialect, names } = readHead(
    Buffer.from('id;day;  FX;eor\n1;20240101;  12.5;eor\n2;20240102;-99.0;eor\n'),
    true,
  )
  assert.deepEqual([dialect.skipInitialSpace, names], [false, ['id', 'day', 'FX', 'eor']])
})

test('readHead() treats # as a comment character only where it is one', () => {
  const comment = (text: string) => readHead(Buffer.from(text), true).dialect.commentChar
  assert.equal(comment(`# made by hand\n${lines(people)}`), '#')
  assert.equal(comment('# made\ntag,n\na,1\n#b,2\nc,3\n'), '#')
  assert.equal(comment('tag,n\n#a,1\n#b,2\n#odd\n#c,3\n'), null)
  assert.equal(comment(`a#b#c\n${lines(numbers(9, (at) => `${at}#x#${at}`))}#odd\n`), null)
})

test('readHead() finds where the data begin, in bytes of the original', () => {
  const start = (bytes: Uint8Array) => {
    const { bytes: offset, lines: count } = readHead(bytes, true).before
    return [offset, count]
  }
  assert.deepEqual(start(Buffer.from('\ufeffñ,b\n1,2\n3,4\n')), [8, 1])
  assert.deepEqual(start(Buffer.from('ñ,b\n1,2\n3,4\n', 'latin1')), [4, 1])
  assert.deepEqual(start(Buffer.from('\ufeffa,b\r\n1,2\r\n3,4\r\n', 'utf16le')), [12, 1])
  assert.deepEqual(start(Buffer.from('"a\nb",c\n1,2\n3,4\n')), [8, 2])
  assert.deepEqual(start(Buffer.from('a,b\r1,2\r3,4\r')), [4, 1])
  assert.deepEqual(start(Buffer.from('id,name')), [7, 0])
  assert.deepEqual(start(Buffer.from('id,name\n')), [8, 1])
  assert.deepEqual(start(Buffer.from('1,2\n3,4\n')), [0, 0])
})

test('readHead() is not misled by a record truncated at the end of the head', () => {
  const text = lines([...people, '5,Eve,1970-01-01'])
  for (let cut = 1; cut < 17; cut += 1) {
    assert.equal(read(text.slice(0, -cut), {}, false), read(lines(people)))
  }
})

test('readHead() follows declarations', () => {
  const text = lines(people)
  assert.equal(read(text, { delimiter: ';' }), '; " | 1 | 1 0 0 | id,name,born')
  assert.equal(read('a؛b\n1؛2\n', { delimiter: '؛' }), '؛ " | 2 | 1 0 0 | a b')
  assert.equal(read('a™b\n1™2\n', { delimiter: '™' }), '™ " | 2 | 1 0 0 | a b')
  assert.equal(read('a,b\r1,x\ny\r', { lineTerminator: '\r' }), ', " | 2 | 1 0 0 | a b')
  assert.equal(read('a,b\nx\ry,1\n', { lineTerminator: '\r\n' }), ', " | 2 | 1 0 0 | a b')
  assert.equal(read(text, { header: false }), ', " | 3 | 0 0 0 | column_1 column_2 column_3')
  assert.equal(read(lines(people.slice(1)), { header: true }), ', " | 3 | 1 0 0 | 1 Ann 1990-05-01')
  assert.equal(read(text, { skipRows: 2, header: false }), ', " | 3 | 0 2 0 | column_1 column_2 column_3')
  assert.equal(read(`title\n${text}`, { skipRows: 0, header: false }), ', " | 3 | 0 0 0 | column_1 column_2 column_3')
  assert.equal(read('"a,b",c\n1,2,3\n4,5,6\n', { quoteChar: null }), ', none | 3 | 1 0 0 | "a b" c')
  assert.equal(read(`%x\n${text}`, { commentChar: '%' }), ', " | 3 | 1 1 0 | id name born')
  const caret = readHead(Buffer.from('a,b\n"x^"y",1\n"z",2\n'), true, { escapeChar: '^' }).dialect
  assert.deepEqual([caret.escapeChar, caret.doubleQuote], ['^', false])
  assert.equal(readHead(Buffer.from(text), true, { escapeChar: '"' }).dialect.doubleQuote, true)
  assert.equal(readHead(Buffer.from(text), true, { delimiter: ', ' }).dialect.skipInitialSpace, true)
})

test('readHead() refuses declarations that no scanner can follow', () => {
  for (const declared of [
    { delimiter: '||' },
    { delimiter: '' },
    { delimiter: '😀' },
    { delimiter: '\r' },
    { quoteChar: '«' },
    { escapeChar: '\n' },
  ]) {
    assert.throws(() => readHead(Buffer.from('a'), true, declared), { code: 'BAD_PARAMETER' })
  }
})

test('readHead() notes its doubts', () => {
  const notes = (text: string | Buffer) => messagesOf(readHead(Buffer.from(text), true))
  assert.equal(notes(lines(people)), '')
  assert.match(notes(lines(people.slice(1))), /No header/)
  assert.match(notes(Buffer.from('n,b\nñ,1\n', 'latin1')), /windows-1252 was guessed/)
  assert.match(notes(`Title\n${lines(people)}`), /1 record was skipped/)
  assert.match(notes(lines(people, ',\n')), /column 4/)
  assert.match(notes('a|b;c\nd|e;f\n'), /delimiter is not certain/)
})

test('readHead() refuses more columns than a table may have', () => {
  assert.equal(readHead(Buffer.from(','.repeat(columnsMax - 1)), true).width, columnsMax)
  assert.throws(() => readHead(Buffer.from(','.repeat(columnsMax)), true), {
    code: 'NOT_READABLE',
    message: /more than 8192 columns, .+; send files with fewer columns/,
  })
})

test('readHead() considers no more than the head', () => {
  const head = Buffer.from('a,b\n'.repeat(headBytesMax / 4))
  assert.deepEqual(readHead(Buffer.concat([head, Buffer.from('1,2,3\n')]), true), readHead(head, false))
})

test('readHead() doubts a header with unbalanced quotes', () => {
  const { notes, names } = readHead(Buffer.from('a,"b"c,d\ne,f,g\n'), true)
  assert.equal(names.length, 3)
  assert.match(messagesOf({ notes }), /quotes that do not match/)
})

test('readHead() treats carriage returns in quotes as content, however many', () => {
  assert.equal(readHead(Buffer.from('x,"a\r\r\r\rb"\n1,2\n'), true).dialect.lineTerminator, '\n')
  assert.equal(readHead(Buffer.from('x,y\r"a\nb",1\r"c",2\r'), true).dialect.lineTerminator, '\r')
})

test('readHead() keeps the escape of most quotes, even if a few records have another', () => {
  const doubled = numbers(300, (i) => (i === 100 || i === 200 ? `${i},"say \\"hi\\""` : `${i},"say ""hi""${i}"`))
  const escaped = numbers(300, (i) => (i === 100 || i === 200 ? `${i},"say ""hi"""` : `${i},"say \\"hi\\"${i}"`))
  const bare = numbers(300, (i) => (i === 100 ? `${i},"say ""hi"""` : `${i},"say "hi" ${i}"`))
  const found = [doubled, escaped, bare].map((rows) => readHead(Buffer.from(lines(['id,text', ...rows])), true).dialect)
  assert.deepEqual(
    found.map(({ doubleQuote, escapeChar }) => [doubleQuote, escapeChar]),
    [
      [true, null],
      [false, '\\'],
      [false, null],
    ],
  )
})

test('readHead() never gives one character two roles, whatever is declared', () => {
  const marks = [',', ';', '\t', ' ', '"', "'", '\\', '#', '|', 'a', '1', null]
  const names = ['delimiter', 'quoteChar', 'escapeChar', 'commentChar'] as const
  const texts = ['id,name\n1,"a, b"\n2,"c ""d"""\n#x,y\n#z\n', 'a;b\n1;2\n', "sep=;\n'a';b\n'c';d\n", 'x\r1\r']
  for (const name of names) {
    for (const mark of name === 'delimiter' ? marks.filter((one) => one !== null) : marks) {
      for (const text of texts) {
        const { dialect } = readHead(Buffer.from(text), true, { [name]: mark })
        const found = names.map((role) => dialect[role]).filter((one) => one !== null)
        assert.equal(new Set(found).size, found.length, `${name} ${mark} of ${text}: ${found.join(' ')}`)
      }
    }
  }
})

test('readHead() refuses declarations that give one character two meanings', () => {
  const contradictions: DeclaredDialect[] = [
    { delimiter: ';', quoteChar: ';' },
    { delimiter: ', ', quoteChar: ',' },
    { delimiter: '|', escapeChar: '|' },
    { delimiter: '#', commentChar: '#' },
    { quoteChar: "'", commentChar: "'" },
    { escapeChar: '\\', commentChar: '\\' },
  ]
  for (const declared of contradictions) {
    const isRefused = (error: unknown) => error instanceof ServiceError && error.code === 'BAD_PARAMETER'
    assert.throws(() => readHead(Buffer.from('a;b\n1;2\n'), true, declared), isRefused, JSON.stringify(declared))
  }
  const doubled = readHead(Buffer.from('a;b\n1;2\n'), true, { quoteChar: '"', escapeChar: '"' }).dialect
  assert.equal(doubled.doubleQuote, true)
})
