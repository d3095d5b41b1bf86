// Tests of headers and data: a header is not read as a record, data is not read as a header, and doubt is noted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const read = (text: string) => {
  const { names, before, notes } = readHead(Buffer.from(text), true)
  const doubt = notes.some(({ code }) => code === 'HEADER_UNCERTAIN') ? ' ?' : ''
  return `${before.header}${before.skipped > 0 ? `+${before.skipped}` : ''} ${names.join('|')}${doubt}`
}

const cases: readonly [what: string, text: string, wanted: string][] = [
  ['towns with post codes', '1010 Wien\n8010 Graz\n3100 St. Pölten\n4020 Linz\n', '0 column_1'],
  ['two telephone numbers', '030 1234567\n040 7654321\n', '0 column_1'],
  ['two flights', 'LH 123\nBA 4567\n', '0 column_1'],
  ['two versions', 'v1.2.3\nv1.10.0\n', '0 column_1'],
  ['two names of people', 'Ann Lee\nBob Ray\n', '1 Ann Lee ?'],
  ['two paths', 'C:\\a\\b\nD:\\x\n', '1 C:\\a\\b ?'],
  ['a name above towns with post codes', 'Town\n1010 Wien\n8010 Graz\n', '1 Town'],
  ['dates above figures', 'c,2020-01-22,2020-01-23\nDE,1,2\nFR,4,5\nIT,5,6\n', '1 c|2020-01-22|2020-01-23'],
  ['dates of another order', 'P,C,1/22/20,1/23/20\n,DE,1,2\n,FR,4,5\nX,IT,5,6\n', '1 P|C|1/22/20|1/23/20'],
  ['times above figures', 'day,10:00,11:00\nMon,5,6\nTue,4,3\nWed,9,8\n', '1 day|10:00|11:00'],
  ['depths above words for yes and no', 'city,0.5\nA,true\nB,false\nC,true\n', '1 city|0.5'],
  ['dates alone', '2020-01-22,2020-01-23\n1,2\n4,5\n5,6\n', '1 2020-01-22|2020-01-23'],
  ['hours', 'day,0,1,2,3\nMon,5,6,7,8\nTue,4,3,2,1\nWed,9,8,7,6\n', '1 day|0|1|2|3 ?'],
  ['years', 'c,2019,2020\nDE,1,2\nFR,4,5\nIT,5,6\n', '1 c|2019|2020'],
  ['ids above decimals', 'gene,1001,1007\na,0.5,0.7\nb,0.1,0.2\nc,0.4,0.5\n', '1 gene|1001|1007'],
  ['whole numbers among decimals', 'A,1,2\nB,0.5,0.25\nC,0.3,0.7\n', '0 column_1|column_2|column_3 ?'],
  ['numbers of an index', ',0,1,2\n0,5,6,7\n1,4,3,2\n2,9,8,7\n', '1 column_1|0|1|2'],
  ['counting numbers above decimals', '0,1,2\n0.5,6.1,7.0\n4.2,3.3,2.1\n', '1 0|1|2'],
  ['counting numbers that come again', '0,1,2\n0,2,3\n0,3,4\n1,2,5\n', '0 column_1|column_2|column_3 ?'],
  ['counting numbers above whole numbers', '1;2;3\n4;5;6\n7;8;9\n', '0 column_1|column_2|column_3 ?'],
  ['figures', '5,7\n3,2\n4,4\n', '0 column_1|column_2'],
  [
    'repeated names',
    'Summary,Note,Note,Note\nFix it,a b,c d,\nDo it,e f,,\nSee it,g h,i,k\n',
    '1 Summary|Note|Note_2|Note_3',
  ],
  ['units', 'time,temp\ns,degC\n0.0,21.5\n0.5,21.6\n', '1+1 time|temp'],
  ['units in brackets', 'v [x];w\n(m/s);(kg m-2)\n1;2\n3;4\n', '1+1 v [x]|w'],
  ['a record without values', 'id,a,b\n-,n/a,-\n1,2,3\n4,5,6\n', '1 id|a|b'],
  [
    'the name of an index below names of two levels',
    ',p,p\n,mean,std\nkind,,\nA,1.5,0.5\nB,2.5,0.2\nC,3.5,0.7\n',
    '3 kind|p mean|p std',
  ],
  [
    'the name of an index of dates below names of levels',
    'Price,Close,Volume\nTicker,A,A\nDate,,\n2024-01-02,1.5,7\n2024-01-03,2.5,8\n2024-01-04,3.5,9\n',
    '3 Price Ticker Date|Close A|Volume A',
  ],
  [
    'a record of one value below names of two levels',
    'kind,p,p\nname,mean,std\nsum,,\nA,1.5,0.5\nB,2.5,0.2\nC,3.5,0.7\n',
    '2 kind name|p mean|p std',
  ],
  [
    'titles of sections below names of two levels',
    ',p,p\n,mean,std\nNorth,,\nA,1.5,0.5\nB,2.5,0.2\nSouth,,\nC,3.5,0.7\n',
    '2 column_1|p mean|p std',
  ],
  [
    'names of all columns but the last, as in the event log of Windows',
    'Level,Date,Event ID\nInfo,1/5/2024,7036,started\nError,1/6/2024,16,"failed, twice"\n',
    '1 Level|Date|Event ID|column_4',
  ],
  ['letters below names', 'x,y\nA,V\n1,20\n3,4\n5,6\n7,8\n9,7\n', '1 x|y'],
  ['numbered names below names', 'x,y,z\nh1,h2,h3\n1,2,3\n3,4,5\n5,6,7\n', '1 x|y|z'],
  ['a first record of values above a station', 'area,emp\nAnn Arbor,n.d.\nBath,5\nCork,6\nDerby,7\n', '1 area|emp'],
  ['letters that are units elsewhere', 'p,q\nm,s\ng,h\nV,A\n', '0 column_1|column_2'],
  ['groups of names', ',2019,,2020,\nr,q1,q2,q1,q2\nN,1,2,3,4\nS,5,6,7,8\n', '2 r|2019 q1|2019 q2|2020 q1|2020 q2'],
  [
    'subheads of one name',
    'Date,Travel,,,Total\n,Air,Rail,Taxi,\n1/2/2014,5,,,5\n2/2/2014,,6,,6\n',
    '2 Date|Travel Air|Travel Rail|Travel Taxi|Total',
  ],
  [
    'subheads below an empty row',
    'Date,Travel,,,Total\n,,,,\n,Air,Rail,Taxi,\n1/2/2014,5,,,5\n2/2/2014,,6,,6\n',
    '2+1 Date|Travel Air|Travel Rail|Travel Taxi|Total',
  ],
  [
    'names like values below a title',
    'Staff,,\nFirst,Last,City\nAda,Lovelace,Rome\nAlan,Turing,Oslo\n',
    '1+1 First|Last|City ?',
  ],
  [
    'a record of a date and texts above figures',
    'when,north,south\n2024-02-29,low,high\nn,1,2\nm,3,4\nk,5,6\n',
    '1 when|north|south ?',
  ],
  ['a name that is missing', ',name,n\nx,Ann,1\ny,Bob,2\nz,Eve,3\n', '1 column_1|name|n'],
  ['years alone', '2018,2019\n15,25\n25,35\n35,40\n', '1 2018|2019 ?'],
  ['the only record', 'Ada,London\n', '1 Ada|London ?'],
  ['numbers of an index and one column', ',0\n0,5.5\n1,4.5\n2,9\n', '1 column_1|0'],
  ['numbers beside no index', ',0\n5,5.5\n1,4.5\n2,9\n', '0 column_1|column_2'],
  ['names that come again', 'id,v\n1,2\n2,3\nid,v\n3,4\n', '1 id|v'],
  ['texts that come again', 'Ann,Rome\nBob,Oslo\nAnn,Rome\nCat,Wien\n', '0 column_1|column_2'],
  ['names above numbers that count up', 'a,b,c,d\n1,2,3\n4,5,6\n7,8,9\n', '1 a|b|c'],
  ['names like values below a title and a blank line', 'Staff\n\nAda,Rome\nAlan,Oslo\nBob,Wien\n', '1+1 Ada|Rome ?'],
  [
    'quoted values below a title and a blank line',
    'All of it\n\n"2021-03-18";"51%"\n"2021-03-19";"52%"\n',
    '0+1 column_1|column_2',
  ],
  ['a title of as many words', 'All of it\n\nb;5;x\nc;6;y\nd;7;z\n', '0+1 column_1|column_2|column_3 ?'],
  ['names with another delimiter', 'a,b,c\nx;5;1\ny;6;2\nz;7;3\n', '1 a|b|c ?'],
  ['places', 'Lisbon\nRome\nLondon\nOslo\nBerlin\n', '1 Lisbon ?'],
  ['a name above places', 'city\nRome\nLondon\nOslo\nBerlin\n', '1 city'],
  ['identifiers', 'e5bd1191-0000-4000-8000-af827fcb437a\nfb59abe9-0000-4000-8000-b8ff0733a35d\n', '0 column_1'],
  ['names like values', 'First,Last\nAda,Lovelace\nAlan,Turing\nGrace,Hopper\n', '1 First|Last ?'],
  ['plain names', 'name,city\nAda,London\nBob,Paris\nEve,Rome\n', '1 name|city'],
]
for (const [what, text, wanted] of cases) {
  test(`readHead() reads ${what} as ${wanted[0] === '0' ? 'data' : 'a header'}`, () => assert.equal(read(text), wanted))
}

test('readHead() gives the evidence for a header and for a record', () => {
  const { notes } = readHead(Buffer.from('First,Last\nAda,Lovelace\nAlan,Turing\nGrace,Hopper\n'), true)
  assert.deepEqual(notes, [
    {
      code: 'HEADER_UNCERTAIN',
      message:
        'Line 1 may be a header or a record: in 0 columns the value of the first record differs from those below in shape, in 2 columns it looks like them. It is read as a header.',
      lines: [1],
    },
  ])
})
