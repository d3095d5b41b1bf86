// Tests of quoted lines: lines that are quoted as a whole are noted, quoted texts of one column are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const notedIn = (text: string) => {
  const found = readHead(Buffer.from(text), true).notes.find(({ code }) => code === 'LINES_QUOTED')
  return found === undefined ? null : (/as a whole: (.*) would/.exec(found.message)?.[1] ?? '')
}

const quoted: readonly [what: string, text: string, delimiter: string][] = [
  ['with commas', '"id,name,age"\n"1,Ann,5"\n"2,Bob,6"\n', "','"],
  ['with semicolons', '"id;name"\r\n"1;Ann"\r\n"2;Bob"\r\n', "';'"],
  ['with tabs', '"id\tname"\n"1\tAnn"\n"2\tBob"\n', 'tabs'],
  ['with bars', '"id|name"\n"1|Ann"\n"2|Bob"\n', "'|'"],
  ['around quoted values', '"id,name,age"\n"1,""Ann, B"",5"\n"2,""Bob"",6"\n', "','"],
  ['below a header without quotes', 'id,name,age\n"1,Ann,5"\n"2,Bob,6"\n', "','"],
  ['after a blank line', '"id,name"\n\n"1,Ann"\n"2,Bob"\n', "','"],
]

for (const [what, text, delimiter] of quoted)
  test(`readHead() notes lines quoted as a whole ${what}`, () => assert.equal(notedIn(text), delimiter))

const others: readonly [what: string, text: string][] = [
  ['names of people', '"last, first"\n"Doe, John"\n"Poe, Ann"\n"Roe, Jim"\n'],
  ['texts below a name', '"name"\n"Doe,John"\n"Poe,Ann"\n"Roe,Jim"\n'],
  ['lists of different length', '"a,b"\n"1,2"\n"1,2,3"\n"1,2"\n'],
  ['texts of several lines', '"a,b"\n"1,\n2"\n"3,\n4"\n'],
  ['values quoted one by one', '"id","name"\n"1","Ann"\n"2","Bob"\n'],
  ['a header and one record', '"id,name"\n"1,Ann"\n'],
]

for (const [what, text] of others)
  test(`readHead() does not note ${what} as quoted lines`, () => assert.equal(notedIn(text), null))
