// Tests of tokens: records and fields under an assumed layout, complete, broken and truncated.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { fits, type Layout, recordCount, recordValues, tokenize } from './tokenize.ts'

const comma: Layout = { delimiter: 0x2c, quote: 0x22, escape: 'doubled', skipInitialSpace: false, lineEnd: 'lf' }

function table(text: string, layout: Partial<Layout> = {}, isCut = false): string[][] {
  const tokens = tokenize(text, { ...comma, ...layout }, isCut)
  return Array.from({ length: recordCount(tokens) }, (_, record) => recordValues(tokens, record))
}

function broken(text: string, layout: Partial<Layout> = {}): number[] {
  return [...tokenize(text, { ...comma, ...layout }, false).broken]
}

const readable: readonly [what: string, text: string, layout: Partial<Layout>, wanted: string[][]][] = [
  ['fields and line ends of both kinds', 'a,b\r\n,\nc', {}, [['a', 'b'], ['', ''], ['c']]],
  ['quoted delimiters, quotes and line ends', '"a,""b""\r\nc",d\r\n', {}, [['a,"b"\r\nc', 'd']]],
  ['blanks after a closing quote', '"a" ,"b"\t\n', {}, [['a', 'b']]],
  ['quotes that open no field', 'a "b",c"\n', {}, [['a "b"', 'c"']]],
  ['blanks after a delimiter as padding', 'a,  "b", c\n', { skipInitialSpace: true }, [['a', 'b', 'c']]],
  ['no blanks before fields', ' "a", b\n', { skipInitialSpace: true }, [['a', 'b']]],
  ['several blanks as one', ' a  b \n', { skipInitialSpace: true, delimiter: 0x20 }, [['a', 'b', '']]],
  [
    'what a declared escape escapes',
    'a\\,b,c\\\nd,\\\\\n"e\\"",\\N\n',
    { escape: 0x5c, isEscapeDeclared: true },
    [
      ['a,b', 'c\nd', '\\'],
      ['e"', '\\N'],
    ],
  ],
  [
    'doubled quotes beside an escape',
    '"a""b\\"",c\n',
    { escape: 0x5c, isEscapeDeclared: true, doublesToo: true },
    [['a"b"', 'c']],
  ],
  [
    'LF alone as content',
    'a,b\nc\r\n"d\n",e\r\n',
    { lineEnd: 'crlf' },
    [
      ['a', 'b\nc'],
      ['d\n', 'e'],
    ],
  ],
  ['escaped quotes', '"a\\"b\\\\",c\n', { escape: 0x5c }, [['a"b\\\\', 'c']]],
  ['quotes that are not marked at all', '"a "b", c",d\n', { escape: 'nothing' }, [['a "b', ' c"', 'd']]],
  [
    'lone CR as line end',
    'a,b\r"c\rd",e\r',
    { lineEnd: 'cr' },
    [
      ['a', 'b'],
      ['c\rd', 'e'],
    ],
  ],
  ['lone CR as content', 'a\rb,c\n', {}, [['a\rb', 'c']]],
  ['a CR at the end of the text as content', 'a,b\r', {}, [['a', 'b\r']]],
  ['a delimiter at the end of the text', 'a,', {}, [['a', '']]],
  ['quotes as content', '"a,b"\n', { quote: 'none' }, [['"a', 'b"']]],
  ['blank lines', 'a\n\nb\n', {}, [['a'], [''], ['b']]],
]

for (const [what, text, layout, wanted] of readable) {
  test(`tokenize() reads ${what}`, () => {
    assert.deepEqual(table(text, layout), wanted)
    assert.deepEqual(broken(text, layout), [])
  })
}

test('tokenize() ends a broken record with its line', () => {
  assert.deepEqual(broken('a,b\n"c"d,e\nf,g\n'), [1])
  assert.deepEqual(broken('a,b\n"c,e\nf,"g"\nh,i\n'), [1])
  assert.equal(table('a,b\n"c,e\nf,"g"\nh,i\n').length, 4)
  assert.deepEqual(broken('a,"b\nc,d\n'), [0])
})

test('fits() requires a complete record of the width', () => {
  const tokens = tokenize('a,b\nc\n"d"e,f\ng,h,i\n', comma, false)
  const fitting = [0, 1, 2, 3].filter((record) => fits(tokens, record, 2))
  assert.deepEqual(fitting, [0])
})

test('tokenize() omits a truncated record at the end, unless it is the only one', () => {
  assert.deepEqual(table('a,b\nc,', {}, true), [['a', 'b']])
  assert.deepEqual(table('a,b\nc,d\n', {}, true).length, 2)
  assert.deepEqual(table('a,b', {}, true), [['a', 'b']])
})

test('tokenize() takes linear time even if every line opens a quote that never closes', () => {
  for (const line of ['"a\n', 'x,"a""\n', ',"a"b\n', '"\\"\n', '\'"\n']) {
    for (const layout of [comma, { ...comma, escape: 0x5c }, { ...comma, escape: 'nothing' }] as const) {
      const text = line.repeat(100_000)
      const ms = cpuMs(() => tokenize(text, layout, false))
      // Reading it again for every line would take minutes.
      assert.ok(ms < 2_000, `${JSON.stringify(line)} ${layout.escape}`)
    }
  }
})
