// Tests of suspicious content: aligned reports, drawn lines and further tables are noted, and plain tables are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const codesOf = (text: string) =>
  readHead(Buffer.from(text), true)
    .notes.map(({ code, lines }) => `${code}${lines === undefined ? '' : ` ${lines}`}`)
    .filter((code) => /^(?:ALIGNED|RULE|TABLE|RECORDS_END)/.test(code))

const people = 'name,city\nAda,London\nBob,Paris\nEve,Rome\n'
const cases: readonly [what: string, text: string, wanted: readonly string[]][] = [
  ['a plain table', people, []],
  [
    'an SQL*Plus spool file',
    'SQL> select * from emp;\n\n EMPNO ENAME      SAL\n------ ------- ------\n  7369 SMITH      800\n  7499 ALLEN     1600\n\n2 rows selected.\n\nSQL> spool off\n',
    ['ALIGNED_COLUMNS'],
  ],
  [
    'columns of words',
    'NAME       AGE  CITY\nAnn Lee    32   Oslo\nBob        7    Rome\nCy         55   New York\n',
    ['ALIGNED_COLUMNS'],
  ],
  ['prose with two blanks', 'note\nOne.  Two.\nFour five.  Six was it.\nSeven  eight nine ten.\n', []],
  ['a table of Markdown', 'id | name\n--- | :---:\n1 | Ann\n2 | Bob\n', ['RULE_LINES 2']],
  ['a table of psql', ' id | name | n\n----+------+---\n  1 | Ann  | 5\n  2 | Bob  | 6\n', ['RULE_LINES 2']],
  [
    'a mysql table',
    '+----+------+\n| id | name |\n+----+------+\n|  1 | Ann  |\n+----+------+\n',
    ['RULE_LINES 1,3,5'],
  ],
  ['a Markdown table with colons', '|id|name|v|\n|:--|--:|:-:|\n|1|Ann|3|\n|2|Bob|4|\n|3|Cat|5|\n', ['RULE_LINES 2']],
  ['a rule between tabs', 'id\tmag\n-----\t-----\n1\t9.1\n2\t9.2\n3\t9.3\n', []],
  ['values that are dashes', 'id|a|b\n1|-|-\n-|-|-\n3|4|-\n', []],
  [
    'a table in a box',
    '┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ Ann  │\n│ 2  │ Bob  │\n└────┴──────┘\n',
    ['RULE_LINES 1,3,6'],
  ],
  [
    'columns of words with equal numbers of blanks',
    'Disk     Size  Used\n/dev/a     20     5\n/dev/b     30     6\ntmpfs      10     0\n',
    ['ALIGNED_COLUMNS'],
  ],
  ['values with blanks', 'id t\n1 a\n2 b\n3 c\n', []],
  ['one CR CR LF among CR LF', 'id,n\r\n1,2\r\r\n2,3\r\n3,4\r\n', ['RECORDS_END_WITH_CR 2']],
  ['CR LF throughout', 'id,n\r\n1,2\r\n2,3\r\n3,4\r\n', []],
  ['a second table of texts', `${people}\nproduct,color\nCar,red\nBike,blue\nBoat,green\n`, ['TABLE_SAME_WIDTH 6']],
  [
    'the same with semicolons and CRLF',
    `${people}\nproduct,color\nCar,red\nBike,blue\n`.replaceAll(',', ';').replaceAll('\n', '\r\n'),
    ['TABLE_SAME_WIDTH 6'],
  ],
  ['groups of records', 'Name,City\nAda,London\nBob,Paris\n\nEve,Rome\nCy,Oslo\n\nDee,Bern\nFay,Nice\n', []],
]
for (const [what, text, wanted] of cases) {
  test(`readHead() notes ${wanted.length === 0 ? 'nothing' : wanted.join(' ')} for ${what}`, () => {
    assert.deepEqual(codesOf(text), wanted)
  })
}

test('readHead() does not note aligned columns where several blanks are declared to be one delimiter', () => {
  const declared = { delimiter: ' ', skipInitialSpace: true }
  const { names, notes } = readHead(Buffer.from('id   name   n\n1    ann    2\n2    bob    3\n'), true, declared)
  assert.deepEqual([names, notes], [['id', 'name', 'n'], []])
})
