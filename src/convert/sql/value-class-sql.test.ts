// Tests of undecided columns: a conversion is valid only while no value decides their type.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { plainFacts } from '../../columns/plain-facts.testing.ts'
import type { ColumnFacts, ValueClass } from '../../core/column-facts.ts'
import { decideTypes } from '../../reading/types/infer-types.ts'
import { csvText, layoutOf, never, scratchDir, startConverter, textColumns, writeSegment } from '../convert.testing.ts'
import { examples, undecidedClasses } from './value-examples.testing.ts'

const converter = startConverter()

for (const classes of undecidedClasses) {
  test(`convert() keeps a column of [${classes}] open only while no value decides its type`, async (t) => {
    const dir = scratchDir(t)
    const head: readonly (string | null)[] = [null, 'NA', ...classes.flatMap((name) => examples[name].slice(0, 2))]
    const others = Object.values(examples).flat()
    const records = [...head.map((text) => others.map(() => text)), others]
    const decisions = decideAlone(plainFacts(records))
    const [open] = decideAlone(plainFacts(head.map((text) => [text])))
    assert.ok(open?.type.kind === 'text' && open.holdsFor !== null)

    const [first, second] = textColumns(2)
    const targets = [{ ...first!, classes: open.holdsFor }, second!]
    const convert = (texts: typeof head) =>
      converter.convert(write(dir, texts), targets, join(dir, 'part.parquet'), never)
    assert.equal((await convert(head)).kind, 'part')
    const proofs = others.filter((_, i) => decisions[i]?.type.kind !== 'text')
    // Nearly every value decides the type of a column without values; some are enough.
    for (const proof of proofs.slice(0, 30)) {
      assert.equal((await convert([...head, proof])).kind, 'misfit', `${proof} decides nothing`)
    }
    assert.ok(proofs.length > 0)
  })
}

const decideAlone = (facts: readonly ColumnFacts[]) => facts.map((one) => decideTypes([one])[0])

/** With a second column, because a record must not be blank. */
function write(dir: string, texts: readonly (string | null)[]) {
  const records = texts.map((text) => [text, 'x'])
  return writeSegment(dir, csvText(records, layoutOf(2)), texts.length, layoutOf(2))
}

test('convert() keeps a column without values as text when plain texts follow', async (t) => {
  const dir = scratchDir(t)
  const [first, second] = textColumns(2)
  const targets = [{ ...first!, classes: ['text' as const] }, second!]
  const texts = [null, 'NULL', '-', 'Müller', 'The end', 'from', 'x\ny', '(5)', 't']
  const result = await converter.convert(write(dir, texts), targets, join(dir, 'part.parquet'), never)
  assert.equal(result.kind, 'part')
})

test('convert() has enough memory for hundreds of undecided columns', async (t) => {
  const dir = scratchDir(t)
  const layout = layoutOf(300)
  const texts = Array.from({ length: 300 }, () => '1/2/2020')
  const segment = writeSegment(dir, csvText([texts], layout), 1, layout)
  const convert = (classes: readonly ValueClass[]) => {
    const columns = textColumns(300).map((column) => ({ ...column, classes }))
    return converter.convert(segment, columns, join(dir, 'part.parquet'), never)
  }
  assert.equal((await convert(['date /either'])).kind, 'part')
  assert.equal((await convert(['text'])).kind, 'misfit')
})
