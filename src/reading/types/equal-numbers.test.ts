// Tests of equal numbers: different texts of one number are found in number columns only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const pairs: readonly [
  what: string,
  text: string,
  wanted: readonly (readonly [string, string, ...number[]] | null)[],
][] = [
  ['section numbers', 'section,title\n1.1,a\n1.2,b\n1.10,c\n1.2,d\n', [['1.1', '1.10', 2, 4], null]],
  ['whole numbers with and without a fraction', 'id,n\n1,2\n2,2.0\n3,5\n', [null, ['2', '2.0', 2, 3]]],
  ['minus zero beside zero', 'id,n\n1,0\n2,-0\n3,5\n', [null, ['0', '-0', 2, 3]]],
  ['minus zero alone', 'id,n\n1,-0\n2,1\n3,5\n', [null, ['-0', '0', 2]]],
  ['powers', 'id,n\n1,1e3\n2,1000\n3,5\n', [null, ['1e3', '1000', 2, 3]]],
  ['decimal commas', 'id;n\n1;1,5\n2;1,50\n3;2,25\n', [null, ['1,5', '1,50', 2, 3]]],
  ['empty fields and null words', 'id,n\n1,\n2,NA\n3,1.5\n4,1.50\n', [null, ['1.5', '1.50', 4, 5]]],
  ['a point and a comma', 'id;n\n1;1,5\n2;1.5\n3;2.5\n', [null, ['1,5', '1.5', 2, 3]]],
  ['padded numbers', 'id,n\n1,7\n2,07\n3,5\n', [null, ['7', '07', 2, 3]]],
  ['quoted numbers', 'id,n\n1,"1.5"\n2,1.50\n3,5\n', [null, ['1.5', '1.50', 2, 3]]],
  ['numbers beside quoted texts', 'id,n\n1,"a,b"\n2,1.5\n3,1.50\n', [null, ['1.5', '1.50', 3, 4]]],
  ['different numbers beside quoted texts', 'id,n\n1,"a,b"\n2,1.5\n3,1.25\n', [null, null]],
  ['numbers that begin or end with the point', 'id,n\n1,5.\n2,5\n3,.5\n', [null, ['5.', '5', 2, 3]]],
  [
    'more digits than a number keeps',
    'id,n\n1,9007199254740993\n2,9007199254740992\n3,5\n',
    [null, ['9007199254740993', '9007199254740992', 2, 3]],
  ],
  ['different scales without padding', 'id,n\n1,10\n2,1.5\n3,1.25\n', [null, null]],
  ['equal scales', 'id,n\n1,1.10\n2,1.10\n3,1.20\n', [null, null]],
  ['text', 'id,n\n1,v1.1-x\n2,1.10 m\n3,2/3\n', [null, null]],
]

for (const [what, text, wanted] of pairs) {
  test(`readHead() finds equal numbers among ${what}`, () => {
    const seen = readHead(Buffer.from(text), true).equalNumbers
    assert.deepEqual(
      seen.map((pair) => pair && [...pair.texts, ...pair.lines]),
      wanted,
    )
  })
}
