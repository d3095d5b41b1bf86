// Tests of long delimiters: several characters between fields are noted, empty columns and blanks of values are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const people = ['id,name,city', '1,Ann,Oslo', '2,Bob,Rome', '3,Cy,Bern']
const table = (delimiter: string, rows = people) => rows.map((row) => `${row.replaceAll(',', delimiter)}\n`).join('')

const namedIn = (text: string) => {
  const found = readHead(Buffer.from(text), true).notes.find(({ code }) => code === 'DELIMITER_TOO_LONG')
  return found === undefined ? null : (/separated by (.*): a /.exec(found.message)?.[1] ?? '')
}

for (const delimiter of ['||', '::', ';;', '|||', '|~|', '~|~', '|^|', '=|', '->', ' | ', ' ; '])
  test(`readHead() notes the delimiter '${delimiter}'`, () => {
    assert.equal(namedIn(table(delimiter)), `'${delimiter}'`)
    assert.equal(readHead(Buffer.from(table(delimiter)), true).dialect.header, true)
  })

test('readHead() notes a long delimiter between quoted values, of tabs, and beside an empty value', () => {
  assert.equal(namedIn(table('"||"').replaceAll(/^|$/gm, '"').replaceAll('""\n', '\n')), "'||'")
  assert.equal(namedIn(table('\t|\t')), String.raw`"\t|\t"`)
  assert.equal(namedIn(table(' | ').replace('Bob', '')), "' | '")
  assert.equal(namedIn(table('~|~').replace('Bob', '')), "'~|~'")
})

const others: readonly [what: string, text: string][] = [
  ['a plain table', table(',')],
  ['empty columns with names', 'id,middle,name,title,city\n1,,Ann,,Oslo\n2,,Bob,,Rome\n'],
  ['a column without a name and values', 'id,,name\n1,,Ann\n2,,Bob\n'],
  ['an empty column in which one record has a value', 'id||name||n\n1||Ann||5\n2|x|Bob||6\n'],
  ['values that all begin with a mark', 'a|b|c\n#1|#2|#3\n#4|#5|#6\n'],
  ['marked values below no header', '#1|#2|#3\n#4|#5|#6\n'],
  ['percentages before a name', '5%|6%|Ann\n7%|8%|Bob\n'],
  ['columns padded with blanks', 'a   ,b   ,c\n1   ,x   ,2\n3   ,y   ,4\n'],
  ['columns of marks alone', '*|*|*\n*|*|*\n'],
]
for (const [what, text] of others)
  test(`readHead() notes no long delimiter for ${what}`, () => assert.equal(namedIn(text), null))
