// Tests of runaway quotes: the rule derived from a head, and that readHead() and the scanner read alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const read = (text: string) => readHead(Buffer.from(text), true)
const rows = (count: number, row: (at: number) => string) => Array.from({ length: count }, (_, at) => row(at)).join('')

const rules: readonly [what: string, text: string, figureColumns: readonly number[], linesMin: number][] = [
  ['one line is enough beside figures', 'id,t\n1,"a\n2,b"\n3,c\n4,d\n', [1], 1],
  ['text in two columns needs three lines', 'a,b\nAnn,"x\nBob,y"\nCy,z\nDee,w\n', [], 3],
  ['a delimiter that prose seldom has counts double', 'a\tb\nAnn\t"x\nBob\ty"\nCy\tz\nDee\tw\n', [], 2],
  ['other multi-line values require more', 'id,t\n1,"a\nb"\n2,"a\n3,b"\n4,c\n5,d\n', [1], 4],
  [
    'regular multi-line values require most',
    `id,t\n${rows(30, (at) => `${at},"Main St\n10${at}, Vienna"\n`)}`,
    [1],
    34,
  ],
  ['two columns of figures', `a,b,c\n1,x,2\n3,y,4\n5,z,6\n`, [1, 3], 1],
]
for (const [what, text, figureColumns, linesMin] of rules) {
  test(`readHead() decides when lines are records: ${what}`, () => {
    assert.deepEqual(read(text).runaway, { figureColumns, linesMin })
  })
}

test('readHead() has no rule for one column or without quotes', () => {
  assert.equal(read('a\nb\nc\n').runaway, null)
  assert.equal(readHead(Buffer.from('a,b\n1,2\n'), true, { quoteChar: null }).runaway, null)
})

test('readHead() reads a header without the records that its stray quote would swallow', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const { names, before, notes } = read('id,"name\n1,x\n2,y"\n3,z\n4,w\n5,v\n'.replaceAll('\n', end))
    assert.deepEqual(names, ['id', '"name'])
    assert.deepEqual([before.header, before.skipped, before.lines], [1, 0, 1])
    assert.deepEqual(
      notes.map(({ code }) => code),
      ['HEADER_QUOTES_UNMATCHED'],
    )
  }
  assert.deepEqual(read('id,"na\nme"\n1,x\n2,y\n').names, ['id', 'na me'])
})
