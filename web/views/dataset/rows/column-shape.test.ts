// Tests of the column shape: what a plot draws, and which filter a part of it means.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ColumnStatistics } from '../../../api.ts'
import type { Filter } from './row-view.ts'

// What the language of a visit is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'de' }, document: { documentElement: {} } })
const {
  areReversed,
  barsFilter,
  barsPath,
  binsOf,
  endsOf,
  endsSet,
  isChosen,
  isComparable,
  rangeFilter,
  shownValue,
  shapeOf,
  typedValue,
} = await import('./column-shape.ts')

const column = (kind: ColumnStatistics['column_type'], of: object): ColumnStatistics => ({
  column_name: 'c',
  column_type: kind,
  column_statistics: { nan_count: 0, nan_proportion: 0, ...of },
})
const histogram = { hist: [1, 0, 4], bin_edges: [0, 10, 20, 25] }
const bins = { column: 'c', edges: ['0', '10', '20', '25'], isLength: false, isWhole: true }

test('shapeOf() tells histograms, few values, values that are all different, and no value apart', () => {
  assert.deepEqual(shapeOf(column('int', { histogram }), 5), { kind: 'bins', counts: [1, 0, 4], bins })
  const labels = shapeOf(column('string_label', { frequencies: { a: 1, b: 4, c: 0 } }), 5)
  assert.deepEqual(labels, {
    kind: 'labels',
    labels: [
      ['b', 4],
      ['a', 1],
    ],
  })
  const lengths = { histogram, n_unique: 5 }
  assert.deepEqual(shapeOf(column('string_text', lengths), 5), { kind: 'different', text: 'alle verschieden' })
  assert.deepEqual(shapeOf(column('string_text', lengths), 6), { kind: 'different', text: '5 verschiedene' })
  assert.deepEqual(shapeOf(column('int', { nan_count: 5 }), 5), { kind: 'different', text: 'null' })
})

test('endsOf() has dates in few characters, and the chosen ones of few values', () => {
  const dates = (min: string, max: string) => {
    const measured = column('datetime', { min, max, histogram })
    return endsOf(measured, shapeOf(measured, 5), undefined)
  }
  assert.deepEqual(dates('2026-11-01', '2026-11-28'), ['1. Nov.', '28. Nov.'])
  assert.deepEqual(dates('2025-11-01 10:00:00', '2026-02-28 12:00:00'), ['Nov. 2025', 'Feb. 2026'])
  const measured = column('string_label', { frequencies: { a: 1, b: 3, c: 1 } })
  assert.deepEqual(endsOf(measured, shapeOf(measured, 5), undefined), ['60\u00a0% b', '3 verschiedene'])
  const filter: Filter = { column: 'c', operator: 'in', values: ['a', 'b'] }
  assert.deepEqual(endsOf(measured, shapeOf(measured, 5), filter), ['a, b', '2 von 3'])
})

test('rangeFilter() and endsSet() agree on both ends, one and none', () => {
  for (const [from = '', to = ''] of ['1 2', '1 ', ' 2'].map((ends) => ends.split(' ')))
    assert.deepEqual(endsSet(rangeFilter(bins, from, to)!), [from, to])
  assert.equal(rangeFilter(bins, '', ''), null)
  assert.deepEqual(rangeFilter({ ...bins, isLength: true }, '1', '')?.isLength, true)
})

test('areReversed() compares both ends, numbers by value and dates as texts', () => {
  assert.deepEqual([areReversed(['9', '10']), areReversed(['10', '9']), areReversed(['10', ''])], [false, true, false])
  assert.deepEqual([areReversed(['2026-11-28', '2026-11-27']), areReversed(['', '1'])], [true, false])
})

test('barsFilter() ends before the first value of the next bar, where nothing is between the two', () => {
  const chosen = (first: number, last: number, edges = bins.edges, isWhole = true) =>
    barsFilter({ ...bins, edges, isWhole }, first, last)?.values
  assert.deepEqual(chosen(0, 0), ['0', '9'])
  assert.deepEqual(chosen(1, 2), ['10', '25'])
  assert.deepEqual(chosen(0, 0, ['9', '9', '12']), ['9', '9'])
  assert.deepEqual(chosen(0, 0, ['2026-02-27', '2026-03-01', '2026-03-02']), ['2026-02-27', '2026-02-28'])
  assert.deepEqual(chosen(0, 0, ['0', '1.5', '3'], false), ['0', '1.5'])
})

test('binsOf() has edges without the noise of binary fractions, and the exact ends', () => {
  const noisy = { hist: [1, 2, 3], bin_edges: [249.99, 299.98800000000006, -6.489999999999782, 504.98000000000002] }
  const made = binsOf(column('float', { histogram: noisy }))?.bins
  assert.deepEqual([made?.edges, made?.isWhole], [['249.99', '299.988', '-6.49', '504.98'], false])
})

test('isChosen() is true of the bins that were dragged over, of numbers and of dates', () => {
  const chosen = (from: string, to: string, edges = bins.edges) =>
    edges.slice(1).map((_, at) => isChosen({ ...bins, edges }, at, rangeFilter(bins, from, to)!))
  assert.deepEqual(chosen('10', '20'), [false, true, false])
  assert.deepEqual(chosen('', '5'), [true, false, false])
  assert.deepEqual(chosen('25', ''), [false, false, true])
  assert.deepEqual(chosen('9', '9', ['9', '9']), [true])
  assert.deepEqual(chosen('2026-01-05', '2026-02-01', ['2026-01-01', '2026-02-01', '2026-03-01']), [true, false])
})

test('barsPath() draws a bar even for one of a million, and none for nothing', () => {
  assert.equal(barsPath([1_000_000, 1, 0]), 'M0.06 20v-20h.88v20.00zM1.06 20v-0.6h.88v0.60z')
  assert.equal(
    barsPath([1, 1], (at) => at === 1),
    'M1.06 20v-20h.88v20.00z',
  )
})

test('typedValue() takes the decimal comma of a German number, and leaves all else as it is', () => {
  const typed = ['12,5', '-1.234,5', '12.5', '1,2,3', '']
  assert.deepEqual(
    typed.map((text) => typedValue(text, 'decimal(5,2)')),
    ['12.5', '-1234.5', '12.5', '1,2,3', ''],
  )
  assert.equal(typedValue('12,5', 'text'), '12,5')
})

test('shownValue() is what typedValue() takes', () => {
  assert.deepEqual(
    ['12.5', '-1234.5', '7', ''].map((value) => shownValue(value, 'number')),
    ['12,5', '-1234,5', '7', ''],
  )
  assert.equal(typedValue(shownValue('-1234.5', 'number'), 'number'), '-1234.5')
  assert.equal(shownValue('12.5', 'text'), '12.5')
})

test('isComparable() is false of texts that a statement about the type would fail on', () => {
  const right = [
    ['decimal(5,2)', '-1.5'],
    ['integer', '7'],
    ['date', '2026-01-31'],
    ['boolean', 'true'],
    ['text', 'x'],
  ]
  for (const [type = '', text = ''] of right) assert.ok(isComparable(text, type), type)
  const wrong = [
    ['decimal(5,2)', 'many'],
    ['integer', ''],
    ['timestamptz', '31.01.2026'],
    ['boolean', 'maybe'],
  ]
  for (const [type = '', text = ''] of wrong) assert.ok(!isComparable(text, type), type)
})
