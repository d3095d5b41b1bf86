// Tests of what the head contributes to the receipt: evidence, repeated headers, and contradicted declarations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evidenceInWords } from '../../core/evidence/evidence.ts'
import { readHead } from '../read-head.ts'
import type { DeclaredDialect } from '../reading.ts'

const people = `id,name,n\n${Array.from({ length: 40 }, (_, at) => `${at},Ann${at},${at * 2}\n`).join('')}`
const notesOf = (text: string | Buffer, declared: DeclaredDialect = {}) =>
  readHead(Buffer.from(text), true, declared)
    .notes.map(({ message }) => message)
    .join(' ')

const headers: readonly [what: string, text: string, wanted: RegExp][] = [
  ['nothing of one table', people, /^$/],
  [
    'another table with fewer fields',
    `${people}\nplace,size\nRome,1\nOslo,2\nBern,3\n`,
    /^Another table seems to begin on line 43 \(2 fields\)/,
  ],
  ['another table without a blank line above', `${people}a,b,c,d\n1,2,3,4\n5,6,7,8\n`, /begin on line 42 \(4 fields\)/],
  ['nothing of a few short records', `${people}x,y\n1,2,3\nz,w\n`, /^$/],
  ['nothing of short records of figures', `${people}1,2\n3,4\n5,6\n`, /^$/],
  [
    'another table with as many fields',
    `${people}day,place,size\n${'4,Rome,2\n'.repeat(9)}`,
    /^Another table of 3 fields seems to begin on line 42:/,
  ],
  [
    'the header again',
    `${people}${people}${people}`,
    /^The header is repeated on lines 42, 83: each is read as a record\.$/,
  ],
  [
    'the header again, after the byte order mark of a file that was appended',
    `\ufeff${people}\ufeff${people}`,
    /^The header is repeated on line 42: it is read as a record\.$/,
  ],
  [
    'a rule below the header',
    'id,name\n--,----\n1,Ann\n2,Bob\n3,Cy\n',
    /^Line 2, right below the header, .* `headerRows` \[1, 2\]/,
  ],
  [
    'a rule with a column that is one character wide',
    'id,name,v\n--,----,-\n1,Ann,2\n2,Bob,3\n',
    /^Line 2, right below the header, .* `headerRows` \[1, 2\]/,
  ],
  ['nothing of a record of single dashes', 'id,name,v\n-,-,-\n1,Ann,2\n2,Bob,3\n', /^$/],
  [
    'units in brackets',
    'speed,name\n(km/h),[-]\n1,Ann\n2,Bob\n',
    /^The record of units below the header was skipped \(line 2\)\.$/,
  ],
  ['marks in brackets', 'speed,name\n(a),[b]\n1,Ann\n2,Bob\n', /^Line 2, right below the header/],
]
for (const [what, text, wanted] of headers) {
  test(`repeatedHeaders() notes ${what}`, () => assert.match(notesOf(text), wanted))
}

test('doubtsOf() says what follows a header alone: nothing, or a record that does not end in the head', () => {
  const doubt = (text: string, isWhole: boolean) => readHead(Buffer.from(text), isWhole).notes[0]?.message ?? ''
  assert.match(doubt('id,name\n', true), /it is the only record of the table/)
  assert.match(doubt('id,name\n1,"A', false), /no other record ends within the first megabyte/)
})

const semicolons = people.replaceAll(',', ';')
const against: readonly [what: string, text: string | Buffer, declared: DeclaredDialect, wanted: RegExp][] = [
  [
    'a delimiter',
    people,
    { delimiter: ';' },
    /^Declared `delimiter` ';': read so, 41 of the first 41 records have 1 field; ',' would give: 41 of the first 41 records have 3 fields\.$/,
  ],
  ['no right delimiter', semicolons, { delimiter: ';' }, /^$/],
  [
    'no quoting',
    'a,b\n"x, y",1\n"z, w",2\n"p, q",3\n',
    { quoteChar: null },
    /Declared `quoteChar` none: .*; '"' would give: 4 of the first 4 records have 2 fields/,
  ],
  ['no right quote', "a,b\n'x, y',1\n'z, w',2\n", { quoteChar: "'" }, /^$/],
  [
    'no header',
    people,
    { header: false },
    /Declared `header` false: the first record looks like names \(id, name, n\); it is read as data/,
  ],
  [
    'a header',
    '1,Ann,2\n2,Bob,4\n3,Cy,6\n',
    { header: true },
    /^Declared `header` true: the record taken for it looks like data \(1, Ann, 2\)\.$/,
  ],
  ['no header of texts', 'ref,city\nAnn,Oslo\nBob,Rome\n', { header: true }, /^$/],
  [
    'rows to skip',
    `Sales\n${people}`,
    { skipRows: 0, header: false },
    /Declared `skipRows` 0: the record after them has 1 field, most have 3/,
  ],
  [
    'an encoding',
    Buffer.from('ä,b\né,2\n'),
    { encoding: 'windows-1252' },
    /^Declared encoding windows-1252: the file seems to be in utf-8/,
  ],
  [
    'UTF-8',
    Buffer.from('name,b\nMüller,2\nGrün,3\n', 'latin1'),
    { encoding: 'utf-8' },
    /^Declared encoding utf-8: the file seems to be in windows-1252/,
  ],
  [
    'an encoding by the mark',
    Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'),
    { encoding: 'utf-16be' },
    /Declared encoding utf-16be: the file seems to be in utf-16le/,
  ],
  [
    'UTF-16 of bytes that are ASCII',
    people,
    { encoding: 'utf-16le' },
    /Declared encoding utf-16le: the file seems to be in utf-8/,
  ],
  ['a line end', people, { lineTerminator: '\r' }, /Declared `lineTerminator`: the head holds no CR, but 41 LF/],
  ['no encoding of ASCII', people, { encoding: 'windows-1252' }, /^$/],
  ['no right encoding', Buffer.from('ä,b\né,2\n', 'latin1'), { encoding: 'windows-1252' }, /^$/],
]
for (const [what, text, declared, wanted] of against) {
  test(`dialectConflicts() names the evidence against ${what}`, () => assert.match(notesOf(text, declared), wanted))
}

