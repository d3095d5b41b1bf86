// Tests of value classes: the module classifies every text as a plain parser does, and counts as facts are defined.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { nullWords, type ValueClass, valueClasses } from '../../core/column-facts.ts'
import { randomFrom } from '../../core/random.testing.ts'
import { columnFormat, decideTypes } from '../../reading/types/infer-types.ts'
import { csvText, factsOnly, layoutOf, seed, writeColumns } from './columns.testing.ts'
import { examples, textsNearExamples } from './value-examples.testing.ts'
import { classOf } from './value-oracle.testing.ts'

const all = Object.values(examples).flat()

/** The facts of a file with one record are those of its values. */
function classesOf(values: readonly string[]): readonly string[] {
  const layout = layoutOf(values.length)
  const { facts } = writeColumns(csvText([values], layout), { layout, columns: factsOnly(values.length) })
  return facts.map(({ classes, nullWords: words }) =>
    Object.keys(words).length > 0 ? 'word' : Object.keys(classes).join(),
  )
}

test('facts have the class of each example, and each null word', () => {
  assert.deepEqual(Object.keys(examples).sort(), [...valueClasses].sort())
  const wanted = Object.entries(examples).flatMap(([name, of]) => of.map((text) => `${text} is ${name}`))
  const found = classesOf([...all, ...nullWords])
  assert.deepEqual(
    all.map((text, i) => `${text} is ${found[i]}`),
    wanted,
  )
  assert.deepEqual(
    found.slice(all.length),
    nullWords.map(() => 'word'),
  )
})

test('facts classify texts near the examples as a plain parser does', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  for (let round = 0; round < 20; round++) {
    const texts = textsNearExamples(random, 600)
    const found = classesOf(texts)
    for (const [i, text] of texts.entries())
      assert.equal(found[i], classOf(text), `SEED=${seed} ${JSON.stringify(text)}`)
  }
})

test('facts classify numbers of many digits as a plain parser does', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const digits = (count: number) => Array.from({ length: count }, () => random(10)).join('')
  const view = new DataView(new ArrayBuffer(8))
  const anyDouble = () => {
    view.setUint32(0, random(2 ** 32))
    view.setUint32(4, random(2 ** 32))
    return view.getFloat64(0)
  }
  const near = (number: number) => {
    const text = String(number)
    const at = text.length - 1 - random(3)
    return random(3) === 0 ? `${text.slice(0, at)}${random(10)}${text.slice(at + 1)}` : text
  }
  const makers = [
    () => `${random(2) ? '-' : ''}${random(10)}${digits(random(20))}.${digits(1 + random(22))}`,
    () => `0.${'0'.repeat(random(8))}${digits(14 + random(5))}`,
    () => near(anyDouble()),
    () => near((random(2 ** 32) / 2 ** 32 + random(2 ** 20)) * 10 ** (random(20) - 8)),
    () => near(random(2 ** 32) / 2 ** 32),
    () => `${random(10)}.${digits(random(17))}e${random(2) ? '+' : '-'}${String(random(320)).padStart(random(4), '0')}`,
    () => `${1 + random(9)}${digits(13 + random(8))}`,
  ]
  for (let round = 0; round < 20; round++) {
    const texts = Array.from({ length: 600 }, () => makers[random(makers.length)]!())
    const found = classesOf(texts)
    for (const [i, text] of texts.entries()) assert.equal(found[i], classOf(text), `SEED=${seed} ${text}`)
  }
})

test('few values that keep a column from a type are named, with the characters that do not show', () => {
  const layout = layoutOf(1)
  const factsOf = (odd: readonly string[], count: number) => {
    const texts = Array.from({ length: count }, (_, i) => [odd[i - 200] ?? String(i)])
    return writeColumns(csvText(texts, layout), {
      layout,
      columns: factsOnly(1),
      rowGroupRecords: 150,
      withTexts: true,
    }).facts
  }
  const doubtOf = (odd: readonly string[], count: number) =>
    decideTypes(factsOf(odd, count), (record) => record + 1)[0]!.doubt
  assert.deepEqual(doubtOf(['1\u00a0x', '\u200b7'], 300), {
    code: 'FEW_MISFITS',
    clause:
      "2 of 300 values are not integers without padding (lines 202, 203): '1<U+00A0>x', '<U+200B>7', so it is kept as text",
    lines: [202, 203],
    values: ['1<U+00A0>x', '<U+200B>7'],
  })
  for (const [odd, shown] of [
    ['7\u00a0', '7<U+00A0>'],
    ['\u202f7', '<U+202F>7'],
    ['7\u202f  ', '7<U+202F>'],
    ['7\ufeff', '7<U+FEFF>'],
    ['7\ufffd', '7<U+FFFD>'],
    ['\u22127', '\u22127'],
    [`${'x'.repeat(47)}é`, 'x'.repeat(47)],
  ] as const)
    assert.deepEqual(doubtOf([odd], 300)?.values, [shown])
  const hundred = (count: number) => Array.from({ length: count }, () => 'x')
  assert.equal(doubtOf(hundred(3), 300)?.code, 'FEW_MISFITS')
  assert.equal(doubtOf(hundred(4), 300), null)
  assert.equal(doubtOf(['x', '7\u00a0', '8', '7\u00a0'], 204), null)
  assert.equal(doubtOf([`${'x'.repeat(47)}é`, 'x', 'x', 'x'], 204), null)
  assert.equal(doubtOf(hundred(1_000), 200_000)?.code, 'FEW_MISFITS')
  assert.equal(doubtOf(hundred(1_001), 200_000), null)
})

