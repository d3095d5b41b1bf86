// Tests of type decisions: tables of facts with their types and reasons, however the facts were joined.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ColumnFacts, type ValueClass, valueClasses } from '../../core/column-facts.ts'
import { columnFormat, columnTypeName, type Decision, decideTypes, joinFacts, type LineOf } from './infer-types.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Facts of a column: `null` is a null, `word:NA` a null word, `decimal:3.2` a decimal with that many digits. */
function factsOf(values: readonly string[]): ColumnFacts {
  let facts: ColumnFacts = { records: 0, nulls: 0, nullWords: {}, classes: {} }
  for (const value of values) facts = joinFacts(facts, factsOfOne(value))
  return facts
}

function factsOfOne(value: string): ColumnFacts {
  const none = { records: 1, nulls: 0, nullWords: {}, classes: {} }
  if (value === 'null') return { ...none, nulls: 1 }
  const [name, detail] = value.split(':') as [ValueClass | 'word', string | undefined]
  if (name === 'word') return { ...none, nullWords: { [detail ?? '']: 1 } }
  const [whole, scale] = (detail ?? '1.1').split('.').map(Number) as [number, number]
  const digits = { wholeMax: whole, scaleMin: scale, scaleMax: scale }
  return {
    ...none,
    classes: { [name]: { count: 1, first: [1], ...((/^\w*decimal/i.test(name) || detail) && { digits }) } },
  }
}

function decideType(facts: ColumnFacts, lineOf?: LineOf): Decision {
  return decideTypes([facts], lineOf)[0]!
}

const table: readonly (readonly [values: string, type: string, why: string])[] = [
  ['', 'text', 'text: there is no value'],
  ['null null', 'text', 'text: there is no value'],
  ['word:NA word: null', 'text', 'text: all 2 values are null words'],
  ['word:-', 'text', 'text: the only value is a null word'],
  ['integer', 'integer', 'the only value is an integer without padding'],
  ['integer longInteger null', 'integer', 'all 2 values are integers without padding'],
  [
    'integer word:NA integer word:NA word:',
    'integer',
    'all 2 values are integers without padding, apart from 3 null words (NA, empty text)',
  ],
  ['integer word:NA text', 'text', 'text: 1 of 2 values is not an integer without padding (row 3)'],
  ['integer integer integer text text', 'text', 'text: 2 of 5 values are not integers without padding (rows 4, 5)'],
  ['padded integer padded padded padded', 'text', 'text: 4 of 5 values have leading zeros (rows 1, 3, 4, …)'],
  ['padded padded', 'text', 'text: 2 of 2 values have leading zeros (rows 1, 2)'],
  ['padded padded text', 'text', 'text: none of the 3 values fits another type'],
  ['signed integer', 'text', 'text: 1 of 2 values has a plus sign (row 1)'],
  ['tooLong integer', 'text', 'text: 1 of 2 values has more digits than a number type keeps (row 1)'],
  ['text', 'text', 'text: the only value fits no other type'],
  ['text text', 'text', 'text: none of the 2 values fits another type'],
  ['decimal:3.2 decimal:1.2', 'decimal(9,2)', 'all 2 values are numbers with 2 decimal places'],
  ['decimal:7.2', 'decimal(9,2)', 'the only value is a number with 2 decimal places'],
  ['decimal:8.2', 'decimal(18,2)', 'the only value is a number with 2 decimal places'],
  ['decimal:16.2', 'decimal(18,2)', 'the only value is a number with 2 decimal places'],
  ['longDecimal:17.1', 'decimal(18,1)', 'the only value is a number with 1 decimal place'],
  ['longDecimal:28.10', 'decimal(38,10)', 'the only value is a number with 10 decimal places'],
  ['longDecimal:28.10 decimal:1.10', 'decimal(38,10)', 'all 2 values are numbers with 10 decimal places'],
  [
    'longDecimal:29.9 longDecimal:28.9 decimal:1.10',
    'text',
    'text: 2 of 3 values have more digits than a double keeps (rows 1, 2)',
  ],
  ['decimal:29.10', 'number', 'the only value is a number within double precision'],
  ['decimal:3.2 decimal:3.1', 'number', 'all 2 values are numbers within double precision'],
  ['decimal:3.2 integer number', 'number', 'all 3 values are numbers within double precision'],
  ['decimal:3.2 longInteger', 'text', 'text: 1 of 2 values is not an integer without padding (row 1)'],
  ['decimal:3.2 integer longInteger', 'text', 'text: 1 of 3 values is not an integer without padding (row 1)'],
  ['decimal:3.2 decimal:3.1 longInteger', 'text', 'text: 1 of 3 values has more digits than a double keeps (row 3)'],
  ['integer decimal:2.2 text', 'text', 'text: 1 of 3 values is not a number within double precision (row 3)'],
  ['true true', 'boolean', 'all 2 values are true or false'],
  ['TRUE', 'boolean', 'the only value is TRUE or FALSE'],
  ['true TRUE true', 'text', 'text: 1 of 3 values is not true or false (row 2)'],
  ['date date', 'date', 'all 2 values are ISO 8601 dates'],
  ['time', 'time', 'the only value is a time of day'],
  ['timestamp timestamp', 'timestamp', 'all 2 values are ISO 8601 timestamps without offset'],
  ['timestamptz', 'timestamptz', 'the only value is an ISO 8601 timestamp with offset'],
  ['timestamptz timestamptz timestamp', 'text', 'text: 1 of 3 values is not an ISO 8601 timestamp with offset (row 3)'],
  ['date timestamp date', 'text', 'text: 1 of 3 values is not an ISO 8601 date (row 2)'],
]

