// Tests of type decisions: tables of facts with their types and reasons, and that it does not matter how facts were joined.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ColumnFacts, type ValueClass, valueClasses } from '../core/column-facts.ts'
import { columnTypeName, decideType, joinFacts } from './types.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Facts of a column: `null` is a null, `word:NA` a null word, `decimal:3.2` a decimal of that many digits. */
function factsOf(values: readonly string[]): ColumnFacts {
  let facts: ColumnFacts = { records: 0, nulls: 0, nullWords: {}, classes: {}, digits: null }
  for (const value of values) facts = joinFacts(facts, factsOfOne(value))
  return facts
}

function factsOfOne(value: string): ColumnFacts {
  const none = { records: 1, nulls: 0, nullWords: {}, classes: {}, digits: null }
  if (value === 'null') return { ...none, nulls: 1 }
  const [name, detail] = value.split(':') as [ValueClass | 'word', string | undefined]
  if (name === 'word') return { ...none, nullWords: { [detail ?? '']: 1 } }
  const [whole, scale] = (detail ?? '1.1').split('.').map(Number) as [number, number]
  const digits = /decimal/i.test(name) ? { wholeMax: whole, scaleMin: scale, scaleMax: scale } : null
  return { ...none, classes: { [name]: { count: 1, first: [1] } }, digits }
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
    'all 2 values are integers without padding, apart from 3 null words (NA, quoted empty text)',
  ],
  ['integer word:NA text', 'text', 'text: 1 of 2 values is not an integer without padding (record 3)'],
  ['integer integer integer text text', 'text', 'text: 2 of 5 values are not integers without padding (records 4, 5)'],
  ['padded integer padded padded padded', 'text', 'text: 4 of 5 values have leading zeros (records 1, 3, 4, …)'],
  ['padded padded', 'text', 'text: 2 of 2 values have leading zeros (records 1, 2)'],
  ['padded padded text', 'text', 'text: none of the 3 values fits another type'],
  ['signed integer', 'text', 'text: 1 of 2 values has a plus sign (record 1)'],
  ['tooLong integer', 'text', 'text: 1 of 2 values has more digits than a number type keeps (record 1)'],
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
    'text: 2 of 3 values have more digits than a double keeps (records 1, 2)',
  ],
  ['decimal:29.10', 'number', 'the only value is a number within double precision'],
  ['decimal:3.2 decimal:3.1', 'number', 'all 2 values are numbers within double precision'],
  ['decimal:3.2 integer number', 'number', 'all 3 values are numbers within double precision'],
  ['decimal:3.2 longInteger', 'text', 'text: 1 of 2 values is not an integer without padding (record 1)'],
  ['decimal:3.2 integer longInteger', 'text', 'text: 1 of 3 values is not an integer without padding (record 1)'],
  ['decimal:3.2 decimal:3.1 longInteger', 'text', 'text: 1 of 3 values has more digits than a double keeps (record 3)'],
  ['integer decimal:2.2 text', 'text', 'text: 1 of 3 values is not a number within double precision (record 3)'],
  ['true true', 'boolean', 'all 2 values are true or false'],
  ['TRUE', 'boolean', 'the only value is TRUE or FALSE'],
  ['true TRUE true', 'text', 'text: 1 of 3 values is not true or false (record 2)'],
  ['date date', 'date', 'all 2 values are ISO 8601 dates'],
  ['time', 'time', 'the only value is a time of day'],
  ['timestamp timestamp', 'timestamp', 'all 2 values are ISO 8601 timestamps without offset'],
  ['timestamptz', 'timestamptz', 'the only value is an ISO 8601 timestamp with offset'],
  [
    'timestamptz timestamptz timestamp',
    'text',
    'text: 1 of 3 values is not an ISO 8601 timestamp with offset (record 3)',
  ],
  ['date timestamp date', 'text', 'text: 1 of 3 values is not an ISO 8601 date (record 2)'],
]

for (const [values, type, why] of table) {
  test(`decideType() takes [${values}] for ${type}`, () => {
    const decision = decideType(factsOf(values.split(' ').filter(Boolean)))
    assert.deepEqual({ type: columnTypeName(decision.type), why: decision.why }, { type, why })
  })
}

test('decideType() lists null words only where they become null', () => {
  assert.deepEqual(decideType(factsOf(['word:NA', 'date', 'word:'])).nullWords, ['NA', ''])
  assert.deepEqual(decideType(factsOf(['word:NA', 'date', 'text'])).nullWords, [])
})

test('decideType() tells the spelling of a boolean', () => {
  assert.deepEqual(decideType(factsOf(['True'])).type, { kind: 'boolean', spelling: 'True' })
})

test('decideType() names lines where it can', () => {
  const facts = factsOf(['integer', 'text', 'integer', 'padded'])
  const { why } = decideType(facts, { lineOf: (record) => record * 10 })
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
        assert.deepEqual(facts, { count: at.length, first: at.slice(0, 3) })
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
