// Tests of single columns and plain quotes: values stay whole, and tables are still split.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const read = (text: string) => {
  const { names, dialect } = readHead(Buffer.from(text), true)
  return `${names.join('|')} ${dialect.quoteChar ?? 'none'}`
}

const columns: readonly [what: string, text: string, names: string][] = [
  ['decimal commas', 'preis\n1,5\n2,75\n3,25\n4,00\n', 'preis'],
  ['negative ones with CRLF', 'preis\r\n-1,5\r\n2,75\r\n13,25\r\n', 'preis'],
  ['names with a comma and a blank', 'name\nLovelace, Ada\nTuring, Alan\nHopper, Grace\n', 'name'],
  ['names of several words with a comma', 'nombre\nGarcía Márquez, Gabriel\nBorges, Jorge Luis\nSoto, Ana\n', 'nombre'],
  ['places of two and of three parts', 'Ort\nParis, France\nBerlin, Germany\nNew York, NY, USA\n', 'Ort'],
  ['prices in groups', 'montant\n1 234,50 €\n12,00 €\n5,10 €\n', 'montant'],
  ['prices', 'preis\n1,50 €\n2,75 €\n3.125,00 €\n', 'preis'],
  ['places with a semicolon and a blank', 'place\nBerlin; Germany\nRome; Italy\nOslo; Norway\n', 'place'],
  ['positions', 'pos\n48.2, 16.3\n47.1, 15.4\n46.6, 14.3\n', 'pos'],
  ['two words below two words', 'full name\nAda Lovelace\nAlan Turing\nGrace Hopper\n', 'full name'],
  ['times and words', '10:00:01 a b\n10:00:02 c d\n10:00:03 e f\n', 'column_1'],
  ['words and numbers', 'flight no\nLH 400\nBA 117\nUA 22\n', 'flight no'],
  ['two words below one', 'name\nAda Lovelace\nAlan Turing\nGrace Hopper\n', 'name'],
  ['moments', 'when\n2020-01-01 10:00\n2020-01-02 11:00\n2020-01-03 12:30\n', 'when'],
  ['times', 'time\n10:00\n11:00\n12:30\n', 'time'],
  [
    'lines of a log',
    '2026-11-23 10:00:01 INFO x: y\n2026-11-23 10:00:02 WARN db: slow again\n2026-11-23 10:00:03 INFO x: z\n',
    'column_1',
  ],
  [
    'lines of a log with messages of any length',
    '2026-11-23T10:00:01Z host app: up\n2026-11-23T10:00:02Z host app: going down now\n2026-11-23T10:00:03Z host app: up\n',
    'column_1',
  ],
  [
    'lines of a log with milliseconds',
    '2026-11-23 10:00:01,123 INFO app: up\n2026-11-23 10:00:02,456 WARN db: 3 rows, slow\n2026-11-23 10:00:03,789 INFO app: bye\n',
    'column_1',
  ],
  ['addresses of network cards', '00:11:22:33:44:55\n00:11:22:33:44:56\naa:bb:cc:dd:ee:ff\n', 'column_1'],
  ['JSON objects', 'payload\n{"a":1,"b":2}\n{"a":3,"b":4}\n{"a":5}\n', 'payload'],
  ['lists in brackets', 'tags\n[a,b]\n[c,d]\n[e,f]\n', 'tags'],
  [
    'addresses with any number of parts',
    'address\n3 High Street, London\n5 Elm Road, Leeds, UK\n7 Elm Road, Leeds, UK\n',
    'address',
  ],
  ['amounts in thousands', 'price\n$1,001.50\n$999.00\n$1,234,567.25\n$2,500.00\n', 'price'],
  ['prices without a header', '$1,584.43\n$2,051.54\n$999.00\n$12,000.00\n', 'column_1'],
  ['prices with a line of blanks', 'EUR\n162,09 €\n122,99 €\n   \n658,04 €\n', 'EUR'],
  [
    'addresses with a typo',
    'https://x.org/a?a=1&b=2\nhttps://x.org/b?a=2&b=3\nhttps://x.org/c?a=3&b=4\nhttps://x.org/d?a=4&b=5\nhttps://x.org/e?a=5&b=6\nhttps://x.org/f?a=6&b=7;x\n',
    'column_1',
  ],
  ['telephone numbers', '+49 491 36727\n+49 862 87415\n+49 719 49898\n+33 142 68530\n', 'column_1'],
  ['colors above a footer', 'hex\n#ec089c\n#ef59a1\n#ad3fc0\n#90e0b4\n#12ab34\n5 rows\n', 'hex'],
  ['quoted values of which one has a slip', '"m"\n"a, b"\n"c"\n"d\n"e"\n"f"\n', 'm'],
  ['quoted values of which one is cut', '"name"\n"Ada Lee"\n"Bob Ray"\n"Cy Oz"\n"Dee Li"\n"Al Fox";g\n', 'name'],
  ['paths of Windows', 'C:\\data\\a\\\nC:\\data\\b\\\nC:\\data\\c\\\nD:\\x\\c\\\n', 'C:\\data\\a\\'],
  ['addresses of mail', 'mail\na@b.c\nd@e.f\ng@h.i\n', 'mail'],
]
for (const [what, text, names] of columns) {
  test(`readHead() keeps a single column whole: ${what}`, () => assert.equal(read(text), `${names} "`))
}