test('readHead() uses declared header records, and joins their names as declared', () => {
  const text = 'made by us\nid,2023,\n,sum,tax\n1,2,3\n4,5,6\n'
  const read = (declared: DeclaredDialect) => {
    const { names, before } = readHead(Buffer.from(text), true, declared)
    return `${names.join('|')} ${before.header} ${before.skipped} ${before.lines}`
  }
  assert.equal(read({ headerRows: [2, 3] }), 'id|2023 sum|tax 2 1 3')
  assert.equal(read({ headerRows: [3, 2], headerJoin: '/' }), 'id|2023/sum|tax 2 1 3')
  assert.equal(read({ headerRows: [3] }), 'column_1|sum|tax 1 2 3')
  assert.equal(read({ headerRows: [] }), 'column_1|column_2|column_3 0 0 0')
  assert.equal(read({ headerRows: [2], header: false }), 'column_1|column_2|column_3 0 0 0')
  assert.throws(() => read({ headerRows: [9] }), { code: 'BAD_PARAMETER' })
  assert.throws(() => read({ headerRows: [2], skipRows: 1 }), { code: 'BAD_PARAMETER' })
})

test('readHead() names lines of UTF-8 in a file of another encoding', () => {
  const latin = Buffer.from(`id,name\n${'1,M\xfcller\n'.repeat(20)}`, 'latin1')
  const mixed = Buffer.concat([latin, Buffer.from('21,J\u00fcrgen\n22,Ann\n23,J\u00f6rg\n'), latin])
  assert.equal(
    notesOf(mixed.subarray(0, -latin.length)),
    'The encoding is not certain: windows-1252 was guessed from the bytes, but 2 lines are valid UTF-8; please check lines 22, 24.',
  )
  // Without them, the text has the letters of one language.
  const half = Buffer.concat(Array.from({ length: 10 }, () => mixed.subarray(latin.length - 10, -latin.length)))
  assert.match(notesOf(Buffer.concat([half, latin.subarray(8)])), /windows-1252 was guessed .* but 20 lines are valid/)
})

test('readHead() names the lines of its doubts', () => {
  const latin = Buffer.from(people.replaceAll(/Ann(?=[4589])/g, 'Zo\xeb '), 'latin1')
  assert.match(notesOf(latin), /windows-1252 was guessed from the bytes; please check lines 6, 7, 10, …\.$/)
  assert.match(
    notesOf(`Sales\n\nAll\n${people}`),
    /^2 records were skipped as titles above the table \(lines 1, 3\)\.$/,
  )
  assert.match(notesOf('a,"b"c,d\ne,f,g\n'), /quotes that do not match \(line 1\)/)
  assert.match(notesOf('size\tno\n"3 inch\t1\n"4 inch\t2\n"5 inch\t3\n'), /fields here \(lines 2, 3, 4\)\.$/)
  assert.match(notesOf('a|b;c\nd|e;f\n'), /fits nearly as well \(lines 1, 2\)\./)
})

test('readHead() notes texts that are not tables, and records with other line ends', () => {
  const declared = { delimiter: ',' }
  assert.match(notesOf('<!DOCTYPE html>\n<html><body>a, b</body></html>\n', declared), /looks like an HTML page/)
  assert.match(notesOf('<?xml version="1.0"?>\n<r><a>1</a></r>\n', declared), /looks like an XML document/)
  assert.match(notesOf('[{"a":1,"b":2},\n{"a":3,"b":4}]\n', declared), /looks like a JSON document/)
  assert.match(notesOf(people.replace('7,Ann7,14\n', '7,Ann7,14\r')), /lone carriage return \(line 9\)/)
  assert.equal(notesOf(people.replace('Ann7', 'An\rn7')), '')
})

