// Tests of marked records: records that seem commented out or have escaped delimiters are noted, plain ones are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const codesOf = (text: string) =>
  readHead(Buffer.from(text), true)
    .notes.map(({ code, lines }) => `${code} ${lines}`)
    .filter((code) => /^(?:RECORDS_MARKED|DELIMITERS_ESCAPED|LINE_ENDS|HEADER_SECOND)/.test(code))

const marked = (mark: string) => `id,name,v\n1,a,2\n${mark}2,b,3\n3,c,4\n4,d,5\n`
const rows = Array.from({ length: 5 }, (_, at) => `2024-01-0${at + 1},${at},5.${at}5,80.1\n`).join('')
const cases: readonly [what: string, text: string, wanted: readonly string[]][] = [
  ['a plain table', marked(''), []],
  ...['#', '# ', '!', ';', '%', '//'].map(
    (mark) => [`a record behind ${mark}`, marked(mark), ['RECORDS_MARKED 3']] as [string, string, string[]],
  ),
  ['numbers of orders', 'no,v\n#1001,5\n#1002,6\n#1003,7\n', []],
  ['words with a mark', 'tag,v\n1,5\n#red,6\n3,7\n', []],
  ['names beside a mark', 'name,v\nAda,5\n#5,6\nBob,7\nCy,8\n', []],
  ['a mark in quotes', marked('').replace('2,b', '"#2",b'), []],
  ['negative numbers', marked('-'), []],
  ['one escaped delimiter', 'id,name,v\n1,a\\, b,2\n2,c,3\n3,d,4\n4,e,5\n', ['DELIMITERS_ESCAPED 2']],
  [
    'an escaped delimiter in every record',
    'id,name,v\n1,a\\, b,2\n2,c\\, d,3\n3,d\\, e,4\n',
    ['DELIMITERS_ESCAPED 2,3,4'],
  ],
  ['paths that end with a backslash', 'id,path,v\n1,C:\\a\\,2\n2,D:\\b\\,3\n3,E:\\,4\n', []],
  ['a wide record with a path', 'id,path,v\n1,C:\\a\\,2,,9\n2,D:\\b\\,3\n3,E:\\,4\n', []],
  ['a backslash in quotes', 'id,name,v\n1,"a\\, b",2\n2,c,3\n3,d,4\n', []],
  [
    'escaped line ends',
    '1\ta\t5\n2\tb\\\nc\t6\n3\td\t7\n4\te\\\n\\\nf\t8\n5\tg\t9\n6\th\t9\n7\ti\t9\n',
    ['LINE_ENDS_ESCAPED 2,5'],
  ],
  ['an escaped line end in the last column', 'id,n,v\n1,2,a\\\nb\n2,3,c\n3,4,d\n', ['LINE_ENDS_ESCAPED 2']],
  ['a last column of paths, and a short record', 'id,n,v\n1,2,C:\\a\\\n2,3,D:\\\\\n3,4\n5,6,E:\\b\n', []],
  ['texts above numbers, below units', `t,n,air,rh\n"","",Avg,Smp\n${rows}`, ['HEADER_SECOND_LINE 2']],
  [
    'options below a question',
    'id,which?,,\n,Red,Green,Blue\n1,Red,,Blue\n2,,Green,\n3,Red,,\n',
    ['HEADER_SECOND_LINE 2'],
  ],
  ['a first record below columns without names', 'id,which?,,\nx,Red,Green,Blue\ny,Red,,Blue\nz,,Green,\n', []],
  ['a first record with a gap', `t,n,air,rh\n2024-01-01,,n.a.,missing\n${rows}`, []],
  ['a first record without a value', `t,n,air,rh\n"",NA,low,high\n${rows}`, []],
  ['a first record of one word above numbers', `t,n,air,rh\n"",n.a.,n.a.,n.a.\n${rows}`, ['HEADER_SECOND_LINE 2']],
]

for (const [what, text, wanted] of cases)
  test(`readHead() notes ${wanted.join(' and ') || 'nothing'} for ${what}`, () =>
    assert.deepEqual(codesOf(text), wanted))
