// Tests of declared fields: only what a user has said is declared, in the form that the values have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Column } from '../../src/core/receipt.ts'
import { choicesOf, type FieldChoice, type FieldChoices, samplesOf, schemaOf, withChoice } from './declared-fields.ts'

const columns: readonly Column[] = [
  { name: 'no', type: 'integer', nulls: 0, why: '' },
  { name: 'amount', type: 'text', nulls: 0, why: '' },
  { name: 'day', type: 'text', nulls: 0, why: '' },
  { name: 'at', type: 'date', format: 'DD.MM.YYYY', nulls: 1, nullWords: ['NA'], why: '' },
]
const rows = [
  ['1', '1.234,50', '12/31/2026', '28.11.2026'],
  ['2', null, '11/05/2026', 'NA'],
]
const fieldOf = (name: string, choice: FieldChoice) => {
  const schema = schemaOf(new Map([[name, choice]]), { columns, rows }) as { readonly fields: readonly object[] }
  return schema.fields[0]
}

test('schemaOf() declares nothing unless something is said', () => {
  assert.equal(schemaOf(new Map(), { columns, rows }), null)
  assert.equal(schemaOf(new Map([['gone', { name: 'x' }]]), { columns, rows }), null)
})

test('schemaOf() keeps the type, format and null words that are detected', () => {
  assert.deepEqual(fieldOf('no', { name: 'id', isRequired: true }), {
    name: 'id',
    nameInFile: 'no',
    type: 'integer',
    constraints: { required: true },
  })
  assert.deepEqual(fieldOf('at', { missing: ['-'] }), {
    name: 'at',
    type: 'date',
    format: '%d.%m.%Y',
    missingValues: ['', 'NA', '-'],
  })
})

test('schemaOf() reads a chosen type in the form of the first values; a pattern makes a text', () => {
  assert.deepEqual(fieldOf('amount', { type: 'number' }), {
    name: 'amount',
    type: 'number',
    decimalChar: ',',
    groupChar: '.',
  })
  assert.deepEqual(fieldOf('day', { type: 'date' }), { name: 'day', type: 'date', format: '%m/%d/%Y' })
  assert.deepEqual(fieldOf('no', { pattern: '\\d' }), { name: 'no', type: 'string', constraints: { pattern: '\\d' } })
})

test('schemaOf() declares a decimal in the form of the values, also when it is read again', () => {
  const money = { name: 'amount', type: 'number', format: 'decimal', decimalChar: ',', groupChar: '.' }
  assert.deepEqual(fieldOf('amount', { type: 'decimal' }), money)
  const again = choicesOf({ fields: [{ ...money, type: 'number' }] })
  assert.equal(again.get('amount')?.type, 'decimal')
  assert.deepEqual(schemaOf(again, { columns, rows }), { fieldsMatch: 'subset', fields: [money] })
  const detected = { ...columns[1]!, type: 'decimal(9,2)', format: '1.234,56' }
  const chosen = schemaOf(new Map([['amount', { type: 'decimal' }]]), { columns: [detected], rows })
  assert.deepEqual(chosen, { fieldsMatch: 'subset', fields: [money] })
  const dollars = { columns, rows: [[], [null, '1,234.5']] }
  assert.deepEqual(schemaOf(new Map([['amount', { type: 'number' }]]), dollars), {
    fieldsMatch: 'subset',
    fields: [{ name: 'amount', type: 'number', groupChar: ',' }],
  })
})

test('choicesOf() has the words for null, which can be taken away', () => {
  const again = choicesOf({ fields: [{ name: 'no', type: 'integer', missingValues: ['', '-999'] }] })
  assert.deepEqual(again.get('no')?.missing, ['-999'])
  const none = schemaOf(withChoice(again, 'no', { missing: [] }), { columns, rows })
  assert.deepEqual(none, { fieldsMatch: 'subset', fields: [{ name: 'no', type: 'integer' }] })
})

test('withChoice() adds to what is said, also about a column that is called like a member of objects', () => {
  const none: FieldChoices = new Map()
  const both = withChoice(withChoice(none, '__proto__', { name: 'x' }), '__proto__', { isRequired: true })
  assert.deepEqual([...both], [['__proto__', { name: 'x', isRequired: true }]])
})

test('samplesOf() has the first different values', () => {
  assert.deepEqual(samplesOf({ rows: [['b'], [null], ['b'], ['a'], ['c'], ['d']] }, 0), ['b', 'a', 'c'])
})

test('choicesOf() keeps what was declared, also where one thing of it is changed', () => {
  const fields = [
    { name: 'when', nameInFile: 'day', type: 'date', format: '%d.%m.%Y', constraints: { required: true } },
    { name: 'amount', type: 'number', decimalChar: ',', constraints: { minimum: 0 }, missingValues: ['-'] },
    { name: 'gone', type: 'string' },
  ] as const
  const before = { fields, missingValues: ['n/a'], primaryKey: ['when'] }
  const kept = [{ ...fields[0], missingValues: ['n/a'] }]
  assert.deepEqual(schemaOf(choicesOf(before), { columns, rows }), {
    fieldsMatch: 'subset',
    fields: [fields[1], kept[0]],
    primaryKey: ['when'],
  })
  const renamed = schemaOf(withChoice(choicesOf(before), 'day', { name: 'date' }), { columns, rows })
  const next = [fields[1], { ...kept[0], name: 'date' }]
  assert.deepEqual(renamed, { fieldsMatch: 'subset', fields: next, primaryKey: ['date'] })
})
