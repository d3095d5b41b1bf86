// Tests of the data package: it describes a receipt in the terms of the specification, and in no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Column, Receipt } from '../../core/receipt.ts'
import { sample } from '../../store/store-samples.testing.ts'
import { dataPackageJson } from './data-package.ts'

function packaged(changes: Partial<Receipt> = {}) {
  return dataPackageJson({ ...sample({ seed: 1, name: 'Größe 2024.CSV' }).receipt, ...changes })
}

function column(type: string, others: Partial<Column> = {}): Column {
  return { name: 'n', type, nulls: 0, why: '', ...others }
}

test('dataPackageJson() names the files next to it, with their known properties', () => {
  const { receipt } = sample({ seed: 1 })
  const made = packaged()
  assert.deepEqual([made.name, made.title, made.created], ['gro-e-2024', 'Größe 2024.CSV', '2025-11-20T14:46:40.000Z'])
  const [data, original] = made.resources
  assert.deepEqual([data.path, data.type, data.encoding], ['data.csv', 'table', 'utf-8'])
  assert.equal(original.path, 'original')
  assert.deepEqual([original.bytes, original.hash], [receipt.file.bytes, `sha256:${receipt.file.sha256}`])
})

test('dataPackageJson() derives a name from any file name', () => {
  const { file } = sample({ seed: 1 }).receipt
  for (const [name, wanted] of [
    ['a.csv', 'a'],
    ['Ventes été.TSV', 'ventes-ete'],
    ['..csv', 'dataset'],
    ['数据.csv', 'dataset'],
    ['--a b--', 'a-b'],
  ] as const) {
    assert.equal(packaged({ file: { ...file, name } }).name, wanted, name)
  }
})

test('dataPackageJson() maps each type to a field', () => {
  for (const [given, wanted] of [
    [column('integer'), { type: 'integer' }],
    [column('integer', { format: '1,234' }), { type: 'number', groupChar: ',' }],
    [column('decimal(9,2)'), { type: 'number' }],
    [column('number', { format: '1234,56' }), { type: 'number', decimalChar: ',' }],
    [column('decimal(9,2)', { format: '1.234,56' }), { type: 'number', groupChar: '.', decimalChar: ',' }],
    [column('number', { format: '1,234.56' }), { type: 'number', groupChar: ',' }],
    [column('boolean'), { type: 'boolean' }],
    [column('date'), { type: 'date' }],
    [column('date', { format: 'DD/MM/YYYY' }), { type: 'date', format: '%d/%m/%Y' }],
    [column('time'), { type: 'time', format: 'any' }],
    [column('timestamp'), { type: 'datetime', format: 'any' }],
    [column('timestamp', { format: 'MM-DD-YYYY hh:mm:ss' }), { type: 'datetime', format: '%m-%d-%Y %H:%M:%S' }],
    [column('timestamptz'), { type: 'datetime', format: 'any' }],
    [column('text', { nullWords: ['NA'] }), { type: 'string', missingValues: ['', 'NA'] }],
    [column('something new'), { type: 'string' }],
  ] as const) {
    const [data] = packaged({ columns: [given] }).resources
    assert.deepEqual(data.schema.fields, [{ name: 'n', ...wanted }])
  }
})

test('dataPackageJson() keeps a declared field unchanged', () => {
  const schema = {
    fields: [{ name: 'n', type: 'integer', constraints: { minimum: 1 } }],
    fieldsMatch: 'subset',
    missingValues: ['', '-'],
  } as const
  const [data] = packaged({ columns: [column('integer'), column('text', { name: 'other' })], schema }).resources
  assert.deepEqual(data.schema, {
    fields: [schema.fields[0], { name: 'other', type: 'string' }],
    missingValues: ['', '-'],
  })
})

test('dataPackageJson() describes the original as a file, since its records may not fit the schema', () => {
  const { file, encoding } = sample({ seed: 1 }).receipt
  const of = (changes: Partial<Receipt>) => packaged(changes).resources[1]
  const { title: _, bytes: __, hash: ___, ...others } = of({})
  // With a format or a dialect, tools read it as a table.
  assert.deepEqual(others, { name: 'original', path: 'original', mediatype: 'text/csv', encoding: encoding.name })
  const compression = { format: 'gzip', bytes: 1, sha256: '' } as const
  assert.equal(of({ file: { ...file, compression } }).mediatype, 'application/gzip')
})

test('dataPackageJson() leaves out a header with other names than the columns', () => {
  const { body } = sample({ seed: 1 }).receipt
  const dialectOf = (headerFields: readonly string[] | null) =>
    packaged({ columns: [column('text')], body: { ...body, headerFields } }).resources[0].dialect
  assert.deepEqual([dialectOf(['n']).header, 'commentRows' in dialectOf(['n'])], [true, false])
  assert.deepEqual([dialectOf(['']).header, dialectOf(['']).commentRows], [false, [1]])
  assert.deepEqual([dialectOf(null).header, 'commentRows' in dialectOf(null)], [false, false])
})