const tables: readonly [what: string, text: string, names: string][] = [
  ['a title above a header', 'Sales\na,b\n1,2\n3,4\n5,6\n', 'a|b'],
  ['a title above names and figures', 'Team\nAda Lovelace, 36\nAlan Mathison Turing, 41\n', 'column_1|column_2'],
  ['times and figures', 'time,value\n10:00:01,123\n10:00:02,456\n10:00:03,789\n', 'time|value'],
  ['times beside figures', '10:00:01 a 7\n10:00:02 c 8\n10:00:03 e 9\n', 'column_1|column_2|column_3'],
  ['figures between colons', 'a:10:20:30\nb:11:20:31\nc:12:20:32\n', 'column_1|column_2|column_3|column_4'],
  ['values with semicolons', 'x\na;1\nb;2\nc;3\n', 'column_1|column_2'],
  ['names and figures of any width', 'Team\nAda, 36, x\nAlan, 41, y\nBob, 5\n', 'column_1|column_2|column_3'],
  ['values of two kinds', 'city\nParis,2148000\nRome,2873000\nOslo,700000\n', 'column_1|column_2'],
  ['quoted row names below a single name', '"x"\n"1" 5\n"2" 6\n"3" 7\n', 'column_1|x'],
  [
    'blanks between quoted names with a comma',
    'id name sum\n1 "Nguyen, Ada" 5\n2 "Smith, Al" 7\n3 "Wu, Bo" 9\n',
    'id|name|sum',
  ],
  ['words and figures below as many names', 'host port load\na 1 x\nb 2 y\nc 3 z\n', 'host|port|load'],
  ['two figures', 'x y\n1 2\n3 40\n', 'x|y'],
  ['a single record below names', 'x y z\n1 2 3\n', 'x|y|z'],
  ['names with plus signs between blanks', 'name + state\nAnn Lee + NY\nBo Ray + LA\n', 'name|state'],
  ['a title above bars between blanks', 'Words\nkind | word\nQ | sum\nS | difference\n', 'kind|word'],
  ['a list in a field after a comma', 'key,values\nalpha,5;2;8\n', 'key|values'],
  ['a list in a field after a tab', 'id\tlist\na1\tx;y;z\nb2\tx;y;w\nc3\tx;v;u\n', 'id|list'],
  ['lists as long in each record, without a header', '1\tx;y;z\n2\tx;y;w\n3\tx;v;u\n', 'column_1|column_2'],
  ['a list in a field after a semicolon', '1;Ann;red,blue\n2;Bo;green,black\n', 'column_1|column_2|column_3'],
  ['decimal commas between semicolons', 'Ann;1,5\nBo;2,5\nCy;7,5\n', 'column_1|column_2'],
  ['blocks of rows with surplus delimiters', 'a,b,,,\n1,x,,,\n2,y,,,\n3,z\n4,w\n', 'a|b'],
  ['two columns of figures without a header', '1,5\n2,75\n3,25\n4,00\n', 'column_1|column_2'],
]
for (const [what, text, names] of tables) {
  test(`readHead() splits a table: ${what}`, () => assert.equal(read(text), `${names} "`))
}

