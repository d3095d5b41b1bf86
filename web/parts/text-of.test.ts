// Tests of TSV: a spreadsheet reads back exactly what was copied.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tsv } from './text-of.ts'

test('tsv() has a line per row and a tab between cells', () => {
  assert.equal(
    tsv([
      [1, null, ''],
      ['a\tb', 'say "x"', 'two\nlines'],
      [{ k: [1] }, true, '007'],
    ]),
    '1\t\t\n"a\tb"\t"say ""x"""\t"two\nlines"\n"{""k"":[1]}"\ttrue\t007',
  )
})