/** Values separated by `|`, because some classes contain a blank; the format follows the type. */
const forms: typeof table = [
  [
    'decimalComma:1.1|thousandComma:1.3',
    'number 1234,56',
    'all 2 values are numbers within double precision, written like 1234,56',
  ],
  [
    'decimalComma:1.2|decimalComma:3.2',
    'decimal(9,2) 1234,56',
    'all 2 values are numbers with 2 decimal places, written like 1234,56',
  ],
  [
    'decimalComma:1.3|thousandComma:1.3',
    'decimal(9,3) 1234,56',
    'all 2 values are numbers with 3 decimal places, written like 1234,56',
  ],
  [
    'grouped ,|integer|thousandComma:1.3',
    'integer 1,234',
    'all 3 values are integers without padding, written like 1,234',
  ],
  [
    'grouped ,.|decimal:1.1|thousandComma:1.3',
    'number 1,234.56',
    'all 3 values are numbers within double precision, written like 1,234.56',
  ],
  [
    'grouped .,|decimalComma:1.1|thousandPoint:1.3',
    'number 1.234,56',
    'all 3 values are numbers within double precision, written like 1.234,56',
  ],
  [
    'grouped .|thousandPoint:1.3|integer',
    'integer 1.234',
    'all 3 values are integers without padding, written like 1.234',
  ],
  ["grouped '|integer", "integer 1'234", "all 2 values are integers without padding, written like 1'234"],
  [
    'grouped  |decimalComma:1.1',
    'number 1 234,56',
    'all 2 values are numbers within double precision, written like 1 234,56',
  ],
  [
    'longGrouped .,:19.2',
    'decimal(38,2) 1.234,56',
    'the only value is a number with 2 decimal places, written like 1.234,56',
  ],
  ['thousandPoint:1.3|thousandPoint:3.3', 'text', 'text: all 2 values could be thousands or decimals (rows 1, 2)'],
  ['thousandPoint:1.3|decimal:1.3', 'decimal(9,3)', 'all 2 values are numbers with 3 decimal places'],
  ['thousandComma:1.3|integer', 'text', 'text: 1 of 2 values could be thousands or decimals (row 1)'],
  ['thousandComma:1.3|thousandComma:1.3', 'text', 'text: all 2 values could be thousands or decimals (rows 1, 2)'],
  ['thousandComma:1.3|decimal:1.1', 'text', 'text: 1 of 2 values could be thousands or decimals (row 1)'],
  ['thousandComma:1.3|thousandPoint:1.3', 'text', 'text: 1 of 2 values could be thousands or decimals (row 1)'],
  ['thousandPoint:1.3|decimalComma:1.1', 'text', 'text: 1 of 2 values could be thousands or decimals (row 1)'],
  [
    'decimalComma:1.1|decimal:1.1|decimalComma:1.1',
    'text',
    'text: 1 of 3 values is not a number with 1 decimal place, written like 1234,56 (row 2)',
  ],
  [
    'decimalComma:1.1|grouped ,|integer',
    'text',
    'text: 1 of 3 values is not an integer without padding, written like 1,234 (row 1)',
  ],
  [
    'grouped  |grouped ,|grouped  ',
    'text',
    'text: 1 of 3 values is not an integer without padding, written like 1 234 (row 2)',
  ],
  ['date /dmy|date /either', 'date DD/MM/YYYY', 'all 2 values are dates written DD/MM/YYYY'],
  ['date .mdy', 'date MM.DD.YYYY', 'the only value is a date written MM.DD.YYYY'],
  ['date /ymd', 'date YYYY/MM/DD', 'the only value is a date written YYYY/MM/DD'],
  [
    'timestamp .dmy|null|word:NA',
    'timestamp DD.MM.YYYY hh:mm:ss',
    'the only value is a timestamp written DD.MM.YYYY hh:mm:ss, apart from 1 null word (NA)',
  ],
  ['date /either|date /either', 'text', 'text: all 2 values could be day first or month first (rows 1, 2)'],
  ['date /either', 'text', 'text: the only value could be day first or month first (row 1)'],
  [
    'date /dmy|date /mdy|date /dmy|date /either',
    'text',
    'text: 1 of 4 values is not a date written DD/MM/YYYY (row 2)',
  ],
  ['date /dmy|date|date /dmy', 'text', 'text: 1 of 3 values is not a date written DD/MM/YYYY (row 2)'],
  ['date /dmy|date .dmy|date /dmy', 'text', 'text: 1 of 3 values is not a date written DD/MM/YYYY (row 2)'],
  ['date /dmy|timestamp /dmy', 'text', 'text: 1 of 2 values is not a date written DD/MM/YYYY (row 2)'],
  ['date /either|text', 'text', 'text: 1 of 2 values is not a date written DD/MM/YYYY (row 2)'],
]