const quotes: readonly [what: string, text: string, wanted: string][] = [
  ['of titles', 'ns\ttitle\n0\t"a"_b\n0\t"c\n0\td\n0\te\n0\tf"\n0\t"g"_h\n0\ti\n', 'ns|title none'],
  ['of inches', 'id|size\n1|"5 wide\n2|6"\n3|7"\n4|"x" y\n', 'id|size none'],
  ['that are one typo', 'id,t\n1,"a" b\n2,c\n3,d\n', 'id|t "'],
  ['that mostly enclose', 'id,t\n1,"a"\n2,"b"\n3,"c" x\n4,"d" y\n5,"e"\n', 'id|t "'],
  ['that contain delimiters', 'id,t\n1,"a, b"\n2,"c" x\n3,"d, d"\n4,"e"\n5,"f, g"\n6,"h" y\n', 'id|t "'],
  ['that contain quotes', 'id,t\n1,"a ""b"""\n2,"c" x\n3,"d"\n4,e\n5,f\n', 'id|t "'],
]
for (const [what, text, wanted] of quotes) {
  test(`readHead() treats quotes ${what} as ${wanted.endsWith('none') ? 'text' : 'quotes'}`, () => {
    assert.equal(read(text), wanted)
  })
}

/** Kinds of values with blanks or colons in them; a number makes another one like the others. */
const kindsOfValues: Readonly<Record<string, (i: number) => string>> = {
  'flight no': (i) => `${['LH', 'BA', 'UA'][i % 3]} ${100 + ((i * 37) % 900)}`,
  'full name': (i) => `${['Ada', 'Alan', 'Grace'][i % 3]} ${['Lovelace', 'Turing', 'Hopper', 'Wu'][i % 4]}`,
  'created at': (i) => `2024-0${1 + (i % 9)}-1${i % 10} 1${i % 10}:2${i % 10}:05`,
  'unit price': (i) => `${10 + i}.${10 + ((i * 7) % 90)} EUR`,
  'post code': (i) => `${110 + i} ${10 + ((i * 7) % 90)}`,
  'post town': (i) => `${10_115 + i} Berlin`,
  'phone no': (i) => `0${30 + (i % 60)} ${1_234_567 + i * 91}`,
  'area phone': (i) => `+49 ${30 + (i % 60)} ${123_456 + i * 91}`,
  'total amount': (i) => `${1 + i} ${100 + ((i * 37) % 900)}`,
  'valid until': (i) => `${1 + (i % 28)} May 20${10 + (i % 15)}`,
  'size range': (i) => `${i}-${i + 4} cm`,
  'opening time': (i) => `1${i % 10}:${10 + (i % 50)} PM`,
  'aspect ratio': (i) => `${4 + (i % 12)}:${3 + (i % 6)}`,
  'street name': (i) => `${['High', 'Elm', 'Oak'][i % 3]} Street`,
}

test('readHead() reads as many columns from any number of records alike', () => {
  for (const [name, write] of Object.entries(kindsOfValues)) {
    for (let count = 2; count < 24; count += 1) {
      for (const header of [`${name}\n`, '']) {
        const text = header + Array.from({ length: count }, (_, i) => `${write(i)}\n`).join('')
        assert.equal(readHead(Buffer.from(text), true).width, 1, text.slice(0, 60))
      }
    }
  }
  const table: Readonly<Record<string, (i: number) => string>> = {
    'x y': (i) => `${i} ${i * i}`,
    'id name score': (i) => `${i} n${i} ${i}.5`,
    'name dept pay': (i) => `Ann HR ${1000 + i}`,
    'a:b:c': (i) => `k${i}:${i}:v`,
  }
  for (const [names, recordOf] of Object.entries(table)) {
    for (let count = 1; count < 24; count += 1) {
      const text = `${names}\n${Array.from({ length: count }, (_, i) => `${recordOf(i)}\n`).join('')}`
      const { width, notes } = readHead(Buffer.from(text), true)
      assert.equal(width, names.split(/[ :]/).length, text.slice(0, 60))
      assert.ok(
        notes.some(({ code }) => code === 'DELIMITER_UNCERTAIN'),
        text.slice(0, 60),
      )
    }
  }
})