test('a column of doubles is numbers, however programs print them', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  // With 53 bits: of shorter ones, JavaScript prints some that are half way between two texts unlike C.
  const unit = () => (2 * random(2 ** 31) + 1 + random(2 ** 21) / 2 ** 21) / 2 ** 32
  const makers = [unit, () => unit() * 10 ** (random(30) - 10), () => unit() * 1e-5]
  const numbers = Array.from({ length: 6_000 }, () => makers[random(makers.length)]!())
  // Like %.17g, and %.18e of numpy, except for the form of the exponent.
  const prints = [String, (one: number) => one.toPrecision(17), (one: number) => one.toExponential(18)]
  for (const print of prints) {
    const texts = numbers.map(print)
    const layout = layoutOf(1)
    const { facts } = writeColumns(
      csvText(
        texts.map((text) => [text]),
        layout,
      ),
      { layout, columns: factsOnly(1) },
    )
    assert.equal(decideTypes(facts)[0]!.type.kind, 'number', `SEED=${seed} ${decideTypes(facts)[0]!.why}`)
  }
})

test('facts classify random bytes as a plain parser does', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const letters = [...'0011259+-.,: eTZ/']
  const any = () => Array.from({ length: random(14) }, () => letters[random(letters.length)]).join('')
  for (let round = 0; round < 15; round++) {
    const texts = Array.from({ length: 600 }, any)
    const found = classesOf(texts)
    for (const [i, text] of texts.entries())
      assert.equal(found[i], classOf(text), `SEED=${seed} ${JSON.stringify(text)}`)
  }
})

test('facts count the digits on both sides of a decimal character', () => {
  const texts = ['-1.234.567,89', '123 456.5', '-0,125', '1,234', '-12.5']
  const layout = layoutOf(5)
  const { facts } = writeColumns(csvText([texts], layout), { layout, columns: factsOnly(5) })
  const digits = facts.flatMap(({ classes }) => Object.values(classes).map((one) => one.digits))
  assert.deepEqual(
    digits.map((one) => one && [one.wholeMax, one.scaleMin, one.scaleMax]),
    [
      [7, 2, 2],
      [6, 1, 1],
      [1, 3, 3],
      [1, 3, 3],
      [2, 1, 1],
    ],
  )
})

/** Classes that together give a column a type that none of them gives alone. */
const mixed: readonly (readonly ValueClass[])[] = [
  ['decimal', 'number', 'integer'],
  ['decimalComma', 'numberComma', 'integer'],
  ['thousandComma', 'grouped ,', 'grouped ,.', 'integer', 'decimal'],
  ['thousandPoint', 'grouped .', 'grouped .,', 'decimalComma', 'integer'],
  ['grouped \u00a0,', 'grouped \u00a0', 'decimalComma', 'numberComma'],
  ["grouped '.", "grouped '", 'decimal', 'number'],
]

test('a value fits a type exactly if adding it does not change the type of the column', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const types = new Set<string>()
  const exponents = [
    '1,234e5',
    '1.234e5',
    '1\u00a0234e5',
    '1\u00a0234,5e3',
    "1'234.5e3",
    '1.234.567e3',
    '1,5e3',
    '-0',
    '-0,0',
    '-,5',
  ]
  const tried = [...all, ...exponents, ...textsNearExamples(randomFrom(seed), 300)].filter(
    (text) => classOf(text) !== 'word',
  )
  const layout = layoutOf(tried.length)
  for (const names of [...valueClasses.map((name) => [name]), ...mixed]) {
    const before = names.flatMap((name) => examples[name])
    const records = csvText([...before.map((text) => tried.map(() => text)), tried], layout)
    const single = layoutOf(1)
    const first = csvText(
      before.map((text) => [text]),
      single,
    )
    const { type } = decideTypes(writeColumns(first, { layout: single, columns: factsOnly(1) }).facts)[0]!
    if (type.kind === 'text') continue
    types.add(columnFormat(type) ?? type.kind)
    const columns = tried.map((_, i) => ({ name: `n${i}`, type, nullWords: [] }))
    const { facts, typeMismatches } = writeColumns(records, { layout, columns })
    for (const [i, ofColumn] of facts.entries()) {
      const decision = decideTypes([ofColumn])[0]!
      const isSame = isDeepStrictEqual(decision.type, type)
      assert.equal(
        typeMismatches[i] === null,
        isSame,
        `SEED=${seed} ${tried[i]} after ${before.join(' ')}: ${decision.why}`,
      )
    }
  }
  assert.ok(types.size > 20, [...types].join())
})