for (const [values, type, why] of forms) {
  test(`decideTypes() decides ${type} for [${values}]`, () => {
    const decision = decideType(factsOf(values.split('|')))
    const shown = [columnTypeName(decision.type), columnFormat(decision.type) ?? ''].join(' ').trim()
    assert.deepEqual({ type: shown, why: decision.why }, { type, why })
  })
}

test('decideTypes() doubts points that could separate groups if another column has decimal commas', () => {
  const count = factsOf(['thousandPoint:1.3', 'integer'])
  const weight = factsOf(['thousandPoint:1.3', 'decimal:1.1'])
  const price = factsOf(['decimalComma:1.2'])
  const types = (...columns: ColumnFacts[]) => decideTypes(columns).map(({ type }) => columnTypeName(type))
  assert.deepEqual(types(count, weight), ['number', 'number'])
  assert.deepEqual(types(count, weight, price), ['text', 'number', 'decimal(9,2)'])
  assert.equal(decideTypes([count, price])[0]!.why, 'text: 1 of 2 values could be thousands or decimals (row 1)')
})

test('decideTypes() reports for which values a column stays open', () => {
  const holdsFor = (values: string) => decideType(factsOf(values.split('|'))).holdsFor
  assert.deepEqual(holdsFor('thousandComma:1.3|integer'), ['integer', 'thousandComma'])
  assert.deepEqual(holdsFor('date /either'), ['date /either'])
  assert.deepEqual(holdsFor('null'), ['text'])
  assert.equal(holdsFor('date /either|text'), null)
  assert.equal(holdsFor('date /either|date /dmy'), null)
  assert.equal(holdsFor('padded'), null)
})