test('readHead() says when a first line that names the delimiter is ignored', () => {
  assert.match(notesOf(`sep=;\n${people}`), /names the delimiter ';', but ',' was used/)
  const { evidence } = readHead(Buffer.from('sep=;\na;b\n1;2\n'), true)
  assert.match(evidenceInWords(evidence).dialect, /^Delimiter ';', as the first line says/)
})

test('readHead() doubts a single column of lines aligned with blanks', () => {
  const rows = [
    '5',
    'methane',
    'C        0.000    0.000    0.000',
    'H        0.000    0.000    1.089',
    'H       -0.513   -0.889    0.363',
  ]
  assert.match(notesOf(rows.join('\n')), /aligned with spaces/)
  assert.doesNotMatch(notesOf('note\nOne two three.\nFour five six.\nSeven  eight nine.\n'), /aligned/)
})

test('readHead() gives evidence for its decisions', () => {
  const evidence = evidenceInWords(readHead(Buffer.from(people), true).evidence)
  assert.match(evidence.encoding, /^Encoding utf-8: all bytes of the head are ASCII/)
  assert.match(evidence.dialect, /^Delimiter ',': 41 of 41 records of the head have 3 fields/)
  assert.equal(
    evidence.header,
    'Header: 1 record, line 1: 2 columns have a type only below a header, in 1 column the value of the first record differs from those below in shape.',
  )
  const declared = { delimiter: ';', header: false, encoding: 'utf8' }
  const asDeclared = evidenceInWords(readHead(Buffer.from(semicolons), true, declared).evidence)
  assert.match(asDeclared.dialect, /^Delimiter ';', as declared: 41 of 41/)
  assert.equal(asDeclared.header, 'No header: as declared.')
  assert.equal(asDeclared.encoding, 'Encoding utf-8, as declared.')
})

test('readHead() gives evidence that agrees with its notes, whatever decides', () => {
  const texts = {
    columns: [
      'date,101,102\n2023-01-01,5,17\n2023-01-02,36,9\n2023-01-03,4,8\n',
      /: 1 column has a type only below a header.*in 2 columns it looks like them; it may be either\.$/,
    ],
    counting: ['1,2,3\n4,5,6\n7,8,9\n', /^No header: the numbers of the first record count up.*may be either\.$/],
    years: ['2018,2019\n15,25\n25,35\n35,40\n', /^Header: 1 record, line 1: .* may be years.*may be either\.$/],
    alone: [
      'id,name\n',
      /^Header: 1 record, line 1: it is the only record of the table, and looks like names; it may be either\.$/,
    ],
    delimited: ['a,b,c\nx;5;1\ny;6;2\nz;7;3\n', /another delimiter than those below; it may be either\.$/],
    width: ['a,b\n1,2,3\n4,5,6\n7,8,9\n', /another width than the records\.$/],
    groups: [',2019,,2020,\nr,q1,q2,q1,q2\nN,1,2,3,4\nS,5,6,7,8\n', /^Header: 2 records: a record that names groups/],
    channels: ['x-axis,1,2\nsecond,Volt,Volt\n0.1,2.5,3.5\n0.2,2.6,3.6\n', /numbers of channels/],
    quoted: ['"id","n"\na,b\nc,d\n', /^Header: 1 record, line 1: it alone is quoted\.$/],
  } as const
  for (const [code, [text, wanted]] of Object.entries(texts)) {
    const { evidence, notes, headerFields } = readHead(Buffer.from(text), true)
    assert.equal(evidence.header.code, code)
    assert.match(evidenceInWords(evidence).header, wanted)
    assert.equal(evidence.header.lines.length > 0, headerFields !== null)
    const isNoted = notes.some((one) => one.code === 'HEADER_UNCERTAIN')
    assert.equal(evidence.header.isUncertain, isNoted, code)
  }
})

test('readHead() gives each note a code, its lines and its column', () => {
  const notes = readHead(Buffer.from(`Sales\nid,n,\n${'1,2,\n'.repeat(30)}id,n,\n`), true).notes
  assert.deepEqual(
    notes.map(({ message: _, ...facts }) => facts),
    [
      { code: 'TITLES_SKIPPED', lines: [1] },
      { code: 'LAST_COLUMN_EMPTY', column: 'column_3' },
      { code: 'HEADER_REPEATED', lines: [33] },
    ],
  )
  assert.deepEqual(readHead(Buffer.from(`id,n,remark\n${'1,2,\n'.repeat(30)}`), true).notes, [])
  const many = readHead(Buffer.from(`${people}${people.repeat(30)}`), true).notes
  assert.equal(many[0]?.lines?.length, 20)
  assert.match(many[0]?.message ?? '', /lines 42, 83, 124, …/)
})
