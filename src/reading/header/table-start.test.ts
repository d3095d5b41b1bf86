// Tests of where a table begins: comments, titles, and names with values above it are none of its records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

/** Records of the header, and those that are skipped above it; its names; and the notes about what is above. */
const read = (text: string) => {
  const { names, before, notes, dialect } = readHead(Buffer.from(text), true)
  const codes = notes.map(({ code }) => code).filter((code) => /TITLES|ABOVE|WIDTH/.test(code))
  return `${before.header}+${before.skipped} ${names.join('|')} ${dialect.commentChar ?? ''}${codes.join()}`
}

const stations = 'd,t,a,b,c,e\n2021-01-13,01:00,0,1,2,3\n2021-01-14,01:00,5,1,2,3\n'
const times = 'Time,Value\n32.00,0.2\n32.05,0.3\n32.10,0.4\n'
const people = '1,Ann,1990-05-01\n2,Bob,1991-05-01\n3,Cy,1992-05-01\n'
const titles = Array.from({ length: 24 }, (_, at) => `${'word '.repeat(1 + (at % 5))}\n`).join('')
const variants = '##f=V4\n##INFO=<ID=DP,N=1,T="a, b">\n##INFO=<ID=DQ,N=1,T="a, b">\n#CHROM\tPOS\tREF\n'
const years = 'Region,1995,1996\nR1,1.5,1.6\nR2,2.5,2.6\nR3,3.5,3.6\n'

const cases: readonly [what: string, text: string, wanted: string][] = [
  ['comments of full width', '# a: b, c, d\nl,w,h\n1,2.5,3\n2,2.5,4\n', '1+1 l|w|h #'],
  ['comments of other widths', '# a: b, c\n#\n# from x, y\n"y","n"\n1990,2\n1991,3\n', '1+3 y|n #'],
  ['a header that begins like a comment', '# made\n#id,n\na,1\nb,2\nc,3\n', '1+1 #id|n #'],
  ['a header that also ends empty', '#id\tn\tv\t\na\tx\t1\nb\ty\t2\n', '1+0 #id|n|v '],
  ['records like comments, below comments', '# made\ntag,n\na,1\n#b,2\n#c,3\nd,4\n', '1+1 tag|n #'],
  [
    'the names of a W3C log',
    '#Version: 1.0\n#Fields: time c-ip x\n10:00:01 1.2.3.4 5\n10:00:02 1.2.3.4 6\n',
    '1+1 time|c-ip|x #',
  ],
  [
    'names of a W3C log whose records have tabs',
    '#Version: 1.0\n#Fields: date time x\n2024-05-01\t10:00:01\t6\n2024-05-01\t10:00:02\t5\n',
    '1+1 date|time|x #',
  ],
  ['the names of a W3C log and no records', '#Version: 1.0\n#Fields: time c-ip x\n', '1+1 time|c-ip|x #'],
  ['the names of a table of variants', `${variants}1\t5\tA\n`, '1+3 #CHROM|POS|REF #'],
  ['the names of a table of variants and no records', variants, '1+3 #CHROM|POS|REF #'],
  ['more than twenty titles', `${titles}\n${stations}`, '1+24 d|t|a|b|c|e TITLES_SKIPPED'],
  ['many titles above two columns', `${titles}a,b\n1,2\n3,4\n`, '1+24 a|b TITLES_SKIPPED'],
  ['many titles above semicolons', `${titles}a;b;c\n1;2;x\n3;4;y\n`, '1+24 a|b|c TITLES_SKIPPED'],
  ['many names, the last three with a comma', `${titles}Smith, J\nDoe, 5\nRoe, 6\n`, '0+0 column_1 '],
  ['many figures, the last ones with a comma', `n\n${'7\n'.repeat(24)}a,b\n1,5\n2,5\n`, '1+0 n '],
  ['a record of a station', `0,Springfield,-5,44.5,,\n${stations}`, '1+1 d|t|a|b|c|e TITLES_SKIPPED'],
  ['names and values of two columns', `File,a.xad\nNo,21\n\n${times}`, '1+2 Time|Value TITLES_SKIPPED'],
  ['padded names and values', `Title:,Rivers,\nYear:,1995,\n,,\n${years}`, '1+3 Region|1995|1996 TITLES_SKIPPED'],
  ['a title and a header alike', `Ann Arbor,x\n\n${times}`, '1+1 Time|Value TITLES_SKIPPED'],
  [
    'a header one name short below a name and its value',
    `Statement\n\nCard: 1,By: me\n\nid,name,born\n${people.replaceAll('\n', ',\n')}`,
    '1+2 id|name|born|column_4 HEADER_WIDTH_DIFFERS,TITLES_SKIPPED',
  ],
  ['a title of full width', 'Report, 2024, draft\nid,name,n\n1,x,5\n2,y,6\n3,z,7\n', '1+1 id|name|n TITLES_SKIPPED'],
  [
    'titles of several widths',
    'By: Doe, J.\nDraft, first, x, y\n\nsecret\nid,n,at\n1,5,1.5\n2,6,2.5\n3,7,3.5\n',
    '1+3 id|n|at TITLES_SKIPPED',
  ],
  ['names with blanks', 'id, name, n\n1,x,5\n2,y,6\n3,z,7\n', '1+0 id|name|n '],
  ['names with blanks above a suppressed record', 'id, name, n\nA,x,TBD\nB,y,6\nC,z,7\n', '1+0 id|name|n '],
  ['two tables of two columns', 'a,b\nx,1\ny,2\nx,3\nz,4\nw,5\n\nc,d\nz,3\nw,4\n', '1+0 a|b TABLE_SAME_WIDTH'],
  ['two short tables of two columns', 'a,b\nx,1\ny,2\n\nc,d\nz,3\nw,4\n', '1+0 a|b TABLE_SAME_WIDTH'],
  ['records of another table', `a,b\n1,2\n3,4\nid,name,born\n${people}`, '1+0 id|name|born RECORDS_ABOVE_TABLE'],
]
for (const [what, text, wanted] of cases) {
  test(`readHead() finds the table of a file with ${what}`, () => assert.equal(read(text), wanted))
}

test('readHead() takes a declared header for the first record of full width, and an empty record for one', () => {
  const first = (text: string, header: boolean) => {
    const { headerFields, before } = readHead(Buffer.from(text), true, { header })
    return `${headerFields?.join() ?? '-'} ${before.lines}`
  }
  assert.equal(first('A,,\n1,3,5\n2,6,10\n', true), 'A,, 1')
  assert.equal(first(',,score\n1,3,5\n2,6,10\n', true), ',,score 1')
  assert.equal(first('"","",""\na,b,c\nd,e,f\n', false), '- 0')
})