test('decideTypes() gives reasons that stay true when more values of the same classes follow', () => {
  const whyHeld = (values: string) => decideType(factsOf(values.split('|'))).whyHeld(900)
  assert.equal(whyHeld('date /either|date /either'), 'text: all values could be day first or month first (rows 1, 2)')
  assert.equal(whyHeld('thousandComma:1.3|integer'), 'text: some values could be thousands or decimals (row 1)')
})

test('decideTypes() doubts columns of text that look like something else, and decimals beyond a double', () => {
  const doubtOf = (values: string) => decideType(factsOf(values.split('|'))).doubt
  const doubt = (values: string) => doubtOf(values)?.clause ?? null
  assert.deepEqual(
    ['padded|integer', 'date /either', 'thousandComma:1.3', 'tooLong', 'signed|integer', 'date /dmy|integer'].map(
      (values) => doubtOf(values)?.code,
    ),
    ['LEADING_ZEROS', 'AMBIGUOUS_DATES', 'AMBIGUOUS_NUMBERS', 'TOO_MANY_DIGITS', 'PLUS_SIGNS', 'MIXED_VALUES'],
  )
  const betweenCommas = (values: string) =>
    decideTypes([values, 'text'].map((one) => factsOf(one.split('|'))))[0]!.doubt
  const points = betweenCommas('thousandPoint:1.3|integer|thousandPoint:2.3')
  assert.equal(points?.code, 'AMBIGUOUS_NUMBERS')
  assert.equal(
    points?.clause,
    '2 of 3 values could be thousands or decimals (rows 1, 3), and the others are whole numbers; the point is read as a decimal point',
  )
  for (const sure of ['thousandPoint:1.3|integer|decimal:1.1', 'thousandPoint:1.3|thousandPoint:2.3', 'integer']) {
    assert.equal(betweenCommas(sure), null, sure)
  }
  assert.equal(doubt('padded|integer|padded'), '2 of 3 values have leading zeros (rows 1, 3), so it is kept as text')
  assert.equal(doubt('date /either'), 'the only value could be day first or month first (row 1), so it is kept as text')
  assert.equal(doubt('tooLong'), '1 of 1 value has more digits than a number type keeps (row 1), so it is kept as text')
  assert.equal(
    doubt('longDecimal:17.1'),
    '1 value has more digits than a double keeps (row 1), so it is kept as decimal(18,1)',
  )
  for (const values of ['padded|text', 'text', 'null', 'integer', 'longInteger', 'date /dmy|date /either'])
    assert.equal(doubt(values), null, values)
})

for (const [values, type, why] of table) {
  test(`decideType() decides ${type} for [${values}]`, () => {
    const decision = decideType(factsOf(values.split(' ').filter(Boolean)))
    assert.deepEqual({ type: columnTypeName(decision.type), why: decision.why }, { type, why })
  })
}

test('decideType() lists null words only if they become null', () => {
  assert.deepEqual(decideType(factsOf(['word:NA', 'date', 'word:'])).nullWords, ['NA', ''])
  assert.deepEqual(decideType(factsOf(['word:NA', 'date', 'text'])).nullWords, [])
})

test('decideType() finds the spelling of a boolean', () => {
  assert.deepEqual(decideType(factsOf(['True'])).type, { kind: 'boolean', spelling: 'True' })
})

