// Tests of number texts: if two texts of a column are the same number, the facts name two ways of writing numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ColumnFacts } from '../../core/column-facts.ts'
import { type Random, randomFrom } from '../../core/random.testing.ts'
import type { ColumnType } from '../../core/receipt.ts'
import { differentForms } from '../../reading/types/different-forms.ts'
import { decideTypes, joinFacts } from '../../reading/types/infer-types.ts'
import { csvText, layoutOf, seed, writeColumns } from './columns.testing.ts'

const layout = layoutOf(2)

function factsOf(texts: readonly string[], type: ColumnType | null = null, rowGroupRecords = 1_000): ColumnFacts {
  const columns = [
    { name: 'n', type, nullWords: [] },
    { name: 'x', type: null, nullWords: [] },
  ]
  const text = csvText(
    texts.map((one) => [one, 'x']),
    layout,
  )
  return writeColumns(text, { layout, columns, rowGroupRecords }).facts[0]!
}

const cases: readonly [what: string, texts: readonly string[], records: readonly number[] | null][] = [
  ['whole numbers with and without a fraction', ['5', '2', '7.0'], [1, 3]],
  ['fractions as Python writes them', ['2.0', '0.25', '1e-07', '1.5'], null],
  ['fractions as JavaScript writes them', ['2', '0.25', '1e-7', '1e+21', '1.5'], null],
  ['fractions of two scales', ['2.0', '3.00'], [1, 2]],
  ['a zero at the end among shorter ones', ['1.25', '1.5', '2.50'], [2, 3]],
  ['two places at least', ['1.10', '1.234', '2.50'], null],
  ['minus zero', ['1.5', '-0', '2.25'], [2]],
  ['minus zero with a fraction', ['1.5', '-0.0', '2.25'], [2]],
  ['exponents among plain numbers', ['1.5', '1.5e3'], [1, 2]],
  ['exponents alone', ['1.50e+03', '2.00e+05'], null],
  ['exponents of two forms', ['1.5e3', '15e2'], [2]],
  ['exponents with more zeros', ['1e3', '2.5e3', '1.0e3'], [1, 3]],
  ['exponents as programs write them among others', ['1e-07', '1e-7', '1.0e-7'], [1, 3]],
  ['no digits before the point', ['.5', '1.5', '.25'], null],
  ['the same among zeros', ['.5', '1.5', '0.25'], [1, 3]],
  ['no digits after the point', ['5.', '1.5', '12.'], null],
  ['the same among whole numbers', ['5.', '1.5', '7'], [1, 3]],
  ['the same among zeros', ['5.', '1.5', '7.0'], [1, 3]],
  ['the same among exponents', ['1.5e3', '5.'], [1, 2]],
  ['exponents after a bare point', ['1.5e3', '5.e3'], [2]],
  ['numbers padded with blanks', ['  1.5', ' 12.5 '], null],
  ['padded numbers of two scales', ['  2.0', ' 2 '], [1, 2]],
  ['decimal commas', ['1,5', '2,25', '1,50'], [1, 3]],
]
for (const [what, texts, records] of cases) {
  test(`differentForms() returns ${records} for ${what}`, () =>
    assert.deepEqual(differentForms(factsOf(texts)), records))
}

function randomNumbers(random: Random): string[] {
  const digits = () => String(random(20) / 4)
  const ways: readonly (() => string)[] = [
    digits,
    () => String(random(9)),
    () => (random(20) / 4).toFixed(1 + random(3)),
    () => (random(20) / 4).toFixed(2),
    () => digits().replace(/^0\./, '.'),
    () => `${random(9)}.`,
    () => `${random(9)}.e${random(3)}`,
    () => `-${digits()}`,
    () => `${random(9)}e${random(3)}`,
  ]
  const used = ways.filter(() => random(3) === 0)
  return Array.from({ length: 1 + random(12) }, () => (used[random(used.length)] ?? digits)())
}

test('differentForms() finds two ways if two texts are the same number, however the column is split', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  let equal = 0
  let none = 0
  for (let round = 0; round < 400; round++) {
    const texts = randomNumbers(random)
    const where = `SEED=${seed} ${texts}`
    const facts = factsOf(texts)
    const forms = differentForms(facts)
    const byNumber = Map.groupBy(new Set(texts), (text) => Number(text) + 0)
    const areEqual =
      [...byNumber.values()].some((same) => same.length > 1) || texts.some((one) => /^-0(\.0+)?$/.test(one))
    if (areEqual) assert.notEqual(forms, null, where)
    if (areEqual) equal++
    else if (forms === null) none++
    const decided = decideTypes([facts])[0]!.type
    for (const type of [decided, { kind: 'text' } as const, { kind: 'number' } as const]) {
      assert.deepEqual(factsOf(texts, type, 1 + random(5)).numberTexts, facts.numberTexts, where)
    }
    const cut = 1 + random(texts.length)
    const joined = joinFacts(factsOf(texts.slice(0, cut)), factsOf(texts.slice(cut)))
    if (cut < texts.length) assert.deepEqual(joined.numberTexts, facts.numberTexts, where)
  }
  assert.ok(equal > 20 && none > 20, `${equal} ${none}`)
})
