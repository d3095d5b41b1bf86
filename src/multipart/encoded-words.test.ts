// Tests of encoded words: which file names are decoded, and how.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { decodeWords } from './encoded-words.ts'

for (const [text, decoded] of [
  ['=?UTF-8?Q?Z=C3=BCrich_1.csv?=', 'Zürich 1.csv'],
  ['=?utf-8?q?Z=c3=bcrich.csv?=', 'Zürich.csv'],
  ['=?UTF-8?B?WsO8cmljaC5jc3Y=?=', 'Zürich.csv'],
  ['=?UTF-8?B?WsO8cmljaC5jc3Y?=', 'Zürich.csv'],
  ['=?ISO-8859-1?Q?Z=FCrich.csv?=', 'Zürich.csv'],
  ['=?UTF-8*de?Q?Z=C3=BCrich.csv?=', '=?UTF-8*de?Q?Z=C3=BCrich.csv?='],
  ['=?UTF-8?Q?a?= =?UTF-8?Q?b.csv?=', 'ab.csv'],
  ['=?UTF-8?Q?Z=C3?=  =?UTF-8?Q?=BCrich.csv?=', 'Zürich.csv'],
  ['=?UTF-8?Q?=E8=A1=A8?= =?ISO-8859-1?Q?=FC?=', '表ü'],
  ['2026 =?UTF-8?Q?Z=C3=BCrich?= v2.csv', '2026 Zürich v2.csv'],
  ['=?UTF-8?Q??=', ''],
  ['plain = ?.csv', 'plain = ?.csv'],
  ['=?UTF-8?Q?Z=C3rich?=', '=?UTF-8?Q?Z=C3rich?='],
  ['=?no-such-charset?Q?a?=', '=?no-such-charset?Q?a?='],
  ['=?UTF-8?X?a?=', '=?UTF-8?X?a?='],
  ['=?UTF-8?Q?a=00b?=', '=?UTF-8?Q?a=00b?='],
  ['=?UTF-8?Q?a=0D=0Ab?=', '=?UTF-8?Q?a=0D=0Ab?='],
  ['x=?UTF-8?Q?a?=', 'x=?UTF-8?Q?a?='],
  ['=?UTF-8?Q?a b?=', '=?UTF-8?Q?a b?='],
] as const) {
  test(`decodeWords() reads ${text} as ${decoded}`, () => assert.equal(decodeWords(text), decoded))
}

test('decodeWords() reads a hostile name in linear time', () => {
  const ms = cpuMs(() => {
    for (const piece of ['=?', '=?a?q?', '=?a?q??= ', '?=', ' ', '=?a?q?x?='])
      decodeWords(piece.repeat(10_240 / piece.length))
  })
  assert.ok(ms < 1_000, 'six names of 10 KB took over 1 s')
})