test('decideType() names lines if they are known', () => {
  const facts = factsOf(['integer', 'text', 'integer', 'padded'])
  const { why } = decideType(facts, (record) => record * 10)
  assert.equal(why, 'text: 2 of 4 values are not integers without padding (lines 20, 40)')
})

const value = fc.oneof(
  fc.constantFrom('null', 'word:NA', 'word:'),
  fc.constantFrom(...valueClasses.filter((name) => !/decimal/i.test(name))),
  fc
    .tuple(fc.constantFrom('decimal', 'longDecimal'), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 9 }))
    .map(([name, whole, scale]) => `${name}:${whole}.${scale}`),
)

test('joinFacts() gives the same for any grouping, with the first records of all', () => {
  fc.assert(
    fc.property(fc.array(value), fc.array(value), fc.array(value), (a, b, c) => {
      const [one, two, three] = [factsOf(a), factsOf(b), factsOf(c)]
      const whole = factsOf([...a, ...b, ...c])
      assert.deepEqual(joinFacts(joinFacts(one, two), three), whole)
      assert.deepEqual(joinFacts(one, joinFacts(two, three)), whole)
      for (const [name, facts] of Object.entries(whole.classes)) {
        const at = [...a, ...b, ...c].flatMap((text, i) => (text.split(':')[0] === name ? i + 1 : []))
        assert.deepEqual({ count: facts.count, first: facts.first }, { count: at.length, first: at.slice(0, 3) })
      }
    }),
    { seed },
  )
})

test('joinFacts() gives the same type in either order', () => {
  fc.assert(
    fc.property(fc.array(value), fc.array(value), (a, b) => {
      const [ab, ba] = [joinFacts(factsOf(a), factsOf(b)), joinFacts(factsOf(b), factsOf(a))]
      assert.deepEqual(decideType(ab).type, decideType(ba).type)
    }),
    { seed },
  )
})

const locales: readonly (readonly [others: readonly string[], delimiter: string, type: string, code: string | null])[] =
  [
    [[], ',', 'text', 'AMBIGUOUS_NUMBERS'],
    [['text'], ',', 'decimal(9,3)', null],
    [['text'], '\t', 'text', 'AMBIGUOUS_NUMBERS'],
    [['integer'], '|', 'text', 'AMBIGUOUS_NUMBERS'],
    [['text'], ';', 'text', 'AMBIGUOUS_NUMBERS'],
    [['date .dmy'], ';', 'text', 'AMBIGUOUS_NUMBERS'],
    [['date .either'], '\t', 'text', 'AMBIGUOUS_NUMBERS'],
    [['decimalComma'], ',', 'text', 'AMBIGUOUS_NUMBERS'],
    [['decimal:2.1'], '\t', 'decimal(9,3)', null],
    [['decimal:2.1'], ';', 'decimal(9,3)', 'AMBIGUOUS_NUMBERS'],
    [['grouped ,'], '|', 'decimal(9,3)', null],
  ]
for (const [others, delimiter, type, code] of locales) {
  test(`decideTypes() reads 331.885 beside [${others}] between "${delimiter}" as ${type}, ${code}`, () => {
    const columns = [factsOf(['thousandPoint:3.3', 'thousandPoint:3.3']), ...others.map((name) => factsOf([name]))]
    const [decision] = decideTypes(columns, undefined, delimiter)
    assert.equal(columnTypeName(decision!.type), type)
    assert.equal(decision!.doubt?.code ?? null, code)
  })
}

for (const name of ['thousandPoint:3.3', 'thousandComma:3.3']) {
  test(`decideTypes() keeps ${name} as text where nothing else in the file decides, alone or beside integers`, () => {
    for (const others of [[], ['integer']]) {
      const [decision] = decideTypes([factsOf([name, ...others])], undefined, '\t')
      assert.equal(decision!.type.kind, 'text')
      assert.equal(decision!.doubt?.code, 'AMBIGUOUS_NUMBERS')
    }
  })
}
